"""Noticing at once that another process has written to the database.

SQLite tells by a counter that is nearly free to read; PostgreSQL by NOTIFY, for which a process keeps one connection
that listens for all who wait.
"""

import asyncio
import logging
import sqlite3
from contextlib import suppress

import sqlalchemy as sa

from dure.storage import ingest
from dure.storage.postgres import parameters

log = logging.getLogger(__name__)

CHANNEL = "dure_events"
"""Notified with each transaction that stores events, of their runs (`storage/runs.py`)."""
_EVERY = 0.01
"""Seconds between two looks at an SQLite file; one costs about five microseconds."""
_AT_LATEST = 1.0
"""Seconds after which a waiter looks for itself: a notification may be lost with its connection."""
_SELDOM = 5.0
"""The same where notifications come: hundreds who wait would ask for nothing most of the time."""


class Changes:
    """`await wait()` returns when something of `run_id` (on SQLite, of any) may have been written since the last wait;
    the first time at once, for what was written before it listened. Of jobs, `run_id` is their channel. Close it after
    use."""

    def __init__(self, url: sa.URL, bell: "Bell", run_id: str) -> None:
        self._bell = bell
        self.run_id = run_id
        self.rung = asyncio.Event()
        self._file: sqlite3.Connection | None = None
        self._seen: int | None = None
        if url.get_backend_name() == "sqlite":
            # `data_version` changes when any other connection commits (https://www.sqlite.org/pragma.html).
            self._file = sqlite3.connect(url.database or "", timeout=0.0)
            self._seen = self._version()

    def _version(self) -> int | None:
        assert self._file is not None
        try:
            return int(self._file.execute("PRAGMA data_version").fetchone()[0])
        except sqlite3.OperationalError:
            return None

    async def wait(self) -> None:
        if self._file is None:
            await self._bell.wait(self)
            return
        while True:
            await asyncio.sleep(_EVERY)
            version = self._version()
            if version is None or version != self._seen:
                self._seen = version
                return

    def close(self) -> None:
        self._bell.waiting.discard(self)
        if self._file is not None:
            self._file.close()


class Bell:
    """A process's one listening connection on PostgreSQL, made when first needed and again when lost."""

    def __init__(self, url: sa.URL) -> None:
        self._url = url
        self._task: asyncio.Task[None] | None = None
        self.waiting: set[Changes] = set()
        self._heard = False
        self._listening = asyncio.Event()

    async def wait(self, one: Changes) -> None:
        """Until there was a notification since `one` waited last; the first time only until it listens."""
        if self._task is None:
            self._task = asyncio.create_task(self._listen(), name="dure-listen")
        if one not in self.waiting:
            self.waiting.add(one)
            one.rung.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(_SELDOM if self._heard else _AT_LATEST):
                await self._listening.wait()
                await one.rung.wait()
        one.rung.clear()

    async def _listen(self) -> None:
        import psycopg

        connect = psycopg.AsyncConnection.connect
        while True:
            try:
                async with await connect(autocommit=True, **parameters(self._url)) as connection:
                    for channel in (CHANNEL, ingest.CHANNEL):
                        await connection.execute(f'LISTEN "{channel}"')
                    self._ring("")
                    self._listening.set()
                    async for told in connection.notifies():
                        self._heard = True
                        self._ring(told.payload if told.channel == CHANNEL else told.channel)
            except psycopg.Error as error:
                log.warning("the connection that listens for events was lost: %s", type(error).__name__)
            self._listening.clear()
            self._heard = False
            await asyncio.sleep(_AT_LATEST)

    def _ring(self, run_id: str) -> None:
        """ "": for all."""
        for each in self.waiting:
            if run_id in ("", each.run_id):
                each.rung.set()

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
