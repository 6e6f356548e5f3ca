"""A tool's call within its run: it asks people and the model, and tells how it gets on."""

import time
from typing import Any

from dure.agents.approvals import Action, Decision, Question
from dure.agents.context import RunContext
from dure.events import ToolTold
from dure.messages import Message
from dure.tooling import Asks, File, ToolContext

_MOST_TOLD = 100
"""Times that one call tells something."""
_BRIEF_SECONDS = 1.0
"""Between two that are brief."""


class InCall:
    """A `dure.tooling.InRun`: the run, as a call of it may use it."""

    def __init__(self, run: RunContext, context: ToolContext) -> None:
        self._run, self._context = run, context
        self._told, self._last = 0, 0.0

    def ask(self, part: str, title: str, *actions: Action, **about: Any) -> Decision:
        of = self._context
        more = {"agent": of.agent, "work_id": of.work_id, "call_id": of.call_id, "actions": actions, **about}
        question = Question(f"{of.call_id}.{part}", "question", title, **more)
        decided = self._run.decide([question])
        if decided is None:
            raise Asks
        return decided[question.key]

    async def sample(self, part: str, messages: list[Message], max_tokens: int) -> tuple[str, str, str]:
        of, run = self._context, self._run
        # An id of its own: calls side by side ask in any order.
        about: dict[str, Any] = {"agent": of.agent, "work_id": f"{of.call_id}.{part}"}
        asked = await run.ask("sampling", messages, max_tokens=max_tokens, **about)
        return asked.reply.content, run.model_of(of.agent).name, asked.reply.finish_reason or "stop"

    async def found(self, tool: str = "") -> list[Any]:
        runs = [self._run.found, *(each.found for each in await self._run.earlier())]
        return [data for found in runs for name, data in reversed(found) if tool in ("", name) and data]

    async def file(self, name: str) -> File | None:
        return await self._run.named(name) if self._run.named else None

    def tell(self, text: str, *, brief: bool = False) -> None:
        if self._told >= _MOST_TOLD or (brief and time.monotonic() - self._last < _BRIEF_SECONDS):
            return
        self._told, self._last = self._told + 1, time.monotonic() if brief else self._last
        self._run.emit(ToolTold(self._context.call_id, text, self._context.work_id))


def context_of(run: RunContext, agent: str, call_id: str = "", work_id: str = "") -> ToolContext:
    """What a tool may know of the run in which the agent calls it; without `call_id` it can ask nobody."""
    context = ToolContext(run.owner, run.session_id, run.run_id, agent, run.language, call_id, work_id)
    context.room = min(context.room, run.model_of(agent).context // 2)  # A quarter, at two characters a token.
    context.run = InCall(run, context) if call_id else None
    context.shown = run.shown.get(work_id, ())
    return context
