"""Shared by the tests of the dialects: tools of every type, and the property every format has to hold."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dure.dialects import DIALECTS, ToolCallParser
from dure.dialects.base import Piece, Reply
from dure.dialects.labels import Gathered
from dure.dialects.offered import Offered
from dure.dialects.scan import Reading
from dure.messages import Delta

Args = dict[str, Any]
Calls = list[tuple[str, Args]]
Write = Callable[[Calls], str]


def tool(name: str, required: list[str] | None = None, **types: Any) -> dict[str, Any]:
    """An OpenAI tool dict whose arguments have the given JSON types."""
    properties = {key: kind if isinstance(kind, dict) else {"type": kind} for key, kind in types.items()}
    parameters = {"type": "object", "properties": properties, "required": required or []}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}


TYPES = {
    "text": "string",
    "title": "string",
    "count": "integer",
    "ratio": "number",
    "flag": "boolean",
    "items": "array",
    "options": "object",
}
TOOLS = [
    tool("record", **TYPES),
    tool("mcp_save-note.v2", **TYPES),
    tool("search_knowledge_base", ["query"], query="string"),
    tool("calculate", ["expression"], expression="string", digits="integer"),
    tool("rag_agent", ["task"], task="string"),
    tool("now"),
]

NASTY = [
    "}",
    '{"',
    '"}',
    "</tool_call>",
    "<tool_call>",
    "```",
    "Action: record",
    "\nAction Input: {}",
    "\\",
    "\\n",
    '"',
    "'",
    "휴가 정책",
    "a, b]",
    "\n\n",
    " ",
    "👩‍💻",
    "[TOOL_CALLS]",
    "<|tool_call>",
    "</think>",
    "#",
    "//",
    "null",
    "true",
    "007",
]
texts = st.lists(
    st.sampled_from(NASTY) | st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8), max_size=4
).map("".join)
numbers = st.integers(-(10**15), 10**15) | st.floats(allow_nan=False, allow_infinity=False, width=32)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def arguments(strings: st.SearchStrategy[str]) -> st.SearchStrategy[Args]:
    """Arguments of the types that `TYPES` says, some left out."""
    return st.fixed_dictionaries(
        {},
        optional={
            "text": strings,
            "title": strings,
            "count": st.integers(-(10**15), 10**15),
            "ratio": st.floats(allow_nan=False, allow_infinity=False, width=32),
            "flag": st.booleans(),
            "items": st.lists(json_values, max_size=3),
            "options": st.dictionaries(texts, json_values, max_size=3),
        },
    )


def calls_of(strings: st.SearchStrategy[str], most: int) -> st.SearchStrategy[Calls]:
    names = st.sampled_from(["record", "mcp_save-note.v2"])
    return st.lists(st.tuples(names, arguments(strings)), min_size=1, max_size=most)


def as_raw(args: Args) -> Args:
    """The values as formats with raw strings write them."""
    return {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for key, value in args.items()
    }


def read(text: str, size: int, tools: Any = TOOLS, **options: Any) -> tuple[Reply, list[Piece]]:
    """The reply and all pieces, read in fragments of `size` characters."""
    reader = DIALECTS["text"].reader(tools, **options)
    pieces = []
    for at in range(0, len(text), size):
        pieces += reader.feed(Delta(text[at : at + size]))
    reply = reader.finish()
    return reply, pieces + reply.rest


def names_and_args(calls: Any) -> Calls:
    return [(call.name, call.args) for call in calls]


@pytest.fixture(scope="session")
def tools() -> list[dict[str, Any]]:
    """`TOOLS`."""
    return TOOLS


@pytest.fixture
def work() -> Callable[[str], int]:
    """How many characters are looked at to read a text."""

    def work(text: str) -> int:
        reading = Reading(Offered(TOOLS), Gathered())
        reading.read(text)
        return reading.src.work

    return work


@pytest.fixture
def parse() -> Callable[..., Any]:
    """Parse a text with `TOOLS`, or others."""

    def parse(text: str, tools: Any = TOOLS, **options: Any) -> Any:
        return ToolCallParser(tools, **options).parse(text)

    return parse


@pytest.fixture
def assert_round_trip() -> Callable[..., None]:
    """Check that calls written by a format's writer come back the same, whole and streamed, without a repair."""

    def check(
        write: Write,
        *,
        raw: bool = False,
        most: int = 3,
        without: tuple[str, ...] = (),
    ) -> None:
        """raw: the writer gets every value as text, strings as they are. without: what values must not hold."""

        def allowed(calls: Calls) -> bool:
            values = [value for _, args in calls for value in as_raw(args).values()]
            return not any(each in value for each in without for value in values)

        # Each of the formats asks for some; together they are many.
        @settings(max_examples=max(15, settings.default.max_examples // 10))
        @given(calls=calls_of(texts, most).filter(allowed), size=st.integers(1, 40))
        def comes_back(calls: Calls, size: int) -> None:
            text = write([(name, as_raw(args)) for name, args in calls] if raw else calls)
            parsed = ToolCallParser(TOOLS).parse(text)
            assert names_and_args(parsed.tool_calls) == calls
            assert [call.error for call in parsed.tool_calls] == [None] * len(calls)
            assert parsed.final_answer is None
            assert parsed.content == ""
            assert parsed.repairs == []
            reply, pieces = read(text, size)
            assert names_and_args(reply.tool_calls) == calls
            assert [piece.text for piece in pieces if piece.kind == "call"] == [name for name, _ in calls]
            assert "".join(piece.text for piece in pieces if piece.kind == "text") == ""

        comes_back()

    return check
