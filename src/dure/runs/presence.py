"""Which processes that work on runs still live.

On one machine the system tells: each process holds a lock on a file (`process.py`), and a dead one's lock is free at
once. Across machines, on PostgreSQL, each keeps a lease besides, by the database's clock.
"""

import logging
from collections.abc import Iterable
from pathlib import Path

import sqlalchemy as sa

from dure.errors import DureError
from dure.runs.process import ThisProcess
from dure.storage import Database
from dure.storage.schema import executors

log = logging.getLogger(__name__)

LEASE = 6.0
"""Seconds without a beat after which a process counts as dead."""


class Presence:
    """This process among those on one database. `begin` before `id` is used, `beat` about every second, `end`."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database = database
        self._process = ThisProcess(folder)
        self.id = self._process.id

    async def begin(self) -> None:
        self._process.begin()
        await self.beat()

    async def beat(self) -> None:
        """Say that this process lives. SQLite needs no lease: whoever shares the file shares the machine."""
        if not self._database.is_sqlite:
            await self._database.write(_renew, self.id)

    async def living(self, ids: Iterable[str]) -> set[str]:
        """Those of `ids` that live."""
        wanted = set(ids)
        here = {each for each in wanted if self._process.knows(each)}
        living = {each for each in here if self._process.lives(each)}
        if self._database.is_sqlite or not wanted - here:
            return living
        # What lies in another folder is on another machine, or might as well be.
        return living | ((wanted - here) & set(await self._database.read(_leases)))

    async def end(self) -> None:
        self._process.end()
        if not self._database.is_sqlite:
            try:
                await self._database.write(_drop, self.id)
            except DureError as error:
                log.warning("the lease was left to expire: %s", error)


def _clock() -> sa.ColumnElement[float]:
    return sa.cast(sa.extract("epoch", sa.func.clock_timestamp()), sa.Float)


def _renew(connection: sa.Connection, id: str) -> None:
    values = {"alive_until": _clock() + LEASE}
    if connection.execute(sa.update(executors).where(executors.c.id == id).values(**values)).rowcount == 0:
        connection.execute(sa.insert(executors).values(id=id, **values))
        connection.execute(sa.delete(executors).where(executors.c.alive_until < _clock() - 3600))


def _leases(connection: sa.Connection) -> list[str]:
    return list(connection.execute(sa.select(executors.c.id).where(executors.c.alive_until > _clock())).scalars())


def _drop(connection: sa.Connection, id: str) -> None:
    connection.execute(sa.delete(executors).where(executors.c.id == id))
