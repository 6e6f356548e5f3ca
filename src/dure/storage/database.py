"""One database, SQLite or PostgreSQL: queries are plain functions over a connection, run in threads.

    row = await database.read(sessions.get, owner, session_id)
    await database.write(runs.append_events, owner, run_id, events)

SQLite has one writer: writes go through one thread, so none ever waits on another's lock. Reads have threads
of their own and, in WAL mode, never wait for the writer. On PostgreSQL reads and writes share the threads, each with a
connection of its own; a query whose connection was lost before its transaction ended is run again on a new one.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import orjson
import sqlalchemy as sa

from dure.errors import DatabaseUnavailable, SettingsError, phrase
from dure.storage import postgres, sqlite
from dure.storage.changes import Bell, Changes
from dure.storage.migrations import CORE, pending, upgrade
from dure.storage.migrations.chain import Chain
from dure.storage.schema import probes
from dure.storage.sql import Prepared, dumps, upsert
from dure.storage.threads import Threads, Together

P = ParamSpec("P")
T = TypeVar("T")
Query = Callable[Concatenate[sa.Connection, P], T]

_BEGIN = Prepared(sa.text("BEGIN IMMEDIATE"))
_READERS = 4


def stamp(time: datetime) -> str:
    """A time that has a zone, as stored and shown: ISO 8601, UTC, microseconds."""
    return time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def now() -> str:
    """The present time, as `stamp` writes it."""
    second, rest = divmod(time.time_ns() // 1000, 1_000_000)
    return f"{_second(second)}.{rest:06}Z"


@lru_cache(1)
def _second(number: int) -> str:
    return datetime.fromtimestamp(number, UTC).isoformat().removesuffix("+00:00")


class Database:
    """An open database. Make one with `Database.open`."""

    def __init__(self, url: str, pool: int) -> None:
        self.engine = _engine(url, pool)
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        self._bell = Bell(self.engine.url)
        self._writing: sa.Connection | None = None
        if self.is_sqlite:
            self._reading = self.engine
            self._readers = Threads(_READERS, "dure-read")
            self._writers: Threads = Together("dure-write", self._in_transaction)
        else:
            # Without BEGIN and COMMIT a read is one round trip instead of three.
            self._reading = self.engine.execution_options(isolation_level="AUTOCOMMIT")
            self._readers = self._writers = Threads(pool, "dure-database")

    @classmethod
    async def open(cls, url: str, *, pool: int = 8, packs: Sequence[Chain] = ()) -> "Database":
        """Open `url`, creating and migrating it as needed, with the tables of `packs`.

        url: `sqlite:///path`, or `postgresql://user:password@host/database` with libpq's parameters. pool: the most
        connections to PostgreSQL. Raises SettingsError where the database cannot be reached or used,
        DatabaseUnavailable where its disk is full or another program holds it.
        """
        database = cls(url, pool)
        try:
            await database._readers.run(lambda: database._migrate(packs))
        except BaseException:
            await database.close()
            raise
        return database

    def _migrate(self, packs: Sequence[Chain]) -> None:
        try:
            with self.engine.connect() as connection:
                behind = pending(connection, (CORE, *packs))
            if behind:
                upgrade(self.engine, behind)
        except sa.exc.DBAPIError as error:
            if (refused := sqlite.refusal(error, self.engine.url)) is not None:
                if refused.details["kind"] in ("full", "locked"):
                    raise refused from None
                raise SettingsError(key=postgres.KEY, reason=refused.details["reason"]) from None
            raise postgres.refusal(error, self.engine.url) from None

    async def read(self, query: Query[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a query that changes nothing, in a thread."""
        return await self._run(self._readers, self._reading, query, *args, **kwargs)

    async def write(self, query: Query[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a query in a transaction: all of it is stored, or nothing. It must have no effects but on the database:
        on PostgreSQL it is run again when its connection was lost before the transaction ended, on SQLite when another
        raises that waited beside it for the one writer, since they share a transaction."""
        if not self.is_sqlite:
            return await self._run(self._writers, self.engine, query, *args, **kwargs)
        return await self._writers.run(lambda connection: query(connection, *args, **kwargs))

    async def check(self) -> None:
        """Find out whether it takes and gives anything. Raises what writing and reading do."""
        await self.write(upsert, probes, {"id": "readyz"}, {"at": time.time()})
        await self.read(lambda connection: connection.execute(sa.select(probes)).all())

    async def sync(self) -> None:
        """Returns when all that was written stays, also where the machine fails (on PostgreSQL it always does)."""
        if self.is_sqlite:
            await asyncio.to_thread(sqlite.sync, str(self.engine.url.database))

    async def _run(self, pool: Threads, engine: sa.Engine, query: Query[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        def work() -> T:
            if not self.is_sqlite:
                return _until_it_works(engine, lambda connection: query(connection, *args, **kwargs))
            with _refusals(engine.url), engine.connect() as connection:
                return query(connection, *args, **kwargs)

        return await pool.run(work)

    def _in_transaction(self, queries: Iterable[Callable[[sa.Connection], T]]) -> list[T]:
        """What they give in one transaction, in the thread that writes to SQLite, on the one connection that does."""
        with _refusals(self.engine.url):
            if self._writing is None:
                self._writing = self.engine.connect()
            with self._writing.begin():
                # Before its first query: what that reads still holds when the transaction writes.
                _BEGIN.run(self._writing, {})
                return [query(self._writing) for query in queries]

    async def state(self) -> str:
        """Kind and versions, e.g. `PostgreSQL 18.3, pgvector 0.8.2`."""
        return f"SQLite {sqlite3.sqlite_version}" if self.is_sqlite else await self.read(postgres.state)

    def changes(self, run_id: str) -> Changes:
        """A way to wait for what other processes write of a run; to be closed."""
        return Changes(self.engine.url, self._bell, run_id)

    async def close(self) -> None:
        """Finish what is under way, then let the files go."""
        await self._bell.close()
        await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        for pool in {self._writers, self._readers}:
            pool.close()
        if self._writing is not None:
            self._writing.close()
        self.engine.dispose()


@contextmanager
def _refusals(url: sa.URL) -> Iterator[None]:
    """Raises what is amiss with SQLite's file as what it is."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        if (refused := sqlite.refusal(error, url)) is None:
            raise
        raise refused from error


def _until_it_works(engine: sa.Engine, query: Callable[[sa.Connection], T]) -> T:
    """Run a query; again, for a few seconds, as long as there is no connection. Raises DatabaseUnavailable after them.

    What failed while it was committed is not run again: it may be stored.
    """
    until, pause = time.monotonic() + sqlite.PATIENCE, 0.05
    while True:
        stage = "connect"
        try:
            with engine.connect() as connection:
                stage = "query"
                connection.begin()
                result = query(connection)
                stage = "commit"
                connection.commit()
                return result
        except sa.exc.DBAPIError as error:
            given_up = getattr(error.orig, "sqlstate", None) in postgres.ROLLED_BACK
            if stage != "connect" and not error.connection_invalidated and not given_up:
                raise
            if stage == "commit" or time.monotonic() > until:
                raise DatabaseUnavailable(reason=postgres.refusal(error, engine.url).details["reason"]) from error
        time.sleep(pause)
        pause = min(2 * pause, 0.5)


def _engine(url: str, pool: int) -> sa.Engine:
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise SettingsError(key=postgres.KEY, reason=phrase("storage_database.url")) from None
    options: dict[str, Any] = {"json_serializer": dumps, "json_deserializer": orjson.loads}
    if parsed.drivername in postgres.DRIVERS:
        return postgres.engine(parsed, pool, **options)
    if parsed.drivername not in ("sqlite", "sqlite+pysqlite"):
        raise SettingsError(key=postgres.KEY, reason=phrase("storage_database.kind", given=parsed.drivername))
    if parsed.host or not parsed.database or parsed.database == ":memory:":
        raise SettingsError(key=postgres.KEY, reason=phrase("storage_database.file"))
    try:
        path = Path(parsed.database).expanduser()
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(key=postgres.KEY, reason=f"{parsed.database}: {error.strerror}") from None
    except RuntimeError:
        raise SettingsError(key=postgres.KEY, reason=phrase("storage_database.home", file=parsed.database)) from None
    parsed = parsed.set(database=str(path))
    connect = {"check_same_thread": False, "timeout": sqlite.PATIENCE}
    # `Prepared` gives values by name.
    engine = sa.create_engine(parsed, pool_size=_READERS + 1, connect_args=connect, paramstyle="named", **options)
    sa.event.listen(engine, "connect", sqlite.prepare)
    return engine
