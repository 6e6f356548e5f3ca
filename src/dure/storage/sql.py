"""SQL as text for the few statements that every message needs.

SQLAlchemy puts a statement together anew at each execution, which costs 0.2 ms; as text it costs 0.01. What is asked
seldom stays in SQLAlchemy's own language. Transactions are SQLAlchemy's all the same.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPICursor as Cursor

from dure.messages import json_bytes

Values = Mapping[str, Any]
_LISTED = re.compile(r"IN \(__\[POSTCOMPILE_(\w+)\]\)")


class Sql:
    """A statement with named parameters (`:owner`) that both SQLite and PostgreSQL understand; put together once."""

    def __init__(self, sqlite: str, postgresql: str | None = None) -> None:
        # As psycopg wants them; `::type` is a cast.
        there = re.sub(r"(?<!:):(\w+)", r"%(\1)s", (postgresql or sqlite).replace("%", "%%"))
        self._texts = {"sqlite": _Text(sqlite), "postgresql": _Text(there)}
        self._statement: sa.Select[Any] | None = None

    @classmethod
    def of(cls, statement: "sa.Select[Any]") -> "Sql":
        """A statement in SQLAlchemy's language, with `sa.bindparam` for values and `listed` for lists of them.

        Types are the driver's: on SQLite a boolean is 0 or 1.
        """
        made = cls("")
        made._texts, made._statement = {}, statement
        return made

    def run(self, connection: sa.Connection, values: Values | list[Values]) -> Cursor:
        """Execute it with these values, or once with each of them, on the driver itself: values go there as they are.
        Raises what SQLAlchemy would."""
        dialect = connection.dialect
        text = self._texts.get(dialect.name) or self._put_together(dialect)
        cursor = connection.connection.cursor()
        try:
            if isinstance(values, list):
                cursor.executemany(text.text, values)
            else:
                cursor.execute(text.text, text.given(values))
        except dialect.loaded_dbapi.Error as error:
            raise _told(error, text.text, connection, cursor) from error
        return cursor

    def one(self, connection: sa.Connection, values: Values) -> tuple[Any, ...]:
        """The first row it finds, where there is always one."""
        row: tuple[Any, ...] = self.run(connection, values).fetchall()[0]
        return row

    def rows(self, connection: sa.Connection, values: Values) -> list[dict[str, Any]]:
        """What it finds, by the columns' names."""
        cursor = self.run(connection, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def _put_together(self, dialect: sa.Dialect) -> "_Text":
        assert self._statement is not None
        style: Any = {"paramstyle": "named" if dialect.name == "sqlite" else "pyformat"}
        compiled = self._statement.compile(dialect=type(dialect)(**style))
        fixed = {name: value for name, value in compiled.params.items() if value is not None}
        lists = _LISTED.findall(compiled.string)
        many = "= ANY(%({})s)" if dialect.name == "postgresql" else "IN (SELECT value FROM json_each(:{}))"
        text = _LISTED.sub(lambda found: many.format(found[1]), compiled.string)
        made = _Text(text, fixed, lists if dialect.name == "sqlite" else [])
        self._texts[dialect.name] = made
        return made


@dataclass(slots=True, frozen=True)
class _Text:
    """A statement as a driver takes it. `fixed`: values that stand in it; `lists`: parameters that go as JSON."""

    text: str
    fixed: Values = field(default_factory=dict)
    lists: Sequence[str] = ()

    def given(self, values: Values) -> Values:
        as_json = {name: orjson.dumps(values[name]).decode() for name in self.lists}
        return {**self.fixed, **values, **as_json} if self.fixed or as_json else values


def listed(name: str) -> "sa.BindParameter[Any]":
    """A list of values in a statement for `Sql.of`: `column.in_(listed("ids"))`."""
    return sa.bindparam(name, expanding=True)


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
    """JSON as stored: see `json_bytes`."""
    return json_bytes(value).decode()


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
