"""A toolset whose tools go by other names."""

from collections.abc import Mapping
from dataclasses import replace

from dure.messages import ToolCall
from dure.tooling import Tool, ToolContext, ToolResult
from dure.toolsets.toolset import Toolset, Wrapper


class Named(Wrapper):
    """The tools of another toolset under other names.

    names: the new name by the old one. prefix: comes before the names of all others, as in `Named(crm, prefix="crm_")`.
    """

    def __init__(self, wrapped: Toolset, names: Mapping[str, str] | None = None, *, prefix: str = "") -> None:
        super().__init__(wrapped)
        self._names = dict(names or {})
        self._prefix = prefix

    def tools(self) -> Mapping[str, Tool]:
        return {new: replace(self.wrapped.tools()[old], name=new) for new, old in self._old().items()}

    async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        return await self.wrapped.call(replace(call, name=self._old()[call.name]), context)

    def _old(self) -> dict[str, str]:
        return {self._names.get(name, f"{self._prefix}{name}"): name for name in self.wrapped.tools()}
