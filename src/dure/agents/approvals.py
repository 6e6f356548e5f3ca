"""Questions to people, and what they decided.

A question is bound to what it asks about: `args_hash` is the SHA-256 of tool, agent and arguments, and of what changed
about the tool; a decision counts only for a question of the same key and hash. So a run that is played again, or a
model that changed its mind, cannot do with a decision what was not decided.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from dure.errors import Language
from dure.messages import ToolCall, canonical
from dure.texts import TEXTS, said
from dure.tooling import Tool, ToolContext

Action = Literal["approve", "edit", "reject", "answer"]
Kind = Literal["tool", "step", "question", "in_doubt"]


@dataclass(slots=True)
class Question:
    """What a person is asked. tool, step: may this be done? question: please answer. in_doubt: a tool with effects
    was started when the process died, and nobody knows whether it had its effect."""

    key: str
    """Unique in the run, and the same whenever the run is played again."""
    kind: Kind
    title: str
    """What will be done, in the user's language."""
    agent: str = ""
    tool: str = ""
    args: dict[str, Any] = field(default_factory=dict)
    schema: dict[str, Any] = field(default_factory=dict)
    """JSON Schema of the arguments, for who edits them."""
    actions: tuple[Action, ...] = ("approve", "edit", "reject")
    work_id: str = ""
    """The piece of work that waits for the answer; empty where no agent has begun."""
    call_id: str = ""
    """The call that is asked about, as its events name it."""
    tool_hash: str = ""
    """Of the tool as it was when this was asked (`Tool.digest`)."""
    changed: str = ""
    """Of a tool that is not as it was accepted: what changed."""
    why: str = ""
    """What to look out for, in the user's language; the title ends with it."""

    @property
    def args_hash(self) -> str:
        parts = [self.agent, self.tool, self.args, *([self.changed] if self.changed else [])]
        return hashlib.sha256(canonical(parts)).hexdigest()


def asks_form(question: Mapping[str, Any]) -> bool:
    """Whether a question is answered by the fields of its schema, which else is that of the arguments to edit."""
    return "answer" in question["actions"] and "edit" not in question["actions"] and bool(question["schema"])


@dataclass(slots=True)
class Decision:
    """What a person decided; `expire` when nobody did in time, which counts as no."""

    action: Literal["approve", "edit", "reject", "answer", "expire"]
    args: dict[str, Any] | None = None
    """Of edit: the new arguments, valid for the question's schema."""
    message: str = ""
    """Of reject: the reason. Of answer: the answer."""

    @property
    def allowed(self) -> bool:
        return self.action in ("approve", "edit")

    @property
    def words(self) -> list[str]:
        """What the person wrote with it, results of steps that were shown to them aside."""
        return [self.message, *(str(each) for each in (self.args or {}).values() if not isinstance(each, dict))]


Decided = Callable[[Question], Decision | None]

_TEXT = TEXTS["agents_approvals"]
_WHAT = TEXTS["agents_approvals.what"]
_SENT = TEXTS["agents_approvals.sent"]
_TOLD = TEXTS["agents_approvals.told"]
DONE = _TEXT["done"]


def may_run(call: ToolCall, tool: Tool, context: ToolContext, called: str = "") -> Question | None:
    """The question whether a tool that has effects, or is not as it was accepted, may be run, or a call send its words
    out to the web; None for others. called: what people call the agent."""
    language = context.language
    if tool.effect != "read" or tool.changed:
        asks, what = "may", _WHAT[tool.effect][language]
    elif tool.outgoing:
        asks, what = "send", _SENT[next(iter(tool.outgoing.values()))][language]
    else:
        return None
    title = _TEXT.say(asks, language, agent=called or context.agent, tool=tool.name, what=what)
    reasons = [_TEXT.say("leaves", language)] if asks == "send" else []
    if call.unfamiliar and tool.effect != "read":
        reasons.append(_TEXT.say("form", language, form=call.reader))
    if tool.changed:
        reasons.append(_TEXT.say("changed", language, changed=tool.changed, server=tool.server))
    more = {"schema": said(tool.parameters, language), "tool_hash": tool.digest, "changed": tool.changed}
    more["why"] = " ".join(reasons)
    return _about(call, context, context.call_id, "tool", f"{title} {more['why']}".strip(), **more)


def in_doubt(call: ToolCall, context: ToolContext, starts: int, *, late: bool = False) -> Question:
    """The question what became of a call that was under way when the process died. starts: how often it was begun,
    since the answer to one time says nothing about the next. late: its time limit is over."""
    key = f"{context.call_id}.doubt" if starts < 2 else f"{context.call_id}.doubt{starts}"
    title = _TEXT.say("late" if late else "doubt", context.language, tool=call.name)
    return _about(call, context, key, "in_doubt", title, actions=("approve", "reject", "answer"))


def asked_of(call: ToolCall, context: ToolContext) -> Question:
    """The question whether a call may be run, as far as a decision is found by it."""
    return _about(call, context, context.call_id, "tool", "")


def _about(call: ToolCall, context: ToolContext, key: str, kind: Kind, title: str, **more: Any) -> Question:
    more |= {"work_id": context.work_id, "call_id": context.call_id}
    return Question(key, kind, title, context.agent, call.name, call.args, **more)


def told(question: Question, decision: Decision, language: Language) -> str:
    """A decision not to run a call, as the model reads it; an answer is what the person wrote."""
    if decision.action == "answer":
        return decision.message
    reason = _TOLD.say("reason", language, text=decision.message) if decision.message else ""
    return _TOLD.say("doubt" if question.kind == "in_doubt" else decision.action, language, reason=reason)
