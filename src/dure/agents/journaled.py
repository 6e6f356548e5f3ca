"""What a run has recorded of its calls is not done again, and what is done is recorded."""

import asyncio
import logging
from dataclasses import replace
from functools import partial
from typing import Literal

import orjson

from dure.agents.context import RunContext
from dure.agents.journal import result_of
from dure.agents.prompts import FILES_NOT_KEPT
from dure.events import ToolFinished, ToolStarted, encode
from dure.messages import ToolCall, json_bytes
from dure.tooling import ToolContext, ToolResult
from dure.toolsets import Toolset, Wrapper

log = logging.getLogger(__name__)

_GRACE = 5.0
"""Seconds that a tool with effects may go on after its run was cancelled, so that its end becomes known."""
_TELLS = 300
"""Characters of a call that tell it."""


class Journaled(Wrapper):
    """Calls whose end is recorded give what is recorded; of all others beginning and end are recorded.

    Of a tool with effects the beginning is recorded for good before it runs, and the end after.
    """

    def __init__(self, wrapped: Toolset, run: RunContext) -> None:
        super().__init__(wrapped)
        self.run = run

    async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        tool = self.tools().get(call.name)
        effect = tool.effect if tool is not None and not call.error else ""
        known = _recorded(self.run, call, context)
        result = await self._run(call, context, effect) if known is None else known
        if effect not in ("", "read") and result.status == "ok":
            self.run.acted.append(f"{call.name} {call.args}"[:_TELLS])
        return result

    async def _run(self, call: ToolCall, context: ToolContext, effect: str) -> ToolResult:
        async with self.run.places:
            if effect in ("", "read"):
                _begun(self.run, call, context, effect)
                return await self._made(call, context)
            _begun(self.run, call, context, effect, self.run.calls.by())
            await self.run.commit()
            context.hand_over = partial(self.run.calls.hand_over, context.key)
            task = asyncio.ensure_future(self._for_good(call, context))
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:
                await asyncio.wait([task], timeout=_GRACE)
                task.cancel()
                raise

    async def _for_good(self, call: ToolCall, context: ToolContext) -> ToolResult:
        result = await self._made(call, context)
        self.run.calls.ended(context.key, json_bytes(encode(_finished(call, context, result))[1]).decode())
        await self.run.commit()
        self.run.calls.recorded(context.key)
        return result

    async def _made(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """With its files kept. One that cannot be is told in the result; a tool without effects has failed then."""
        result = await self.wrapped.call(call, context)
        failed, images = 0, []
        for file in result.files:
            try:
                kept = await self.run.keep(file, context.agent)
                images += [f"{self.run.run_id}/{kept['id']}"] if kept and file.seen else []
            except Exception:
                log.exception("a file of run %s could not be kept", self.run.run_id)
                failed += 1
        if failed:
            told = FILES_NOT_KEPT[context.language].format(number=failed)
            is_error = result.is_error or self.tools()[call.name].effect == "read"
            result = replace(result, text=f"{result.text}\n{told}", is_error=is_error)
        return _ended(self.run, call, context, replace(result, images=images))


def report(run: RunContext, call: ToolCall, context: ToolContext, result: ToolResult) -> ToolResult:
    """Record how a call ended that was not run as one of a step. Returns what is recorded of it, where something is."""
    if (known := _recorded(run, call, context)) is not None:
        return known
    begun = run.journal.begun(context.call_id, call)
    _begun(run, call, context, begun.effect if begun else "")
    return _ended(run, call, context, result)


def known_end(run: RunContext, by: str, context: ToolContext) -> ToolResult | Literal["not done", "unknown"]:
    """What stands outside of the record of a call whose end is not recorded: its result, where that came in."""
    line = run.calls.became(by, context.key)
    try:
        return "unknown" if line is None else result_of(ToolFinished(**orjson.loads(line))) if line else "not done"
    except (TypeError, ValueError):
        # Of another version.
        return "unknown"


def _recorded(run: RunContext, call: ToolCall, context: ToolContext) -> ToolResult | None:
    known = run.journal.finished(context.call_id) if run.journal.begun(context.call_id, call) else None
    return None if known is None else _noted(run, call, context, known)


def _begun(run: RunContext, call: ToolCall, context: ToolContext, effect: str = "", by: str = "") -> None:
    run.emit(ToolStarted(context.call_id, call.name, call.args, context.agent, context.work_id, effect, by))


def _ended(run: RunContext, call: ToolCall, context: ToolContext, result: ToolResult) -> ToolResult:
    run.emit(_finished(call, context, result))
    return _noted(run, call, context, result)


def _finished(call: ToolCall, context: ToolContext, result: ToolResult) -> ToolFinished:
    said, found = (result.status, result.text, result.seconds), [p.as_dict() for p in result.passages]
    return ToolFinished(
        *(context.call_id, call.name, *said, context.agent, context.work_id, found, result.data, result.images),
        places=[p.as_dict() for p in result.places],
    )


def _noted(run: RunContext, call: ToolCall, context: ToolContext, result: ToolResult) -> ToolResult:
    """The result, with the call added to those that the answer reports."""
    run.found.append((call.name, result.data))
    run.tool_calls.append({"name": call.name, "args": call.args, "agent": context.agent, "status": result.status})
    return result
