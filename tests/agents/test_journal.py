"""What a run has done already is read from its record."""

from dataclasses import replace

import pytest

from dure.agents import Journal, Sources
from dure.agents.journal import digest
from dure.errors import Diverged, ModelError, ModelTimeout
from dure.events import ModelCalled, Routed, Sourced, ToolFinished, ToolStarted
from dure.messages import ToolCall, system, user

SAID = {"content": "네", "reasoning": "", "repairs": [], "unfinished": "", "finish_reason": "stop"}


def called(ask_id: str, error: str | None = None) -> ModelCalled:
    reply = {} if error else SAID | {"tool_calls": [{"name": "t", "args": {"a": 1}, "id": "x", "error": None}]}
    return ModelCalled("work", "m", "native", {"messages": []}, reply, 0.5, 7, 3, ask_id=ask_id, error=error)


def test_an_exchange_is_known_by_its_id() -> None:
    journal = Journal([called("w1.a1"), called("a2", error="down")])
    asked = journal.asked("w1.a1", "work", "")
    assert asked is not None
    assert asked.reply.content == "네"
    assert asked.reply.tool_calls == [ToolCall("t", {"a": 1}, "x")]
    assert asked.reply.usage.as_dict() == {"model_calls": 1, "prompt_tokens": 7, "completion_tokens": 3}
    with pytest.raises(ModelError, match="down"):
        journal.asked("a2", "work", "")
    assert journal.asked("a1", "work", "") is None


def test_the_error_of_an_exchange_is_its_outcome() -> None:
    failed = replace(called("a1", error="x"), failure=ModelTimeout(seconds=3).kept())
    with pytest.raises(ModelTimeout) as raised:
        Journal([failed]).asked("a1", "work", "")
    assert raised.value.details == {"seconds": 3}


def test_the_day_and_the_wording_of_instructions_make_no_other_question() -> None:
    assert digest([system("Today is Monday."), user("a")]) == digest([system("Today is Tuesday."), user("a")])
    assert digest([system("x"), user("a")]) != digest([system("x"), user("b")])


def test_once_something_differs_nothing_is_known_any_more() -> None:
    journal = Journal([replace(called("a1"), asked="1"), called("a2")])
    with pytest.raises(Diverged):
        journal.asked("a1", "work", "2")
    for unlike in (
        lambda: journal.asked("a2", "work", ""),
        lambda: journal.begun("c9"),
        lambda: journal.ended("failed"),
    ):
        with pytest.raises(Diverged):
            unlike()


def test_a_call_is_known_only_with_its_arguments() -> None:
    passage = {"document_id": "d", "title": "t", "page": 1, "start": 0, "end": 1, "text": "x"}
    started = ToolStarted("c1", "t", {"a": 1}, "agent")
    finished = ToolFinished("c1", "t", "ok", "done", 0.1, "agent", "", [passage], {"n": 1})
    journal = Journal([started, finished])
    assert journal.begun("c1", ToolCall("t", {"a": "1"}), ToolCall("t", {"a": 1})) == started
    result = journal.finished("c1")
    assert result is not None
    assert (result.status, result.seconds) == ("ok", 0.1)
    assert (result.text, result.passages[0].text, result.data) == ("done", "x", {"n": 1})
    assert journal.begun("c2", ToolCall("t", {"a": 1})) is None
    for other in (ToolCall("t", {"a": 2}), ToolCall("u", {"a": 1})):
        with pytest.raises(Diverged):
            Journal([started]).begun("c1", other)


def test_passages_keep_the_numbers_they_got() -> None:
    def found(call_id: str, start: int) -> ToolFinished:
        passage = {"document_id": "d", "title": "t", "page": 1, "start": start, "end": start + 1, "text": "x"}
        return ToolFinished(call_id, "t", "ok", "", 0.1, "agent", "", [passage])

    journal = Journal([found("c1", 0), found("c2", 5), Sourced(1, ["d", 5, 6]), Sourced(2, ["d", 0, 1])])
    assert [p.start for p in journal.passages] == [5, 0]
    sources = Sources(list(journal.passages))
    assert [sources.number(p) for p in reversed(journal.passages)] == [(2, False), (1, False)]


def test_a_sentence_of_a_passage_keeps_its_number() -> None:
    """Small models tell of sentences and rows; what is recorded is the passage that holds them."""
    text = "첫 문장이다. 둘째 문장이다."
    passage = {"document_id": "d", "title": "t", "page": 1, "start": 10, "end": 10 + len(text), "text": text}
    found = ToolFinished("c1", "t", "ok", "", 0.1, "agent", "", [passage])
    (kept,) = Journal([found, Sourced(1, ["d", 18, 10 + len(text)])]).passages
    assert (kept.start, kept.text) == (18, "둘째 문장이다.")


def test_the_first_decision_on_who_works_is_kept():
    events = [Routed(["a", "b"], "model", {"a > b": 0.5}), Routed(["c"], "rule")]
    assert Journal(events).routed == events[0]
    assert Journal().routed is None
