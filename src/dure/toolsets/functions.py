"""Functions are tools: the signature gives the JSON Schema, the docstring the descriptions.

    @tool
    def exchange_rate(currency: str) -> str:
        '''Today's rate of a currency in won.'''

A function may take a parameter named `context`, or annotated `ToolContext`: Dure fills it in, models do not see it.
What other libraries call a tool is one by `ADAPTERS`.
"""

import inspect
import re
import sys
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Annotated, Any, get_args, overload

from pydantic import BaseModel, ConfigDict, Field, PydanticUserError, create_model

from dure.errors import phrase
from dure.messages import short
from dure.registry import Registry
from dure.tooling import (
    TOOL_NAME,
    Effect,
    InvalidTool,
    Run,
    Tool,
    ToolContext,
    ToolResult,
    Verify,
    as_result,
    hands_over,
    in_thread,
)

_SECTION = re.compile(r"^\s*(?::\w+|-{3,}\s*$|\w[\w ]*:\s*$)", re.MULTILINE)
"""Where a section may begin: of Sphinx, of NumPy, of Google. What has none needs no parser."""
_QUIET = {"warnings": False}
_SHOWN = 80


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
    verify: Verify | None = None,
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
    verify: Verify | None = None,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function.

    Arguments arrive as annotated (a `date`, an Enum, a pydantic model …). What each means stands in its annotation
    (`Annotated[str, "the full name"]`, or pydantic's `Field(description=…)`) or in the docstring, in the way of Google,
    NumPy or Sphinx. Plain functions run in a thread of their own, which goes on unheeded after a timeout; coroutine
    functions run in the event loop and are cancelled. The return value becomes the result's text (`str`), or is given
    as JSON, or may be a `ToolResult`. An exception is told to the model. Raises InvalidTool for what cannot be a tool:
    a class, a name that model servers do not take, parameters that cannot be given by name or have no JSON Schema, an
    unknown effect, a timeout that is not above 0, a `verify` that cannot be called.
    """

    def make(fn: Callable[..., Any]) -> Tool:
        called = str(name or getattr(fn, "__name__", ""))
        if not callable(fn) or inspect.isclass(fn) or inspect.isgeneratorfunction(fn) or inspect.isasyncgenfunction(fn):
            raise InvalidTool(tool=repr(fn), reason=phrase("toolsets_functions.returns"))
        if not TOOL_NAME.fullmatch(called):
            raise InvalidTool(tool=f"'{called}'", reason=phrase("toolsets_functions.name"))
        try:
            arguments, contexts = _arguments_of(fn, called)
            schema = _schema_of(arguments)
        except (NameError, TypeError, ValueError, PydanticUserError) as error:
            # Of pydantic's several lines the first says what is wrong.
            raise InvalidTool(tool=f"'{called}'", reason=str(error).partition("\n")[0]) from None
        about, told = _described(fn, schema["properties"])
        for each, text in told.items():
            schema["properties"][each].setdefault("description", text)
        about = description or about or called
        more: dict[str, Any] = {"verify": verify, "takes": arguments.model_validate}
        return Tool(called, about, schema, _runner(fn, arguments, contexts), effect, timeout, untrusted, **more)

    return make(function) if function is not None else make


def _arguments_of(fn: Callable[..., Any], name: str) -> tuple[type[BaseModel], list[str]]:
    """The arguments as a pydantic model, and the parameters that get the `ToolContext`. The fields are numbered, so
    that no parameter's name clashes with the model's own."""
    hints = inspect.get_annotations(fn, eval_str=True)
    fields: dict[str, Any] = {}
    contexts: list[str] = []
    for parameter in inspect.signature(fn).parameters.values():
        hint = hints.get(parameter.name, Any)
        if parameter.name == "context" or ToolContext in (hint, *get_args(hint)):
            contexts.append(parameter.name)
            continue
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise InvalidTool(tool=f"'{name}'", reason=phrase("toolsets_functions.by_name", parameter=parameter))
        told = [Field(description=each) for each in getattr(hint, "__metadata__", ()) if isinstance(each, str)]
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[f"p{len(fields)}"] = (Annotated[hint, *told, Field(alias=parameter.name)], default)
    return create_model(name, __config__=ConfigDict(extra="forbid"), **fields), contexts


def _schema_of(arguments: type[BaseModel]) -> dict[str, Any]:
    from pydantic.json_schema import GenerateJsonSchema

    class Quiet(GenerateJsonSchema):
        # A default that JSON cannot hold is the function's own matter.
        ignored_warning_kinds = {"non-serializable-default", "skipped-choice"}  # noqa: RUF012

    schema = arguments.model_json_schema(schema_generator=Quiet)
    schema.pop("title", None)
    schema.setdefault("properties", {})
    for info in arguments.model_fields.values():
        if info.title is None:
            schema["properties"][info.alias].pop("title", None)
    return schema


def _runner(fn: Callable[..., Any], arguments: type[BaseModel], contexts: Collection[str]) -> Run:
    names = {field: info.alias or field for field, info in arguments.model_fields.items()}

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        read = arguments.model_validate(args)
        given = {names[each]: getattr(read, each) for each in read.model_fields_set}
        given |= dict.fromkeys(contexts, context)
        if inspect.iscoroutinefunction(fn):
            context.hand_over()
            return as_result(await fn(**given))

        def begun() -> Any:
            # A thread may take a while to begin.
            context.hand_over()
            return fn(**given)

        return as_result(await in_thread(begun))

    return hands_over(run)


def _described(fn: Callable[..., Any], names: Collection[str]) -> tuple[str, dict[str, str]]:
    """A function's description and those of its arguments, of which `names` are known: the docstring's sections by the
    conventions of Google, NumPy or Sphinx. Where it describes none of `names` it is the description as it stands."""
    text = inspect.getdoc(fn) or ""
    if not _SECTION.search(text):
        return text, {}
    from griffe import Docstring, DocstringSectionKind

    google = {**_QUIET, "returns_named_value": False, "returns_multiple_items": False}
    sections = Docstring(text).parse("auto", per_style_options={"google": google, "numpy": _QUIET, "sphinx": _QUIET})
    arguments: dict[str, str] = {}
    rest: list[str] = []
    for section in sections:
        match section.kind:
            case DocstringSectionKind.parameters | DocstringSectionKind.other_parameters:
                arguments |= {each.name: " ".join(each.description.split()) for each in section.value}
            case DocstringSectionKind.text:
                rest.append(section.value)
            case DocstringSectionKind.returns:
                rest.append("Returns: " + "; ".join(each.description for each in section.value))
            case DocstringSectionKind.examples:
                rest.append("Examples:\n" + "\n".join(each for _, each in section.value))
            case DocstringSectionKind.admonition:
                rest.append(f"{section.title}: {section.value.contents}")
    known = {name: told for name, told in arguments.items() if name in names and told}
    return ("\n\n".join(rest), known) if known else (text, {})


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
