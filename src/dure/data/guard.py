"""Which SQL may run: one query over the owner's own tables, and nothing that reaches beyond them.

The first of three walls. The second is the engine: no external access, locked configuration, a read-only transaction.
The third is the process: a limit on memory, and its end when time is up.
"""

import re
from collections.abc import Collection
from typing import Any

from dure.data.sql import check_text, function_name, one_query, refused
from dure.errors import ToolInputError

_SOURCES = frozenset({"unnest", "range", "generate_series"})
"""Functions that may stand where a table does."""
_FORBIDDEN = re.compile(
    r"(read|write|scan|sniff|parquet|duckdb|pragma|sqlite|pg|json_(execute|serialize|deserialize)|copy|load|install"
    r"|attach|enable|disable|set|test|http|python|arrow|pandas|current_setting|which|has)_\w*"
    r"|\w+_scan|glob|query|query_table|getenv|getvariable|current_setting|checkpoint|force_checkpoint|nextval|currval"
    r"|setseed|sql_auto_complete|from_substrait\w*|add_parquet_key|summary|repeat_row"
)
NO_NAMES = frozenset({"alter", "between", "cube", "drop", "force", "grant", "if", "insert"})
NO_NAMES |= {"install", "lock", "map", "revoke", "rollback", "rollup", "values"}
"""Names that DuckDB takes without quotes and the parser does not, at least in some places."""
_SYSTEM = re.compile(r"(duckdb|pragma|sqlite|pg|information)_\w*")


def check(sql: str, tables: Collection[str]) -> None:
    """Raises ToolInputError for anything but one SELECT over `tables`."""
    check_text(sql)
    _check_engines_view(sql)
    tree = one_query(sql, "duckdb")
    from sqlglot import exp

    ctes = {each.alias_or_name.casefold() for each in tree.find_all(exp.CTE)}
    known = {each.casefold() for each in tables}
    for name in ctes:
        if _SYSTEM.fullmatch(name):
            raise refused(f"WITH 이름 {name}은 쓸 수 없습니다", f"{name} cannot be used as a WITH name")
    forbidden = (exp.DML, exp.DDL, exp.Into, exp.Command, exp.Pragma, exp.Set, exp.Attach, exp.Parameter)
    for node in tree.walk():
        if isinstance(node, exp.Placeholder) or (isinstance(node, forbidden) and not isinstance(node, exp.Query)):
            raise refused("SELECT 조회만 할 수 있습니다", "only a SELECT query is accepted")
        if isinstance(node, exp.Table):
            _check_source(node, known | ctes, tables)
        elif isinstance(node, exp.Func):
            name = function_name(node)
            if _FORBIDDEN.fullmatch(name):
                raise refused(f"함수 {name}은(는) 쓸 수 없습니다", f"the function {name} cannot be used")


def _check_engines_view(sql: str) -> None:
    """DuckDB's own parser must see one SELECT too: two parsers may differ."""
    import duckdb

    try:
        statements = duckdb.extract_statements(sql)
    except duckdb.Error as error:
        text = str(error).splitlines()[0]
        raise ToolInputError(ko=f"SQL 문법 오류: {text}", en=f"SQL syntax error: {text}") from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise refused("SELECT 문 하나만 실행할 수 있습니다", "exactly one SELECT statement is accepted")


def _check_source(table: Any, known: Collection[str], tables: Collection[str]) -> None:
    from sqlglot import exp

    if isinstance(table.this, exp.Func):
        name = function_name(table.this)
        if name not in _SOURCES:
            raise refused(f"FROM에서 {name}(…)은 쓸 수 없습니다", f"{name}(…) cannot be read from")
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
