"""What all short ways share.

A small model calls tools without end, copies examples and misstates what it saw. So on a short way the tools and
their order are fixed, the model fills in one small JSON form, and what the tools gave is handed on as it stands.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dure.agents.context import RunContext, Speech
from dure.agents.definition import Agent
from dure.agents.outcome import Outcome
from dure.agents.running import MOST_CALLS, run_tools
from dure.errors import DureError, Language
from dure.messages import Message, ToolCall, assistant, system, user
from dure.registry import Registry
from dure.tooling import Tool, ToolResult

_HISTORY_TURNS = 2
_HISTORY_CHARS = 600


@dataclass(slots=True)
class Turn:
    """An agent's work. Where code leads it, its tools are called one by one."""

    run: RunContext
    agent: Agent
    tools: dict[str, Tool]
    work_id: str

    @property
    def place(self) -> dict[str, Any]:
        """Whose questions to the model these are, as `RunContext.ask` takes it."""
        return {"agent": self.agent.name, "work_id": self.work_id}

    async def call(self, tool: str, **args: Any) -> ToolResult:
        """Let a tool run. Raises `Waits` when a person has to be asked first."""
        return (await self.calls(tool, [args]))[0]

    async def calls(self, tool: str, each: Sequence[Mapping[str, Any]]) -> list[ToolResult]:
        """Let a tool run with `each` of these arguments, side by side. Raises `Waits`."""
        found: list[ToolResult] = []
        for at in range(0, len(each), MOST_CALLS):
            some = [ToolCall(tool, dict(args)) for args in each[at : at + MOST_CALLS]]
            results = await run_tools(self.run, self.tools, some, self.agent, self.work_id)
            if results is None:
                raise Waits
            for result in results:
                self.run.heard(self.tools.get(tool), result)
            found += results
        return found


@dataclass(slots=True)
class Short(Turn):
    """One piece of work on a short way."""

    speech: Speech
    task: str
    """The task as the agent reads it: with the message it serves and the results it builds on."""
    turns: list[Message] = field(default_factory=list)
    """What was asked of the model so far, and its replies."""

    def opening(self, rules: str) -> list[Message]:
        """What a question to the model begins with: the rules, and the last turns of the session."""
        last = [m for m in list(self.run.history)[-_HISTORY_TURNS:] if m["role"] != "system"]
        before: list[Message] = [{**m, "content": (m["content"] or "")[:_HISTORY_CHARS]} for m in last]
        return [system(rules), *before]

    async def text(self, rules: str, asked: str, max_tokens: int) -> str:
        """What the model writes; later questions of the work follow on it. Raises the model's errors."""
        self.turns = [*(self.turns or self.opening(rules)), user(asked)]
        reply = await self.run.ask("work", self.turns, max_tokens=max_tokens, **self.place)
        self.turns.append(assistant(reply.reply.content))
        return reply.reply.content

    async def form(self, messages: list[Message], schema: dict[str, Any], **more: Any) -> dict[str, Any]:
        """As `RunContext.fill_in`; {} for what is no JSON object. Raises the model's errors."""
        return await self.run.fill_in("work", messages, schema, **self.place, **more)

    def say(self, texts: Mapping[str, Mapping[Language, str]], key: str, **values: Any) -> str:
        """One of `texts` in the user's language."""
        return texts[key][self.run.language].format(**values)


class Waits(Exception):
    """A person has to be asked before the work can go on."""


@dataclass(frozen=True, slots=True)
class ShortWay:
    """How a small model does one kind of work. `needs`: the tools it calls. `asks`: how its questions to the person
    begin. `counts`: the answer that rows of a document's tables give together (its id; None: of any), else empty."""

    work: Callable[[Short], Awaitable[Outcome | None]]
    needs: frozenset[str]
    asks: tuple[str, ...] = ()
    counts: Callable[[Short, str | None], Awaitable[str]] | None = None


SHORT_WAYS: Registry[ShortWay] = Registry("short way")


async def take(short: Short) -> Outcome | None:
    """Do the work on the agent's short way; None where it has none, lacks its tools, or gets nowhere by it."""
    way = SHORT_WAYS[short.agent.short] if short.agent.short else None
    if way is None or not way.needs <= short.tools.keys():
        return None
    try:
        return await settled(short.speech, way.work(short))
    except Waits:
        return Outcome("waiting", "")


async def settled(speech: Speech, work: Awaitable[Outcome | None]) -> Outcome | None:
    """What the work came to, which is then all that was said; failed where a typed error ends it."""
    try:
        outcome = await work
    except DureError as error:
        outcome = Outcome.failed(error)
    if outcome is not None:
        speech.settle(outcome.answer)
    return outcome


def stopped(text: str) -> Outcome:
    """What to say when a tool gave nothing to go on with."""
    return Outcome("stopped", text, "tool_failed", found=False)
