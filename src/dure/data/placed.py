"""Where the rows of a result stand in the files that it was made from."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    # Loaded by the child that runs queries alone.
    import duckdb

_ROW = "rowid"
_SHEET = 1 << 40
"""More rows than a sheet has: their numbers in a table of several sheets count on from each sheet to the next."""


@dataclass(frozen=True, slots=True)
class Place:
    """A table that a query read. `key`: of its file; `first`: the row below the header among the sheet's rows, the
    empty ones left out; `rows`: those of the result, from 0, where each of it is one of the table; else none."""

    key: str
    sheet: str
    first: int
    rows: list[int]


def numbered(
    db: "duckdb.DuckDBPyConnection", sql: str, views: Mapping[str, str], *, sheets: bool = False
) -> tuple[str, list[str]]:
    """A query that gives behind its columns the numbers of the rows that it takes from tables, and the names of these
    in lower case. views: of tables of several sheets, by their names in lower case, SQL of their rows with these
    numbers. sheets: one that gives nothing but the sheets, from 0, of all rows that its conditions let through. Raises
    LookupError where it takes rows from anything else."""
    statement = _read(db, sql)
    node = statement["statements"][0]["node"]
    tables = list(_tables(node["from_table"]))
    if node["type"] != "SELECT_NODE":
        raise LookupError(node["type"])
    names = [each["table_name"].lower() for each in tables]
    if sheets:
        node |= {"select_list": [], "group_expressions": [], "group_sets": [], "modifiers": []}
        node |= {"having": None, "qualify": None}
    for at, each in enumerate(tables):
        column = {"alias": f"n{at}" * sheets, "column_names": [each["alias"] or each["table_name"], _ROW]}
        node["select_list"].append({"class": "COLUMN_REF", "type": "COLUMN_REF", **column})
    if used := [f'"{name}" AS ({views[name]})' for name in dict.fromkeys(names) if name in views]:
        known = _read(db, f"WITH {', '.join(used)} SELECT 1")["statements"][0]["node"]["cte_map"]["map"]
        node["cte_map"]["map"] = [*known, *node["cte_map"]["map"]]
    [(made,)] = db.execute("SELECT json_deserialize_sql(?)", [orjson.dumps(statement).decode()]).fetchall()
    of = ", ".join(f"n{at} // {_SHEET}" for at in range(len(names)))
    return f"SELECT DISTINCT {of} FROM ({str(made).rstrip(';')})" if sheets else str(made), names  # noqa: S608


def let_through(db: "duckdb.DuckDBPyConnection", sql: str, views: Mapping[str, str]) -> dict[str, set[int]]:
    """By the names of tables the sheets, from 0, of which a query's conditions let rows through."""
    more, names = numbered(db, sql, views, sheets=True)
    found = db.execute(more).fetchall()
    return {name: {row[at] for row in found for at, its in enumerate(names) if its == name} for name in names}


def view(sheets: Iterable[tuple[str, str]]) -> str:
    """SQL of several sheets' rows with their numbers; of each what is taken, and from where."""
    each = (f"{taken}, {_ROW} + {at * _SHEET} AS {_ROW} {where}" for at, (taken, where) in enumerate(sheets))
    return " UNION ALL ".join(each)


def of_sheet(at: int, rows: Iterable[int]) -> set[int]:
    """The rows of a sheet, from 0, among those of a table of several."""
    return {row % _SHEET for row in rows if row // _SHEET == at}


def _read(db: "duckdb.DuckDBPyConnection", sql: str) -> Any:
    [(text,)] = db.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()
    return orjson.loads(text)


def _tables(source: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The tables that are read side by side or joined. Raises LookupError for what is none."""
    if source["type"] == "JOIN":
        yield from _tables(source["left"])
        yield from _tables(source["right"])
    elif source["type"] == "BASE_TABLE":
        yield source
    else:
        raise LookupError(source["type"])
