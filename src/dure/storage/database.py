"""One database, SQLite or PostgreSQL: queries are plain functions over a connection, run in threads.

    row = await database.read(sessions.get, owner, session_id)
    await database.write(runs.append_events, owner, run_id, events)

SQLite has one writer: writes go through one thread, so none ever waits on another's lock. Reads have threads
of their own and, in WAL mode, never wait for the writer.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import orjson
import sqlalchemy as sa

from dure.errors import SettingsError

P = ParamSpec("P")
T = TypeVar("T")
Query = Callable[Concatenate[sa.Connection, P], T]

_READERS = 4


def now() -> str:
    """The time as stored and shown: ISO 8601, UTC, microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


class Database:
    """An open database. Make one with `Database.open`."""

    def __init__(self, url: str) -> None:
        self.engine = _engine(url)
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="dure-read")
        self._writers = ThreadPoolExecutor(1, thread_name_prefix="dure-write") if self.is_sqlite else self._readers
        self._local = threading.local()

    @classmethod
    async def open(cls, url: str) -> "Database":
        """Open `url` (an SQLAlchemy URL), creating and migrating it as needed."""
        database = cls(url)
        try:
            await asyncio.get_running_loop().run_in_executor(database._writers, database._migrate)
        except BaseException:
            await database.close()
            raise
        return database

    def _migrate(self) -> None:
        from dure.storage.migrations import HEAD, upgrade

        with self.engine.connect() as connection:
            if sa.inspect(connection).has_table("alembic_version"):
                found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
                if found == HEAD:
                    return
        upgrade(self.engine)

    async def read(self, query: Query[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a query that changes nothing, in a thread."""
        return await self._run(self._readers, query, *args, **kwargs)

    async def write(self, query: Query[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a query in a transaction: all of it is stored, or nothing."""
        return await self._run(self._writers, query, *args, **kwargs)

    async def _run(self, pool: ThreadPoolExecutor, query: Query[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        def work() -> T:
            with self.engine.begin() as connection:
                return query(connection, *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(pool, work)

    async def close(self) -> None:
        """Finish what is under way, then let the files go."""
        await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        for pool in {self._writers, self._readers}:
            pool.shutdown(wait=True)
        self.engine.dispose()


def _engine(url: str) -> sa.Engine:
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise SettingsError(key="DURE_DATABASE_URL", reason="not a database URL") from None
    if parsed.get_backend_name() != "sqlite":
        return sa.create_engine(parsed, pool_size=_READERS, json_serializer=_dumps, json_deserializer=orjson.loads)
    if not parsed.database or parsed.database == ":memory:":
        raise SettingsError(key="DURE_DATABASE_URL", reason="an SQLite database needs a file")
    Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(
        parsed,
        pool_size=_READERS + 1,
        connect_args={"check_same_thread": False, "timeout": 30},
        json_serializer=_dumps,
        json_deserializer=orjson.loads,
    )
    sa.event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    # NORMAL: in WAL mode a crash of the machine can lose the last moment, but never harms the file.
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=30000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _dumps(value: Any) -> str:
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
