"""Files with a JSON object on each line, or one JSON list of objects; Dure's own have the fields of `PaperRecord`."""

import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import orjson

from dure.packs.papers import TEXTS
from dure.packs.papers.formats.reading import first_line, integer, items, lines, text
from dure.packs.papers.record import PaperRecord, Problem

_WHOLE = 200_000_000
"""Bytes of a file that is one JSON value, which has to be read whole."""

_BOM = b"\xef\xbb\xbf"
_ANSWER = re.compile(rb'\{(?:\s*"(?:total|offset|next|token)"\s*:[^,{}\[\]]*,)*\s*"data"\s*:\s*\[')
"""How an answer of Semantic Scholar's API begins."""
_TEXTS = ("title", "venue", "kind", "field", "abstract", "summary_ko", "summary_en", "doi", "arxiv_id", "acl_id", "url")


def read(
    stream: BinaryIO, name: str, convert: Callable[[dict[str, Any]], PaperRecord]
) -> Iterator[PaperRecord | Problem]:
    """The papers of a file. A line that cannot be read is told of, with its number, and left out."""
    for place, value in _values(stream, name):
        if isinstance(value, dict):
            record = convert(value)
            yield record if record.title.strip() else Problem(place, TEXTS.phrase("formats.untitled"))
        else:
            yield value if isinstance(value, Problem) else Problem(place, TEXTS.phrase("formats.no_object"))


def _values(stream: BinaryIO, name: str) -> Iterator[tuple[str, Any]]:
    """Where each value stands, and what it is; a Problem where it cannot be read."""
    first = first_line(stream)
    start = first[1].removeprefix(_BOM).lstrip()
    if start[:1] == b"[" or start.rstrip() == b"{" or _ANSWER.match(start):
        # However long its first line is.
        data = start + stream.read(_WHOLE + 1)
        long = Problem(name, TEXTS.phrase("formats.whole", most=_WHOLE)) if len(data) > _WHOLE else None
        value = long or _loaded(data, name)
        if isinstance(value, dict):
            value = value["data"] if isinstance(value.get("data"), list) else [value]
        if isinstance(value, list):
            yield from ((f"{name}#{n}", each) for n, each in enumerate(value, 1))
        else:
            yield name, value
        return
    for number, line in lines(stream, first):
        place = f"{name}:{number}"
        if line is None:
            yield place, Problem(place, TEXTS.phrase("formats.long_line"))
        elif line := line.removeprefix(_BOM).strip():
            yield place, _loaded(line, place)


def _loaded(data: bytes, place: str) -> Any:
    """What the JSON says; a Problem where it is none."""
    try:
        return orjson.loads(data)
    except ValueError as error:
        return Problem(place, TEXTS.phrase("formats.no_json", error=error))


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
