"""Noticing that another process has written to the database, quickly and nearly for free."""

import asyncio
import sqlite3

import sqlalchemy as sa

_EVERY = 0.01
"""Seconds between two looks at an SQLite file; one costs about five microseconds."""
_POLL = 0.025
"""Seconds between two looks where every look is a query."""


class Changes:
    """`await wait()` returns when something may have been written since the last wait. Close it after use."""

    def __init__(self, url: sa.URL) -> None:
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
            await asyncio.sleep(_POLL)
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
