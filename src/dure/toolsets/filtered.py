"""A toolset without some of its tools."""

from collections.abc import Callable, Mapping

from dure.messages import ToolCall
from dure.tooling import Tool, ToolContext, ToolResult
from dure.toolsets.toolset import Toolset, Wrapper


class Filtered(Wrapper):
    """The tools of another toolset that `keep` holds for: `Filtered(crm, lambda tool: tool.effect == "read")`."""

    def __init__(self, wrapped: Toolset, keep: Callable[[Tool], bool]) -> None:
        super().__init__(wrapped)
        self._keep = keep

    def tools(self) -> Mapping[str, Tool]:
        return {name: each for name, each in self.wrapped.tools().items() if self._keep(each)}

    async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """As the other's. Raises KeyError for a tool that is left out."""
        if call.name not in self.tools():
            raise KeyError(call.name)
        return await self.wrapped.call(call, context)
