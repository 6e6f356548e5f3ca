"""Functions are tools: what becomes of a signature and a docstring."""

import asyncio
import contextvars
import dataclasses
import datetime
import enum
import inspect
import socket
import threading
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, TypeAdapter
from typing_extensions import TypedDict

from dure import tool
from dure.messages import ToolCall
from dure.tooling import InvalidTool, Tool, ToolContext
from dure.toolsets import run_call

ME = ToolContext("me", agent="a", language="en")


class Size(enum.Enum):
    SMALL = "s"
    LARGE = "l"


class Point(BaseModel):
    x: int


class Line(BaseModel):
    """From a point through others."""

    start: Point
    through: list[Point] = []


@dataclasses.dataclass
class Price:
    won: int
    note: str | None = None


class Row(TypedDict):
    day: datetime.date
    hours: float


def test_a_function_becomes_a_tool():
    @tool
    def exchange_rate(currency: str, unit: Literal["won", "dollar"] = "won") -> str:
        """Today's rate of a currency."""
        return currency

    assert isinstance(exchange_rate, Tool)
    assert exchange_rate.name == "exchange_rate"
    assert exchange_rate.description == "Today's rate of a currency."
    assert (exchange_rate.effect, exchange_rate.timeout, exchange_rate.untrusted) == ("read", 60.0, False)
    assert exchange_rate.parameters == {
        "type": "object",
        "properties": {
            "currency": {"type": "string"},
            "unit": {"type": "string", "enum": ["won", "dollar"], "default": "won"},
        },
        "required": ["currency"],
        "additionalProperties": False,
    }
    assert exchange_rate.as_openai() == {
        "type": "function",
        "function": {
            "name": "exchange_rate",
            "description": "Today's rate of a currency.",
            "parameters": exchange_rate.parameters,
        },
    }


async def test_options_and_context():
    @tool(name="send", description="Send it.", effect="external", timeout=5, untrusted=True)
    async def send_mail(to: str, context: ToolContext) -> str:
        return f"{context.owner} {context.agent} {to}"

    assert (send_mail.name, send_mail.description) == ("send", "Send it.")
    assert (send_mail.effect, send_mail.timeout, send_mail.untrusted) == ("external", 5, True)
    assert list(send_mail.parameters["properties"]) == ["to"]
    assert (await send_mail.run({"to": "you"}, ME)).text == "me a you"


@pytest.mark.parametrize("kind", [ToolContext, ToolContext | None, Annotated[ToolContext, "of the run"]])
async def test_a_context_is_known_by_what_it_is_too(kind):
    def mine(ctx: kind, day: str = "월") -> str:
        return f"{ctx.owner} {day}"

    made = tool(mine)
    assert list(made.parameters["properties"]) == ["day"]
    assert (await made.run({"day": "화"}, ME)).text == "me 화"


def test_without_parameters_and_docstring():
    @tool
    def ping():
        return "pong"

    assert ping.description == "ping"
    assert ping.parameters == {"type": "object", "properties": {}, "additionalProperties": False}


def test_a_title_is_kept_where_one_was_given():
    @tool
    def book(room: Annotated[str, Field(title="회의실 · Room")], hours: int = 1):
        """Book a room."""

    assert book.parameters["properties"]["room"]["title"] == "회의실 · Room"
    assert "title" not in book.parameters["properties"]["hours"]


async def test_arguments_arrive_as_annotated():
    seen = []

    @tool
    def take(
        day: datetime.date, size: Size, point: Point, points: list[Point], note: Annotated[str, Field(max_length=3)]
    ):
        seen.extend([day, size, point, points, note])

    given = {"day": "2024-01-02", "size": "s", "point": {"x": 1}, "points": [{"x": 2}], "note": "abc"}
    await take.run(given, ME)
    assert seen == [datetime.date(2024, 1, 2), Size.SMALL, Point(x=1), [Point(x=2)], "abc"]
    assert take.parameters["properties"]["note"] == {"type": "string", "maxLength": 3}
    with pytest.raises(ValueError, match="note"):
        await take.run({**given, "note": "abcd"}, ME)


async def test_parameter_names_clash_with_nothing():
    @tool
    def odd(schema: str, json: str, model_config: int, copy: int = 2) -> str:
        return f"{schema} {json} {model_config} {copy}"

    assert list(odd.parameters["properties"]) == ["schema", "json", "model_config", "copy"]
    assert (await odd.run({"schema": "a", "json": "b", "model_config": 1}, ME)).text == "a b 1 2"


@pytest.mark.parametrize("name", ["환율", "a b", "a.b", "x" * 65, ""])
def test_names_that_servers_refuse_are_refused(name):
    def fn() -> None: ...

    fn.__name__ = name
    with pytest.raises(InvalidTool, match="1 to 64 of a-z"):
        tool(fn)


async def test_defaults_are_the_functions_own():
    marker = object()

    @tool
    def search(limit: int = 3, other: object = marker) -> str:
        return f"{limit} {other is marker}"

    assert (await search.run({}, ME)).text == "3 True"


async def test_plain_functions_run_in_a_thread_with_the_callers_context():
    variable = contextvars.ContextVar("variable", default="none")
    variable.set("given")

    @tool
    def where() -> str:
        return f"{threading.current_thread() is threading.main_thread()} {variable.get()}"

    assert (await where.run({}, ME)).text == "False given"


def _positional(a: str, /) -> None: ...
def _many(*args: str) -> None: ...
def _more(**options: str) -> None: ...
def _unknown(a: "Nobody") -> None: ...  # type: ignore[name-defined]  # noqa: F821
def _open(a: socket.socket) -> None: ...
def _told(a: Callable[[], None]) -> None: ...
def _one_by_one(a: str) -> Any:
    yield a


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (_positional, "a: str"),
        (_many, r"\*args: str"),
        (_more, r"\*\*options: str"),
        (_unknown, "Nobody"),
        (_open, "socket"),
        (_told, "Callable"),
        (_one_by_one, "a function that returns"),
        (max, r"signature|\*"),
        (3, "a function"),
        (Price, "a function that returns"),
    ],
    ids=lambda each: getattr(each, "__name__", None) or str(each),
)
def test_what_cannot_be_a_tool_is_refused_in_a_sentence(fn: Any, words: str):
    with pytest.raises(InvalidTool, match=words) as refused:
        tool(fn)
    for language in ("ko", "en"):
        sentence = refused.value.message(language)
        assert "…" not in sentence
        assert "\n" not in sentence
        assert getattr(fn, "__name__", repr(fn)) in sentence
    assert "도구로 쓸 수 없습니다" in refused.value.message("ko")


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"effect": "wrte"}, "effect: one of read, idempotent, write, external is needed, not 'wrte'"),
        ({"effect": None}, "effect: .* not None"),
        ({"timeout": 0}, "timeout: a number of seconds above 0 is needed, not 0"),
        ({"timeout": -1}, "timeout: .* not -1"),
        ({"timeout": float("nan")}, "timeout: .* not nan"),
        ({"timeout": "x"}, "timeout: .* not 'x'"),
        ({"verify": 5}, "verify: an async function .* not 5"),
    ],
    ids=str,
)
def test_options_that_are_none_are_refused_at_the_decorator(option: dict[str, Any], words: str):
    with pytest.raises(InvalidTool, match=f"'save'.*{words}") as refused:

        @tool(**option)
        def save() -> None: ...

    assert "…" not in refused.value.message("ko")


KINDS: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (int, st.integers(-(2**53), 2**53)),
    (str, st.text()),
    (bool, st.booleans()),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (datetime.date, st.dates()),
    (Literal["won", "dollar", 3], st.sampled_from(["won", "dollar", 3])),
    (Size, st.sampled_from(Size)),
    (Annotated[int, Field(ge=0, lt=10)], st.integers(0, 9)),
    (Point, st.builds(Point, x=st.integers())),
    (Line, st.builds(Line, start=st.builds(Point, x=st.integers()))),
    (Price, st.builds(Price, won=st.integers(), note=st.none() | st.text())),
    (Row, st.builds(Row, day=st.dates(), hours=st.floats(0, 24))),
]


def _around(kinds: st.SearchStrategy[tuple[Any, Any]]) -> st.SearchStrategy[tuple[Any, Any]]:
    """Optional, lists and mappings of other kinds."""
    optional = kinds.map(lambda kind: (kind[0] | None, st.none() | kind[1]))
    lists = kinds.map(lambda kind: (list[kind[0]], st.lists(kind[1], max_size=3)))  # type: ignore[name-defined]
    named = kinds.map(lambda kind: (dict[str, kind[0]], st.dictionaries(st.text(), kind[1], max_size=3)))  # type: ignore[name-defined]
    return optional | lists | named


@st.composite
def signatures(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], set[str]]:
    """Annotations by name, a value for each, and which of them are the parameters' defaults."""
    names = draw(st.lists(st.sampled_from(["city", "day", "size", "json", "model_config", "값", "p0"]), unique=True))
    kinds = {name: draw(st.recursive(st.sampled_from(KINDS), _around, max_leaves=3)) for name in names}
    values = {name: draw(kind[1]) for name, kind in kinds.items()}
    return (
        {name: kind[0] for name, kind in kinds.items()},
        values,
        set(draw(st.lists(st.sampled_from(names)))) if names else set(),
    )


def _function(hints: dict[str, Any], values: dict[str, Any], defaults: set[str]) -> tuple[Tool, list[dict[str, Any]]]:
    """A tool of these parameters, and what it was called with."""
    seen: list[dict[str, Any]] = []

    async def fn(**given: Any) -> str:
        seen.append(given)
        return "done"

    fn.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=values[name] if name in defaults else inspect.Parameter.empty,
                annotation=hint,
            )
            for name, hint in hints.items()
        ]
    )
    fn.__annotations__ = hints
    return tool(name="t")(fn), seen


# Each makes classes, which takes longer than all that is done with them.
few = settings(max_examples=settings.default.max_examples // 4)


@few
@given(signatures())
def test_a_signature_is_the_schema_and_its_values_arrive(signature):
    hints, values, defaults = signature
    made, seen = _function(*signature)
    Draft202012Validator.check_schema(made.parameters)
    assert list(made.parameters["properties"]) == list(hints)
    assert made.parameters.get("required", []) == [name for name in hints if name not in defaults]
    args = {name: TypeAdapter(hint).dump_python(values[name], mode="json") for name, hint in hints.items()}
    assert asyncio.run(run_call({"t": made}, ToolCall("t", args), ME)).text == "done"
    assert seen == [values]


@few
@given(signatures(), st.data())
def test_what_the_signature_lacks_or_wants_is_told(signature, data):
    hints, values, defaults = signature
    made, seen = _function(*signature)
    args = {name: TypeAdapter(hint).dump_python(values[name], mode="json") for name, hint in hints.items()}
    required = [name for name in hints if name not in defaults]
    if required:
        del args[data.draw(st.sampled_from(required))]
    else:
        args["nobody"] = 1
    result = asyncio.run(run_call({"t": made}, ToolCall("t", args), ME))
    assert (result.status, seen) == ("error", [])
    assert "was not run" in result.text


def test_without_annotations_anything_is_taken():
    @tool
    def note(text, more=None):
        return f"{text} {more}"

    assert made_of(note) == {"text": {}, "more": {"default": None}}
    assert note.parameters["required"] == ["text"]


def made_of(each: Tool) -> dict[str, Any]:
    found: dict[str, Any] = each.parameters["properties"]
    return found


words = (
    st.text("가나다 abc,()-", min_size=1)
    .map(lambda text: " ".join(text.split()))
    .filter(lambda text: text[:1].isalpha())
)


def _google(about: str, told: dict[str, str]) -> str:
    return (
        f"{about}\n\nArgs:\n"
        + "".join(f"    {name}: {text}\n" for name, text in told.items())
        + "\nReturns:\n    the days\n"
    )


def _numpy(about: str, told: dict[str, str]) -> str:
    listed = "".join(f"{name} : str\n    {text}\n" for name, text in told.items())
    return f"{about}\n\nParameters\n----------\n{listed}\nReturns\n-------\nstr\n    the days\n"


def _sphinx(about: str, told: dict[str, str]) -> str:
    return f"{about}\n\n" + "".join(f":param {name}: {text}\n" for name, text in told.items()) + ":returns: the days\n"


@pytest.mark.parametrize("style", [_google, _numpy, _sphinx])
@given(words, words, words)
def test_docstrings_describe_the_arguments(style, about, first, second):
    def leave(employee: str, year: int = 2026) -> str:
        return employee

    leave.__doc__ = style(about, {"employee": first, "year": second})
    made = tool(leave)
    assert made.description == f"{about}\n\nReturns: the days"
    assert made_of(made) == {
        "employee": {"type": "string", "description": first},
        "year": {"type": "integer", "default": 2026, "description": second},
    }


@pytest.mark.parametrize(
    "text",
    [
        "Days of leave. employee: the full name.",
        "Use it when:\n  somebody asks\n\nNever else.",
        "Leave.\n\nArgs:\n    somebody: who is none of them",
        "A table\n---\nof days.",
        ":orphan: of no argument",
    ],
)
def test_a_docstring_without_arguments_stays_as_it_is(text):
    def leave(employee: str) -> str:
        return employee

    leave.__doc__ = text
    made = tool(leave)
    assert (made.description, made_of(made)) == (text, {"employee": {"type": "string"}})


def test_what_else_a_docstring_says_stays():
    @tool
    def leave(employee: str) -> str:
        """Days of leave.

        Only of those who work here.

        Args:
            employee: the full name,
                as on the badge

        Returns:
            days, as a number

        Examples:
            leave("김하늘")

        Note:
            Of this year.
        """
        return employee

    assert made_of(leave)["employee"]["description"] == "the full name, as on the badge"
    said = ("Only of those who work here.", "Returns: days, as a number", 'leave("김하늘")', "Note: Of this year.")
    assert all(each in leave.description for each in said)
    assert "badge" not in leave.description


def test_annotations_describe_before_docstrings():
    @tool
    def leave(
        employee: Annotated[str, "the full name"],
        year: Annotated[int, Field(description="four digits")] = 2026,
        days: bool = False,
    ) -> str:
        """Leave.

        Args:
            employee: x
            year: x
            days: in days
        """
        return employee

    told = {name: each["description"] for name, each in made_of(leave).items()}
    assert told == {"employee": "the full name", "year": "four digits", "days": "in days"}


async def test_methods_and_functions_given_a_name_are_tools():
    class Clock:
        def now(self, zone: str = "KST") -> str:
            """The time."""
            return f"12:00 {zone}"

    made = tool(Clock().now)
    assert (made.name, made.description, list(made_of(made))) == ("now", "The time.", ["zone"])
    assert (await made.run({}, ME)).text == "12:00 KST"
    assert (await tool(name="half")(lambda: "12:30").run({}, ME)).text == "12:30"
