"""Questions to people, and what they decided.

A question is bound to what it asks about: `args_hash` is the SHA-256 of tool, agent and arguments, and a decision
counts only for a question of the same key and hash. So a run that is played again, or a model that changed its mind,
cannot do with a decision what was not decided.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from dure.errors import Language
from dure.messages import ToolCall, canonical
from dure.tooling import Tool

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

    @property
    def args_hash(self) -> str:
        return hashlib.sha256(canonical([self.agent, self.tool, self.args])).hexdigest()


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


Decided = Callable[[Question], Decision | None]

_MAY: dict[Language, str] = {
    "ko": "{agent}이(가) '{tool}' 도구로 {what} 합니다. 실행할까요?",
    "en": "{agent} is about to use the tool '{tool}', which {what}. Run it?",
}
_WHAT: dict[str, dict[Language, str]] = {
    "write": {"ko": "데이터를 바꾸려고", "en": "changes data"},
    "external": {"ko": "외부에 영향을 주려고", "en": "acts on the outside"},
}
_SEND: dict[Language, str] = {
    "ko": "{agent}이(가) '{tool}' 도구로 {what} 합니다. 직접 쓰시거나 이 실행에서 읽은 글에 있던 것이 아니어서, 읽은 "
    "내용이 밖으로 나갈 수 있습니다. 보낼까요?",
    "en": "{agent} is about to use the tool '{tool}' with {what} that neither you wrote nor any text read in this run "
    "holds: it could carry out what was read. Send it?",
}
_SENT: dict[str, dict[Language, str]] = {
    "address": {"ko": "웹 주소를 열려고", "en": "a web address"},
    "query": {"ko": "웹을 검색하려고", "en": "a search"},
}
_DOUBT: dict[Language, str] = {
    "ko": "'{tool}' 실행 중에 서버가 멈춰서 실제로 처리되었는지 알 수 없습니다. "
    "다시 실행하려면 승인, 그만두려면 거절, 결과를 알고 있으면 답변해 주세요.",
    "en": "The server died while '{tool}' was running; whether it had its effect is not known. "
    "Approve to run it again, reject to leave it, or answer with its result if you know it.",
}
_TOLD: dict[str, dict[Language, str]] = {
    "reject": {
        "ko": "사람이 거절해서 실행하지 않았습니다.{reason}",
        "en": "Not run: a person declined.{reason}",
    },
    "expire": {
        "ko": "정해진 시간 안에 승인을 받지 못해 실행하지 않았습니다.",
        "en": "Not run: nobody approved it in time.",
    },
    "doubt": {
        "ko": "실행 도중에 멈췄고 실제로 처리되었는지는 알 수 없습니다. 다시 실행하지 않았습니다.{reason}",
        "en": "It broke off while running, and whether it had its effect is not known. It was not run again.{reason}",
    },
    "reason": {"ko": " 이유: {text}", "en": " Reason: {text}"},
}


def may_run(call: ToolCall, tool: Tool, call_id: str, agent: str, work_id: str, language: Language) -> Question:
    """The question whether a tool with effects may be run."""
    what = _WHAT.get(tool.effect, _WHAT["external"])[language]
    title = _MAY[language].format(agent=agent, tool=tool.name, what=what)
    return Question(
        call_id, "tool", title, agent, tool.name, call.args, tool.parameters, work_id=work_id, call_id=call_id
    )


def may_send(call: ToolCall, tool: Tool, call_id: str, agent: str, work_id: str, language: Language) -> Question:
    """The question whether a call may send its words out to the web."""
    what = _SENT[next(iter(tool.outgoing.values()))][language]
    title = _SEND[language].format(agent=agent, tool=tool.name, what=what)
    return Question(
        call_id, "tool", title, agent, tool.name, call.args, tool.parameters, work_id=work_id, call_id=call_id
    )


def in_doubt(
    call: ToolCall, tool: Tool, call_id: str, agent: str, work_id: str, language: Language, starts: int
) -> Question:
    """The question what became of a call that was under way when the process died. starts: how often it was begun;
    each time is a question of its own, since the answer to one says nothing about the next."""
    title = _DOUBT[language].format(tool=tool.name)
    actions: tuple[Action, ...] = ("approve", "reject", "answer")
    key = f"{call_id}.doubt" if starts < 2 else f"{call_id}.doubt{starts}"
    return Question(
        key, "in_doubt", title, agent, tool.name, call.args, actions=actions, work_id=work_id, call_id=call_id
    )


def told(question: Question, decision: Decision, language: Language) -> str:
    """A decision not to run a call, as the model reads it; an answer is what the person wrote."""
    if decision.action == "answer":
        return decision.message
    reason = _TOLD["reason"][language].format(text=decision.message) if decision.message else ""
    key = "doubt" if question.kind == "in_doubt" else decision.action
    return _TOLD[key][language].format(reason=reason)
