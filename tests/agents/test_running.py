"""Calls of a reply: asked for, run and recorded as one and the same call, also when the run is played again."""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from dure import Agent, tool
from dure.agents import Decision, Journal, Question, RunContext
from dure.agents.running import run_tools
from dure.events import Event, ToolFinished, ToolStarted
from dure.messages import ToolCall, json_bytes
from dure.models import Model
from dure.models.client import ChatClient
from dure.storage import now, stamp
from dure.storage.calls import Calls
from dure.storage.process import boot
from dure.tooling import Tool, ToolContext, ToolResult

MODEL = Model(ChatClient("http://127.0.0.1:9/v1", "nobody"))
"""Is never asked."""
Answers = dict[str, Decision]
"""What people decided, by the question's key."""


class Bank:
    """A tool with effects, and what it did."""

    def __init__(self) -> None:
        self.done: list[dict[str, Any]] = []
        self.asked: list[Question] = []
        self.events: list[Event] = []

    def tools(self) -> dict[str, Tool]:
        @tool(effect="external")
        async def transfer(amount: int, tags: list[str] | None = None) -> str:
            """Transfer money."""
            self.done.append({"amount": amount, "tags": tags})
            return f"sent {amount}"

        return {"transfer": transfer}

    async def work(
        self,
        args: dict[str, Any],
        record: Sequence[Event] = (),
        answers: Answers | None = None,
        allow: Sequence[str] = (),
        unfamiliar: bool = False,
        by_model: bool = True,
    ) -> list[ToolResult] | None:
        """Play a run with one call on top of its record."""
        decided = {} if answers is None else answers
        run = RunContext(
            *("o", "r", "s", "보내 줘"),
            model=MODEL,
            tools={},
            emit=self.events.append,
            journal=Journal(record),
            decided=lambda question: decided.get(question.key),
        )
        agent = Agent(name="clerk", description="x", allow=list(allow))
        calls = [ToolCall("transfer", args, reader="hermes", unfamiliar=unfamiliar)]
        results = await run_tools(run, self.tools(), calls, agent, "", by_model=by_model)
        self.asked = run.questions
        return results


def begun(args: dict[str, Any], times: int = 1) -> list[Event]:
    return [ToolStarted("c1", "transfer", args, "clerk") for _ in range(times)]


def ended(text: str) -> ToolFinished:
    return ToolFinished("c1", "transfer", "ok", text, 0.1, "clerk")


YES = Decision("approve")
MENDED = [
    ({"amount": "5"}, {"amount": 5}),
    ({"amount": 5, "tags": "a"}, {"amount": 5, "tags": ["a"]}),
    ({"amount": "5", "tags": "[]"}, {"amount": 5, "tags": []}),
]
ACCOUNT = 123456789012345678901234567890


@pytest.mark.parametrize(("written", "mended"), MENDED)
async def test_a_call_is_asked_for_recorded_and_run_as_it_was_mended(written: dict, mended: dict) -> None:
    bank = Bank()
    assert await bank.work(written) is None
    assert [q.args for q in bank.asked] == [mended]
    results = await bank.work(written, answers={"c1": YES})
    assert [r.text for r in results or []] == ["sent 5"]
    assert [e.args for e in bank.events if isinstance(e, ToolStarted)] == [mended]
    assert len(bank.done) == 1


@pytest.mark.parametrize(("written", "mended"), MENDED)
@pytest.mark.parametrize("allow", [(), ("transfer",)])
@pytest.mark.parametrize("old", [True, False], ids=["recorded as written", "recorded as mended"])
async def test_a_mended_call_that_broke_off_is_in_doubt(written: dict, mended: dict, allow: tuple, old: bool) -> None:
    bank = Bank()
    assert await bank.work(written, begun(written if old else mended), {"c1": YES}, allow) is None
    assert [(q.kind, q.args) for q in bank.asked] == [("in_doubt", mended)]
    assert bank.done == []


@pytest.mark.parametrize(("written", "mended"), MENDED)
@pytest.mark.parametrize("old", [True, False], ids=["recorded as written", "recorded as mended"])
async def test_a_mended_call_that_ended_is_known(written: dict, mended: dict, old: bool) -> None:
    bank = Bank()
    record = [*begun(written if old else mended), ended("sent before")]
    results = await bank.work(written, record, {"c1": YES})
    assert [r.text for r in results or []] == ["sent before"]
    assert bank.done == []


async def test_each_time_a_call_breaks_off_is_asked_about_on_its_own() -> None:
    bank = Bank()
    answers = {"c1": YES}
    for times in (1, 2, 3):
        bank.done.clear()
        assert await bank.work({"amount": 5}, begun({"amount": 5}, times), answers) is None, f"broke off {times} times"
        [question] = bank.asked
        assert (question.kind, bank.done) == ("in_doubt", [])
        answers |= {question.key: YES}
        assert await bank.work({"amount": 5}, begun({"amount": 5}, times), answers), "approved, so run once more"
        assert len(bank.done) == 1


@pytest.mark.parametrize("effect", ["idempotent", "write"])
@pytest.mark.parametrize("said", ["done", ToolResult("room 7"), "not done", "unknown", "perhaps", None])
async def test_what_broke_off_is_asked_of_its_tool_before_people(effect: str, said: Any) -> None:
    """One that may be done again is, with the same key; one that can tell what became of it does."""
    keys: list[str] = []

    async def became(key: str) -> Any:
        keys.append(key)
        if said is None:
            raise ConnectionError("nobody there")
        return said

    @tool(effect=effect, verify=became)  # type: ignore[arg-type]
    async def pay(context: ToolContext) -> str:
        """Pay."""
        keys.append(f"paid {context.key}")
        return "paid"

    events: list[Event] = []
    run = run_of(events, [ToolStarted("c1", "pay", {}, "clerk", effect=effect)])
    results = await run_tools(run, {"pay": pay}, [ToolCall("pay", {})], Agent(name="clerk", description="x"), "")
    if effect == "idempotent" or said == "not done":
        assert [r.text for r in results or []] == ["paid"]
        assert keys[-1] == "paid r.c1"
    elif said == "done" or isinstance(said, ToolResult):
        assert [r.status for r in results or []] == ["ok"]
        assert [r.text == "room 7" for r in results or []] == [said != "done"]
        assert [e.status for e in events if isinstance(e, ToolFinished)] == ["ok"]
        assert keys == ["r.c1"]
    else:
        assert (results, [q.kind for q in run.questions], keys) == (None, ["in_doubt"], ["r.c1"])


@pytest.mark.skipif(not boot(), reason="nobody knows whether the system was started again")
@pytest.mark.parametrize("handed", [(), ("r.c1",), ("r.c2",)])
@pytest.mark.parametrize("server", ["", "rooms"])
async def test_what_was_not_handed_to_its_tool_is_made_without_asking(
    tmp_path: Path, handed: tuple, server: str
) -> None:
    dead = Calls(tmp_path)
    begun = ToolStarted("c1", "book", {}, "clerk", effect="write", by=dead.by())
    for key in handed:
        dead.hand_over(key)
    os.close(dead._file)
    done: list[str] = []

    @tool(effect="write", timeout=0.4)
    async def book() -> str:
        """Book."""
        done.append("booked")
        return "booked"

    events: list[Event] = []
    run = run_of(events, [begun])
    run.calls = Calls(tmp_path)
    tools = {"book": replace(book, server=server)}
    results = await run_tools(run, tools, [ToolCall("book", {})], Agent(name="clerk", description="x"), "")
    if "r.c1" in handed:
        assert (results, [q.kind for q in run.questions], done) == (None, ["in_doubt"], [])
    else:
        assert ([r.text for r in results or []], run.questions, done) == (["booked"], [], ["booked"])
        (again,) = [e for e in events if isinstance(e, ToolStarted)]
        assert again.by not in ("", begun.by)
    run.calls.close()


@pytest.mark.skipif(not boot(), reason="nobody knows whether the system was started again")
@pytest.mark.parametrize("effect", ["write", "idempotent"])
@pytest.mark.parametrize("server", ["", "rooms"])
async def test_an_end_that_came_in_and_was_not_recorded_is_known(tmp_path: Path, effect: Any, server: str) -> None:
    done: list[str] = []

    @tool(effect=effect, timeout=0.4)
    async def book() -> ToolResult:
        """Book."""
        done.append("booked")
        return ToolResult("room 7\nis booked", data={"room": 7})

    tools, clerk = {"book": replace(book, server=server)}, Agent(name="clerk", description="x", allow=["book"])

    async def lost() -> None:
        if done:
            raise ConnectionError("the record cannot be written")

    events: list[Event] = []
    first = run_of(events, [])
    first.calls, first.commit = Calls(tmp_path), lost
    with pytest.raises(ConnectionError):
        await run_tools(first, tools, [ToolCall("book", {})], clerk, "")
    os.close(first.calls._file)
    (begun,) = [each for each in events if isinstance(each, ToolStarted)]

    events = []
    run = run_of(events, [begun])
    run.calls = Calls(tmp_path)
    results = await run_tools(run, tools, [ToolCall("book", {})], clerk, "")
    assert [(r.text, r.data, r.status) for r in results or []] == [("room 7\nis booked", {"room": 7}, "ok")]
    assert (run.questions, done) == ([], ["booked"])
    assert [each.effect for each in events if isinstance(each, ToolStarted)] == [effect]
    run.calls.close()


async def test_a_doubt_about_a_server_is_asked_once_its_time_is_over() -> None:
    """The server may go on without us."""

    @tool(effect="write", timeout=0.4)
    async def book() -> str:
        """Book."""
        raise AssertionError("not to be run")

    begun_at = now()
    run = run_of([], [ToolStarted("c1", "book", {}, "clerk", effect="write")])
    run.journal.began = {"c1": begun_at}
    tools = {"book": replace(book, server="rooms")}
    assert await run_tools(run, tools, [ToolCall("book", {})], Agent(name="clerk", description="x"), "") is None
    assert stamp(datetime.now(UTC) - timedelta(seconds=0.4)) >= begun_at
    assert "제한 시간도 지났지만" in run.questions[0].title


async def test_a_changed_call_that_broke_off_and_was_given_up_stays_so() -> None:
    bank = Bank()
    answers = {"c1": Decision("edit", {"amount": 7}), "c1.doubt": Decision("reject")}
    record = begun({"amount": 7})
    results = await bank.work({"amount": "5"}, record, answers)
    assert results is not None
    assert "알 수 없습니다" in results[0].text
    assert bank.done == []
    again = Bank()
    assert await again.work({"amount": "5"}, [*record, *bank.events], answers)
    assert again.done == [], "given up once is given up in every replay"
    older = [*record, ToolStarted("c1", "transfer", {"amount": "5"}, "clerk"), ended("given up")]
    assert await again.work({"amount": "5"}, older, answers)
    assert again.done == []


@pytest.mark.parametrize(
    ("by_model", "told"),
    [(True, '(A person changed the arguments to {"amount":7})\nsent 7'), (False, "sent 7")],
)
async def test_what_a_person_changed_is_told_to_the_model_that_wrote_it(by_model: bool, told: str) -> None:
    bank = Bank()
    results = await bank.work({"amount": 5}, answers={"c1": Decision("edit", {"amount": 7})}, by_model=by_model)
    assert [r.text for r in results or []] == [told]
    assert bank.done == [{"amount": 7, "tags": None}]


async def test_arguments_that_cannot_be_mended_are_told_and_not_asked_about() -> None:
    bank = Bank()
    results = await bank.work({"amount": "five"})
    assert results is not None
    assert results[0].is_error
    assert "amount" in results[0].text
    assert (bank.asked, bank.done) == ([], [])


@pytest.mark.parametrize("written", [ACCOUNT, str(ACCOUNT)], ids=["number", "text"])
async def test_a_number_that_is_stored_as_text_is_the_same_call_when_read_again(written: int | str) -> None:
    bank = Bank()
    assert await bank.work({"amount": written}) is None
    first = bank.asked[0].args_hash
    stored = begun(json.loads(json_bytes({"amount": ACCOUNT})))
    assert await bank.work({"amount": str(ACCOUNT)}, stored, {"c1": YES}) is None
    assert bank.asked[0].kind == "in_doubt"
    assert bank.asked[0].args_hash == first
    assert bank.done == []


def test_the_hash_of_a_question_is_that_of_its_canonical_json() -> None:
    question = Question("c1", "tool", "", "clerk", "transfer", {"b": "두레", "a": [1, 2.5, None]})
    written = '["clerk","transfer",{"a":[1,2.5,null],"b":"두레"}]'
    assert question.args_hash == hashlib.sha256(written.encode()).hexdigest()


def run_of(events: list[Event], record: Sequence[Event] = (), model: Model = MODEL, **more: Any) -> RunContext:
    return RunContext(
        *("o", "r", "s", "보내 줘"), model=model, tools={}, emit=events.append, journal=Journal(record), **more
    )


CLERK = Agent(name="clerk", description="x")


async def test_all_of_a_step_is_asked_before_any_of_it_runs() -> None:
    bank = Bank()

    @tool
    async def look() -> str:
        """Look."""
        bank.done.append({"looked": True})
        return "seen"

    calls = [ToolCall("look", {}), ToolCall("transfer", {"amount": 1}), ToolCall("transfer", {"amount": 2})]
    tools = {**bank.tools(), "look": look}
    run = run_of(bank.events)
    assert await run_tools(run, tools, calls, CLERK, "") is None
    assert [q.key for q in run.questions] == ["c2", "c3"]
    assert (bank.done, bank.events) == ([], [])
    decided = {"c2": YES, "c3": Decision("reject", message="no")}
    results = await run_tools(run_of(bank.events, decided=lambda q: decided[q.key]), tools, calls, CLERK, "")
    assert [r.status for r in results or []] == ["ok", "ok", "declined"]
    assert bank.done == [{"looked": True}, {"amount": 1, "tags": None}]
    again = await run_tools(run_of([], bank.events, decided=lambda q: decided[q.key]), tools, calls, CLERK, "")
    assert [(r.text, r.status, r.is_error) for r in again or []] == [
        (r.text, r.status, r.is_error) for r in results or []
    ]
    assert len(bank.done) == 2, "what is recorded is not done again"


async def test_a_tool_knows_its_call_and_the_same_when_the_run_is_played_again() -> None:
    seen: list[tuple[str, str]] = []

    @tool
    async def send(context: ToolContext) -> str:
        """Send."""
        seen.append((context.call_id, context.work_id))
        return "sent"

    for _ in range(2):
        await run_tools(run_of([]), {"send": send}, [ToolCall("send", {}), ToolCall("send", {})], CLERK, "w1")
    assert seen == [("w1.c1", "w1"), ("w1.c2", "w1")] * 2


@pytest.mark.parametrize(("window", "most"), [(1_000, 2_000), (128_000, 16_000)])
async def test_results_fit_the_models_window(window: int, most: int) -> None:
    @tool
    async def read() -> str:
        """Read."""
        return "x" * 20_000

    events: list[Event] = []
    model = Model(ChatClient("http://127.0.0.1:9/v1", "nobody"), context=window)
    results = await run_tools(run_of(events, model=model), {"read": read}, [ToolCall("read", {})], CLERK, "")
    assert results is not None
    assert results[0].text.startswith("x" * most + "\n…")
    assert f"{most}" in results[0].text[most:]
    assert [e.text for e in events if isinstance(e, ToolFinished)] == [results[0].text]


async def test_a_call_in_a_form_that_the_model_never_used_is_asked_about_though_it_is_allowed() -> None:
    bank = Bank()
    assert await bank.work({"amount": 5}, allow=["transfer"], unfamiliar=True) is None
    assert "hermes" in bank.asked[0].title
    assert await bank.work({"amount": 5}, allow=["transfer"]) is not None
