"""A private in-memory DuckDB that holds an owner's tables. Runs in the child process only."""

import datetime
import itertools
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from dure.data.column_types import stated, type_of
from dure.data.guard import NO_NAMES, check
from dure.data.header import column_names, split_header, unique
from dure.data.sheets import MAX_COLUMNS, Row, Sheet, sheets
from dure.errors import ToolInputError
from dure.knowledge.parse import Unreadable

MAX_ROWS = 1_000_000
"""Rows of one table."""
MAX_CELLS = 5_000_000
"""Cells of all tables of an owner."""
MAX_TABLES = 50
_CHUNK = 5_000
_READING = 0.6
"""Share of a load's seconds for reading files; types are found out and columns cast in the rest."""
_SAMPLE_ROWS = 3
_MAX_SHOWN = 200

_CONFIG: dict[str, Any] = {
    "enable_external_access": "false",
    "allow_community_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    # Else a name in a query could be a variable of this program.
    "python_enable_replacements": "false",
    "memory_limit": "768MB",
    "temp_directory": "",
    "threads": "1",
}


@dataclass(slots=True)
class Table:
    """As a model sees it. `columns`: name, SQL type and the header's own words; `cut`: rows were left out."""

    name: str
    document: str
    sheet: str
    columns: list[tuple[str, str, str]]
    rows: int
    sample: list[list[str]]
    cut: bool = False


@dataclass(slots=True)
class Rows:
    columns: list[str]
    types: list[str]
    """SQL types of DuckDB, e.g. `BIGINT`, `DECIMAL(10,2)`, `DATE`."""
    rows: list[list[str]]
    more: bool
    """There were more rows than asked for."""


@dataclass(slots=True)
class _File:
    tables: list[Table] = field(default_factory=list)
    problems: list[dict[str, str]] = field(default_factory=list)


class Store:
    def __init__(self) -> None:
        import duckdb

        self._db = duckdb.connect(":memory:", config=_CONFIG)
        words = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')"
        self._keywords = NO_NAMES | {word for (word,) in self._db.execute(words).fetchall()}
        self._db.execute("SET lock_configuration = true")
        self._files: dict[str, _File] = {}
        self._used: set[str] = set()
        self._late: list[dict[str, str]] = []
        self._deadline = 0.0

    @property
    def tables(self) -> list[Table]:
        return [table for file in self._files.values() for table in file.tables]

    @property
    def problems(self) -> list[dict[str, str]]:
        """What of the files could not be read: `{document, ko, en}`."""
        return [each for file in self._files.values() for each in file.problems] + self._late

    def load(self, files: list[dict[str, str]], seconds: float) -> None:
        """Hold exactly `files`: each `{key, path, name, kind}`; what is held by its key already is not read again.

        When `seconds` run out the table at hand is cut, and files not yet begun are problems until the next load.
        """
        self._deadline = time.monotonic() + _READING * seconds
        self._late = []
        wanted = {file["key"] for file in files}
        for key in [key for key in self._files if key not in wanted]:
            for table in self._files.pop(key).tables:
                self._db.execute(f'DROP TABLE "{table.name}"')
                self._used.discard(table.name.casefold())
        for file in files:
            if file["key"] in self._files:
                continue
            if time.monotonic() < self._deadline:
                self._files[file["key"]] = self._read(file)
            else:
                self._late.append(_problem(file, Unreadable("timeout", seconds=round(seconds))))
        self._files = {file["key"]: self._files[file["key"]] for file in files if file["key"] in self._files}

    def _read(self, file: dict[str, str]) -> _File:
        import duckdb

        held = _File()
        try:
            data = Path(file["path"]).read_bytes()
            for sheet in sheets(data, file["kind"]):
                if len(self.tables) + len(held.tables) >= MAX_TABLES:
                    held.problems.append(_many_tables(file["name"]))
                    break
                table = self._add(file["name"], sheet, held)
                if table is not None:
                    held.tables.append(table)
        except Unreadable as error:
            held.problems.append(_problem(file, error))
        except FileNotFoundError:
            held.problems.append(_problem(file, Unreadable("missing")))
        except (MemoryError, duckdb.OutOfMemoryException):
            held.problems.append(_problem(file, Unreadable("memory")))
        except Exception:
            # What a damaged file makes a library raise is anybody's guess.
            held.problems.append(_problem(file, Unreadable("broken")))
        return held

    def _add(self, document: str, sheet: Sheet, held: _File) -> Table | None:
        if sheet.columns is None:
            header, width, rows = split_header(sheet.rows)
        else:
            header, width, rows = [name for name, _ in sheet.columns], len(sheet.columns), sheet.rows
        if not width:
            return None
        if width > MAX_COLUMNS:
            width = MAX_COLUMNS
            held.problems.append(_many_columns(document, sheet.name))
        names = column_names(header, width, self._keywords)
        stem = PurePath(document).stem
        name = unique(f"{stem}_{sheet.name}" if sheet.name else stem, self._used, self._keywords)
        cells = sum(len(each.columns) * each.rows for each in [*self.tables, *held.tables])
        room = min(MAX_ROWS, max(MAX_CELLS - cells, 0) // width)
        self._db.execute("DROP TABLE IF EXISTS incoming")
        self._db.execute("CREATE TEMP TABLE incoming (" + ", ".join(f"c{i} VARCHAR" for i in range(width)) + ")")
        try:
            self._insert(itertools.islice(rows, room), width)
            cut = next(rows, None) is not None
            if sheet.columns is None:
                types = [type_of(self._db, f"c{i}") for i in range(width)]
            else:
                types = [stated(kind) for _, kind in sheet.columns[:width]]
            parts = [f'{kind.read(f"c{i}")} AS "{names[i]}"' for i, kind in enumerate(types)]
            # Names hold letters, digits and `_` only.
            self._db.execute(f'CREATE TABLE "{name}" AS SELECT {", ".join(parts)} FROM incoming')  # noqa: S608
        except BaseException:
            self._used.discard(name.casefold())
            raise
        finally:
            self._db.execute("DROP TABLE IF EXISTS incoming")
        (count,) = self._one(f'SELECT count(*) FROM "{name}"')  # noqa: S608
        sample = self._db.execute(f'SELECT * FROM "{name}" LIMIT {_SAMPLE_ROWS}').fetchall()  # noqa: S608
        heads = [*header, *[""] * width]
        columns = [(names[i], types[i].name, heads[i]) for i in range(width)]
        return Table(name, document, sheet.name, columns, count, [[_shown(v) for v in row] for row in sample], cut)

    def _insert(self, rows: Iterator[Row], width: int) -> None:
        columns = ", ".join("unnest(CAST(? AS VARCHAR[]))" for _ in range(width))
        while time.monotonic() < self._deadline and (chunk := list(itertools.islice(rows, _CHUNK))):
            padded = [row[:width] + [""] * (width - len(row)) for row in chunk]
            self._db.execute(
                f"INSERT INTO incoming SELECT {columns}", [[r[i] or None for r in padded] for i in range(width)]
            )

    def _one(self, sql: str) -> tuple[Any, ...]:
        row = self._db.execute(sql).fetchone()
        assert row is not None
        return tuple(row)

    def query(self, sql: str, limit: int, seconds: float) -> Rows:
        """Run one SELECT; at most `limit` rows. Raises ToolInputError with what the model should know."""
        import duckdb

        check(sql, [table.name for table in self.tables])
        timer = threading.Timer(seconds, self._db.interrupt)
        timer.start()
        try:
            self._db.execute("BEGIN TRANSACTION READ ONLY")
            try:
                result = self._db.execute(sql)
                columns = [each[0] for each in result.description or []]
                types = [str(each[1]) for each in result.description or []]
                rows = result.fetchmany(limit + 1)
            finally:
                self._db.execute("ROLLBACK")
        except duckdb.InterruptException:
            raise _too_slow(seconds) from None
        except (duckdb.OutOfMemoryException, MemoryError):
            raise ToolInputError(
                ko="조회에 메모리가 너무 많이 듭니다. 조건을 줄이거나 집계하세요.",
                en="The query needs too much memory. Narrow it down or aggregate.",
            ) from None
        except (duckdb.Error, RuntimeError) as error:
            text = " ".join(str(error).split())[:600]
            raise ToolInputError(ko=f"SQL 오류: {text}", en=f"SQL error: {text}") from None
        finally:
            timer.cancel()
        return Rows(columns, types, [[_shown(value) for value in row] for row in rows[:limit]], len(rows) > limit)


def _problem(file: dict[str, str], error: Unreadable) -> dict[str, str]:
    return {"document": file["name"], "ko": error.message("ko"), "en": error.message("en")}


def _many_tables(document: str) -> dict[str, str]:
    return {
        "document": document,
        "ko": f"표는 모두 {MAX_TABLES}개까지만 쓸 수 있어 나머지 표는 빠졌습니다.",
        "en": f"Not all of its tables are here: there can be {MAX_TABLES} in all.",
    }


def _many_columns(document: str, sheet: str) -> dict[str, str]:
    ko, en = (f"시트 {sheet}: ", f"sheet {sheet}: ") if sheet else ("", "")
    return {
        "document": document,
        "ko": f"{ko}열이 많아 앞 {MAX_COLUMNS}개만 들어 있습니다.",
        "en": f"{en}it holds only the first {MAX_COLUMNS} columns.",
    }


def _too_slow(seconds: float) -> ToolInputError:
    return ToolInputError(
        ko=f"조회가 {seconds:g}초 안에 끝나지 않아 중단했습니다. 조인 조건을 확인하거나 범위를 줄이세요.",
        en=f"The query was stopped after {seconds:g} seconds. Check its join conditions or narrow it down.",
    )


def _shown(value: Any) -> str:
    """A value as text: numbers to 15 digits, dates in ISO 8601, at most 200 characters."""
    if value is None:
        text = ""
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, float):
        text = f"{value:.15g}"
    elif isinstance(value, datetime.datetime):
        text = value.isoformat(sep=" ")
    elif isinstance(value, bytes):
        text = f"[{len(value)} bytes]"
    elif isinstance(value, list | dict | tuple):
        text = json.dumps(value, ensure_ascii=False, default=str)
    else:
        text = str(value)
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"
