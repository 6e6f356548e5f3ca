"""What SQLAlchemy's language lacks: lists of any length, inserts that may find their row, less work for what is asked
all the time.

A statement is built once, where its module is imported, and gets its values by name (`sa.bindparam`) when it is
executed. SQLAlchemy keeps what it has compiled: an execution costs 0.03 ms of CPU more than the driver's own, where a
statement that is built anew costs 0.2 more.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPICursor as Cursor
from sqlalchemy.ext.compiler import compiles

from dure.messages import json_bytes

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

Values = Mapping[str, Any]


def dumps(value: Any) -> str:
    """JSON as stored: see `json_bytes`."""
    return json_bytes(value).decode()


class among(sa.sql.functions.FunctionElement[bool]):
    """Whether `column` is one of a list: `among(column, [1, 2])`, or `among(column, "ids")` with `ids` given at each
    execution. The list goes to the database as one value: whatever its length, the statement is the same."""

    name = "among"
    type = sa.Boolean()
    inherit_cache = True

    def __init__(self, column: sa.ColumnElement[Any], values: str | Iterable[Any]) -> None:
        kind = sa.JSON().with_variant(sa.ARRAY(column.type), "postgresql")
        given = {"key": values} if isinstance(values, str) else {"key": None, "value": list(values), "unique": True}
        super().__init__(column, sa.bindparam(**given, type_=kind))

    def self_group(self, against: Any = None) -> "among":
        """As it is: SQLAlchemy would write `… = 1` for SQLite, which then reads the whole table."""
        return self


@compiles(among)
def _among(element: among, compiler: Any, **options: Any) -> str:
    column, values = (compiler.process(each, **options) for each in element.clauses)
    if compiler.dialect.name == "postgresql":
        return f"{column} = ANY ({values})"
    return f"{column} IN (SELECT value FROM json_each({values}))"  # noqa: S608


def insert(connection: sa.Connection, table: sa.Table) -> "sqlite.Insert | postgresql.Insert":
    """An insert that can say what to do where the row is there: `on_conflict_do_nothing`, `on_conflict_do_update`.
    SQLAlchemy compiles it anew at each execution."""
    dialect: Any = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")
    made: sqlite.Insert | postgresql.Insert = dialect.insert(table)
    return made


def upsert(connection: sa.Connection, table: sa.Table, key: Values, values: Values) -> None:
    """Store `values` under `key`, which is unique, in place of what is there."""
    new = insert(connection, table).values(**key, **values)
    connection.execute(new.on_conflict_do_update(index_elements=list(key), set_=values))


def count_up(connection: sa.Connection, table: sa.Table, owner: str) -> None:
    """Raise an owner's `version` in a table of versions by one."""
    new = insert(connection, table).values(owner=owner, version=1)
    connection.execute(new.on_conflict_do_update(index_elements=["owner"], set_={"version": table.c.version + 1}))


def rows(connection: sa.Connection, query: sa.Select[Any], values: Values | None = None) -> list[dict[str, Any]]:
    """What a query finds, by the columns' names. values: of its parameters."""
    return [dict(row) for row in connection.execute(query, values).mappings()]


class Prepared:
    """A statement that every message needs: compiled once for each database, executed on the driver's own cursor.

    SQLAlchemy's execution costs two to five times as much, which would be a tenth of a run's CPU. Values go in as their
    types say; what is found is as the driver gives it: JSON as text, on SQLite a boolean as 0 or 1.
    """

    def __init__(self, statement: sa.Executable) -> None:
        self._statement: Any = statement
        self._compiled: dict[tuple[str, ...], tuple[str, Callable[[Values], Values]]] = {}

    def run(self, connection: sa.Connection, values: Values | list[Values]) -> Cursor:
        """Execute it with these values, or once with each of them, which all have the same names: those that stand in
        the statement and, of an insert or update, of columns that get a value. Raises what SQLAlchemy would."""
        key = (connection.dialect.name, *(values[0] if isinstance(values, list) else values))
        if key not in self._compiled:
            self._compiled[key] = _compiled(self._statement, connection.dialect, key[1:])
        text, given = self._compiled[key]
        cursor = connection.connection.cursor()
        try:
            if isinstance(values, list):
                cursor.executemany(text, [given(each) for each in values])
            else:
                cursor.execute(text, given(values))
        except connection.dialect.loaded_dbapi.Error as error:
            raise _told(error, text, connection, cursor) from error
        return cursor

    def rows(self, connection: sa.Connection, values: Values) -> list[dict[str, Any]]:
        """What it finds, by the columns' names."""
        cursor = self.run(connection, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _compiled(statement: Any, dialect: sa.Dialect, names: Sequence[str]) -> tuple[str, Callable[[Values], Values]]:
    """A statement as a driver takes it, and what makes its values of those given: as types say."""
    compiled = statement.compile(dialect=dialect, column_keys=names)
    fixed = {name: value for name, value in compiled.params.items() if value is not None}
    types = {name: bind.type.dialect_impl(dialect) for name, bind in compiled.binds.items()}
    made = {name: type.bind_processor(dialect) for name, type in types.items()}
    processors = [(name, process) for name, process in made.items() if process]

    def given(values: Values) -> Values:
        if not fixed and not processors:
            return values
        return {**fixed, **values, **{name: process(values[name]) for name, process in processors}}

    return compiled.string, given


def _told(error: Any, text: str, connection: sa.Connection, cursor: Cursor) -> BaseException:
    dialect = connection.dialect
    lost = dialect.is_disconnect(error, connection.connection.dbapi_connection, cursor)
    if lost:
        connection.invalidate(error)
    told: BaseException = sa.exc.DBAPIError.instance(
        text, None, error, dialect.loaded_dbapi.Error, connection_invalidated=lost, dialect=dialect
    )
    return told
