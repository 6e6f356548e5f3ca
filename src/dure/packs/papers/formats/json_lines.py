"""Files with a JSON object on each line, or one JSON list of objects."""

import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import orjson

from dure.packs.papers.formats.reading import first_line, lines
from dure.packs.papers.record import UNTITLED, PaperRecord, Problem

_WHOLE = 200_000_000
"""Bytes of a file that is one JSON value, which has to be read whole."""

_BOM = b"\xef\xbb\xbf"
_ANSWER = re.compile(rb'\{(?:\s*"(?:total|offset|next|token)"\s*:[^,{}\[\]]*,)*\s*"data"\s*:\s*\[')
"""How an answer of Semantic Scholar's API begins."""


def read(
    stream: BinaryIO, name: str, convert: Callable[[dict[str, Any]], PaperRecord]
) -> Iterator[PaperRecord | Problem]:
    """The papers of a file. A line that cannot be read is told of, with its number, and left out."""
    first = first_line(stream)
    start = first[1].removeprefix(_BOM).lstrip()
    if start[:1] == b"[" or start.rstrip() == b"{" or _ANSWER.match(start):
        # However long its first line is.
        yield from _whole(start + stream.read(_WHOLE + 1), name, convert)
        return
    for number, line in lines(stream, first):
        place = f"{name}:{number}"
        if line is None:
            yield Problem(place, "the line is too long", "줄이 너무 깁니다")
            continue
        if line := line.removeprefix(_BOM).strip():
            yield _converted(_loaded(line, place), place, convert)


def _loaded(data: bytes, place: str) -> Any:
    """What the JSON says; a Problem where it is none."""
    try:
        return orjson.loads(data)
    except ValueError as error:
        return Problem(place, f"no JSON: {error}", f"JSON이 아닙니다: {error}")


def _converted(value: Any, place: str, convert: Callable[[dict[str, Any]], PaperRecord]) -> PaperRecord | Problem:
    if isinstance(value, Problem):
        return value
    if not isinstance(value, dict):
        return Problem(place, "not a JSON object", "JSON 객체가 아닙니다")
    record = convert(value)
    return record if record.title.strip() else Problem(place, *UNTITLED)


def _whole(data: bytes, name: str, convert: Callable[[dict[str, Any]], PaperRecord]) -> Iterator[PaperRecord | Problem]:
    if len(data) > _WHOLE:
        yield Problem(
            name,
            f"one JSON value of more than {_WHOLE:,} bytes; write one object a line",
            f"JSON 값 하나가 {_WHOLE:,} 바이트를 넘습니다. 한 줄에 객체 하나씩 쓰세요",
        )
        return
    value = _loaded(data, name)
    if isinstance(value, Problem):
        yield value
        return
    if isinstance(value, dict):
        value = value["data"] if isinstance(value.get("data"), list) else [value]
    for number, each in enumerate(value, 1):
        yield _converted(each, f"{name}#{number}", convert)
