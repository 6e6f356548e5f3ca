"""Files that tools make are kept as artefacts of the run."""

import logging
from dataclasses import replace

from dure.agents.context import RunContext
from dure.agents.prompts import FILES_NOT_KEPT
from dure.messages import ToolCall
from dure.tooling import ToolContext, ToolResult
from dure.toolsets import Toolset, Wrapper

log = logging.getLogger(__name__)


class Kept(Wrapper):
    """What tools make is kept. What cannot be kept is told in the result; a tool without effects has failed then."""

    def __init__(self, wrapped: Toolset, run: RunContext) -> None:
        super().__init__(wrapped)
        self._run = run

    async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        result = await self.wrapped.call(call, context)
        failed = 0
        for file in result.files:
            try:
                await self._run.keep(file, context.agent)
            except Exception:
                log.exception("a file of run %s could not be kept", self._run.run_id)
                failed += 1
        if not failed:
            return result
        told = FILES_NOT_KEPT[context.language].format(number=failed)
        is_error = result.is_error or self.tools()[call.name].effect == "read"
        return replace(result, text=f"{result.text}\n{told}", is_error=is_error)
