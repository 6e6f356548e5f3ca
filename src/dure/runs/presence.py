"""Which processes that work on runs still live.

On one machine the system tells: each process holds a lock on a file (`process.py`), and a dead one's lock is free at
once. Across machines, on PostgreSQL, each keeps a lease besides, by the database's clock; it alone counts there, also
where they share a folder.
"""

import logging
from collections.abc import Iterable
from pathlib import Path

from dure.errors import DureError
from dure.runs.process import ThisProcess
from dure.storage import Database
from dure.storage import executors as executor_rows

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
            await self._database.write(executor_rows.renew, self.id, LEASE)

    async def living(self, ids: Iterable[str]) -> set[str]:
        """Those of `ids` that live."""
        wanted = set(ids)
        if self._database.is_sqlite:
            return {each for each in wanted if self._process.lives(each)}
        here = {each for each in wanted if self._process.knows(each)}
        living = {each for each in here if self._process.lives(each)}
        # What lies in another folder is on another machine, or might as well be.
        return living | set(await self._database.read(executor_rows.living, wanted - here)) if wanted - here else living

    async def end(self) -> None:
        self._process.end()
        if not self._database.is_sqlite:
            try:
                await self._database.write(executor_rows.drop, self.id)
            except DureError as error:
                log.warning("the lease was left to expire: %s", error)
