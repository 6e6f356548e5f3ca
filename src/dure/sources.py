"""Where an answer comes from: passages found in documents, and citations that point into them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Self

from dure.texts import TEXTS, Language

SUB = " › "
"""Between a heading and one under it."""
SCANNED = "OCR {} %"
"""Stands above the headings of what was read from a picture: how sure the reader is, of 100."""
_SCANNED = re.compile(r"^OCR \d+ %")
_PLACE = TEXTS["sources_place"]


@dataclass(slots=True)
class Passage:
    """A piece of a document with its place.

    `start` and `end` are character offsets into the document's whole text: `document.text[start:end] == text`.
    """

    document_id: str
    title: str
    page: int | None
    """1-based page, slide or sheet number; None where the format has none."""
    start: int
    end: int
    text: str
    id: int = 0
    score: float = 0.0
    url: str | None = None
    context: str = ""
    """The headings it stands under, the outermost first, as `2장 휴가 › 제7조(연차휴가)`."""
    sheet: str | None = None
    """The sheet's name, where `page` counts sheets."""
    slide: int | None = None
    """The slide's number, where `page` counts slides."""

    @property
    def heading(self) -> str:
        """Where it stands, in one line as models read it: title, number of the page, web address, headings but for one
        that says the title again."""
        page = f", p.{self.page}" if self.page else ""
        url = f" ({self.url})" if self.url else ""
        first, _, below = self.context.partition(SUB)
        context = below if first == self.title else self.context
        return f"{self.title}{page}{url}{SUB if context else ''}{context}"

    @property
    def above(self) -> str:
        """What it stands under: title and headings, without the numbers of its place and of how it was read."""
        return f"{self.title}\n{_SCANNED.sub('', self.context)}"

    def as_dict(self) -> dict[str, Any]:
        return flat(self)


def flat(row: Any) -> dict[str, Any]:
    """The fields of a dataclass as they stand, which `asdict` would copy to the depths."""
    return {name: getattr(row, name) for name in _names(row.__class__)}


@cache
def _names(kind: type) -> tuple[str, ...]:
    """The names of a dataclass's fields."""
    return tuple(each.name for each in fields(kind))


def place(at: Mapping[str, Any], language: Language) -> str:
    """Where in its document a passage or citation stands, as people say it: `3쪽`, `슬라이드 3`, `시트 '매출'`, or
    nothing. at: its fields; what was stored before sheets had their names has the number alone."""
    for what in ("sheet", "slide", "page"):
        if at.get(what):
            return _PLACE.say(what, language, at=at[what])
    return ""


def placed(at: Mapping[str, Any], language: Language) -> str:
    """The document's title, and where in it, in one line."""
    return ", ".join(filter(None, (str(at["title"]), place(at, language))))


Place = tuple[str, int, int]


def place_of(passage: Passage) -> Place:
    """What makes a passage the same one when it is found again: document, start, end."""
    return passage.document_id, passage.start, passage.end


class Row:
    """A part of an answer, made of a row of its record; what the record has besides is left out. `citation["title"]` is
    `citation.title`, as in the body of an answer over HTTP."""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        return cls(**{each.name: row[each.name] for each in fields(cls) if each.name in row})  # type: ignore[arg-type]

    def __getitem__(self, name: str) -> Any:
        return flat(self)[name]

    def __iter__(self) -> Iterator[str]:
        """The names, as of a mapping: so `in` asks for one of them."""
        return iter(flat(self))


@dataclass(slots=True)
class Citation(Row):
    """A sentence that supports the answer; `document.text[start:end] == quote` always holds."""

    document_id: str
    title: str
    page: int | None
    start: int
    end: int
    quote: str
    url: str | None = None
    marker: int | None = None
    """The number that stands in the answer's text, as in `[1]`."""
    sheet: str | None = None
    slide: int | None = None
    """As of the passage."""

    def as_dict(self) -> dict[str, Any]:
        return flat(self)
