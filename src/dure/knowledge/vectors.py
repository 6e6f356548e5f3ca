"""Search by vectors: in memory over SQLite, in the database on PostgreSQL. One suite of tests."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import sqlalchemy as sa

from dure.knowledge.dense import Similar
from dure.storage.database import Database

if TYPE_CHECKING:
    from dure.knowledge.dense import Floats

    Look = Callable[[sa.Connection, Sequence[str], str, Floats, int, Floats | None], Similar]


def look_of(database: Database) -> "Look":
    """What compares unit queries (q, dim) with the vectors that passages have in a database, of some owners' and by one
    embedding model, as if they were one owner's: `look(connection, owners, model, queries, count, strangers)`.

    `count`: how many of the best passages will be asked for of each query. `strangers` (m, dim): the vectors of
    `dense.STRANGERS`. Raises `dense.StrangersWanted` where these are needed and were not given.
    """
    if database.is_sqlite:
        from dure.knowledge.memory import Memory

        return Memory().look
    from dure.knowledge.pgvector import look

    return look


def pack(vector: "Floats") -> bytes:
    """A unit vector as it is stored: little-endian fp16, which costs 0.0003 of a cosine."""
    return vector.astype("<f2").tobytes()
