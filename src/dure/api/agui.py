"""Our events as AG-UI 1.0 events: the only place that knows both.

A `Translator` is a fold: fed a run's events in order, it yields the same wire events every time, so the n-th is
always the n-th and a reader who lost the connection resumes by its number. Wire events are plain dictionaries in
the shape of https://ag-ui.com/spec/1.0/schema.json; the tests read each with the `ag_ui` models.

A run that waits for people ends there with an interrupt for each approval; once they have decided it begins again
under the same run id, with the plan as it stands and, as soon as they do anything, the agents that waited.

Whatever AG-UI has no event for goes out as CUSTOM: `dure.routed`, `dure.citations`, `dure.notice`,
`dure.model_call` (counts only, never prompts), `dure.tool_told`, `dure.text_retracted`, `dure.artifact`,
`dure.resumed`.
"""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from dure import events as ours
from dure.api.wires import Wire, by_agent, custom, interrupt, tokens
from dure.messages import Usage, json_bytes

PROTOCOL_VERSION = "1.0"


class Translator:
    """Translates one run. `run_id` and `session_id` serve when the run ends before it has begun."""

    def __init__(self, run_id: str = "", session_id: str = "") -> None:
        self.run_id, self.session_id = run_id, session_id
        self.begun = self.ended = False
        self._ids: dict[str, int] = {}
        """How often each id was handed out: AG-UI ids are not used twice."""
        self._team = ""
        self._waited = False
        """Whether the run has waited for people, so that parts of it were told of already."""
        self._agents: dict[str, str] = {}
        """Open work: our work id -> subagent run id."""
        self._started: dict[str, ours.AgentStarted] = {}
        """How each piece of work began that has not ended. One that is not open waits: its next event opens it."""
        self._last: dict[str, str] = {}
        """The wire id that a piece of work, or a call, had last."""
        self._plan_id = ""
        self._plan: dict[str, Any] = {}
        """The plan as it was last shown."""
        self._open: dict[str, tuple[str, str, str, str]] = {}
        """The open message of each piece of work: text | reasoning, our message id, wire id, subagent run id."""
        self._said: dict[str, tuple[str, str, list[str]]] = {}
        """What was streamed and stands: wire id -> our message id, subagent run id, fragments."""
        self._calls: dict[str, tuple[str, str]] = {}
        """Calls without a result: our call id -> wire id, subagent run id."""
        self._citations: list[dict[str, Any]] = []
        self._usage: dict[str, list[int]] = {}
        self._seconds = 0.0
        """How long it was worked on before it waited for people."""

    def feed(self, event: ours.Event) -> list[Wire]:
        """The wire events that `event` becomes; none after the end of the run."""
        return [] if self.ended else list(self._translate(event))

    def _begin(self, event: ours.Event) -> Iterator[Wire]:
        if isinstance(event, ours.RunStarted):
            self.run_id, self.session_id, self._team = event.run_id, event.session_id, event.team
        resumed: dict[str, Any] = {}
        if isinstance(event, ours.RunResumed):
            resumed = {"resumed": event.why, "decisions": event.decisions}
        yield self._run_started(resumed)
        if self._plan_id:
            yield self._snapshot()

    def _run_started(self, metadata: dict[str, Any]) -> Wire:
        metadata = ({"team": self._team} if self._team else {}) | metadata
        wire = {"type": "RUN_STARTED", "threadId": self.session_id, "runId": self.run_id}
        return wire | {"protocolVersion": PROTOCOL_VERSION, "metadata": metadata}

    def _translate(self, event: ours.Event) -> Iterator[Wire]:
        if not self.begun:
            self.begun = True
            yield from self._begin(event)
            if isinstance(event, ours.RunStarted | ours.RunResumed):
                return
        if isinstance(event, _AT_WORK) and event.work_id in self._started:
            yield from self._agent_started(self._started[event.work_id])
        match event:
            case ours.TextDelta():
                yield from self._fragment("text", event.message_id, event.text, event.work_id)
            case ours.ReasoningDelta():
                yield from self._fragment("reasoning", event.message_id, event.text, event.work_id)
            case ours.TextRetracted():
                yield from self._retract(event)
            case ours.AgentStarted():
                yield from self._agent_started(event)
            case ours.AgentFinished():
                yield from self._agent_finished(event)
            case ours.ToolStarted():
                yield from self._tool_started(event)
            case ours.ToolFinished() if event.call_id in self._calls:
                yield self._result(event.call_id, event.result, event.status, event.seconds)
            case ours.ToolTold() if event.call_id in self._calls:
                wire_id, agent = self._calls[event.call_id]
                yield custom("tool_told", {"toolCallId": wire_id, "text": event.text}, agent)
            case ours.ModelCalled():
                used = self._usage.setdefault(event.model, [0, 0])
                used[0] += event.prompt_tokens
                used[1] += event.completion_tokens
                value = {name: getattr(event, name) for name in _CALL}
                yield custom("model_call", value, self._agents.get(event.work_id, ""))
            case ours.Routed():
                yield custom("routed", {"agents": event.agents, "how": event.how, "scores": event.scores})
            case ours.Cited():
                self._citations = event.citations
                yield custom("citations", {"citations": event.citations})
            case ours.Notice():
                yield custom("notice", {"code": event.code, "text": event.text})
            case ours.Planned():
                self._plan_id = self._plan_id or self._fresh("plan", "text")
                # How long a step took comes with its end alone.
                took = {(each["step"], each["status"]): each.get("seconds") for each in self._plan.get("steps", ())}
                self._plan = deepcopy(event.plan)
                for each in self._plan["steps"]:
                    if seconds := took.get((each["step"], each["status"])):
                        each["seconds"] = seconds
                yield self._snapshot()
            case ours.StepChanged():
                yield from self._step_changed(event)
            case ours.ArtifactMade():
                yield custom("artifact", event.artifact)
            case ours.RunResumed():
                # What was taken over from another run is no use of this one's.
                self._usage, self._seconds = ({}, 0.0) if event.run_id else (self._usage, self._seconds)
                yield custom("resumed", {"why": event.why})
            case ours.RunWaiting():
                yield from self._waiting(event)
            case ours.RunFinished():
                yield from self._finished(event)
            case ours.RunFailed():
                yield from self._close_all(event.message, event.code)
                self.ended = True
                yield {"type": "RUN_ERROR", "message": event.message, "code": event.code} | self._used(event.usage)

    # -- messages ---------------------------------------------------------------------------------------------

    def _fragment(self, kind: str, message_id: str, text: str, work_id: str) -> Iterator[Wire]:
        if not text:
            return
        if self._open.get(work_id, ())[:2] != (kind, message_id):
            yield from self._close_messages(work_id)
            wire_id, agent = self._fresh(message_id, kind), self._agents.get(work_id, "")
            self._open[work_id] = (kind, message_id, wire_id, agent)
            if kind == "text":
                self._said[wire_id] = (message_id, agent, [])
            for frame in _OPENS[kind]:
                yield frame | {"messageId": wire_id} | by_agent(agent)
        *_, wire_id, agent = self._open[work_id]
        if kind == "text":
            self._said[wire_id][2].append(text)
        yield {"type": _CONTENT[kind], "messageId": wire_id, "delta": text} | by_agent(agent)

    def _close_messages(self, work_id: str | None = None) -> Iterator[Wire]:
        """Close the open messages of one piece of work, or all."""
        for work in [each for each in self._open if work_id in (None, each)]:
            kind, _, wire_id, agent = self._open.pop(work)
            for name in _CLOSES[kind]:
                yield {"type": name, "messageId": wire_id} | by_agent(agent)

    def _retract(self, event: ours.TextRetracted) -> Iterator[Wire]:
        for work_id, (kind, message_id, *_) in list(self._open.items()):
            if (kind, message_id) == ("text", event.message_id):
                yield from self._close_messages(work_id)
        yield from self._withdraw([w for w, (id, _, _) in self._said.items() if id == event.message_id])

    def _withdraw(self, wire_ids: list[str]) -> Iterator[Wire]:
        for wire_id in wire_ids:
            del self._said[wire_id]
            yield custom("text_retracted", {"messageId": wire_id})

    # -- agents and tools -------------------------------------------------------------------------------------

    def _agent_started(self, event: ours.AgentStarted) -> Iterator[Wire]:
        if event.work_id in self._agents:
            return
        self._started[event.work_id] = event
        self._agents[event.work_id] = self._last[event.work_id] = agent = self._fresh(event.work_id, "work")
        yield {
            "type": "SUBAGENT_STARTED",
            "subagentRunId": agent,
            "name": event.agent,
            "metadata": {"task": event.task},
        }

    def _agent_finished(self, event: ours.AgentFinished) -> Iterator[Wire]:
        if event.work_id not in self._agents:
            return
        if event.status != "waiting":
            del self._started[event.work_id]
        yield from self._leave(event.work_id, event.status, event.error)

    def _leave(self, work_id: str, status: str, error: str | None = None) -> Iterator[Wire]:
        """Close what a piece of work has open, and tell how it was left: ended, or waiting."""
        yield from self._close_messages(work_id)
        agent = self._agents.pop(work_id)
        yield from self._cancel([call_id for call_id, (_, by) in self._calls.items() if by == agent])
        if error is not None or status == "failed":
            yield {"type": "SUBAGENT_ERROR", "subagentRunId": agent, "message": error or status}
        else:
            outcome = {"type": "suspended" if status == "waiting" else "success"}
            wire = {"type": "SUBAGENT_FINISHED", "subagentRunId": agent, "outcome": outcome}
            yield wire | {"metadata": {"status": status}}

    def _tool_started(self, event: ours.ToolStarted) -> Iterator[Wire]:
        if event.call_id in self._calls:
            return
        agent = self._agents.get(event.work_id, "")
        self._last[event.call_id] = wire_id = self._fresh(event.call_id, "call")
        self._calls[event.call_id] = (wire_id, agent)
        yield {"type": "TOOL_CALL_START", "toolCallId": wire_id, "toolCallName": event.name} | by_agent(agent)
        delta = json_bytes(event.args).decode()
        yield {"type": "TOOL_CALL_ARGS", "toolCallId": wire_id, "delta": delta} | by_agent(agent)
        yield {"type": "TOOL_CALL_END", "toolCallId": wire_id} | by_agent(agent)

    def _cancel(self, call_ids: list[str]) -> Iterator[Wire]:
        for call_id in call_ids:
            yield self._result(call_id, "", "cancelled", 0.0)

    def _result(self, call_id: str, text: str, status: str, seconds: float) -> Wire:
        wire_id, agent = self._calls.pop(call_id)
        wire = {"type": "TOOL_CALL_RESULT", "messageId": self._fresh(f"{wire_id}.result", "result")}
        wire |= {"toolCallId": wire_id, "content": text, "role": "tool"}
        return wire | {"metadata": {"status": status, "seconds": seconds}} | by_agent(agent)

    # -- the plan ---------------------------------------------------------------------------------------------

    def _snapshot(self) -> Wire:
        wire = {"type": "ACTIVITY_SNAPSHOT", "messageId": self._plan_id, "activityType": "PLAN"}
        return wire | {"content": deepcopy(self._plan), "replace": True}

    def _step_changed(self, event: ours.StepChanged) -> Iterator[Wire]:
        for index, step in enumerate(self._plan.get("steps", [])):
            if step["step"] == event.step:
                changed: dict[str, Any] = {"status": event.status}
                if event.seconds is not None:
                    changed["seconds"] = event.seconds
                step.update(changed)
                # RFC 6902: "add" to a member that exists replaces it.
                patch = [{"op": "add", "path": f"/steps/{index}/{k}", "value": v} for k, v in changed.items()]
                wire = {"type": "ACTIVITY_DELTA", "messageId": self._plan_id, "activityType": "PLAN"}
                yield wire | {"patch": patch}
                return

    # -- the end ----------------------------------------------------------------------------------------------

    def _finished(self, event: ours.RunFinished) -> Iterator[Wire]:
        yield from self._close_all(event.status)
        yield from self._answer(event.response)
        self.ended = True
        outcome = {"type": "cancelled" if event.status == "cancelled" else "success"}
        end = self._end(event, event.status, outcome, event.reason)
        end["result"] |= {"choices": event.choices} if event.choices else {}
        end["result"] |= {} if event.checks is None else {"checks": event.checks}
        yield end

    def _waiting(self, event: ours.RunWaiting) -> Iterator[Wire]:
        """What is open is closed for now; whatever comes next begins the run again."""
        yield from self._close_messages()
        for work_id in list(self._agents):
            yield from self._leave(work_id, "waiting")
        yield from self._cancel(list(self._calls))
        yield self._interrupted(event)
        self.begun, self._waited, self._usage = False, True, {}
        self._seconds += event.seconds

    def still_waiting(self, approvals: list[dict[str, Any]], response: str) -> list[Wire]:
        """For whoever decided a part of what a run waits for: that it begins again only to wait for the rest.

        These are no part of the run's record and have no number in it."""
        event = ours.RunWaiting(approvals, response, Usage().as_dict(), 0.0)
        return [self._run_started({}), self._interrupted(event)]

    def _interrupted(self, event: ours.RunWaiting) -> Wire:
        found = [interrupt(each) | self._place(each) for each in event.approvals]
        # AG-UI wants at least one.
        found = found or [{"id": self.run_id, "reason": "approval", "message": event.response}]
        return self._end(event, "waiting", {"type": "interrupt", "interrupts": found})

    def _place(self, approval: dict[str, Any]) -> Wire:
        """The agent that waits, and the call that is asked about, where they are known. A call that has not begun
        will have this id."""
        call_id = approval.get("call_id") or ""
        agent = self._last.get(approval.get("work_id") or "", "")
        return ({"toolCallId": self._last.get(call_id, call_id)} if call_id else {}) | by_agent(agent)

    def _end(
        self, event: ours.RunFinished | ours.RunWaiting, status: str, outcome: Wire, reason: str | None = None
    ) -> Wire:
        result: Wire = {"response": event.response, "status": status, "reason": reason}
        took = round(self._seconds + event.seconds, 3)
        result |= {"citations": self._citations, "execution_time": took, "usage": event.usage}
        wire = {"type": "RUN_FINISHED", "threadId": self.session_id, "runId": self.run_id}
        return wire | {"result": result, "outcome": outcome} | self._used(event.usage)

    def _answer(self, response: str) -> Iterator[Wire]:
        """The answer as a message, unless it was streamed as it stands; other drafts of it are withdrawn."""
        said = ["".join(parts).strip() for _, _, parts in self._said.values()]
        if response.strip() and response.strip() not in said:
            # What no agent said: drafts of the answer itself.
            yield from self._withdraw([w for w, (_, agent, _) in self._said.items() if not agent])
            yield from self._fragment("text", "answer", response, "")
            yield from self._close_messages("")

    def _close_all(self, message: str, code: str | None = None) -> Iterator[Wire]:
        """Close what is still open when the run ends: an agent cut short ends in error."""
        yield from self._close_messages()
        yield from self._cancel(list(self._calls))
        for agent in self._agents.values():
            wire = {"type": "SUBAGENT_ERROR", "subagentRunId": agent, "message": message}
            yield wire | ({"code": code} if code else {})
        self._agents.clear()

    def _used(self, usage: dict[str, int]) -> Wire:
        """The tokens of each model since the run began or went on."""
        entries = [tokens(prompt, completion) | {"model": m} for m, (prompt, completion) in self._usage.items()]
        if not entries and not self._waited and usage.get("model_calls"):
            entries = [tokens(usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0))]
        return {"usage": entries} if entries else {}

    def _fresh(self, wanted: str, kind: str) -> str:
        """An id not used before in this run. Reasoning shares the namespace of messages, so it is marked."""
        base = f"{wanted}.reasoning" if kind == "reasoning" else wanted
        key = f"{'message' if kind in ('text', 'reasoning', 'result') else kind}:{base}"
        self._ids[key] = count = self._ids.get(key, 0) + 1
        return base if count == 1 else self._fresh(f"{wanted}~{count}", kind)


_OPENS: dict[str, list[Wire]] = {
    "text": [{"type": "TEXT_MESSAGE_START", "role": "assistant"}],
    "reasoning": [{"type": "REASONING_START"}, {"type": "REASONING_MESSAGE_START", "role": "reasoning"}],
}
_CONTENT = {"text": "TEXT_MESSAGE_CONTENT", "reasoning": "REASONING_MESSAGE_CONTENT"}
_CLOSES = {"text": ["TEXT_MESSAGE_END"], "reasoning": ["REASONING_MESSAGE_END", "REASONING_END"]}
_CALL = ("purpose", "agent", "model", "dialect", "seconds", "prompt_tokens", "completion_tokens", "repaired", "error")
"""What is told of a model call."""
_AT_WORK = (ours.TextDelta, ours.ReasoningDelta, ours.ToolStarted, ours.ModelCalled, ours.AgentFinished)
"""Events that show that an agent is at work (again)."""
