"""What can be a tool, and how it becomes one; tools as they are given in a list."""

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from dure.errors import phrase
from dure.messages import short
from dure.registry import Registry
from dure.tooling import TOOL_NAME, Effect, InvalidTool, Tool, ToolContext, ToolResult, as_result
from dure.toolsets.functions import tool
from dure.toolsets.toolset import Toolset

_SHOWN = 80


def as_tool(value: Any, *, effect: Effect | None = None) -> Tool:
    """Whatever can be a tool as one: a `Tool`, a function, or what one of `ADAPTERS` is for.

    effect: its effect class; where none is given, `read` unless the tool itself asks for more. Raises InvalidTool.
    """
    made = _made(value)
    return made if effect is None else replace(made, effect=effect)


def _made(value: Any) -> Tool:
    if isinstance(value, Tool):
        return value
    for place in ADAPTERS:
        module, _, name = place.partition(":")
        # Whoever holds an object of a class has loaded its module.
        kind = getattr(sys.modules.get(module), name, None)
        if kind is not None and isinstance(value, kind):
            return ADAPTERS[place](value)
    if inspect.isroutine(value):
        return tool(value)
    raise InvalidTool(tool=short(repr(value), _SHOWN), reason=phrase("toolsets_adapters.wanted"))


def _langchain(theirs: Any) -> Tool:
    from langchain_core.utils.function_calling import convert_to_openai_tool

    function = convert_to_openai_tool(theirs)["function"]

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        return as_result(await theirs.ainvoke(args))

    parameters = function.get("parameters") or {"type": "object", "properties": {}}
    return Tool(function["name"], function.get("description", ""), parameters, run)


def _pydantic_ai(theirs: Any) -> Tool:
    if theirs.takes_ctx or theirs.prepare or theirs.args_validator:
        raise InvalidTool(tool=f"'{theirs.name}'", reason=phrase("toolsets_adapters.own_run"))
    schema = theirs.function_schema

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        return as_result(await schema.call(schema.validator.validate_python(args), None))

    effect: Effect = "external" if theirs.requires_approval else "read"
    return Tool(theirs.name, theirs.description or theirs.name, schema.json_schema, run, effect, theirs.timeout or 60.0)


def _mcp(theirs: Any) -> Tool:
    if theirs.context_kwarg or theirs.resolved_params:
        raise InvalidTool(tool=f"'{theirs.name}'", reason=phrase("toolsets_adapters.own_run"))

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        return as_result(await theirs.run(args, None))

    about = theirs.description or theirs.title or theirs.name
    only_reads = theirs.annotations is not None and theirs.annotations.read_only_hint
    return Tool(theirs.name, about, theirs.parameters, run, "read" if only_reads else "external")


ADAPTERS: Registry[Callable[[Any], Tool]] = Registry(
    "kind of tool",
    {
        "langchain_core.tools.base:BaseTool": _langchain,
        "pydantic_ai.tools:Tool": _pydantic_ai,
        "mcp.server.mcpserver.tools.base:Tool": _mcp,
    },
)
"""What makes a tool of ours of an object of a class, by the class's place: `ADAPTERS.add("module:Class", adapter)`."""


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
