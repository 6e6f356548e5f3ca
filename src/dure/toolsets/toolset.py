"""A toolset: tools that belong together, and how one of them is called.

Whoever has more than a list of tools writes one: what there is changes, or calls go another way than to each tool's own
function. A wrapper is a toolset around another and changes one thing about it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dure.messages import ToolCall
from dure.tooling import Run, Tool, ToolContext, ToolResult


class Toolset(ABC):
    """Some tools. One of its own `call` is asked for every call, also by runs."""

    @abstractmethod
    def tools(self) -> Mapping[str, Tool]:
        """The tools there are at this moment, by name."""

    async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Call one of them, with arguments that fit its schema. What it raises is told to the model."""
        return await self.tools()[call.name].run(call.args, context)

    def bound(self) -> dict[str, Tool]:
        """The tools there are, each of which runs by `call`, so that they can be used apart from the toolset."""
        listed = dict(self.tools())
        if type(self).call is Toolset.call:
            return listed
        return {name: replace(each, run=_through(self, name)) for name, each in listed.items()}


def _through(toolset: Toolset, name: str) -> Run:
    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        return await toolset.call(ToolCall(name, args), context)

    return run


class Wrapper(Toolset):
    """A toolset around another; by itself it changes nothing."""

    def __init__(self, wrapped: Toolset) -> None:
        self.wrapped = wrapped

    def tools(self) -> Mapping[str, Tool]:
        return self.wrapped.tools()

    async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        return await self.wrapped.call(call, context)
