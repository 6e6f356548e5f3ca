"""A run that is played again adds to its record only what is new."""

from hypothesis import given
from hypothesis import strategies as st

from dure.events import (
    AgentStarted,
    Event,
    ModelCalled,
    Notice,
    ReasoningDelta,
    StepChanged,
    TextDelta,
    TextRetracted,
)
from dure.runs.replay import Replay

ids = st.sampled_from(["m1", "m2"])
texts = st.lists(st.text("ab", min_size=1, max_size=3), max_size=8)
event = st.one_of(
    st.builds(TextDelta, ids, st.text("ab", min_size=1, max_size=3)),
    st.builds(TextRetracted, ids),
    st.builds(ReasoningDelta, ids, st.text("ab", min_size=1, max_size=3)),
    st.builds(Notice, st.sampled_from(["x", "y"]), st.just("")),
    st.builds(AgentStarted, st.sampled_from(["w1", "w2"]), st.just("a"), st.just("t")),
)


def standing(events: list[Event]) -> dict[str, str]:
    """The texts that stand at the end, by message."""
    said: dict[str, str] = {}
    for each in events:
        if isinstance(each, TextDelta):
            said[each.message_id] = said.get(each.message_id, "") + each.text
        elif isinstance(each, TextRetracted):
            said.pop(each.message_id, None)
    return said


def played(recorded: list[Event], again: list[Event]) -> list[Event]:
    replay = Replay(recorded)
    return [new for each in again for new in replay.new(each)]


@given(st.lists(event, max_size=12), st.integers(0, 12))
def test_the_same_told_again_adds_only_what_the_record_lacks(events: list[Event], cut: int) -> None:
    recorded = events[:cut]
    notices = [e for e in events if isinstance(e, Notice | AgentStarted)]
    both = recorded + played(recorded, events)
    assert sorted(map(repr, (e for e in both if isinstance(e, Notice | AgentStarted)))) == sorted(map(repr, notices))


@given(
    st.lists(st.text("ab", min_size=1, max_size=3), max_size=8),
    st.lists(st.text("ab", min_size=1, max_size=3), max_size=8),
)
def test_a_text_ends_as_it_was_said_last(first: list[str], second: list[str]) -> None:
    """Whatever was streamed before the process died, what stands is what the run says when played again, unless it
    says less than was shown: then that is settled at the end of the run."""
    recorded: list[Event] = [TextDelta("m", text) for text in first]
    both = recorded + played(recorded, [TextDelta("m", text) for text in second])
    old, new = "".join(first), "".join(second)
    assert standing(both).get("m", "") == (old if old.startswith(new) else new)


def test_a_text_that_differs_is_taken_back() -> None:
    new = played([TextDelta("m", "abc")], [TextDelta("m", "ab"), TextDelta("m", "x")])
    assert new == [TextRetracted("m", ""), TextDelta("m", "abx")]


def test_how_long_it_took_does_not_make_it_new() -> None:
    assert played([StepChanged(1, "done", 1.5)], [StepChanged(1, "done", 0.0)]) == []


def test_what_is_only_told_when_it_happens_is_always_new() -> None:
    called = ModelCalled("work", "m", "native", {}, {}, 0.1, 1, 1)
    assert played([called], [called]) == [called]
