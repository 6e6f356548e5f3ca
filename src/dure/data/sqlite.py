"""SQLite's SQL, which models write best, as DuckDB's that means the same.

sqlglot knows most of it. What it leaves as it is and DuckDB reads otherwise, or not at all, is rewritten here: LIKE
without regard to case, columns beside aggregates, numbers taken for text, dates with modifiers. That whole numbers
divide to whole numbers is a setting of the engine.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.sqlite import SQLite
from sqlglot.errors import ErrorLevel

from dure.data.sql import called, not_understood, one_query, refused
from dure.errors import ToolInputError

_AGGREGATES = "avg count group_concat max min string_agg sum total"
_WINDOWS = "cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number"
_TEXTS = (
    "char concat concat_ws format glob hex instr length like lower ltrim printf replace rtrim substr substring trim "
    "unicode upper"
)
_NUMBERS = "abs ceil ceiling degrees exp floor ln log log10 log2 mod pi pow power radians round sign sqrt trunc"
_DATES = "current_date current_time current_timestamp date datetime julianday strftime time unixepoch"
_VALUES = "coalesce ifnull iif nullif"
FUNCTIONS = frozenset(" ".join((_AGGREGATES, _WINDOWS, _TEXTS, _NUMBERS, _DATES, _VALUES)).split())
"""Those of SQLite that have a counterpart."""
_CASES = (exp.Upper, exp.Lower, exp.Trim)
_OF_TEXT = (*_CASES, exp.Like, exp.ILike, exp.Glob, exp.Substring, exp.StrPosition, exp.Replace, exp.Length)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
_COMPUTED = (*_ARITHMETIC, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_UNITS = ("second", "minute", "hour", "day", "month", "year")
_PART = re.compile(r"%[-+ 0,]*\d*(?:\.\d+)?l*([diufeEgGs])")
_MAX_NAME = 64

Columns = Mapping[str, Mapping[str, str]]
"""Of each table the columns' SQL types."""


def as_duckdb(sql: str, tables: Columns) -> str:
    """`sql` in DuckDB's dialect, without comments. Columns of the result are named as SQLite names them.

    Raises ToolInputError for what is no query, for functions without a counterpart and for columns that no table has.
    """
    try:
        tree: exp.Expr = one_query(sql, _Written)
        if each := next((name for name in called(sql, _Written, tree) if name not in FUNCTIONS), None):
            raise refused(f"함수 {each}은(는) 쓸 수 없습니다", f"the function {each} cannot be used")
        _check_recursion(tree)
        _check_columns(tree, tables)
        _name_results(tree)
        kinds = {(name, kind in ("TEXT", "VARCHAR")) for columns in tables.values() for name, kind in columns.items()}
        numbers = {name for name, is_text in kinds if not is_text and (name, True) not in kinds}
        # What is inside a part is rewritten before it.
        for node in reversed(list(tree.walk())):
            made = _rewritten(node, numbers)
            if made is not node:
                node.replace(made)
        for select in list(tree.find_all(exp.Select)):
            _aggregate(select)
        # Nothing is left out quietly.
        return tree.sql("duckdb", comments=False, unsupported_level=ErrorLevel.RAISE)
    except (ToolInputError, MemoryError):
        raise
    except Exception:
        # What a parser does with text that nobody meant it for is anybody's guess.
        raise not_understood() from None


def _check_recursion(tree: exp.Expr) -> None:
    """SQLite needs no RECURSIVE for it."""
    for part in tree.find_all(exp.CTE):
        itself = any(table.name.lower() == part.alias.lower() for table in part.this.find_all(exp.Table))
        if itself or (part.parent is not None and part.parent.args.get("recursive")):
            raise refused("재귀 조회는 쓸 수 없습니다", "a recursive query cannot be used")


def _check_columns(tree: exp.Expr, tables: Columns) -> None:
    """Every column is one of a table or named in the query. Which it is where, the engine knows."""
    names = {column for columns in tables.values() for column in columns}
    names |= {each.alias.lower() for each in tree.find_all(exp.Alias)}
    names |= {column.name.lower() for each in tree.find_all(exp.TableAlias) for column in each.columns}
    for name in (each.name for each in tree.find_all(exp.Column) if not isinstance(each.this, exp.Star)):
        if name.lower() not in names:
            known = "; ".join(f"{table}({', '.join(columns)})" for table, columns in tables.items())
            raise ToolInputError(
                ko=f"실행하지 않았습니다: 열 '{name[:_MAX_NAME]}'이(가) 없거나 어느 표의 것인지 분명하지 않습니다. "
                f"글자 값은 작은따옴표로 쓰세요. 있는 열: {known}",
                en=f"Not run: there is no column '{name[:_MAX_NAME]}', or it is not clear whose it is. "
                f"Text takes single quotes. Columns: {known}",
            )


def _name_results(tree: exp.Expr) -> None:
    """SQLite names a column of the result by its text, DuckDB by its own."""
    while isinstance(tree, exp.SetOperation | exp.Subquery):
        tree = tree.this
    for each in tree.expressions if isinstance(tree, exp.Select) else ():
        if not isinstance(each, exp.Column | exp.Star | exp.Alias):
            each.replace(exp.alias_(each.copy(), each.sql("sqlite", comments=False), quoted=True))


def _aggregate(select: exp.Select) -> None:
    """SQLite allows columns beside aggregates that are not grouped by: they are those of the row with the only max or
    min, else of any row, here the first."""
    aggregates = [each for each in _own(select, exp.AggFunc) if not _is_window(each)]
    group = select.args.get("group")
    if group is None and not aggregates:
        return
    keys = group.expressions if group else []
    grouped = {key.name.lower() for key in keys if isinstance(key, exp.Column)}
    places = {int(key.name) for key in keys if isinstance(key, exp.Literal) and key.is_int}
    aliases = {each.alias.lower() for each in select.expressions if each.alias}
    shown = [
        each
        for place, each in enumerate(select.expressions, 1)
        if place not in places and each.alias.lower() not in grouped
    ]
    ends = [select.args[key] for key in ("having", "order") if select.args.get(key)]
    row: Callable[[exp.Column], exp.Expr] = lambda column: exp.First(this=column)  # noqa: E731
    if len(aggregates) == 1 and isinstance(aggregates[0], exp.Max | exp.Min):
        of = exp.ArgMax if isinstance(aggregates[0], exp.Max) else exp.ArgMin
        row = lambda column: of(this=column, expression=aggregates[0].this.copy())  # noqa: E731
    for part in [*shown, *ends]:
        for column in list(_own(part, exp.Column)):
            name = column.name.lower()
            alias = part in ends and not column.table and name in aliases
            counted = isinstance(column.find_ancestor(exp.AggFunc, exp.Filter, exp.Query), exp.AggFunc | exp.Filter)
            if name in grouped or alias or counted or isinstance(column.this, exp.Star) or _within(column, keys):
                continue
            made = row(column.copy())
            column.replace(exp.alias_(made, column.name) if column.parent is select else made)


def _own(part: exp.Expr, kind: type) -> Iterator[Any]:
    """The nodes of a kind in a part of a SELECT, without those of the queries inside it."""
    for node in part.walk(prune=lambda each: isinstance(each, exp.Query) and each is not part):
        if isinstance(node, kind):
            yield node


def _is_window(aggregate: exp.Expr) -> bool:
    around = aggregate.parent
    return isinstance(around.parent if isinstance(around, exp.Filter) else around, exp.Window)


def _within(node: exp.Expr | None, keys: Sequence[exp.Expr]) -> bool:
    while node is not None and node not in keys:
        node = node.parent
    return node is not None


def _rewritten(node: exp.Expr, numbers: set[str]) -> exp.Expr:
    if isinstance(node, exp.Anonymous) and node.name.upper() in _REWRITTEN:
        return _REWRITTEN[node.name.upper()](node.expressions)
    if isinstance(node, _OF_TEXT) and _is_number(node.this, numbers):
        node.set("this", exp.cast(node.this, "text"))
    if isinstance(node, exp.Like):
        return exp.ILike(**node.args)
    if isinstance(node, exp.Avg) and isinstance(node.this, exp.Predicate):
        node.set("this", exp.cast(node.this, "int"))
    if isinstance(node, _COMPUTED):
        for key, other in (("this", node.expression), ("expression", node.this)):
            if _is_digits(node.args[key]) and (not isinstance(node, exp.Predicate) or _is_number(other, numbers)):
                node.set(key, _whole(node.args[key]))
    if isinstance(node, exp.Div | exp.Mod):
        zero = not (isinstance(node.expression, exp.Literal) and float(node.expression.name))
        node.set("safe", isinstance(node, exp.Div) and zero)
        if isinstance(node, exp.Mod) and zero:
            node.set("expression", exp.Nullif(this=node.expression, expression=exp.Literal.number(0)))
    if isinstance(node, exp.Chr) and len(node.expressions) > 1:
        return _call("concat", *(exp.Chr(expressions=[each]) for each in node.expressions))
    if isinstance(node, exp.Cast) and node.is_type(*exp.DataType.INTEGER_TYPES):
        return _whole(node.this, node.to)
    return node


def _whole(node: exp.Expr, kind: Any = "bigint") -> exp.Expr:
    """Made a whole number: DuckDB rounds where SQLite cuts off, and of text that is none it makes an error, here
    nothing."""
    inner = node.unnest()
    fraction = isinstance(inner, (*_ARITHMETIC, exp.Avg)) or inner.is_number
    made = exp.TryCast if _is_digits(inner) else exp.Cast
    return made(this=exp.Trunc(this=node) if fraction else node, to=exp.DataType.build(kind))


def _is_digits(node: exp.Expr) -> bool:
    """Whether it is text that most likely holds a number."""
    return isinstance(node, exp.Substring) or (isinstance(node, exp.Anonymous) and node.name.upper() == "STRFTIME")


def _is_number(node: exp.Expr, numbers: set[str]) -> bool:
    node = node.unnest()
    named = isinstance(node, exp.Column) and node.name.lower() in numbers
    return named or node.is_number or isinstance(node, _ARITHMETIC)


Args = list[exp.Expr]


def _call(name: str, *args: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=list(args))


def _moment(args: Args) -> exp.Expr:
    """A time and its modifiers (https://www.sqlite.org/lang_datefunc.html) as a TIMESTAMP."""
    made: exp.Expr = exp.AtTimeZone(this=_call("now"), zone=exp.Literal.string("UTC"))
    if args and not (args[0].is_string and args[0].name.lower() == "now"):
        made = exp.cast(args[0], "timestamp")
    for each in args[1:]:
        words = each.name.lower().split() if each.is_string else []
        if words[:2] == ["start", "of"] and words[2:] in (["day"], ["month"], ["year"]):
            made = _call("date_trunc", exp.Literal.string(words[2]), made)
        elif len(words) == 2 and (unit := words[1].removesuffix("s")) in _UNITS:
            interval = exp.Interval(this=exp.Literal.string(words[0]), unit=exp.var(unit))
            # A month after 31 January is 2 or 3 March.
            month = _call("date_trunc", exp.Literal.string("month"), made)
            made = (month + interval + exp.paren(made - month)) if unit in ("month", "year") else made + interval
        else:
            raise refused("날짜에 더하는 말을 알 수 없습니다", "a modifier of a date is not known")
    return made


def _as(form: str) -> Callable[[Args], exp.Expr]:
    return lambda args: _call("strftime", _moment(args), exp.Literal.string(form))


def _printf(args: Args) -> exp.Expr:
    """Each value made what its part of the template takes."""
    parts = _PART.findall(args[0].name.replace("%%", "")) if args and args[0].is_string else []
    values = list(args[1:])
    for at, part in enumerate(parts[: len(values)]):
        if part in "diu":
            values[at] = _whole(values[at])
        else:
            values[at] = exp.cast(values[at], "text" if part == "s" else "double")
    return _call("printf", *args[:1], *values)


_REWRITTEN: dict[str, Callable[[Args], exp.Expr]] = {
    "DATE": _as("%Y-%m-%d"),
    "TIME": _as("%H:%M:%S"),
    "DATETIME": _as("%Y-%m-%d %H:%M:%S"),
    "STRFTIME": lambda args: _call("strftime", _moment(args[1:]), args[0]),
    "JULIANDAY": lambda args: _call("julian", _moment(args)) - 0.5,
    "UNIXEPOCH": lambda args: exp.cast(_call("epoch", _moment(args)), "bigint"),
    "FORMAT": _printf,
    "PRINTF": _printf,
    "TOTAL": lambda args: exp.cast(exp.func("coalesce", exp.Sum(this=args[0]), exp.Literal.number(0)), "double"),
}
"""Functions that are called otherwise in DuckDB: of their arguments what is called there."""


class _Written(SQLite):
    """SQLite's dialect, but that the functions which are rewritten here keep their names."""

    class Parser(SQLite.Parser):  # type: ignore[misc, valid-type]
        FUNCTIONS: ClassVar = {name: made for name, made in SQLite.Parser.FUNCTIONS.items() if name not in _REWRITTEN}
