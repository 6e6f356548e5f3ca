"""Noticing at once that another process has written to the database.

SQLite tells by a counter that is nearly free to read; PostgreSQL by NOTIFY, for which a process keeps one connection
that listens for all who wait.
"""

import asyncio
import logging
import sqlite3
from typing import TYPE_CHECKING

import sqlalchemy as sa

from dure.storage.postgres import parameters

if TYPE_CHECKING:
    import psycopg

log = logging.getLogger(__name__)

CHANNEL = "dure_events"
"""Notified with each transaction that stores events (`storage/runs.py`)."""
_EVERY = 0.01
"""Seconds between two looks at an SQLite file; one costs about five microseconds."""
_AT_LATEST = 1.0
"""Seconds after which a waiter looks for itself: a notification may be lost with its connection."""


class Changes:
    """`await wait()` returns when something may have been written since the last wait; the first time at once, for
    what was written before it listened. Close it after use."""

    def __init__(self, url: sa.URL, bell: "Bell") -> None:
        self._bell = bell
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
            self._seen = await self._bell.rung_since(self._seen)
            return
        while True:
            await asyncio.sleep(_EVERY)
            version = self._version()
            if version is None or version != self._seen:
                self._seen = version
                return

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class Bell:
    """A process's one listening connection on PostgreSQL, made when first needed and again when lost."""

    def __init__(self, url: sa.URL) -> None:
        self._url = url
        self._task: asyncio.Task[None] | None = None
        self._rung = 0
        self._more = asyncio.Event()
        self._listening = asyncio.Event()

    async def rung_since(self, seen: int | None) -> int:
        """Wait until there was a notification after number `seen` (None: only until it listens); the number now."""
        if self._task is None:
            self._task = asyncio.create_task(self._listen(), name="dure-listen")
        try:
            async with asyncio.timeout(_AT_LATEST):
                await self._listening.wait()
                while seen is not None and self._rung == seen:
                    await self._more.wait()
        except TimeoutError:
            pass
        return self._rung

    async def _listen(self) -> None:
        import psycopg

        while True:
            try:
                async with await self._connect() as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    self._ring()
                    self._listening.set()
                    async for _ in connection.notifies():
                        self._ring()
            except psycopg.Error as error:
                log.warning("the connection that listens for events was lost: %s", type(error).__name__)
            self._listening.clear()
            await asyncio.sleep(_AT_LATEST)

    def _ring(self) -> None:
        self._rung += 1
        self._more.set()
        self._more = asyncio.Event()

    async def _connect(self) -> "psycopg.AsyncConnection":
        import psycopg

        return await psycopg.AsyncConnection.connect(autocommit=True, **parameters(self._url))

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
