"""What an editor is told of a run: its events as session updates (https://agentclientprotocol.com/protocol/schema)."""

from typing import Any

from dure.api.following import settled
from dure.api.wires import Wire
from dure.events import Event, Planned, ReasoningDelta, RunFinished, StepChanged, ToolFinished, ToolStarted

_KINDS = {"read": "search", "write": "edit", "external": "execute"}
"""By the effect of a tool."""
_STEPS = {"waiting": "pending", "working": "in_progress"}


def said(kind: str, text: str, message_id: str | None = None) -> Wire:
    """A piece of a message: `user_message_chunk`, `agent_message_chunk` or `agent_thought_chunk`."""
    return {"sessionUpdate": kind, "content": {"type": "text", "text": text}, "messageId": message_id}


class Updates:
    """A fold of one run's events. Ids are no other run's of the session."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self._plan: dict[int, dict[str, Any]] = {}
        self._calls: set[str] = set()

    def of(self, event: Event) -> list[Wire]:
        """The updates that `event` becomes. The answer comes with the run's end."""
        match settled(event):
            case ReasoningDelta(message_id=id, text=text):
                return [said("agent_thought_chunk", text, self.named(id))]
            case ToolStarted(call_id=id, name=name, args=args, agent=agent, effect=effect):
                kind = _KINDS.get(effect, "other")
                return [self.call(id, f"{agent}: {name}", "in_progress", rawInput=args, kind=kind)]
            case ToolFinished(call_id=id, name=name, status=status, agent=agent) as done:
                shown = [{"type": "content", "content": {"type": "text", "text": done.result}}]
                return [self.call(id, f"{agent}: {name}", "completed" if status == "ok" else "failed", content=shown)]
            case Planned(plan=plan):
                self._plan = {each["step"]: dict(each) for each in plan["steps"]}
            case StepChanged(step=step, status=status) if step in self._plan:
                self._plan[step]["status"] = status
            case RunFinished(response=text) if text:
                return [said("agent_message_chunk", text, self.named("answer"))]
            case _:
                return []
        return [{"sessionUpdate": "plan", "entries": [_entry(each) for each in self._plan.values()]}]

    def call(self, id: str, title: str, status: str, **more: Any) -> Wire:
        """How far a call is, whether it was told of already or not."""
        kind = "tool_call_update" if id in self._calls else "tool_call"
        self._calls.add(id)
        return {"sessionUpdate": kind, "toolCallId": self.named(id), "title": title, "status": status, **more}

    def named(self, id: str) -> str:
        """The id that an editor knows a message or a call by."""
        return f"{self.run_id}.{id}"


def _entry(step: dict[str, Any]) -> Wire:
    """A step of the plan; the protocol knows none that failed or was left out."""
    mark = "✗ " if step["status"] in ("failed", "skipped") else ""
    return {"content": mark + step["task"], "priority": "medium", "status": _STEPS.get(step["status"], "completed")}
