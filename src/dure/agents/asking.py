"""A tool's call within its run: it asks people and the model, and tells how it gets on."""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from dure.agents.approvals import Action, Decision, Question
from dure.events import Emit, ToolTold
from dure.messages import Message
from dure.models import Asked
from dure.tooling import Asks, File, ToolContext

Decide = Callable[[list[Question]], Mapping[str, Decision] | None]
AskModel = Callable[..., Awaitable[Asked]]
Find = Callable[[str], Awaitable[list[Any]]]
Named = Callable[[str], Awaitable[File | None]]
"""A file of the session by its name, the newest."""

_MOST_TOLD = 100
"""Times that one call tells something."""
_BRIEF_SECONDS = 1.0
"""Between two that are brief."""


class InCall:
    """A `dure.tooling.InRun`, by the parts of a run that it needs; model: the name of the agent's."""

    def __init__(
        self,
        context: ToolContext,
        decide: Decide,
        ask: AskModel,
        model: str,
        emit: Emit,
        found: Find,
        named: Named | None,
    ) -> None:
        self._context, self._decide, self._ask, self._model, self._emit = context, decide, ask, model, emit
        self._found, self._named = found, named
        self._told, self._last = 0, 0.0

    def ask(self, part: str, title: str, *actions: Action, **about: Any) -> Decision:
        of = self._context
        more = {"agent": of.agent, "work_id": of.work_id, "call_id": of.call_id, "actions": actions, **about}
        question = Question(f"{of.call_id}.{part}", "question", title, **more)
        decided = self._decide([question])
        if decided is None:
            raise Asks
        return decided[question.key]

    async def sample(self, part: str, messages: list[Message], max_tokens: int) -> tuple[str, str, str]:
        of = self._context
        # An id of its own: calls side by side ask in any order.
        about: dict[str, Any] = {"agent": of.agent, "work_id": f"{of.call_id}.{part}"}
        asked = await self._ask("sampling", messages, max_tokens=max_tokens, **about)
        return asked.reply.content, self._model, asked.reply.finish_reason or "stop"

    async def found(self, tool: str = "") -> list[Any]:
        return await self._found(tool)

    async def file(self, name: str) -> File | None:
        return await self._named(name) if self._named else None

    def tell(self, text: str, *, brief: bool = False) -> None:
        if self._told >= _MOST_TOLD or (brief and time.monotonic() - self._last < _BRIEF_SECONDS):
            return
        self._told, self._last = self._told + 1, time.monotonic() if brief else self._last
        self._emit(ToolTold(self._context.call_id, text, self._context.work_id))
