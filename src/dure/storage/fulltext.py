"""The full-text index of passages, whatever the database: the one part of document storage that SQL does not share.

`tests/storage/test_documents.py` is the suite that every one must pass.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

import sqlalchemy as sa

from dure.storage.fts5 import Fts5
from dure.storage.terms import Groups, Hits
from dure.storage.tsvector import TextSearch


class TextIndex(Protocol):
    """Passages by the terms they hold (`terms.terms`), each owner's apart from all others'."""

    def put(self, connection: sa.Connection, owner: str, rows: Iterable[tuple[int, str]]) -> None:
        """Index passages, given as (id, text)."""
        ...

    def remove(self, connection: sa.Connection, owner: str, rows: Iterable[tuple[int, str]]) -> None:
        """Take passages out of the index; their text must be what was indexed."""
        ...

    def frequencies(self, connection: sa.Connection, owner: str, wanted: Sequence[str]) -> dict[str, int]:
        """In how many of the owner's passages each term stands, 0 for unknown ones; large counts may be estimates."""
        ...

    def match(
        self, connection: sa.Connection, owner: str, wanted: Groups, limit: int, within: Sequence[int] | None = None
    ) -> Hits:
        """The passages that hold all terms of any group, best first by BM25, as (id, score); scores are positive.
        `within`: only these passages."""
        ...


_INDEXES: dict[str, TextIndex] = {"sqlite": Fts5(), "postgresql": TextSearch()}


def index_of(connection: sa.Connection) -> TextIndex:
    """The index of the connection's database."""
    return _INDEXES[connection.dialect.name]
