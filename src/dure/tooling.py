"""What a tool is: a function a model may call, with a JSON Schema of its arguments and an effect class.

    @tool
    def exchange_rate(currency: str) -> str:
        '''Today's rate of a currency in won.'''

A tool may take a parameter named `context` (a `ToolContext`): Dure fills it in, models do not see it.
"""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, overload

from dure.errors import Language
from dure.sources import Passage

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

Effect = Literal["read", "write", "external"]
"""read: looks only. write: changes something of the user's. external: acts outside (sends, buys)."""


@dataclass(slots=True)
class ToolContext:
    """What a tool may know of the run that calls it."""

    owner: str
    session_id: str = ""
    run_id: str = ""
    agent: str = ""
    language: Language = "ko"


@dataclass(slots=True)
class ToolResult:
    """What a tool found. `text` is what the model reads."""

    text: str
    passages: list[Passage] = field(default_factory=list)
    """Passages the text numbers as [1], [2] … in this order; citations are made from them."""
    is_error: bool = False
    data: Any = None
    """JSON-like extra for the record and the page; models do not see it."""


Run = Callable[[dict[str, Any], ToolContext], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str
    parameters: dict[str, Any]
    """JSON Schema of the arguments: an object schema, kept as it was given."""
    run: Run
    effect: Effect = "read"
    timeout: float = 60.0
    """Seconds after which a call is given up and reported to the model."""
    untrusted: bool = False
    """Its results come from outside (web, MCP, documents) and are marked as data for the model."""

    def as_openai(self) -> dict[str, Any]:
        """The shape of OpenAI's `tools` parameter."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    *, name: str | None = None, description: str | None = None, effect: Effect = "read", timeout: float = 60.0
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    effect: Effect = "read",
    timeout: float = 60.0,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function: its docstring describes it, its annotations give the JSON Schema.

    Plain functions run in a thread, coroutine functions in the event loop. The return value becomes the
    result's text (`str`), or is given as JSON, or may be a `ToolResult`. An exception is told to the model.
    """

    def make(fn: Callable[..., Any]) -> Tool:
        return Tool(
            name=name or fn.__name__,
            description=description or inspect.getdoc(fn) or fn.__name__,
            parameters=_schema_of(fn),
            run=_runner(fn),
            effect=effect,
            timeout=timeout,
        )

    return make(function) if function is not None else make


def _schema_of(fn: Callable[..., Any]) -> dict[str, Any]:
    from pydantic import ConfigDict, create_model

    hints = inspect.get_annotations(fn, eval_str=True)
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(fn).parameters.values():
        if parameter.name == "context":
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"tool {fn.__name__}: *args and **kwargs have no JSON Schema")
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (hints.get(parameter.name, Any), default)
    model = create_model(fn.__name__, __config__=ConfigDict(extra="forbid"), **fields)
    schema = model.model_json_schema()
    schema.pop("title", None)
    for each in schema.get("properties", {}).values():
        each.pop("title", None)
    return schema


def _runner(fn: Callable[..., Any]) -> Run:
    wants_context = "context" in inspect.signature(fn).parameters

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        import asyncio

        given = {**args, "context": context} if wants_context else args
        if inspect.iscoroutinefunction(fn):
            return as_result(await fn(**given))
        return as_result(await asyncio.to_thread(fn, **given))

    return run


def as_result(value: Any) -> ToolResult:
    """A tool's return value as a result: `ToolResult` as it is, text as text, anything else as JSON."""
    if isinstance(value, ToolResult):
        return value
    if isinstance(value, str):
        return ToolResult(value)
    import orjson

    return ToolResult(orjson.dumps(value, default=str).decode(), data=value)


def from_langchain(base: "BaseTool", effect: Effect = "read") -> Tool:
    """Any LangChain tool as a tool of ours; its schema is kept as LangChain gives it."""
    from langchain_core.utils.function_calling import convert_to_openai_tool

    function = convert_to_openai_tool(base)["function"]

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        return as_result(await base.ainvoke(args))

    parameters = function.get("parameters") or {"type": "object", "properties": {}}
    return Tool(function["name"], function.get("description", ""), parameters, run, effect)
