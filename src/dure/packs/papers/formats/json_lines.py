"""Files with a JSON object on each line, or one JSON list of objects; Dure's own have the fields of `PaperRecord`."""

import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import orjson

from dure.packs.papers.formats.reading import first_line, integer, items, lines, text
from dure.packs.papers.record import UNTITLED, PaperRecord, Problem

_WHOLE = 200_000_000
"""Bytes of a file that is one JSON value, which has to be read whole."""

_BOM = b"\xef\xbb\xbf"
_ANSWER = re.compile(rb'\{(?:\s*"(?:total|offset|next|token)"\s*:[^,{}\[\]]*,)*\s*"data"\s*:\s*\[')
"""How an answer of Semantic Scholar's API begins."""
_TEXTS = ("title", "venue", "field", "abstract", "summary_ko", "summary_en", "doi", "arxiv_id", "acl_id", "url")


def read(
    stream: BinaryIO, name: str, convert: Callable[[dict[str, Any]], PaperRecord]
) -> Iterator[PaperRecord | Problem]:
    """The papers of a file. A line that cannot be read is told of, with its number, and left out."""
    for place, value in _values(stream, name):
        if isinstance(value, dict):
            record = convert(value)
            yield record if record.title.strip() else Problem(place, *UNTITLED)
        else:
            yield value if isinstance(value, Problem) else Problem(place, "not a JSON object", "JSON 객체가 아닙니다")


def _values(stream: BinaryIO, name: str) -> Iterator[tuple[str, Any]]:
    """Where each value stands, and what it is; a Problem where it cannot be read."""
    first = first_line(stream)
    start = first[1].removeprefix(_BOM).lstrip()
    if start[:1] == b"[" or start.rstrip() == b"{" or _ANSWER.match(start):
        # However long its first line is.
        value = _whole(start + stream.read(_WHOLE + 1), name)
        yield from ((f"{name}#{n}", each) for n, each in enumerate(value, 1)) if isinstance(value, list) else [value]
        return
    for number, line in lines(stream, first):
        place = f"{name}:{number}"
        if line is None:
            yield place, Problem(place, "the line is too long", "줄이 너무 깁니다")
        elif line := line.removeprefix(_BOM).strip():
            yield place, _loaded(line, place)


def _whole(data: bytes, name: str) -> Any:
    """The values of a file that is one JSON value."""
    if len(data) > _WHOLE:
        en = f"one JSON value of more than {_WHOLE:,} bytes; write one object a line"
        ko = f"JSON 값 하나가 {_WHOLE:,} 바이트를 넘습니다. 한 줄에 객체 하나씩 쓰세요"
        return name, Problem(name, en, ko)
    value = _loaded(data, name)
    if isinstance(value, dict):
        return value["data"] if isinstance(value.get("data"), list) else [value]
    return value if isinstance(value, list) else (name, value)


def _loaded(data: bytes, place: str) -> Any:
    """What the JSON says; a Problem where it is none."""
    try:
        return orjson.loads(data)
    except ValueError as error:
        return Problem(place, f"no JSON: {error}", f"JSON이 아닙니다: {error}")


def convert(value: dict[str, Any]) -> PaperRecord:
    """A record of one object; what has another shape than it should is left out."""
    fields: dict[str, Any] = {name: text(value.get(name)) for name in _TEXTS}
    for name in ("authors", "aliases", "references", "tags", "collections"):
        fields[name] = [text(each) for each in items(value.get(name))]
    return PaperRecord(
        **fields,
        year=integer(value.get("year")),
        citations=integer(value.get("citations")),
    )
