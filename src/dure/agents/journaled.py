"""What a run has recorded of its calls is not done again, and what is done is recorded."""

import asyncio

from dure.agents.context import RunContext
from dure.agents.reports import note_call, report_end, report_start
from dure.messages import ToolCall
from dure.tooling import ToolContext, ToolResult
from dure.toolsets import Toolset, Wrapper

_GRACE = 5.0
"""Seconds that a tool with effects may go on after its run was cancelled, so that its end becomes known."""


class Journaled(Wrapper):
    """Calls whose end is recorded give what is recorded; of all others beginning and end are recorded.

    Of a tool with effects the beginning is recorded for good before it runs, and the end after.
    """

    def __init__(self, wrapped: Toolset, run: RunContext) -> None:
        super().__init__(wrapped)
        self.run = run

    async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        known = self.run.journal.finished(context.call_id, call)
        if known is not None:
            note_call(self.run, call, context, known)
            return known
        tool = self.tools().get(call.name)
        effects = tool is not None and tool.effect != "read" and not call.error
        async with self.run.places:
            report_start(self.run, call, context)
            return await (self._with_effects(call, context) if effects else self._to_its_end(call, context))

    async def _with_effects(self, call: ToolCall, context: ToolContext) -> ToolResult:
        async def for_good() -> ToolResult:
            result = await self._to_its_end(call, context)
            await self.run.commit()
            return result

        await self.run.commit()
        task = asyncio.ensure_future(for_good())
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task], timeout=_GRACE)
            task.cancel()
            raise

    async def _to_its_end(self, call: ToolCall, context: ToolContext) -> ToolResult:
        result = await self.wrapped.call(call, context)
        report_end(self.run, call, context, result)
        return result
