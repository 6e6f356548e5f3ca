"""A toolset: tools that belong together, and how one of them is called; those of a list; and wrappers that name or
leave out tools.

Whoever has more than a list of tools writes one: what there is changes, or calls go another way than to each tool's own
function. A wrapper is a toolset around another and changes one thing about it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from dure.errors import phrase
from dure.messages import ToolCall
from dure.tooling import TOOL_NAME, InvalidTool, Run, Tool, ToolContext, ToolResult
from dure.toolsets.functions import as_tool


class Toolset(ABC):
    """Some tools. One of its own `call` is asked for every call, also by runs."""

    fixed = False
    """Whether there is never another tool than now."""

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

        def through(name: str) -> Run:
            return lambda args, context: self.call(ToolCall(name, args), context)

        return {name: replace(each, run=through(name)) for name, each in listed.items()}


class Tools(Toolset):
    """Tools of a list. Raises InvalidTool for what cannot be a tool, and where two have one name."""

    def __init__(self, given: Iterable[Any] = ()) -> None:
        self._parts = parts(given)
        self.fixed = type(self).tools is Tools.tools and all(isinstance(each, Tool) for each in self._parts)
        self._listed = dict[str, Tool]()

    def tools(self) -> Mapping[str, Tool]:
        if not (self.fixed and self._listed):
            self._listed = {name: each for part in self._parts for name, each in listed(part).items()}
        return self._listed


def listed(part: Tool | Toolset) -> Mapping[str, Tool]:
    """The tools of a part of a list, by name."""
    return part.bound() if isinstance(part, Toolset) else {part.name: part}


def parts(given: Iterable[Any]) -> list[Tool | Toolset]:
    """Each of the list as a tool or toolset. Raises InvalidTool as `Tools`."""
    if not isinstance(given, Iterable):
        raise InvalidTool(tool=repr(given), reason=phrase("toolsets_adapters.list"))
    found = [each if isinstance(each, Toolset) else as_tool(each) for each in given]
    names: set[str] = set()
    for name in (name for part in found for name in listed(part)):
        if not TOOL_NAME.fullmatch(name):
            raise InvalidTool(tool=f"'{name}'", reason=phrase("toolsets_functions.name"))
        if name in names:
            raise InvalidTool(tool=f"'{name}'", reason=phrase("toolsets_adapters.twice"))
        names.add(name)
    return found


class Wrapper(Toolset):
    """A toolset around another; by itself it changes nothing."""

    def __init__(self, wrapped: Toolset) -> None:
        self.wrapped = wrapped

    def tools(self) -> Mapping[str, Tool]:
        return self.wrapped.tools()

    async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        return await self.wrapped.call(call, context)


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
