"""Search by vectors: in memory over SQLite, in the database on PostgreSQL. One interface, one suite of tests."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import sqlalchemy as sa

from dure.knowledge.dense import Similar
from dure.storage.database import Database

if TYPE_CHECKING:
    from dure.knowledge.dense import Floats


class Vectors(Protocol):
    """All owners' vectors."""

    def look(
        self,
        connection: sa.Connection,
        owners: Sequence[str],
        model: str,
        queries: "Floats",
        count: int,
        strangers: "Floats | None" = None,
    ) -> Similar:
        """Compare unit queries (q, dim) with the vectors that the owners' passages have by that embedding model, as if
        they were one owner's.

        `count`: how many of the best passages will be asked for of each query. `strangers` (m, dim): the vectors of
        `dense.STRANGERS`. Raises `dense.StrangersWanted` where these are needed and were not given.
        """
        ...


def vectors_of(database: Database) -> Vectors:
    """The vectors in a database."""
    if database.is_sqlite:
        from dure.knowledge.memory import Memory

        return Memory()
    from dure.knowledge.pgvector import InDatabase

    return InDatabase()


def pack(vector: "Floats") -> bytes:
    """A unit vector as it is stored: little-endian fp16, which costs 0.0003 of a cosine."""
    return vector.astype("<f2").tobytes()
