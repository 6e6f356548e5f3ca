"""A private in-memory DuckDB that holds an owner's tables. Runs in the child process only."""

import itertools
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import duckdb

from dure.data.columns import (
    OF_GROUP,
    column_names,
    found,
    leaving_out,
    names_totals,
    split_header,
    stated,
    total_of,
    unique,
    without_notes,
)
from dure.data.guard import check
from dure.data.limits import ENGINE_MEMORY, MAX_CELLS, MAX_ROWS, MAX_TABLES, Limits
from dure.data.placed import Place, let_through, numbered, of_sheet, view
from dure.data.rows import Rows, as_text, fault, problem, sent
from dure.data.sheets import MAX_COLUMNS, Sheet, sheets
from dure.knowledge.parse import Unreadable, parquet
from dure.knowledge.parse.problems import unreadable
from dure.messages import language_of

_CHUNK = 5_000
_READING = 0.6
"""Share of a load's seconds for reading files; types are found out and columns cast in the rest."""
_SAMPLE_ROWS = 3
_SAMPLE_CELL = 200
_SAID = 20
_NOTES = 5
_MARKS = 200
_FEW = 12
"""Values of a column of text that are all told, where they come again."""
_SHEET = {"ko": "시트", "en": "sheet"}

_CONFIG = {**parquet.CONFIG, "enable_external_access": "false", "memory_limit": f"{ENGINE_MEMORY >> 20}MiB"}


@dataclass(slots=True)
class Table:
    """As a model sees it. `columns`: name, SQL type and the header's own words; `sample`: the first rows and the last;
    `cut`: rows were left out; `notes`: titles above the header and footnotes; `totals`: rows that sum others, of which
    columns hold the values `marks`; `values`: all that stand in the columns of text that have few."""

    name: str
    document: str
    sheet: str
    columns: list[tuple[str, str, str]]
    rows: int
    sample: list[list[str]]
    cut: bool = False
    joined: bool = False
    """It is several sheets, which are tables too."""
    notes: list[str] = field(default_factory=list)
    totals: int = 0
    marks: dict[str, list[str]] = field(default_factory=dict)
    values: dict[str, list[str]] = field(default_factory=dict)


@dataclass(slots=True)
class _File:
    tables: list[Table] = field(default_factory=list)
    problems: list[dict[str, str]] = field(default_factory=list)
    first: dict[str, int] = field(default_factory=dict)
    """As of `Place`, by the tables' names."""
    sheets: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    """Of a table of several sheets the tables of these, each with SQL of its rows: what is taken, and from where."""


class Store:
    """Tables, read from files (`load`) or given as rows (`begin`, then `add`), and what may be asked of them."""

    version: str | None = None
    """Which state of its tables the parent knows it to hold; None: it may not hold all of them."""

    def __init__(self) -> None:
        self._db = duckdb.connect(":memory:", config=_CONFIG)
        words = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')"
        self._keywords = set(self._first(words))
        self._db.execute("SET lock_configuration = true")
        self._given: dict[str, Mapping[str, str]] = {}
        self._files: dict[str, _File] = {}
        self._used: set[str] = set()
        self._late: list[dict[str, str]] = []
        self._deadline = 0.0

    @property
    def tables(self) -> list[Table]:
        return [table for file in self._files.values() for table in file.tables]

    @property
    def columns(self) -> dict[str, Mapping[str, str]]:
        """Of each table the columns' SQL types."""
        read = {table.name: {name: kind for name, kind, _ in table.columns} for table in self.tables}
        return read | self._given

    @property
    def problems(self) -> list[dict[str, str]]:
        """What of the files could not be read: `{document, ko, en}`."""
        return [each for file in self._files.values() for each in file.problems] + self._late

    def load(self, files: list[dict[str, Any]], seconds: float) -> None:
        """Hold exactly `files`: each `{key, path, name, kind}`, or `{key, name, rows}`, a header first; what is held by
        its key already is not read again.

        When `seconds` run out the table at hand is cut, and files not yet begun are problems until the next load.
        """
        self._deadline = time.monotonic() + _READING * seconds
        self._late = []
        wanted = {file["key"] for file in files}
        for key in [key for key in self._files if key not in wanted]:
            for table in self._files.pop(key).tables:
                self._db.execute(f'DROP {"VIEW" if table.joined else "TABLE"} "{table.name}"')
                self._used.discard(table.name.casefold())
        for file in files:
            if file["key"] in self._files:
                continue
            if time.monotonic() < self._deadline:
                self._files[file["key"]] = self._read(file)
            else:
                self._late.append(_problem(file, Unreadable("timeout", seconds=round(seconds))))
        self._files = {file["key"]: self._files[file["key"]] for file in files if file["key"] in self._files}

    def begin(self, tables: Mapping[str, Mapping[str, str]]) -> None:
        """Hold exactly these tables, of each the columns with their SQL types, for now without rows."""
        self.version = None
        for name in self._given:
            self._db.execute(f'DROP TABLE "{name}"')
        self._given = dict(tables)
        for name, columns in tables.items():
            told = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
            self._db.execute(f'CREATE TABLE "{name}" ({told})')

    def add(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Put rows into a table; their values are those of its columns in order."""
        self._insert(table, list(self._given[table].values()), iter(rows))

    def hold(self, version: str) -> None:
        """All tables of `version` were loaded. What time did not allow is loaded with the next request."""
        self.version = None if self._late else version

    def _read(self, file: dict[str, Any]) -> _File:
        held = _File()
        try:
            with unreadable():
                found = [Sheet("", iter(rows))] if (rows := file.get("rows")) else None
                for sheet in found or sheets(Path(file["path"]).read_bytes(), file["kind"]):
                    if len(self.tables) + len(held.tables) >= MAX_TABLES:
                        held.problems.append(problem(file["name"], "many_tables", most=MAX_TABLES))
                        break
                    self._add(file["name"], sheet, held)
        except Unreadable as error:
            full = isinstance(error.__cause__, duckdb.OutOfMemoryException)
            held.problems.append(_problem(file, Unreadable("memory") if full else error))
        self._join(file["name"], held)
        return held

    def _join(self, document: str, held: _File) -> None:
        """Sheets with the same columns, such as one a month, are one table too, its last column the sheet's name. A
        sheet of totals would say all twice."""
        alike: dict[tuple[str, ...], list[Table]] = {}
        for table in held.tables:
            if table.sheet and not OF_GROUP.fullmatch(table.sheet.lower()):
                alike.setdefault(tuple(name for name, _, _ in table.columns), []).append(table)
        for names, tables in alike.items():
            if len(tables) < 2 or len(self.tables) + len(held.tables) >= MAX_TABLES:
                continue
            name = unique(PurePath(document).stem, self._used, self._keywords)
            sheet = unique(_SHEET[language_of(" ".join(names))], {each.casefold() for each in names}, self._keywords)
            columns = [
                (column, kinds.pop() if len(kinds := {one[1] for one in same}) == 1 else "VARCHAR", head)
                for same in zip(*(each.columns for each in tables), strict=True)
                for column, _, head in same[:1]
            ]
            cells = ", ".join(f'CAST("{column}" AS {kind}) AS "{column}"' for column, kind, _ in columns)
            said = {each.name: each.sheet.replace("'", "''") for each in tables}
            rows = {each: (f"SELECT {cells}, '{said[each]}' AS \"{sheet}\"", f'FROM "{each}"') for each in said}
            self._db.execute(f'CREATE VIEW "{name}" AS {" UNION ALL ".join(map(" ".join, rows.values()))}')
            held.sheets[name] = rows
            columns.append((sheet, "VARCHAR", sheet))
            sample = [[*row, each.sheet] for each in tables for row in each.sample[:1]][:_SAMPLE_ROWS]
            sheets_of, count = ", ".join(each.sheet for each in tables), sum(each.rows for each in tables)
            cut = any(each.cut for each in tables)
            notes = list(dict.fromkeys(note for each in tables for note in each.notes))[:_NOTES]
            self._keep(held, Table(name, document, sheets_of, columns, count, sample, cut, True, notes))

    def _add(self, document: str, sheet: Sheet, held: _File) -> None:
        notes: list[str] = []
        if sheet.columns is None:
            notes, header, width, rows = split_header(sheet.rows)
            rows = without_notes(rows, notes) if width > 1 else rows
        else:
            header, width, rows = [name for name, _ in sheet.columns], len(sheet.columns), sheet.rows
        if not width:
            return
        first = len(notes) + bool(header)
        if width > MAX_COLUMNS:
            width = MAX_COLUMNS
            key = "sheet_columns" if sheet.name else "many_columns"
            held.problems.append(problem(document, key, sheet=sheet.name, most=MAX_COLUMNS))
        names = column_names(header, width, self._keywords)
        stem = PurePath(document).stem
        name = unique(f"{stem}_{sheet.name}" if sheet.name else stem, self._used, self._keywords)
        cells = sum(len(each.columns) * each.rows for each in [*self.tables, *held.tables] if not each.joined)
        room = min(MAX_ROWS, max(MAX_CELLS - cells, 0) // width)
        cells_of = ", ".join(f"c{i} VARCHAR" for i in range(width))
        self._db.execute(f"CREATE OR REPLACE TEMP TABLE incoming ({cells_of})")
        try:
            kept = itertools.islice(rows, room)
            cells_in = ([cell or None for cell in row[:width] + [""] * (width - len(row))] for row in kept)
            self._insert("incoming", ["VARCHAR"] * width, cells_in, until=self._deadline)
            cut = next(rows, None) is not None
            if sheet.columns is None:
                types = found(self._db, [f"c{i}" for i in range(width)])
            else:
                types = [stated(f"c{i}", kind) for i, (_, kind) in enumerate(sheet.columns[:width])]
            parts = [f'{sql} AS "{name}"' for (_, sql), name in zip(types, names, strict=True)]
            # Names hold letters, digits and `_` only.
            self._db.execute(f'CREATE TABLE "{name}" AS SELECT {", ".join(parts)} FROM incoming')  # noqa: S608
        except BaseException:
            self._used.discard(name.casefold())
            raise
        finally:
            self._db.execute("DROP TABLE IF EXISTS incoming")
        held.first[name], (count,) = first, self._first(f'SELECT count(*) FROM "{name}"')  # noqa: S608
        some = f"rowid < {_SAMPLE_ROWS} OR rowid = {count - 1}"
        sample = self._db.execute(f'SELECT * FROM "{name}" WHERE {some} ORDER BY rowid').fetchall()  # noqa: S608
        heads = [*header, *[""] * width]
        columns = [(names[i], kind, heads[i]) for i, (kind, _) in enumerate(types)]
        shown = [[as_text(sent(value, _SAMPLE_CELL)) for value in row] for row in sample]
        self._keep(held, Table(name, document, sheet.name, columns, count, shown, cut, False, notes[:_NOTES]))

    def _keep(self, held: _File, table: Table) -> None:
        """Hold a table, with what is found of its columns of text: values that mark rows which sum others; else all,
        the most frequent first, where these are few and come again. Who does not know that `취소` is one does not
        leave it out."""
        sums = {
            name: f"coalesce(regexp_full_match(lower(trim(\"{name}\")), '{total_of(at).pattern}'), false)"
            for at, (name, kind, _) in enumerate(table.columns)
            if kind == "VARCHAR"
        }
        parts = [f"count(*) FILTER (WHERE {' OR '.join(sums.values()) or 'false'})"]
        # About how many is known without keeping them all.
        each = '[count(*) FILTER (WHERE {1}), approx_count_distinct("{0}"), count("{0}")]'
        parts += [each.format(*one) for one in sums.items()]
        table.totals, *counts = self._db.execute(f'SELECT {", ".join(parts)} FROM "{table.name}"').fetchone() or (0,)  # noqa: S608
        # Asked of all columns at once, values take hundreds of megabytes.
        for name, (marking, about, count) in zip(sums, counts, strict=True):
            column = f'SELECT "{name}" FROM "{table.name}" WHERE'  # noqa: S608
            marks = self._first(f"{column} {sums[name]} GROUP BY 1 ORDER BY 1 LIMIT {_MARKS}") if marking else []
            if marks:
                table.marks[name] = marks
            # Where more of them are unlike, it is not asked which.
            if about <= 2 * (min(_FEW, count // 2) + len(marks)):
                every = self._first(f'{column} "{name}" IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1')
                values = [value for value in every if value not in marks]
                short = all(len(value) <= _SAMPLE_CELL // _FEW for value in values)
                if short and 0 < len(values) <= _FEW and 2 * len(values) <= count:
                    table.values[name] = values
        held.tables.append(table)

    def said(self, table: Table, question: str) -> list[str]:
        """The values of its columns of text that stand in the question, the longest first."""
        columns = ", ".join(f'"{name}"' for name, kind, _ in table.columns if kind == "VARCHAR")
        if not columns or not question:
            return []
        return self._first(
            f'SELECT DISTINCT value FROM (UNPIVOT "{table.name}" ON {columns} INTO NAME name VALUE value) '  # noqa: S608
            "WHERE length(value) > 1 AND contains(lower($1), lower(value)) "
            f"ORDER BY length(value) DESC, value LIMIT {_SAID}",
            question,
        )

    def _first(self, sql: str, *given: str) -> list[Any]:
        """The first column of what a query finds."""
        return [row[0] for row in self._db.execute(sql, given).fetchall()]

    def _insert(self, table: str, types: list[str], rows: Iterator[Sequence[Any]], until: float = float("inf")) -> None:
        columns = ", ".join(f"unnest(CAST(? AS {kind}[]))" for kind in types)
        while time.monotonic() < until and (chunk := list(itertools.islice(rows, _CHUNK))):
            # Names of tables hold letters, digits and `_` only.
            self._db.execute(
                f'INSERT INTO "{table}" SELECT {columns}', [list(each) for each in zip(*chunk, strict=True)]
            )

    def query(self, sql: str, limits: Limits, *, placed: bool = False) -> Rows:
        """Run one SELECT (DuckDB). placed: its `places` too. Raises ToolInputError with what the model should know."""
        db, read = self._db, check(self._db, sql, self.columns)
        _one_select(sql)
        started = time.perf_counter()
        db.execute("BEGIN TRANSACTION READ ONLY")
        timer = threading.Timer(limits.seconds, db.interrupt)
        timer.start()
        try:
            try:
                result = db.execute(sql)
                heads = result.description or []
                rows, more = _fetched(result, limits)
                seconds = time.perf_counter() - started
                totals = self._summing(sql, read, rows, limits)
                places = self._places(sql, read, rows, limits) if placed else []
            finally:
                # An interrupt of the ROLLBACK would leave every later query in an aborted transaction.
                timer.cancel()
                timer.join()
                db.execute("ROLLBACK")
        except duckdb.InterruptException:
            raise fault("sql_slow", seconds=limits.seconds) from None
        except (duckdb.OutOfMemoryException, MemoryError):
            raise fault("sql_memory") from None
        except (duckdb.Error, RuntimeError, ValueError, OverflowError) as error:
            raise fault("sql_error", reason=" ".join(str(error).split())[:600]) from None
        partial = [(table.name, table.rows) for table in self.tables if table.cut and table.name.lower() in read]
        names, types = [str(each[0]) for each in heads], [str(each[1]) for each in heads]
        return Rows(sql, names, types, rows, more, seconds, partial, totals, places)

    def _places(self, sql: str, read: Collection[str], rows: list[list[Any]], limits: Limits) -> list[Place]:
        """Where what was read stands in the files, a sheet each."""
        sheets = {name.lower(): each for file in self._files.values() for name, each in file.sheets.items()}
        taken, let, found = dict[str, set[int]](), dict[str, set[int]](), dict[str, set[int]]()
        views = {name: view(each.values()) for name, each in sheets.items()}
        with suppress(duckdb.Error, RuntimeError, ValueError, LookupError):  # The next may fail, which ends all.
            let = {} if sheets.keys().isdisjoint(read) else let_through(self._db, sql, views)
        with suppress(duckdb.Error, RuntimeError, ValueError, LookupError):
            more, names = numbered(self._db, sql, views)
            again, _ = _fetched(self._db.execute(more), limits)
            # What is summed or grouped has no row's number, or comes out otherwise with it.
            if rows and [row[: -len(names)] for row in again] == rows:
                for name, *numbers in zip(names, *(row[-len(names) :] for row in again), strict=True):
                    taken.setdefault(name, set()).update(each for each in numbers if each is not None)
        for name in read:
            for at, sheet in enumerate(sheets.get(name, [name])):
                some = of_sheet(at, taken.get(name, ()))
                if some or (not taken.get(name) and at in (let.get(name) or {at})):
                    found.setdefault(sheet.lower(), set()).update(some)
        return [
            Place(key, table.sheet, file.first[table.name], sorted(found[table.name.lower()]))
            for key, file in self._files.items()
            for table in file.tables
            if table.name.lower() in found
        ]

    def _summing(
        self, sql: str, read: Collection[str], rows: list[list[Any]], limits: Limits
    ) -> list[tuple[str, int, str]]:
        """The tables that were read, each with its rows that sum others and what leaves these out, where the query does
        not name them and gives something else without them."""
        found = []
        for table in self.tables:
            marks = [each for some in table.marks.values() for each in some]
            if not table.totals or table.name.lower() not in read or names_totals(sql, marks):
                continue
            where, own = leaving_out(table.marks), sql.strip().rstrip(";")
            others = f'WITH "{table.name}" AS (SELECT * FROM main."{table.name}" WHERE {where})'  # noqa: S608
            # What names the schema itself would read the table all the same.
            by_schema, without = "main" in sql.casefold(), list[list[Any]]()
            if not by_schema:
                with suppress(duckdb.Error, RuntimeError):
                    without, _ = _fetched(self._db.execute(f"{others} SELECT * FROM (\n{own}\n)"), limits)  # noqa: S608
            if by_schema or sorted(map(repr, without)) != sorted(map(repr, rows)):
                found.append((table.name, table.totals, where))
        return found


def _one_select(sql: str) -> None:
    """Of several statements the engine would run all, also such as end the transaction, whatever `check` says."""
    try:
        statements = duckdb.extract_statements(sql)
    except duckdb.Error as error:
        raise fault("sql_fault", reason=str(error).splitlines()[0]) from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise fault("sql_select")


def _fetched(result: Any, limits: Limits) -> tuple[list[list[Any]], bool]:
    """As many rows as the limits let through, and whether there are more. No more of them are computed."""
    rows: list[list[Any]] = []
    size = 0
    while (row := result.fetchone()) is not None:
        shown = [sent(value, limits.cell) for value in row]
        size += sum(len(each.encode()) if isinstance(each, str) else 8 for each in shown)
        if len(rows) >= limits.rows or size > limits.size:
            return rows, True
        rows.append(shown)
    return rows, False


def _problem(file: dict[str, Any], error: Unreadable) -> dict[str, str]:
    return {"document": file["name"], **error.both()}
