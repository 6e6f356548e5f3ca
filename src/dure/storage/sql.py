"""SQL as text for the few statements that every message needs.

SQLAlchemy puts a statement together anew at each execution, which costs 0.2 ms; as text it costs 0.01. What is asked
seldom stays in SQLAlchemy's own language. Transactions are SQLAlchemy's all the same.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPICursor as Cursor

Values = Mapping[str, Any]


class Sql:
    """A statement with named parameters (`:owner`) that both SQLite and PostgreSQL understand."""

    def __init__(self, sqlite: str, postgresql: str | None = None) -> None:
        self._texts = {
            "sqlite": sqlite,
            # As psycopg wants them; `::type` is a cast.
            "postgresql": re.sub(r"(?<!:):(\w+)", r"%(\1)s", postgresql or sqlite),
        }

    def run(self, connection: sa.Connection, values: Values | list[Values]) -> Cursor:
        """Execute it with these values, or once with each of them, on the driver itself: values go there as they are.
        Raises what SQLAlchemy would."""
        dialect, text = connection.dialect, self._texts[connection.dialect.name]
        cursor = connection.connection.cursor()
        try:
            if isinstance(values, list):
                cursor.executemany(text, values)
            else:
                cursor.execute(text, values)
        except dialect.loaded_dbapi.Error as error:
            raise _told(error, text, connection, cursor) from error
        return cursor


def _told(error: Any, text: str, connection: sa.Connection, cursor: Cursor) -> BaseException:
    dialect = connection.dialect
    lost = dialect.is_disconnect(error, connection.connection.dbapi_connection, cursor)
    if lost:
        connection.invalidate(error)
    told: BaseException = sa.exc.DBAPIError.instance(
        text, None, error, dialect.loaded_dbapi.Error, connection_invalidated=lost, dialect=dialect
    )
    return told


def dumps(value: Any) -> str:
    """JSON as stored."""
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def put(connection: sa.Connection, table: sa.Table, rows: Sequence[Values]) -> None:
    """Insert rows, which all have the same columns."""
    columns = tuple(rows[0])
    statement = _insert(table, columns)
    json = _json(table, columns)
    given = [_dumped(row, json) for row in rows] if json else list(rows)
    statement.run(connection, given[0] if len(given) == 1 else given)


def change(connection: sa.Connection, table: sa.Table, where: Values, values: Values) -> int:
    """Give the rows whose columns equal `where` new values; how many they were. The two share no column."""
    statement = _update(table, tuple(where), tuple(values))
    return statement.run(connection, {**_renamed(where), **_dumped(values, _json(table, tuple(values)))}).rowcount


@cache
def _insert(table: sa.Table, columns: tuple[str, ...]) -> Sql:
    names = ", ".join(f'"{table.c[name].name}"' for name in columns)
    return Sql(f"INSERT INTO {table.name} ({names}) VALUES ({', '.join(f':{name}' for name in columns)})")  # noqa: S608


@cache
def _update(table: sa.Table, where: tuple[str, ...], columns: tuple[str, ...]) -> Sql:
    new = ", ".join(f'"{table.c[name].name}" = :{name}' for name in columns)
    old = " AND ".join(f'"{table.c[name].name}" = :old_{name}' for name in where)
    return Sql(f"UPDATE {table.name} SET {new} WHERE {old}")  # noqa: S608


@cache
def _json(table: sa.Table, columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in columns if isinstance(table.c[name].type, sa.JSON))


def _renamed(where: Values) -> dict[str, Any]:
    return {f"old_{name}": value for name, value in where.items()}


def _dumped(row: Values, json: tuple[str, ...]) -> Values:
    return {**row, **{name: None if row[name] is None else dumps(row[name]) for name in json}}
