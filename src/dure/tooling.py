"""What a tool is: a function a model may call, with a JSON Schema of its arguments and an effect class.

    @tool
    def exchange_rate(currency: str) -> str:
        '''Today's rate of a currency in won.'''

A tool may take a parameter named `context` (a `ToolContext`): Dure fills it in, models do not see it.
"""

import asyncio
import contextvars
import inspect
import re
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, overload

from dure.errors import Language
from dure.sources import Passage

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool
    from pydantic import BaseModel

T = TypeVar("T")

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What OpenAI-compatible servers take as a tool's name (matched whole)."""

Effect = Literal["read", "write", "external"]
"""read: looks only. write: changes something of the user's. external: acts outside (sends, buys)."""

Outgoing = Literal["address", "query"]
"""address: a web address, which tells whoever holds it all that stands in it. query: what a search engine is asked."""


@dataclass(slots=True)
class ToolContext:
    """What a tool may know of the run that calls it."""

    owner: str
    session_id: str = ""
    run_id: str = ""
    agent: str = ""
    language: Language = "ko"


@dataclass(slots=True)
class File:
    """A file that a tool made; the run keeps it as an artefact, under a name made safe."""

    name: str
    data: bytes
    media_type: str = "application/octet-stream"


@dataclass(slots=True)
class ToolResult:
    """What a tool found. `text` is what the model reads."""

    text: str
    passages: list[Passage] = field(default_factory=list)
    """What was found in documents. The run numbers them, shows them to the model as [1], [2] … and cites from them."""
    is_error: bool = False
    data: Any = None
    """JSON-like extra for the record and the page; models do not see it."""
    files: list[File] = field(default_factory=list)
    """What it made for the user. Making a file of the run's own is no effect: nothing of the user's changes."""


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
    outgoing: Mapping[str, Outgoing] = field(default_factory=dict)
    """Of a tool for the public web: which arguments go out to it, and what they are."""
    server: str | None = None
    """Of an MCP tool: its server's name in the configuration."""

    def as_openai(self) -> dict[str, Any]:
        """The shape of OpenAI's `tools` parameter."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    effect: Effect = "read",
    timeout: float = 60.0,
    untrusted: bool = False,
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    effect: Effect = "read",
    timeout: float = 60.0,
    untrusted: bool = False,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function: its docstring describes it, its annotations give the JSON Schema.

    Arguments arrive as annotated (a `date`, an Enum, a pydantic model …). Plain functions run in a thread of their
    own, which goes on unheeded after a timeout; coroutine functions run in the event loop and are cancelled.
    The return value becomes the result's text (`str`), or is given as JSON, or may be a `ToolResult`.
    An exception is told to the model. Raises ValueError for a name that model servers do not take, TypeError for
    parameters that have no JSON Schema.
    """

    def make(fn: Callable[..., Any]) -> Tool:
        called = name or fn.__name__
        if not TOOL_NAME.fullmatch(called):
            raise ValueError(f"tool name {called!r}: 1 to 64 of a-z, A-Z, 0-9, _ and - are accepted; give name=…")
        arguments = _arguments_of(fn, called)
        return Tool(
            name=called,
            description=description or inspect.getdoc(fn) or called,
            parameters=_schema_of(arguments),
            run=_runner(fn, arguments),
            effect=effect,
            timeout=timeout,
            untrusted=untrusted,
        )

    return make(function) if function is not None else make


def _arguments_of(fn: Callable[..., Any], name: str) -> "type[BaseModel]":
    """The arguments as a pydantic model; its fields are numbered, so that no parameter's name clashes with its own."""
    from pydantic import ConfigDict, Field, create_model

    hints = inspect.get_annotations(fn, eval_str=True)
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(fn).parameters.values():
        if parameter.name == "context":
            continue
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"tool {name}: {parameter} cannot be given by name, so it has no JSON Schema")
        default = ... if parameter.default is parameter.empty else parameter.default
        hint = hints.get(parameter.name, Any)
        fields[f"p{len(fields)}"] = (Annotated[hint, Field(alias=parameter.name)], default)
    return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)


def _schema_of(arguments: "type[BaseModel]") -> dict[str, Any]:
    from pydantic.json_schema import GenerateJsonSchema

    class Quiet(GenerateJsonSchema):
        # A default that JSON cannot hold is the function's own matter.
        ignored_warning_kinds = {"non-serializable-default", "skipped-choice"}  # noqa: RUF012

    schema = arguments.model_json_schema(schema_generator=Quiet)
    schema.pop("title", None)
    schema.setdefault("properties", {})
    for each in schema["properties"].values():
        each.pop("title", None)
    return schema


def _runner(fn: Callable[..., Any], arguments: "type[BaseModel]") -> Run:
    wants_context = "context" in inspect.signature(fn).parameters
    names = {field: info.alias or field for field, info in arguments.model_fields.items()}

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        read = arguments.model_validate(args)
        given = {names[each]: getattr(read, each) for each in read.model_fields_set}
        if wants_context:
            given["context"] = context
        if inspect.iscoroutinefunction(fn):
            return as_result(await fn(**given))
        return as_result(await in_thread(lambda: fn(**given)))

    return run


async def in_thread(work: Callable[[], T]) -> T:
    """Run `work` in a daemon thread of its own and hand on what it returns or raises.

    Not `asyncio.to_thread`: a tool that hangs would keep one of the pool's few threads, and the program from ending.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def tell(value: T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(value)  # type: ignore[arg-type]

    def target() -> None:
        value: T | None = None
        error: BaseException | None = None
        try:
            value = context.run(work)
        except StopIteration as stop:
            # A future does not take StopIteration: the waiting coroutine would never wake.
            error = RuntimeError(f"StopIteration: {stop}")
        except BaseException as raised:
            error = raised
        try:
            loop.call_soon_threadsafe(tell, value, error)
        except RuntimeError:
            return  # the loop has ended; nobody waits any more

    threading.Thread(target=target, name="dure-tool", daemon=True).start()
    return await done


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
