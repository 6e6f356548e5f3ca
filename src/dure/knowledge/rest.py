"""What a passage was cut from comes with it: with rows that were found the few that are left of their table, with the
mark of a note the note."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

import sqlalchemy as sa

from dure.knowledge.search import passage_of
from dure.knowledge.sentences import COLUMN
from dure.patterns import later
from dure.sources import Passage
from dure.storage import documents

_REST = 300
"""Characters of rows that come with those before them. A passage within a longer table has more."""
_MARK = later(
    r"(?:(?<=[.,;:!?)\]\"”’%가-힣])|(?<=[A-Za-z]{3}))([⁰¹²³⁴-⁹]+|\[\^\w{1,20}\](?!:))|^[^*\n]*\w(\*)(?!\w)[^*\n]*$",
    re.MULTILINE,
)
"""The mark of a note; behind fewer letters it is a power, as in `cm²`, and a star with another on its line is none."""
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


def with_rest(connection: sa.Connection, owners: Sequence[str], found: Sequence[Passage]) -> list[Passage]:
    """The passages; one that ends within a table goes on to the table's end, where this is near and the passage that
    follows was not found itself."""
    there = {passage.id for passage in found}
    return [_whole(connection, owners, passage, there) for passage in found]


def _whole(connection: sa.Connection, owners: Sequence[str], passage: Passage, there: set[int]) -> Passage:
    last = passage.text.rpartition("\n")[2]
    column, named, _ = last.partition(": ")
    if not named or COLUMN in column or COLUMN not in last:
        return passage
    for row in documents.next_to(connection, owners, passage.document_id, passage.start):
        lines = row["text"].split("\n")
        rest = "\n".join(takewhile(lambda line: line.startswith(column + named) and COLUMN in line, lines))
        if rest and len(rest) <= _REST and row["id"] not in there:
            end = row["start"] + len(rest)
            text = documents.slice_of(connection, row["owner"], passage.document_id, passage.start, end)
            return replace(passage, end=end, text=text) if text else passage
    return passage
