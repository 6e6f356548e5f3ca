"""Queries on the processes that work on runs: each keeps a lease, by the database's own clock."""

from collections.abc import Collection

import sqlalchemy as sa

from dure.storage.schema import executors
from dure.storage.sql import among, clock

_FORGOTTEN = 3600.0
"""Seconds after its end for which a lease is kept."""


def renew(connection: sa.Connection, id: str, seconds: float) -> None:
    """Say that a process lives, for so long."""
    values = {"alive_until": clock() + seconds}
    if connection.execute(sa.update(executors).where(executors.c.id == id).values(**values)).rowcount == 0:
        connection.execute(sa.insert(executors).values(id=id, **values))
        connection.execute(sa.delete(executors).where(executors.c.alive_until < clock() - _FORGOTTEN))


def living(connection: sa.Connection, ids: Collection[str]) -> list[str]:
    """Those of `ids` whose lease is not over."""
    alive = sa.select(executors.c.id).where(among(executors.c.id, ids), executors.c.alive_until > clock())
    return list(connection.execute(alive).scalars())


def drop(connection: sa.Connection, id: str) -> None:
    """Say that a process has ended."""
    connection.execute(sa.delete(executors).where(executors.c.id == id))
