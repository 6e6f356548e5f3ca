"""A query object as SQL for the sandbox (DuckDB). Values are written as literals; names come from the description."""

from collections.abc import Sequence
from dataclasses import replace

from dure.data.questions.clock import figure
from dure.data.questions.description import Description, Field, aggregated
from dure.data.questions.query import Filter, Query

_AGGREGATES = {"average": "avg", "median": "median", "total": "sum"}
_MOST = 200


def compiled(query: Query, description: Description) -> str:
    """The SELECT. Its columns: of a list the row's name, then what it is ranked by; else the answer, last."""
    import sqlglot

    return sqlglot.transpile(select(query, description), read="duckdb", write="duckdb", pretty=True)[0]


def select(query: Query, description: Description) -> str:
    """The same in one line."""
    made = {"list": _list, "share_percent": _share, "difference": _difference}.get(query.answer, _number)
    return made(query, description)


def whole(filters: Sequence[Filter], description: Description, most: int) -> str:
    """The SELECT of the rows themselves that meet these conditions, with all of their cells."""
    return f"SELECT * {_from(description, filters)} LIMIT {most}"


def _number(query: Query, description: Description) -> str:
    rows, having = _split(query, description)
    group = description.grouped(query.rows)
    if group is not None and query.measure == "count":
        _, key = _grouped(group)
        inner = f"SELECT {key} AS v {_from(description, rows, group)} GROUP BY ALL {_having(having, description)}"
        counted = f"SELECT count(*) AS n FROM ({inner})"  # noqa: S608
    else:
        counted = f"SELECT {_measure(query, description)} AS n {_from(description, rows)}"
    if query.answer == "yes_no":
        return f"SELECT n > 0 AS yes, n FROM ({counted})"  # noqa: S608
    return counted


def _split(query: Query, description: Description) -> tuple[list[Filter], list[Filter]]:
    """Conditions on single rows, and on groups."""
    known = description.known
    return [f for f in query.filters if f.field in known], [f for f in query.filters if f.field not in known]


def _list(query: Query, description: Description) -> str:
    rows, having = _split(query, description)
    group = description.grouped(query.rows)
    order = "ASC" if query.order == "lowest" else "DESC"
    if group is None:
        _, name = query.of
        others = dict.fromkeys(filter(None, (name, *query.also)))
        shown = "".join(f", {_value(description.field(each))} AS {quoted(each)}" for each in others)
        rank = quoted(name) if name else ""
        ranked = description.field(name) if name and query.order != "none" else None
        sql = f"SELECT {description.title} AS {quoted(query.rows)}{shown} {_from(description, rows, known=ranked)}"
    else:
        measures = [replace(query, measure=each) for each in (query.measure, *query.also)]
        measured = ", ".join(f"{_measure(e, description, grouped=True)} AS {quoted(e.measure)}" for e in measures)
        rank, (shown, key) = quoted(query.measure), _grouped(group)
        sql = (
            f"SELECT {shown} AS {quoted(group.name)}, {measured} "
            f"{_from(description, rows, group)} GROUP BY {key} {_having(having, description)}"
        )
    if query.order == "none" or not rank:
        if course := _course(group) if group is not None else "":
            return f"SELECT * FROM ({sql}) ORDER BY {course}1 LIMIT {query.limit or _MOST}"  # noqa: S608
        return f"{sql} ORDER BY {f'{rank} DESC, 1' if group is not None else '1'} LIMIT {query.limit or _MOST}"
    if query.limit:
        # Those that share the last place are all in it.
        over = f"OVER (ORDER BY {rank} {order})"
        within = f"dense_rank() {over} =" if query.only else f"rank() {over} <="
        sql = f"SELECT * FROM ({sql}) QUALIFY {within} {query.limit}"  # noqa: S608
    return f"{sql} ORDER BY {rank} {order} NULLS LAST, 1 LIMIT {_MOST}"


def _course(group: Field) -> str:
    """The order of values that begin with a number, such as years, months and grades; empty for others, and
    for numbers that may be labels."""
    if group.kind == "number" and group.offered:
        return f"{quoted(group.name)}, "
    numbered = bool(group.values) and all(value[0].isdigit() for value in group.values)
    return f"TRY_CAST(regexp_extract({quoted(group.name)}, '[0-9]+') AS BIGINT), " if numbered else ""


def _share(query: Query, description: Description) -> str:
    """Of the rows that meet the conditions on other fields, those that meet the ones on the last filter's field; of
    groups, what each has of all."""
    if (group := description.grouped(query.rows)) is not None:
        part, (shown, key) = _measure(query, description, grouped=True), _grouped(group)
        return (
            f"SELECT {shown} AS {quoted(group.name)}, {part} AS {quoted(query.measure)}, "
            f"round(100.0 * {part} / sum({part}) OVER (), 2) AS percent "
            f"{_from(description, _split(query, description)[0], group)} GROUP BY {key} ORDER BY percent DESC, 1"
        )
    measure = _measure(query, description)
    last = query.filters[-1].field
    part = _condition([each for each in query.filters if each.field == last], description)
    part, rest = f"{measure} FILTER (WHERE {part})", [each for each in query.filters if each.field != last]
    percent = f"round(100.0 * {part} / nullif({measure}, 0), 2) AS percent"
    return f"SELECT {part} AS part, {measure} AS whole, {percent} {_from(description, rest)}"


def _difference(query: Query, description: Description) -> str:
    same = [each.field for each in query.filters if each.op == "="]
    name = next(each for each in same if same.count(each) == 2)
    pair = [each for each in query.filters if each.field == name and each.op == "="]
    rest = [each for each in _split(query, description)[0] if each not in pair]
    sides = [f"{_measure(query, description)} FILTER (WHERE {_condition([each], description)})" for each in pair]
    one, two = (quoted(each.value) for each in pair)
    both = f"SELECT {sides[0]} AS {one}, {sides[1]} AS {two} {_from(description, rest)}"
    return f"SELECT *, abs({one} - {two}) AS difference FROM ({both})"  # noqa: S608


def _measure(query: Query, description: Description, *, grouped: bool = False) -> str:
    how, name = query.of
    if not name:
        return "count(*)"
    field = description.field(name)
    if not how:
        how = "total" if grouped and field.adds else ""
    return _aggregate(how, field) if how else f"{'min' if query.order == 'lowest' else 'max'}({_value(field)})"


def _aggregate(how: str, field: Field) -> str:
    return f"{_AGGREGATES[how]}({(how == 'total' and field.summed) or _value(field)})"


def _from(
    description: Description, filters: Sequence[Filter], group: Field | None = None, known: Field | None = None
) -> str:
    """FROM and WHERE. group: one row for each value of it; known: a field that is not empty."""
    whole = "WHERE" not in description.base
    base = f"FROM {description.base}" if whole else f"FROM (SELECT * FROM {description.base})"  # noqa: S608
    where = _condition(filters, description)
    if group is not None and group.many:
        base += f" {group.many.partition('|')[0]}"
    if filled := group or known:
        where = " AND ".join(filter(None, [where, f"{_value(filled)} IS NOT NULL"]))
    return f"{base} WHERE {where}" if where else base


def _value(field: Field) -> str:
    return field.many.partition("|")[2] if field.many else field.sql


def _grouped(group: Field) -> tuple[str, str]:
    """How a group is shown, and what its rows have in common: `High` and `high` are one."""
    value = _value(group)
    text = group.kind in ("text", "category") and not group.many
    return (f"mode({value} ORDER BY {value})", f"lower({value})") if text else (value, value)


def _having(filters: Sequence[Filter], description: Description) -> str:
    parts = []
    for each in filters:
        how, name = aggregated(each.field)
        called = _aggregate(how, description.field(name)) if how else "count(*)"
        parts.append(f"{called} {each.op} {figure(each.value)}")
    return f"HAVING {' AND '.join(parts)}" if parts else ""


def _condition(filters: Sequence[Filter], description: Description) -> str:
    """Conditions on different fields are met together; several values of one field are any of them, but where a row
    has many of its values all of them."""
    parts: list[str] = []
    for name in dict.fromkeys(each.field for each in filters):
        field = description.field(name)
        own = [each for each in filters if each.field == name]
        equal = [_one(each, field) for each in own if each.op == "="]
        together = f" {'AND' if '{}' in field.sql else 'OR'} ".join(equal)
        parts += [f"({together})"] if len(equal) > 1 else equal
        parts += [_one(each, field) for each in own if each.op != "="]
    return " AND ".join(parts)


def _one(each: Filter, field: Field) -> str:
    if "{}" not in field.sql:
        return _compared(each, field, field.sql)
    # Of many values "not this one" is that none is it, not that one is another.
    if each.op == "!=":
        return f"NOT {_one(replace(each, op='='), field)}"
    return field.sql.replace("{}", _compared(each, field, "v"))


def _compared(each: Filter, field: Field, value: str) -> str:
    if not each.value:
        return f"{field.raw or value} IS {'NOT ' if each.op == '!=' else ''}NULL"
    if field.kind == "number" and each.value in field.values:
        return f"{field.raw} {each.op} {literal(each.value)}"
    if field.kind == "number":
        return f"{value} {each.op} {figure(each.value)}"
    if field.kind == "date":
        # A year or a month stands for all of its days.
        day, length = f"strftime({value}, '%Y-%m-%d')", len(each.value)
        return f"{day if length == 10 else f'left({day}, {length})'} {each.op} {literal(each.value)}"
    if each.op in (">=", "<="):
        # Of codes alike but for their digits, the number that these make.
        letters, digits = (f"regexp_replace({{}}, '[{those}]', '', 'g')" for those in ("0-9", "^0-9"))
        low = f"CAST({digits.format(literal(each.value))} AS HUGEINT)"
        same = f"{letters.format(value)} = {letters.format(literal(each.value))}"
        return f"({same} AND TRY_CAST({digits.format(value)} AS HUGEINT) {each.op} {low})"
    if each.op in ("starts_with", "contains"):
        return f"{each.op}(lower({value}), lower({literal(each.value)}))"
    if field.open and each.value not in field.values:
        same = f"contains(lower({value}), lower({literal(each.value)}))"
    else:
        same = f"{value} IN ({', '.join(map(literal, field.members.get(each.value, (each.value,))))})"
    # What is empty is not that value either.
    return f"NOT coalesce({same}, false)" if each.op == "!=" else same


def literal(text: str) -> str:
    """As a literal of SQL."""
    return "'" + text.replace("'", "''").replace("\0", "") + "'"


def quoted(name: str) -> str:
    """As a name of SQL."""
    return '"' + name.replace('"', '""').replace("\0", "") + '"'
