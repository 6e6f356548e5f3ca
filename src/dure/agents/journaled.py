"""What a run has recorded of its calls is not done again, and what is done is recorded."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Literal

import orjson

from dure.agents.context import RunContext
from dure.agents.journal import result_of
from dure.agents.prompts import FILES_NOT_KEPT
from dure.events import ToolFinished, ToolStarted, encode
from dure.messages import ToolCall, json_bytes
from dure.tooling import Tool, ToolContext, ToolResult
from dure.toolsets import MAX_RESULT_CHARS, run_call

log = logging.getLogger(__name__)

_GRACE = 5.0
"""Seconds that a tool with effects may go on after its run was cancelled, so that its end becomes known."""
_CHARS_A_TOKEN = 2
"""Of the model's window: between Korean and English."""
_TELLS = 300
"""Characters of a call that tell it."""


class Journaled:
    """A call of a run. What is recorded as its end is what it gave; else its beginning and its end are recorded, the
    beginning for good before anything with effects is made."""

    def __init__(self, run: RunContext, call: ToolCall, context: ToolContext) -> None:
        self.run, self.call, self.context = run, call, context

    async def made(self, tools: Mapping[str, Tool]) -> ToolResult:
        """Make it with one of `tools`."""
        tool = tools.get(self.call.name)
        effect = tool.effect if tool is not None and not self.call.error else ""
        known = self._known()
        result = await self._begin(tools, effect) if known is None else known
        if effect not in ("", "read") and result.status == "ok":
            self.run.acted.append(f"{self.call.name} {self.call.args}"[:_TELLS])
        return result

    def ended(self, result: ToolResult) -> ToolResult:
        """Record that it ended so without being made. Returns what is recorded of it, where something is."""
        if (known := self._known()) is not None:
            return known
        begun = self.run.journal.begun(self.context.call_id, self.call)
        self._begun(begun.effect if begun else "")
        return self._report(result)

    async def _begin(self, tools: Mapping[str, Tool], effect: str) -> ToolResult:
        async with self.run.places:
            if effect in ("", "read"):
                self._begun(effect)
                return await self._made(tools)
            self._begun(effect, self.run.calls.by())
            await self.run.commit()
            self.context.hand_over = partial(self.run.calls.hand_over, self.context.key)
            task = asyncio.ensure_future(self._for_good(tools))
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:
                await asyncio.wait([task], timeout=_GRACE)
                task.cancel()
                raise

    async def _for_good(self, tools: Mapping[str, Tool]) -> ToolResult:
        result = await self._made(tools)
        self.run.calls.ended(self.context.key, json_bytes(encode(self._finished(result))[1]).decode())
        await self.run.commit()
        self.run.calls.recorded(self.context.key)
        return result

    async def _made(self, tools: Mapping[str, Tool]) -> ToolResult:
        """With its files kept. One that cannot be is told in the result; a tool without effects has failed then."""
        window = _CHARS_A_TOKEN * self.run.model_of(self.context.agent).context
        result = await run_call(tools, self.call, self.context, max_chars=min(MAX_RESULT_CHARS, window))
        failed, images = 0, []
        for file in result.files:
            try:
                kept = await self.run.keep(file, self.context.agent)
                images += [f"{self.run.run_id}/{kept['id']}"] if kept and file.seen else []
            except Exception:
                log.exception("a file of run %s could not be kept", self.run.run_id)
                failed += 1
        if failed:
            told = FILES_NOT_KEPT[self.context.language].format(number=failed)
            is_error = result.is_error or tools[self.call.name].effect == "read"
            result = replace(result, text=f"{result.text}\n{told}", is_error=is_error)
        return self._report(replace(result, images=images))

    def _known(self) -> ToolResult | None:
        begun = self.run.journal.begun(self.context.call_id, self.call)
        known = self.run.journal.finished(self.context.call_id) if begun else None
        return None if known is None else self._noted(known)

    def _begun(self, effect: str, by: str = "") -> None:
        of = self.context
        self.run.emit(ToolStarted(of.call_id, self.call.name, self.call.args, of.agent, of.work_id, effect, by))

    def _report(self, result: ToolResult) -> ToolResult:
        self.run.emit(self._finished(result))
        return self._noted(result)

    def _finished(self, result: ToolResult) -> ToolFinished:
        of, found = self.context, [p.as_dict() for p in result.passages]
        ended = result.status, result.text, result.seconds, of.agent, of.work_id, found, result.data, result.images
        return ToolFinished(of.call_id, self.call.name, *ended, places=[p.as_dict() for p in result.places])

    def _noted(self, result: ToolResult) -> ToolResult:
        """The result, with the call added to those that the answer reports."""
        name, args, agent = self.call.name, self.call.args, self.context.agent
        self.run.found.append((name, result.data))
        self.run.tool_calls.append({"name": name, "args": args, "agent": agent, "status": result.status})
        return result


def known_end(run: RunContext, by: str, context: ToolContext) -> ToolResult | Literal["not done", "unknown"]:
    """What stands outside of the record of a call whose end is not recorded: its result, where that came in."""
    line = run.calls.became(by, context.key)
    try:
        return "unknown" if line is None else result_of(ToolFinished(**orjson.loads(line))) if line else "not done"
    except (TypeError, ValueError):
        # Of another version.
        return "unknown"
