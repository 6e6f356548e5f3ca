"""The first wall: which SQL over papers may run, by what a parser sees. It knows nothing but what is allowed.

What runs is not the model's text but the text written anew from the tree; that text is read again, and it is this
second tree that is checked. The second wall is `sql_engine`, which holds without this one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from dure.data.sql import check_text, not_understood, one_query, refused
from dure.errors import ToolInputError
from dure.packs.papers.tools.sql_tables import FUNCTIONS, MAX_ROWS, TABLES

if TYPE_CHECKING:
    from sqlglot import exp

MAX_NESTING = 30
"""Parentheses within one another."""
_MAX_TYPE_NESTING = 4
"""The parser tries a word that may be a type (`date(…)`) twice, so its time doubles with each level of them."""
_MAX_NODES = 3_000
_MAX_NAME = 64
_ROUNDS = 3

_KINDS = (
    "Select From Table TableAlias Column Identifier Alias Star Where Group Having Order Ordered Limit Offset Join With "
    "CTE Subquery Union Intersect Except Distinct Tuple Values Literal Null Boolean Paren Case Cast DataType And Or "
    "Not EQ NEQ GT GTE LT LTE Is In Between Like Glob Escape NullSafeEQ NullSafeNEQ Exists Add Sub Mul Div Mod Neg "
    "DPipe Collate Var Window WindowSpec Filter CurrentDate CurrentTime CurrentTimestamp"
)
_TABLE_ARGS = frozenset({"this", "alias", "joins"})
_COLLATIONS = frozenset({"nocase", "binary", "rtrim"})
_CALL = re.compile(r"([A-Za-z_]\w*)\(", re.ASCII)
_SYSTEM = re.compile(r"(sqlite|pragma|fts|json|pg|information)_.*|dbstat|sqlite|bytecode|tables_used|temp|main", re.I)


@dataclass(frozen=True, slots=True)
class Checked:
    """`sql`: what to run. `names`: what WITH defines in it. `limited`: its LIMIT is ours, not the model's."""

    sql: str
    names: frozenset[str]
    limited: bool


def checked(sql: str, limit: int = MAX_ROWS) -> Checked:
    """`sql` written anew, with a LIMIT of at most `limit` rows.

    Raises ToolInputError for anything but one SELECT over `TABLES` with `FUNCTIONS`.
    """
    check_text(sql)
    try:
        return _checked(sql, limit)
    except (ToolInputError, MemoryError):
        raise
    except Exception:
        # What a parser does with text that nobody meant it for is anybody's guess.
        raise not_understood() from None


def _checked(sql: str, limit: int) -> Checked:
    _check_nesting(sql)
    first = _without_outer_parentheses(one_query(sql, "sqlite"))
    limited = _put_limit(first, limit)
    text = _written(first)
    for _ in range(_ROUNDS):
        tree = one_query(text, "sqlite")
        again = _written(tree)
        if again == text:
            break
        text = again
    else:
        raise not_understood()
    # The text is what will run, and `tree` is exactly what it says.
    names = _check_nodes(tree)
    _check_columns(tree)
    return Checked(text, names, limited)


def _written(tree: "exp.Query") -> str:
    from sqlglot.errors import ErrorLevel

    # Nothing is left out quietly.
    return tree.sql("sqlite", comments=False, unsupported_level=ErrorLevel.RAISE)


@cache
def _type_tokens() -> frozenset[Any]:
    from sqlglot.dialects.sqlite import SQLite

    return frozenset(SQLite.Parser.TYPE_TOKENS)


def _check_nesting(sql: str) -> None:
    """Keeps from the parser what would take it very long."""
    from sqlglot import TokenType
    from sqlglot.dialects.sqlite import SQLite

    tokens = SQLite().tokenize(sql)
    opened: list[bool] = []
    before = None
    for token in tokens:
        if token.token_type in (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE):
            opened.append(before is not None and before.token_type in _type_tokens())
            if len(opened) > MAX_NESTING or sum(opened) > _MAX_TYPE_NESTING:
                raise refused("괄호가 너무 깊습니다. WITH로 나누어 쓰세요", "the parentheses are too deep; use WITH")
        elif token.token_type in (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE) and opened:
            opened.pop()
        before = token


def _without_outer_parentheses(tree: "exp.Query") -> "exp.Query":
    """SQLite takes no parentheses around a whole query or around the parts of a UNION."""
    from sqlglot import exp

    while isinstance(tree, exp.Subquery) and isinstance(tree.this, exp.Query) and _bare(tree):
        tree = tree.this
    parts = [tree]
    while parts:
        part = parts.pop()
        if not isinstance(part, exp.SetOperation):
            continue
        for side in ("this", "expression"):
            inner = part.args.get(side)
            if isinstance(inner, exp.Subquery) and _bare(inner) and isinstance(inner.this, exp.Query):
                # One with an order and a limit of its own becomes SELECT * FROM (…).
                own = any(inner.this.args.get(key) for key in ("order", "limit", "offset", "with", "with_"))
                plain = isinstance(inner.this, exp.Select) and not own
                part.set(side, inner.this if plain else exp.select("*").from_(inner.copy()))
            parts.append(part.args[side])
    return tree


def _bare(tree: "exp.Subquery") -> bool:
    return not any(value for key, value in tree.args.items() if key != "this")


def _put_limit(tree: "exp.Query", limit: int) -> bool:
    """True where the LIMIT is ours."""
    from sqlglot import exp

    own = tree.args.get("limit")
    count = own.args.get("count" if isinstance(own, exp.Fetch) else "expression") if own is not None else None
    if own is not None and not (isinstance(count, exp.Literal) and not count.is_string and count.name.isdecimal()):
        raise refused("LIMIT에는 수를 쓰세요", "LIMIT takes a plain number")
    if count is not None and int(count.name) <= limit:
        return False
    tree.set("limit", exp.Limit(expression=exp.Literal.number(limit)))
    return True


@cache
def _nodes() -> frozenset[type]:
    from sqlglot import exp

    return frozenset(getattr(exp, name) for name in _KINDS.split())


def _check_nodes(tree: "exp.Query") -> frozenset[str]:
    """Every node of the tree is of a known kind. Returns the names that WITH defines."""
    from sqlglot import exp

    names = _with_names(tree)
    for count, node in enumerate(tree.walk()):
        if count > _MAX_NODES:
            raise refused("SQL이 너무 깁니다", "the SQL is too long")
        kind = type(node)
        if isinstance(node, exp.Identifier):
            _check_identifier(node.name)
        if isinstance(node, exp.Table):
            _check_table(node, names)
        elif isinstance(node, exp.With) and node.args.get("recursive"):
            raise _recursive()
        elif isinstance(node, exp.Collate):
            if node.expression.name.casefold() not in _COLLATIONS:
                raise refused("COLLATE는 NOCASE만 쓸 수 있습니다", "COLLATE takes NOCASE only")
        elif isinstance(node, exp.DataType) and node.this == exp.DataType.Type.USERDEFINED:
            raise refused("CAST에 쓸 수 없는 형식입니다", "that type cannot be used in CAST")
        elif kind in _nodes() or (isinstance(node, exp.If) and isinstance(node.parent, exp.Case)):
            continue
        elif isinstance(node, exp.Func):
            _check_function(node)
        else:
            word = kind.__name__
            raise refused(f"SQL의 {word} 표현은 쓸 수 없습니다", f"{word} cannot be used in this SQL")
    return names


def _with_names(tree: "exp.Query") -> frozenset[str]:
    from sqlglot import exp

    names: set[str] = set()
    for each in tree.find_all(exp.CTE):
        name = each.alias
        folded = name.casefold()
        if folded in TABLES or folded in names or _SYSTEM.fullmatch(name) or not name:
            raise refused(f"WITH 이름 {name}은(는) 쓸 수 없습니다", f"{name} cannot be used as a WITH name")
        if any(table.name.casefold() == folded for table in each.this.find_all(exp.Table)):
            raise _recursive()
        names.add(folded)
    return frozenset(names)


def _recursive() -> ToolInputError:
    return refused("재귀 조회는 쓸 수 없습니다", "a recursive query cannot be used")


def _check_identifier(name: str) -> None:
    if not name or len(name) > _MAX_NAME or not name.isprintable() or '"' in name:
        raise refused("쓸 수 없는 이름이 있습니다", "it holds a name that cannot be used")


def _check_table(table: "exp.Table", names: frozenset[str]) -> None:
    from sqlglot import exp

    known = ", ".join(TABLES)
    plain = isinstance(table.this, exp.Identifier) and not any(
        value for key, value in table.args.items() if key not in _TABLE_ARGS
    )
    # `casefold` would take a long s or a Kelvin sign for a letter; SQLite folds ASCII only.
    if not plain or not (_is_table(table.name) or table.name.casefold() in names):
        name = table.this.sql("sqlite") if not isinstance(table.this, exp.Identifier) else table.sql("sqlite")
        raise ToolInputError(
            ko=f"실행하지 않았습니다: '{name[:_MAX_NAME]}'은(는) 읽을 수 없습니다. 있는 표: {known}",
            en=f"Not run: '{name[:_MAX_NAME]}' cannot be read. Tables: {known}",
        )


def _is_table(name: str) -> bool:
    return name.isascii() and name.lower() in TABLES


def _check_function(node: "exp.Func") -> None:
    """By the name it is written with: that is the one the engine will call."""
    from sqlglot import exp

    written = node.sql("sqlite", comments=False)
    inner = node.args.get("this")
    if isinstance(inner, exp.Expression) and written == inner.sql("sqlite", comments=False):
        return  # the parser's own note about a type; nothing of it is written
    call = _CALL.match(written)
    name = call[1].lower() if call else written.split("(")[0][:_MAX_NAME]
    if name not in FUNCTIONS:
        raise refused(f"함수 {name}은(는) 쓸 수 없습니다", f"the function {name} cannot be used")


def _check_columns(tree: "exp.Query") -> None:
    """Every column is one of a table or of a part of the query; none is left to be guessed."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer.qualify import qualify

    try:
        # On a copy: it also rewrites, which is not needed.
        qualified = qualify(tree.copy(), schema=dict(TABLES), dialect="sqlite")
        for column, table in _columns_of_tables(qualified):
            if column.name.lower() not in TABLES[table]:
                raise _no_column(f"{table}.{column.name}")
    except SqlglotError as error:
        found = re.search(r"[Cc]olumn:? ['\"]*([^'\"]+)", str(error))
        raise _no_column(found[1] if found else str(error).splitlines()[0]) from None
    if any(isinstance(star.parent, exp.Select) for star in qualified.find_all(exp.Star)):
        raise not_understood()


def _columns_of_tables(tree: Any) -> "Iterator[tuple[exp.Column, str]]":
    from sqlglot import exp
    from sqlglot.optimizer.scope import traverse_scope

    for scope in traverse_scope(tree):
        for column in scope.columns:
            source = scope.sources.get(column.table)
            if isinstance(source, exp.Table):
                yield column, source.name.lower()


def _no_column(name: str) -> ToolInputError:
    name = name[:_MAX_NAME]
    known = "; ".join(f"{table}({', '.join(columns)})" for table, columns in TABLES.items())
    return ToolInputError(
        ko=f"실행하지 않았습니다: 열 '{name}'이(가) 없거나 어느 표의 것인지 분명하지 않습니다. "
        f"글자 값은 작은따옴표로 쓰세요. 있는 열: {known}",
        en=f"Not run: there is no column '{name}', or it is not clear whose it is. "
        f"Text takes single quotes. Columns: {known}",
    )
