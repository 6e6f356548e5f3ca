"""Which SQL may run: one query over the owner's own tables, and nothing that reaches beyond them.

The first of three walls. The second is the engine: no external access, locked configuration, a read-only transaction.
The third is the process: a limit on memory, and its end when time is up.
"""

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from dure.errors import ToolInputError

if TYPE_CHECKING:
    from sqlglot import exp

MAX_SQL_CHARS = 10_000

_SOURCES = frozenset({"unnest", "range", "generate_series"})
"""Functions that may stand where a table does."""
_FORBIDDEN = re.compile(
    r"(read|write|scan|sniff|parquet|duckdb|pragma|sqlite|pg|json_(execute|serialize|deserialize)|copy|load|install"
    r"|attach|enable|disable|set|test|http|python|arrow|pandas|current_setting|which|has)_\w*"
    r"|\w+_scan|glob|query|query_table|getenv|getvariable|current_setting|checkpoint|force_checkpoint|nextval|currval"
    r"|setseed|sql_auto_complete|from_substrait\w*|add_parquet_key|summary|repeat_row"
)
_SYSTEM = re.compile(r"(duckdb|pragma|sqlite|pg|information)_\w*")


def check(sql: str, tables: Collection[str]) -> None:
    """Raises ToolInputError for anything but one SELECT over `tables`."""
    if len(sql) > MAX_SQL_CHARS:
        raise _refused(f"SQL은 {MAX_SQL_CHARS}자까지입니다", f"SQL is limited to {MAX_SQL_CHARS} characters")
    if "\0" in sql:
        raise _refused("SQL에 NUL 문자가 있습니다", "the SQL holds a NUL character")
    _check_engines_view(sql)
    tree = _parsed(sql)
    from sqlglot import exp

    ctes = {each.alias_or_name.casefold() for each in tree.find_all(exp.CTE)}
    known = {each.casefold() for each in tables}
    for name in ctes:
        if _SYSTEM.fullmatch(name):
            raise _refused(f"WITH 이름 {name}은 쓸 수 없습니다", f"{name} cannot be used as a WITH name")
    forbidden = (exp.DML, exp.DDL, exp.Into, exp.Command, exp.Pragma, exp.Set, exp.Attach, exp.Parameter)
    for node in tree.walk():
        if isinstance(node, exp.Placeholder) or (isinstance(node, forbidden) and not isinstance(node, exp.Query)):
            raise _refused("SELECT 조회만 할 수 있습니다", "only a SELECT query is accepted")
        if isinstance(node, exp.Table):
            _check_source(node, known | ctes, tables)
        elif isinstance(node, exp.Func):
            name = _function_name(node)
            if _FORBIDDEN.fullmatch(name):
                raise _refused(f"함수 {name}은(는) 쓸 수 없습니다", f"the function {name} cannot be used")


def _check_engines_view(sql: str) -> None:
    """DuckDB's own parser must see one SELECT too: two parsers may differ."""
    import duckdb

    try:
        statements = duckdb.extract_statements(sql)
    except duckdb.Error as error:
        text = str(error).splitlines()[0]
        raise ToolInputError(ko=f"SQL 문법 오류: {text}", en=f"SQL syntax error: {text}") from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise _refused("SELECT 문 하나만 실행할 수 있습니다", "exactly one SELECT statement is accepted")


def _parsed(sql: str) -> "exp.Query":
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        trees = [tree for tree in sqlglot.parse(sql, read="duckdb") if tree is not None]
    except (SqlglotError, RecursionError):
        raise _refused(
            "SQL을 이해할 수 없습니다. 더 단순하게 써 주세요", "the SQL is not understood; write it more simply"
        ) from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise _refused("SELECT 문 하나만 실행할 수 있습니다", "exactly one SELECT statement is accepted")
    return trees[0]


def _check_source(table: Any, known: Collection[str], tables: Collection[str]) -> None:
    from sqlglot import exp

    if isinstance(table.this, exp.Func):
        name = _function_name(table.this)
        if name not in _SOURCES:
            raise _refused(f"FROM에서 {name}(…)은 쓸 수 없습니다", f"{name}(…) cannot be read from")
        return
    place = {table.db.casefold(), table.catalog.casefold()}
    if (
        not isinstance(table.this, exp.Identifier)
        or not place <= {"", "main", "memory"}
        or table.name.casefold() not in known
    ):
        names = ", ".join(sorted(tables)) or "–"
        raise ToolInputError(
            ko=f"'{table.name}' 표가 없습니다. 있는 표: {names}",
            en=f"There is no table '{table.name}'. Tables: {names}",
        )


def _function_name(node: Any) -> str:
    from sqlglot import exp

    name = node.name if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc) else node.sql_name()
    return str(name).casefold()


def _refused(ko: str, en: str) -> ToolInputError:
    return ToolInputError(ko=f"실행하지 않았습니다: {ko}.", en=f"Not run: {en}.")
