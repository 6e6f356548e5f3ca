"""Search by vectors: in memory over SQLite, in the database on PostgreSQL. One interface, one suite of tests."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import sqlalchemy as sa

from dure.knowledge.dense import Similar
from dure.storage.database import Database

if TYPE_CHECKING:
    from dure.knowledge.dense import Floats


class Looked(Protocol):
    """What was seen of some owners' vectors."""

    @property
    def counts(self) -> Sequence[int]:
        """How many passages of each language have a vector."""
        ...

    def stand(self, strangers: "Floats | None") -> Similar:
        """How the passages stand. `strangers` (q, m): cosines of `dense.STRANGERS`, if `dense.needs_strangers`."""
        ...


class Vectors(Protocol):
    """All owners' vectors."""

    def look(
        self, connection: sa.Connection, owners: Sequence[str], model: str, queries: "Floats", count: int
    ) -> Looked:
        """Compare unit queries (q, dim) with the vectors that the owners' passages have by that embedding model, as if
        they were one owner's.

        `count`: how many of the best passages will be asked for of each query.
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
