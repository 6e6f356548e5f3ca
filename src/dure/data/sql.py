"""A model's SQL as sqlglot reads it: one query, and the names of what it calls."""

from collections.abc import Iterator
from itertools import pairwise

import sqlglot
from sqlglot import Dialect, TokenType, exp

from dure.data.faults import fault
from dure.data.limits import MAX_NESTING, MAX_SQL_CHARS, MAX_TYPE_NESTING
from dure.errors import ToolInputError

_WORDS = """
    all and anti any array as asc at bernoulli between bit bpchar by case cast char columns cube decimal desc
    distinct else escape except exclude exists extract filter from glob group having ignore ilike in include
    intersect into is join lateral like limit map materialized name not nulls numeric offset on operator or order
    over partition pivot qualify range recursive rename replace reservoir respect rollup row rows sample select
    semi sets similar string struct system tablesample text then time timestamp to try_cast union unpivot using
    values varchar when where with within
"""
"""Words of the language that may stand before a parenthesis and call no function, or one of its own syntax."""
_BEFORE_PARENTHESES = frozenset(_WORDS.split())


def one_query(sql: str) -> exp.Query:
    """The tree of the one query in `sql`.

    Raises ToolInputError for anything else, and for text that is too long or deep or that an engine could read in
    part only.
    """
    if len(sql) > MAX_SQL_CHARS:
        raise fault("sql_long", most=MAX_SQL_CHARS)
    if "\0" in sql:
        raise fault("sql_nul")
    try:
        _check_nesting(sql)
        trees = [tree for tree in sqlglot.parse(sql, read="duckdb") if tree is not None]
    except (ToolInputError, MemoryError):
        raise
    except Exception:
        # What a parser does with text that nobody meant it for is anybody's guess.
        raise fault("sql_unread") from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise fault("sql_select")
    return trees[0]


def _check_nesting(sql: str) -> None:
    """Keeps from the parser what would take it very long."""
    read = Dialect.get_or_raise("duckdb")
    types = read.parser_class.TYPE_TOKENS
    opened: list[bool] = []
    before = None
    for token in read.tokenize(sql):
        if token.token_type in (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE):
            opened.append(before is not None and before.token_type in types)
            if len(opened) > MAX_NESTING or sum(opened) > MAX_TYPE_NESTING:
                raise fault("sql_deep")
        elif token.token_type in (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE) and opened:
            opened.pop()
        before = token


def called(sql: str, tree: exp.Expr) -> Iterator[str]:
    """The names of the functions that `sql` calls, in lower case: of all words before a parenthesis those that are
    neither the language's own nor the name of a part of the query with its columns, as in `t(a, b)`."""
    functions = {each.name.lower() for each in tree.find_all(exp.Anonymous, exp.AnonymousAggFunc)}
    parts = {each.name.lower() for each in tree.find_all(exp.TableAlias) if each.columns} - functions
    tokens = Dialect.get_or_raise("duckdb").tokenize(sql)
    for word, after in pairwise(tokens):
        name = word.text.lower()
        if after.token_type != TokenType.L_PAREN or word.token_type in (TokenType.STRING, TokenType.NUMBER):
            continue
        if name[:1].isalpha() or name[:1] == "_":
            known = word.token_type != TokenType.IDENTIFIER and name in _BEFORE_PARENTHESES
            if not known and name not in parts:
                yield name
