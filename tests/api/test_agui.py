"""Every run becomes a well-formed AG-UI stream, whatever its events."""

from collections.abc import Callable
from typing import Any

import orjson
from ag_ui.core import PROTOCOL_VERSION as AG_UI_VERSION
from hypothesis import given
from hypothesis import strategies as st

from dure import events as ours
from dure.api.agui import PROTOCOL_VERSION, Translator

WellFormed = Callable[[list[dict[str, Any]]], None]
START = ours.RunStarted("r1", "s1", "workplace", "휴가는?")
END = ours.RunFinished("completed", "15일입니다.", {"model_calls": 1, "prompt_tokens": 5, "completion_tokens": 2}, 0.5)


def translate(*events: ours.Event) -> list[dict[str, Any]]:
    translator = Translator("r1", "s1")
    return [wire for event in events for wire in translator.feed(event)]


def types(wires: list[dict[str, Any]]) -> list[str]:
    return [w["type"] for w in wires]


ids = st.sampled_from(["", "a", "b", "a~2", "a.result", "a.reasoning", "answer"])
text = st.sampled_from(["", "휴가", " ", "15일입니다.", "\n\n", "x"])
usage = st.sampled_from([{}, {"model_calls": 1, "prompt_tokens": 3, "completion_tokens": 4}])
status = st.sampled_from(["completed", "stopped", "cancelled"])
APPROVAL = {
    "id": "p-1",
    "run_id": "r1",
    "kind": "tool",
    "title": "메일을 보낼까요?",
    "agent": "clerk",
    "tool": "send_mail",
    "args": {"to": "kim"},
    "schema": {"type": "object", "properties": {"to": {"type": "string"}}},
    "actions": ["approve", "edit", "reject"],
    "args_hash": "0" * 64,
    "created_at": "2030-01-01T00:00:00Z",
    "expires_at": "2030-01-02T00:00:00Z",
}
WAITING = ours.RunWaiting([APPROVAL], "확인이 필요합니다.", {"model_calls": 1}, 0.2)
DECIDED = ours.RunResumed("decided", [{"approval_id": "p-1", "action": "approve", "message": "좋아요"}])


def plan(*numbers: int) -> dict[str, Any]:
    steps = [{"step": n, "agent": "a", "task": "t", "depends_on": [], "status": "waiting"} for n in numbers]
    return {"total_steps": len(steps), "steps": steps}


middle = st.one_of(
    st.builds(ours.Routed, st.lists(ids), text, st.just({"a": 0.5})),
    st.builds(ours.AgentStarted, ids, text, text),
    st.builds(ours.AgentFinished, ids, text, st.sampled_from(["completed", "failed"]), st.none() | text),
    st.builds(ours.TextDelta, ids, text, ids),
    st.builds(ours.TextRetracted, ids, ids),
    st.builds(ours.ReasoningDelta, ids, text, ids),
    st.builds(ours.ToolStarted, ids, text, st.just({"q": ["휴가"], "k": 1}), text, ids),
    st.builds(ours.ToolFinished, ids, text, st.sampled_from(["ok", "error"]), text, st.just(0.1), text, ids),
    st.builds(ours.ModelCalled, text, ids, text, st.just({}), st.just({}), st.just(0.1), st.just(3), st.just(4)),
    st.builds(ours.Cited, st.just([{"document_id": "d", "quote": "15일"}])),
    st.builds(ours.Notice, text, text),
    st.builds(ours.Planned, st.lists(st.integers(1, 3), unique=True).map(lambda numbers: plan(*numbers))),
    st.builds(ours.StepChanged, st.integers(1, 4), st.just("done"), st.none() | st.just(0.5), ids),
    st.builds(ours.ArtifactMade, st.just({"id": "f-1", "name": "계약서.docx"})),
    st.builds(ours.RunWaiting, st.sampled_from([[], [APPROVAL]]), text, usage, st.just(0.1)),
    st.sampled_from([DECIDED, ours.RunResumed("recovered")]),
    st.builds(ours.AgentFinished, ids, text, st.just("waiting"), st.none()),
)
last = st.one_of(
    st.builds(ours.RunFinished, status, text, usage, st.just(0.1), st.none() | text),
    st.builds(ours.RunFailed, text, text, usage, st.just(0.1)),
)


@given(st.booleans(), st.lists(middle, max_size=40), last)
def test_any_sequence_is_well_formed(
    well_formed: WellFormed, begins: bool, events: list[ours.Event], end: ours.Event
) -> None:
    wires = translate(*([START] if begins else []), *events, end, *events)
    well_formed(wires)
    assert wires[-1]["type"] in ("RUN_FINISHED", "RUN_ERROR")


@given(st.lists(middle, max_size=30), last)
def test_translation_is_a_fold(events: list[ours.Event], end: ours.Event) -> None:
    """A prefix of the run gives a prefix of the stream: numbers stay what they were."""
    whole = translate(START, *events, end)
    prefix = translate(START, *events)
    assert whole[: len(prefix)] == prefix
    assert translate(START, *events, end) == whole


def test_protocol_version_is_the_packages() -> None:
    assert PROTOCOL_VERSION == AG_UI_VERSION
    assert translate(START)[0]["protocolVersion"] == AG_UI_VERSION


def test_work_of_an_agent_is_attributed_to_it(well_formed: WellFormed) -> None:
    wires = translate(
        START,
        ours.Routed(["rag_agent"], "examples", {"rag_agent": 0.91}),
        ours.AgentStarted("w1", "rag_agent", "휴가 정책을 찾기"),
        ours.ReasoningDelta("m1", "찾아보자", "w1"),
        ours.ToolStarted("c1", "search_knowledge_base", {"queries": ["휴가"]}, "rag_agent", "w1"),
        ours.ToolFinished("c1", "search_knowledge_base", "ok", "[1] …", 0.01, "rag_agent", "w1"),
        ours.TextDelta("m2", "15일", "w1"),
        ours.TextDelta("m2", "입니다.", "w1"),
        ours.AgentFinished("w1", "rag_agent", "completed"),
        ours.Cited([{"document_id": "d1", "quote": "연차는 15일이다."}]),
        END,
    )
    well_formed(wires)
    assert types(wires) == [
        "RUN_STARTED",
        "CUSTOM",
        "SUBAGENT_STARTED",
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "SUBAGENT_FINISHED",
        "CUSTOM",
        "RUN_FINISHED",
    ]
    assert {w.get("subagentRunId") for w in wires[2:17]} == {"w1"}
    assert wires[-1]["result"]["citations"] == [{"document_id": "d1", "quote": "연차는 15일이다."}]
    assert wires[-1]["outcome"] == {"type": "success"}


def test_an_answer_streamed_as_it_stands_is_not_said_twice() -> None:
    assert (
        types(translate(START, ours.TextDelta("m", "15일"), ours.TextDelta("m", "입니다."), END)).count(
            "TEXT_MESSAGE_START"
        )
        == 1
    )


def test_another_answer_than_the_streamed_one_replaces_it(well_formed: WellFormed) -> None:
    wires = translate(START, ours.TextDelta("m", "15일"), END)
    well_formed(wires)
    assert {"type": "CUSTOM", "name": "dure.text_retracted", "value": {"messageId": "m"}} in wires
    assert wires[-3] == {"type": "TEXT_MESSAGE_CONTENT", "messageId": "answer", "delta": "15일입니다."}


def test_retracted_text_is_closed_and_named(well_formed: WellFormed) -> None:
    wires = translate(START, ours.TextDelta("m", "Action: "), ours.TextRetracted("m"), END)
    well_formed(wires)
    assert types(wires)[1:5] == ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "CUSTOM"]
    assert wires[4]["value"] == {"messageId": "m"}


def test_usage_is_summed_for_each_model() -> None:
    def called(model: str) -> ours.ModelCalled:
        return ours.ModelCalled("answer", model, "native", {"messages": ["비밀"]}, {"content": "비밀"}, 0.1, 10, 3)

    wires = translate(START, called("a"), called("b"), called("a"), END)
    assert wires[-1]["usage"] == [
        {"inputTokens": 20, "outputTokens": 6, "totalTokens": 26, "model": "a"},
        {"inputTokens": 10, "outputTokens": 3, "totalTokens": 13, "model": "b"},
    ]
    assert "비밀" not in orjson.dumps(wires).decode()


def test_a_failure_ends_what_is_open(well_formed: WellFormed) -> None:
    wires = translate(
        START,
        ours.AgentStarted("w", "rag_agent", "t"),
        ours.ToolStarted("c", "calculate", {}, "rag_agent", "w"),
        ours.RunFailed("model_unavailable", "모델 서버에 연결할 수 없습니다", {}, 1.0),
    )
    well_formed(wires)
    assert types(wires)[-3:] == ["TOOL_CALL_RESULT", "SUBAGENT_ERROR", "RUN_ERROR"]
    assert wires[-1]["code"] == "model_unavailable"


def test_outcomes() -> None:
    def outcome(status: ours.RunStatus) -> dict[str, Any]:
        return translate(START, ours.RunFinished(status, "…", {}, 0.1))[-1]["outcome"]

    assert outcome("stopped") == {"type": "success"}
    assert outcome("cancelled") == {"type": "cancelled"}


def test_a_run_that_waits_ends_with_an_interrupt_for_each_approval(well_formed: WellFormed) -> None:
    wires = translate(START, WAITING)
    well_formed(wires)
    outcome = wires[-1]["outcome"]
    assert outcome["type"] == "interrupt"
    (interrupt,) = outcome["interrupts"]
    assert (interrupt["id"], interrupt["reason"], interrupt["message"]) == ("p-1", "tool", "메일을 보낼까요?")
    assert interrupt["expiresAt"] == "2030-01-02T00:00:00Z"
    assert interrupt["metadata"]["args"] == {"to": "kim"}
    schema = interrupt["responseSchema"]
    assert schema["properties"]["action"] == {"enum": ["approve", "edit", "reject"]}
    assert schema["properties"]["args"] == APPROVAL["schema"]
    assert wires[-1]["result"]["status"] == "waiting"


def test_an_interrupt_names_the_agent_that_waits_and_the_call(well_formed: WellFormed) -> None:
    asked = ours.RunWaiting([APPROVAL | {"work_id": "w1", "call_id": "w1.c1"}], "?", {"model_calls": 1}, 0.2)
    wires = translate(START, ours.AgentStarted("w1", "clerk", "t"), ours.AgentFinished("w1", "clerk", "waiting"), asked)
    well_formed(wires)
    (interrupt,) = wires[-1]["outcome"]["interrupts"]
    (begun,) = [w for w in wires if w["type"] == "SUBAGENT_STARTED"]
    assert (interrupt["subagentRunId"], interrupt["toolCallId"]) == (begun["subagentRunId"], "w1.c1")
    assert "toolCallId" not in translate(START, WAITING)[-1]["outcome"]["interrupts"][0]


def test_after_the_decision_the_run_begins_again_and_with_it_what_waited(well_formed: WellFormed) -> None:
    wires = translate(
        START,
        ours.AgentStarted("w1", "clerk", "메일 보내기"),
        ours.AgentStarted("w2", "other", "그동안"),
        ours.TextDelta("m", "15일", "w2"),
        WAITING,
        DECIDED,
        ours.ToolStarted("c1", "send_mail", {"to": "kim"}, "clerk", "w1"),
        ours.ToolFinished("c1", "send_mail", "ok", "sent", 0.1, "clerk", "w1"),
        ours.AgentFinished("w1", "clerk", "completed"),
        ours.TextDelta("m", "입니다.", "w2"),
        ours.AgentFinished("w2", "other", "completed"),
        END,
    )
    well_formed(wires)
    suspended = [w["subagentRunId"] for w in wires if w.get("outcome") == {"type": "suspended"}]
    assert suspended == ["w1", "w2"]
    again = wires[types(wires).index("RUN_STARTED", 1) :]
    assert again[0]["runId"] == "r1"
    assert again[0]["metadata"] == {
        "team": "workplace",
        "resumed": "decided",
        "decisions": [{"approval_id": "p-1", "action": "approve", "message": "좋아요"}],
    }
    started = [(w["name"], w["subagentRunId"]) for w in again if w["type"] == "SUBAGENT_STARTED"]
    assert started == [("clerk", "w1~2"), ("other", "w2~2")]
    assert wires[-1]["outcome"] == {"type": "success"}


def test_tokens_are_those_since_the_run_went_on() -> None:
    called = ours.ModelCalled("work", "m", "native", {}, {}, 0.1, 10, 3)
    wires = translate(START, called, WAITING, DECIDED, called, called, END)
    ends = [w["usage"][0]["totalTokens"] for w in wires if w["type"] == "RUN_FINISHED"]
    assert ends == [13, 26]
    assert "usage" not in translate(START, called, WAITING, DECIDED, END)[-1]


def test_a_waiting_run_that_is_cancelled_begins_to_end(well_formed: WellFormed) -> None:
    wires = translate(START, WAITING, ours.RunFinished("cancelled", "", {}, 0.0, "cancelled"))
    well_formed(wires)
    assert types(wires) == ["RUN_STARTED", "RUN_FINISHED", "RUN_STARTED", "RUN_FINISHED"]
    assert wires[-1]["outcome"] == {"type": "cancelled"}


def test_a_run_taken_over_goes_on_in_the_same_stream(well_formed: WellFormed) -> None:
    wires = translate(START, ours.RunResumed("recovered"), END)
    well_formed(wires)
    assert {"type": "CUSTOM", "name": "dure.resumed", "value": {"why": "recovered"}} in wires


def test_the_plan_is_an_activity_that_steps_change(well_formed: WellFormed) -> None:
    planned = ours.Planned(plan(1, 2))
    wires = translate(
        START,
        planned,
        ours.StepChanged(1, "working"),
        ours.StepChanged(1, "done", 1.5),
        ours.StepChanged(9, "done"),
        WAITING,
        DECIDED,
        ours.Planned({"steps": [{**each, "status": "done"} for each in plan(1)["steps"]] + plan(2)["steps"]}),
        ours.StepChanged(2, "done", 2.0),
        END,
    )
    well_formed(wires)
    shown = [w for w in wires if w["type"].startswith("ACTIVITY")]
    assert {(w["messageId"], w["activityType"]) for w in shown} == {("plan", "PLAN")}
    assert [w["type"].split("_")[1] for w in shown] == ["SNAPSHOT", "DELTA", "DELTA", "SNAPSHOT", "SNAPSHOT", "DELTA"]
    assert shown[0]["content"] == plan(1, 2) == planned.plan
    assert shown[2]["patch"] == [
        {"op": "add", "path": "/steps/0/status", "value": "done"},
        {"op": "add", "path": "/steps/0/seconds", "value": 1.5},
    ]
    assert [s["status"] for s in shown[3]["content"]["steps"]] == ["done", "waiting"]
    # A plan told anew takes from no step how long it took.
    assert [s.get("seconds") for s in shown[4]["content"]["steps"]] == [1.5, None]
    # It was worked on before it waited, too.
    times = [w["result"]["execution_time"] for w in wires if w["type"] == "RUN_FINISHED"]
    assert times == [WAITING.seconds, WAITING.seconds + END.seconds]


def test_a_file_is_told_of() -> None:
    file = {"id": "f-1", "name": "계약서.docx", "media_type": "x/y", "size": 3, "agent": "contract"}
    assert {"type": "CUSTOM", "name": "dure.artifact", "value": file} in translate(START, ours.ArtifactMade(file), END)


def test_a_number_of_any_length_can_be_an_argument() -> None:
    """Models write them, and JSON has no bound."""
    wires = translate(START, ours.ToolStarted("c", "pay", {"account": 2**70}, "clerk", ""))
    assert str(2**70) in next(w["delta"] for w in wires if w["type"] == "TOOL_CALL_ARGS")


def test_what_the_answer_asks_to_choose_from_is_told_with_its_end() -> None:
    choices = [{"number": 1, "agents": ["tables"], "text": "tables: sums"}]
    asked = ours.RunFinished("completed", "1. tables: sums", {}, 0.1, choices=choices)
    assert translate(START, asked)[-1]["result"]["choices"] == choices
    assert "choices" not in translate(START, END)[-1]["result"]


def test_which_sentences_are_less_sure_is_told_with_the_end() -> None:
    checks = [{"sentence": "연차는 17일입니다.", "missing": ["17일"]}]
    ended = ours.RunFinished("completed", "연차는 17일입니다.", {}, 0.1, checks=checks)
    assert translate(START, ended)[-1]["result"]["checks"] == checks
    assert "checks" not in translate(START, END)[-1]["result"]
