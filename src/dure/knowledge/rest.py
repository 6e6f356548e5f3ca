"""What a passage was cut from, and what it refers to, comes with it: with rows that were found the few that are left of
their table, or its other half, with the mark of a note the note, with an article the annex that it names."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

import sqlalchemy as sa

from dure.knowledge.search import passage_of, table_of
from dure.knowledge.sentences import COLUMN
from dure.knowledge.versions import is_later
from dure.patterns import later
from dure.sources import Passage
from dure.storage import amending, documents
from dure.storage.terms import terms

_REST = 300
"""Characters of rows that come with those before them. A passage within a longer table has more."""
_MARK = later(
    r"(?:(?<=[.,;:!?)\]\"”’%가-힣])|(?<=[A-Za-z]{3}))([⁰¹²³⁴-⁹]+|\[\^\w{1,20}\](?!:))|^[^*\n]*\w(\*)(?!\w)[^*\n]*$",
    re.MULTILINE,
)
"""The mark of a note; behind fewer letters it is a power, as in `cm²`, and a star with another on its line is none."""
_NAMED = later(
    r"제 ?\d+ ?조(?:의 ?\d+)?|별[표지] ?(?:제 ?)?\d+"
    r"|(?<![A-Za-z])[A-Za-z]{3,} (?:\d{1,2}(?:\.\d{1,2})*|[A-Z])(?!\w|[.,]\d)"
)
"""A part of rules as others refer to it: `별표 2와 같다`, `clause 5.2`, which a number with steps names alone."""
_SIGNS = later(r"[\d.]+|[^\W\d]+")
_MOST = 6
"""Parts that a passage names which are looked for."""
_LITTLE = 0.5
"""Share of a score below which another's place may go to what belongs beside the passage that has it."""
_FAR = 20
"""Passages behind a mark among which its note is looked for, on its page where there are pages."""


def notes(connection: sa.Connection, owners: Sequence[str], found: Sequence[Passage]) -> dict[int, list[Passage]]:
    """By the id of each passage with marks of notes that stand further down those that these notes are in."""
    return {each.id: noted for each in found if (noted := _noted(connection, owners, each))}


def _noted(connection: sa.Connection, owners: Sequence[str], passage: Passage) -> list[Passage]:
    marks = dict.fromkeys("".join(each) for each in _MARK.findall(passage.text))
    lines = {mark: re.compile(rf"^(?:{_begins(mark, passage.page is not None)})", re.MULTILINE) for mark in marks}
    lines = {mark: line for mark, line in lines.items() if not line.search(passage.text)}
    rows = documents.next_to(connection, owners, passage.document_id, passage.start, _FAR) if lines else []
    near = [*takewhile(lambda row: row["page"] == passage.page, rows)]
    told: dict[str, int] = {}
    # At the foot of a page stands the last line that begins so: a list or a heading above may be numbered too.
    for row in near[:: -1 if passage.page is None else 1]:
        told |= {mark: row["id"] for mark, line in lines.items() if line.search(row["text"])}
    return [passage_of(row) for row in rows if row["id"] in told.values()]


def _begins(mark: str, paged: bool) -> str:
    """How the line of a note begins: with its mark, at the foot of a page also with a plain number."""
    number = unicodedata.normalize("NFKC", mark)
    plain = rf"|{number}(?:\n|\)? (?=\D))" * (paged and number.isdecimal())
    return re.escape(mark) + (":" if mark[0] == "[" else "(?![⁰¹²³⁴-⁹*])") + plain


def beside(
    connection: sa.Connection, owners: Sequence[str], found: Sequence[Passage], queries: Sequence[str]
) -> dict[int, list[Passage]]:
    """By the id of each passage of the better half what belongs beside it, as many as there are others found of little
    evidence, a third of all at most: the other half of its table, and of the parts of rules that it names, its own or
    those that it amends, the one that says most of what was asked."""
    asked, there = {*terms("\n".join(queries))}, {each.id for each in found}
    weak = min(sum(each.score < found[0].score * _LITTLE for each in found), len(found) // 3)
    its: dict[int, list[Passage]] = {}
    for passage in found[: len(found) // 2] if weak else ():
        rows = [*_half(connection, owners, passage), *_referred(connection, owners, passage, asked)]
        new = [passage_of(row) for row in rows if row["id"] not in there][: weak - len(there) + len(found)]
        its[passage.id] = new
        there |= {each.id for each in new}
    return its


def _half(connection: sa.Connection, owners: Sequence[str], passage: Passage) -> list[dict[str, Any]]:
    """The two passages of a table that one of them was found of; none of a table of more."""
    if not (table := table_of(passage.text)):
        return []
    near = documents.passages_by_id(connection, owners, range(passage.id - 2, passage.id + 3))
    own = (passage.document_id, passage.context, table)
    same = [row for row in near if (row["document_id"], row["context"], table_of(row["text"])) == own]
    return same if len(same) == 2 else []


def _referred(
    connection: sa.Connection, owners: Sequence[str], passage: Passage, asked: set[str]
) -> list[dict[str, Any]]:
    """The passage with a part that another names, in its document or in one that this amends, which says most of what
    was asked."""
    lines = dict[str, re.Pattern[str]]()
    for named in dict.fromkeys(_NAMED.findall(passage.text)):
        signs, steps = _SIGNS.findall(named), "." in named
        begins = rf"(?:{signs[0]} )?{re.escape(signs[-1])}" if steps else " ?".join(signs)
        line = re.compile(rf"^[#\s]*{begins}(?!\w|\.\d)", re.MULTILINE | re.IGNORECASE)
        # What begins a line of it is what it is about.
        if len(lines) < _MOST and f"\n{named}" not in f"\n{passage.text}":
            lines["%".join(["", *signs[-1 if steps else 0 :], ""])] = line
    called = amending.called(connection, owners, starts=[passage.title[:2]]) if lines else ()
    ids = [passage.document_id, *(each["id"] for each in called if is_later(passage.title, each["title"]))]
    held = ((line, row) for like, line in lines.items() for row in amending.holding(connection, owners, ids, like))
    rows = [row for line, row in held if line.search(row["text"])]
    return sorted(rows, key=lambda row: -len(asked.intersection(terms(row["text"]))))[:1]


def with_rest(connection: sa.Connection, owners: Sequence[str], found: Sequence[Passage]) -> list[Passage]:
    """The passages; one that ends within a table goes on to the table's end, where this is near and the passage that
    follows was not found itself."""
    there = {passage.id for passage in found}
    return [_whole(connection, owners, passage, there) for passage in found]


def _whole(connection: sa.Connection, owners: Sequence[str], passage: Passage, there: set[int]) -> Passage:
    if not (column := table_of(passage.text)):
        return passage
    for row in documents.next_to(connection, owners, passage.document_id, passage.start):
        lines = row["text"].split("\n")
        rest = "\n".join(takewhile(lambda line: line.startswith(f"{column}: ") and COLUMN in line, lines))
        if rest and len(rest) <= _REST and row["id"] not in there:
            end = row["start"] + len(rest)
            text = documents.slice_of(connection, row["owner"], passage.document_id, passage.start, end)
            return replace(passage, end=end, text=text) if text else passage
    return passage
