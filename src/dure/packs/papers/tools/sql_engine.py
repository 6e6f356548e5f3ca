"""The second wall: SQLite itself, over a database of its own that holds nothing but an owner's rows.

It is in memory, so there is nothing else to read, and nothing that is written would last. The authorizer allows
reading the known columns and calling the known functions, the limits bound what one query may cost, and they hold
for any text, whatever the guard before them let pass. What they cannot bound (the memory of a sort) the child process
does that the engine runs in, see `sql_child`.
"""

import re
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from dure.errors import ToolInputError
from dure.packs.papers.tools.sql_functions import replace_functions
from dure.packs.papers.tools.sql_tables import FUNCTIONS, INDEXES, MAX_ROWS, TABLES

SECONDS = 2.0
STEPS = 200_000_000
"""Instructions of SQLite's machine that one query may take."""
MAX_BYTES = 100_000
"""Of a result, as UTF-8 text."""
MAX_CELL = 500
"""Characters of one value."""
_STEPS_AT_ONCE = 10_000
_SYSTEM = re.compile("sqlite_|pragma_")
_BEGINNING = re.compile(r"\s*(SELECT|WITH)\b", re.IGNORECASE)
"""The authorizer is not asked about EXPLAIN."""

_LIMITS = {
    # A search of one text in another takes their product of steps, which nothing interrupts.
    sqlite3.SQLITE_LIMIT_LENGTH: 200_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 20_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 200,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 30,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 32,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 300,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_READABLE = frozenset(
    {(table, column) for table, columns in TABLES.items() for column in columns}
    # What is asked for a table none of whose columns are used, as in `SELECT count(*) FROM papers`.
    | {(table, "") for table in TABLES}
)


@dataclass(slots=True)
class Rows:
    """`cut`: there were more rows than `MAX_ROWS` or `MAX_BYTES` hold. `seconds`: what the query took."""

    columns: list[str]
    rows: list[list[Any]]
    cut: bool
    seconds: float


class Engine:
    """An owner's rows and what may be asked of them. `add` the tables, then `seal`, then `query`. For one thread."""

    def __init__(self) -> None:
        self._db = sqlite3.connect(":memory:", isolation_level=None, cached_statements=0)
        self._sealed = False
        self._names: frozenset[str] = frozenset()
        self._taken = set(TABLES)
        self._denied = ""
        self._fault: ToolInputError | None = None
        replace_functions(self._db, self._guarded)
        self._db.execute("PRAGMA temp_store = MEMORY")
        for table, columns in TABLES.items():
            self._db.execute(f"CREATE TABLE {table} ({', '.join(f'{name} {kind}' for name, kind in columns.items())})")

    def add(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Put rows into `table`. Raises KeyError for a table or a column that is none of `TABLES`."""
        known = TABLES[table]
        places = [column for column in columns if known[column]]
        # The names are those of TABLES.
        insert = f"INSERT INTO {table} ({', '.join(places)}) VALUES ({', '.join('?' * len(places))})"  # noqa: S608
        self._db.execute("BEGIN")
        self._db.executemany(insert, rows)
        self._db.execute("COMMIT")

    def seal(self) -> None:
        """From here on nothing can be changed."""
        for table, columns in INDEXES.items():
            for column in columns:
                self._db.execute(f"CREATE INDEX {table}_{column} ON {table} ({column})")
        self._db.execute("ANALYZE")
        self._taken |= {name.lower() for (name,) in self._db.execute("SELECT name FROM pragma_module_list")}
        self._db.execute("PRAGMA trusted_schema = OFF")
        self._db.execute("PRAGMA query_only = ON")
        with suppress(AttributeError, sqlite3.NotSupportedError):
            # Not every build can load extensions at all.
            self._db.enable_load_extension(False)
        if sys.version_info >= (3, 12):
            self._db.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
            self._db.setconfig(sqlite3.SQLITE_DBCONFIG_DQS_DML, False)
            self._db.setconfig(sqlite3.SQLITE_DBCONFIG_DQS_DDL, False)
        for limit, most in _LIMITS.items():
            self._db.setlimit(limit, most)
        self._db.set_authorizer(self._authorized)
        self._sealed = True

    def close(self) -> None:
        self._db.close()

    def query(
        self, sql: str, names: frozenset[str] = frozenset(), *, seconds: float = SECONDS, steps: int = STEPS
    ) -> Rows:
        """The rows of `sql`, at most `MAX_ROWS` and `MAX_BYTES`. `names`: what WITH defines in it, in lower case.

        Raises ToolInputError with what the model should know: SQLite's own words, a limit, or what is not allowed.
        """
        assert self._sealed
        self._names = frozenset(name for name in names if name not in self._taken and not _SYSTEM.match(name))
        self._denied, self._fault = "", None
        if not _BEGINNING.match(sql):
            raise NotAuthorized(
                ko="SELECT나 WITH로 시작하는 조회만 할 수 있습니다.", en="Only SELECT or WITH … SELECT is accepted."
            )
        started = time.perf_counter()
        left = steps

        def stop() -> bool:
            nonlocal left
            left -= _STEPS_AT_ONCE
            return left < 0 or time.perf_counter() - started > seconds

        self._db.set_progress_handler(stop, _STEPS_AT_ONCE)
        # That handler counts; where few steps take long, the timer is in time.
        timer = threading.Timer(seconds, self._db.interrupt)
        timer.daemon = True
        timer.start()
        try:
            cursor = self._db.execute(sql)
            try:
                return self._fetched(cursor, started)
            finally:
                cursor.close()
        except MemoryError:
            raise ToolInputError(
                ko="조회에 메모리가 너무 많이 듭니다. 조건을 줄이거나 집계하세요.",
                en="The query needs too much memory. Narrow it down or aggregate.",
            ) from None
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
            raise self._told(error, seconds) from None
        finally:
            timer.cancel()
            timer.join()
            self._db.set_progress_handler(None, 0)

    def _fetched(self, cursor: sqlite3.Cursor, started: float) -> Rows:
        columns = [_cell(each[0]) for each in cursor.description or ()]
        rows: list[list[Any]] = []
        size, cut = 0, False
        for row in cursor:
            shown = [_cell(value) for value in row]
            size += sum(len(each.encode()) if isinstance(each, str) else 8 for each in shown)
            if len(rows) >= MAX_ROWS or size > MAX_BYTES:
                cut = True
                break
            rows.append(shown)
        return Rows(columns, rows, cut, time.perf_counter() - started)

    def _authorized(
        self, action: int, first: str | None, second: str | None, database: str | None, inner: str | None
    ) -> int:
        if action == sqlite3.SQLITE_SELECT:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            # SQLite names a column as the schema does, a table without a schema as the query does.
            table, column = (first or "").lower(), (second or "").lower()
            if (table, column) in _READABLE and database in (None, "main"):
                return sqlite3.SQLITE_OK
            if column == "" and database is None and (first or "").casefold() in self._names:
                return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in FUNCTIONS:
            return sqlite3.SQLITE_OK
        self._denied = self._denied or ".".join(each for each in (first, second) if each) or str(action)
        return sqlite3.SQLITE_DENY

    def _guarded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*values: Any) -> Any:
            try:
                return function(*values)
            except ToolInputError as error:
                self._fault = error
                raise

        return called

    def _told(self, error: Exception, seconds: float) -> ToolInputError:
        if self._fault is not None:
            return self._fault
        text = " ".join(str(error).split())[:600]
        if self._denied:
            return NotAuthorized(
                ko=f"허용되지 않은 조회입니다({self._denied[:100]}): {text}",
                en=f"This is not allowed ({self._denied[:100]}): {text}",
            )
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            return ToolInputError(
                ko=f"조회가 너무 오래 걸려({seconds:g}초) 중단했습니다. 조인 조건을 확인하거나 범위를 줄이세요.",
                en=f"The query took too long ({seconds:g} s) and was stopped. Check its joins or narrow it down.",
            )
        return ToolInputError(ko=f"SQL 오류: {text}", en=f"SQL error: {text}")


class NotAuthorized(ToolInputError):
    """The authorizer said no: the guard, had it been asked, would have too."""


def _cell(value: Any) -> Any:
    """A value that JSON holds: text cut to `MAX_CELL` characters, bytes only by their number."""
    if isinstance(value, bytes):
        return f"[{len(value)} bytes]"
    if isinstance(value, str) and len(value) > MAX_CELL:
        return value[:MAX_CELL] + "…"
    return value
