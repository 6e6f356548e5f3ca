"""A table that is cut between two passages comes whole: with rows that were found the few that are left of it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

import sqlalchemy as sa

from dure.knowledge.sentences import COLUMN
from dure.sources import Passage
from dure.storage import documents

_REST = 300
"""Characters of rows that come with those before them. A passage within a longer table has more."""


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
