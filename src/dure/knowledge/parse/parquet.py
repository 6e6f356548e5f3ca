"""Parquet files: typed columns, read by a DuckDB that can open this one file and nothing else."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any

from dure.knowledge.parse import table
from dure.knowledge.parse.parsed import Page, Parsed
from dure.knowledge.parse.problems import Unreadable

_ENCRYPTED = b"PARE"
_MAX_CELL = 1_000_000
_CHUNK = 5_000
CONFIG: dict[str, Any] = {
    "allow_community_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    # Else a name in a query could be a variable of this program.
    "python_enable_replacements": "false",
    "memory_limit": "768MB",
    "temp_directory": "",
    "threads": "1",
}
"""Of a DuckDB that loads nothing, and whose bounds are those of a child process."""


def parse(data: bytes) -> Parsed:
    """The columns with their types, then one line a row."""
    with opened(data) as (columns, found):
        types = " | ".join(f"{name} ({kind})" for name, kind in columns)
        rows = ([cell or "" for cell in row] for row in found)
        header = [name for name, _ in columns][: table.MAX_COLUMNS]
        return Parsed([Page(None, "\n".join([types, *table.lines(rows, header=header)]))])


@contextlib.contextmanager
def opened(data: bytes) -> Iterator[tuple[list[tuple[str, str]], Iterator[tuple[str | None, ...]]]]:
    """A file's columns as (name, SQL type of DuckDB), and its rows, once through, each value as SQL writes it, None for
    null. Raises Unreadable; while rows are read, whatever DuckDB raises for a damaged file."""
    import duckdb

    if data[-4:] == _ENCRYPTED:
        raise Unreadable("encrypted")
    with _on_disk(data) as path, contextlib.closing(_walled(path)) as db:
        try:
            source = "read_parquet($path, hive_partitioning = false)"
            described = db.execute(f"DESCRIBE SELECT * FROM {source}", {"path": path}).fetchall()  # noqa: S608
            columns = [(str(name), str(kind)) for name, kind, *_ in described]
            shown = ", ".join(_as_text(f'"{name.replace(chr(34), chr(34) * 2)}"', kind) for name, kind in columns)
            result = db.execute(f"SELECT {shown} FROM {source}", {"path": path})  # noqa: S608
            yield columns, chain.from_iterable(iter(partial(result.fetchmany, _CHUNK), []))
        except duckdb.OutOfMemoryException as error:
            raise Unreadable("memory") from error
        except duckdb.Error as error:
            raise Unreadable("encrypted" if "encrypted" in str(error).casefold() else "broken") from error


def _walled(path: str) -> Any:
    """A database that reads `path` and no other file, and no network."""
    import duckdb

    db = duckdb.connect(":memory:", config=CONFIG)
    db.execute("SET allowed_paths = [$path]", {"path": path})
    db.execute("SET enable_external_access = false")
    db.execute("SET TimeZone = 'UTC'")
    db.execute("SET lock_configuration = true")
    return db


def _as_text(column: str, kind: str) -> str:
    if kind == "BLOB":
        return f"'[' || octet_length({column}) || ' bytes]'"
    if kind in ("VARCHAR", "JSON") or kind.endswith("]") or kind.startswith(("STRUCT(", "MAP(", "UNION(")):
        return f"left(CAST({column} AS VARCHAR), {_MAX_CELL})"
    return f"CAST({column} AS VARCHAR)"


@contextlib.contextmanager
def _on_disk(data: bytes) -> Iterator[str]:
    """A path under which `data` can be read: DuckDB opens files by name only."""
    if hasattr(os, "memfd_create"):
        # Gone with the process, whatever ends it.
        with os.fdopen(os.memfd_create("parquet"), "wb") as file:
            file.write(data)
            file.flush()
            yield f"/proc/self/fd/{file.fileno()}"
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.parquet")
        with open(path, "wb") as file:
            file.write(data)
        yield path
