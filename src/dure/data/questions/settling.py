"""A query object with what code knows better than a model: what the question says beside its values and numbers."""

from collections import Counter
from dataclasses import replace
from typing import Any

from dure.data.questions.description import AGGREGATES, Description, aggregated
from dure.data.questions.figures import is_at_once
from dure.data.questions.linking import Links
from dure.data.questions.query import EXTREMES, Filter, Query
from dure.data.questions.ranking import against, choice, versus

_COMPARED = frozenset({">", ">=", "<", "<="})


def settled(query: Query, description: Description, links: Links) -> Query:
    """The query with what code knows better: comparisons that stand in the question, a limit that does not, and what
    else would say nothing."""
    return _versus(_apart(_worded(_ranked(query, description), description, links), description, links), links)


def _versus(query: Query, links: Links) -> Query:
    """With what is told from another first."""
    if query.answer != "difference" or (found := versus(links)) is None:
        return query
    filters = sorted(query.filters, key=lambda each: (each.field, each.value) == (found.field, found.than))
    return replace(query, filters=tuple(filters), whether=found.op)


def _ranked(query: Query, description: Description) -> Query:
    """That a number is highest or lowest is a ranking; names, and whether there are any, need no measure."""
    if query.answer == "list" and query.order == "none" and query.measure not in description.measures:
        query = replace(query, measure="count")
    if query.answer == "yes_no" and (not query.of[0] or any(each.field == query.measure for each in query.filters)):
        query = replace(query, measure="count")
    found = [each for each in query.filters if is_extreme(each, description)]
    if len(found) != 1 or query.answer not in ("list", "number"):
        return query
    filters = tuple(each for each in query.filters if each not in found)
    measure = query.measure if query.of[1] == found[0].field else found[0].field
    order: Any = EXTREMES[found[0].value]
    return replace(query, filters=filters, answer="list", measure=measure, order=order, limit=query.limit or 1)


def is_extreme(each: Filter, description: Description) -> bool:
    """Whether a condition says that a number is highest or lowest."""
    field = description.known.get(each.field)
    return each.value in EXTREMES and field is not None and field.kind == "number"


def _worded(query: Query, description: Description, links: Links) -> Query:
    """With what stands in the question: its comparisons, its limit, its aggregate."""
    limit = query.limit
    if limit > 1 and str(limit) not in {each.value for each in links.numbers}:
        limit = 0
    compared, blank = [], {each.name for each in description.fields if not (each.full or each.zeros)}
    rows = [each.casefold().removesuffix("s") for each in (*description.label.values(), *description.names)]
    for each in query.filters:
        # A comparison with a number says what the words beside the number say; a decade's bounds belong to it.
        found = [number for number in (*links.dates, *links.numbers) if each.value == number.value and not number.to]
        ops = {number.ops for number in found if number.ops or len(found) == 1}
        ops |= {v.ops for v in links.values if v.ops and (v.field, v.value) == (each.field, each.value)}
        if any(is_at_once(links.question, number, rows) for number in found):
            ops = {("=",)}
        wanted = ops.pop() if len(ops) == 1 and each.op in _COMPARED | {"="} else ()
        each = replace(each, op=wanted[0]) if wanted and each.op not in wanted else each
        none = each.value == "0" and each.op == "=" and not any(links.question[n.start].isdigit() for n in found)
        # No tip at all: where no row says 0, what is empty says so.
        compared.append(replace(each, value="") if none and each.field in blank else each)
    if query.order != "none" and query.answer == "list" and links.place:
        query, limit = replace(query, only=True), int(links.place.value)
    if query.order != "none" and [each.value for each in links.numbers].count(str(limit)) == 1:
        # How many are asked for, said once, is not how many rows these have: `상위 두 곳`.
        counts = [Filter(name, "=", str(limit)) for name in description.of_groups]
        compared = [each for each in compared if each not in counts]
    # A value is not left out that is meant, unless the question says so, as both do then; nor is it empty.
    values = [each for each in compared if each.op == "=" and each.value]
    meant = {Filter(each.field, "!=", value) for each in values for value in (each.value, "")}
    query = replace(query, filters=tuple(dict.fromkeys(f for f in compared if f not in meant)), limit=limit)
    said = [each for each in ("average", "median") if links.asks(each)]
    if len(said) == 1 and query.answer == "difference" and f"{said[0]} {query.measure}" in description.measures:
        query = replace(query, measure=f"{said[0]} {query.measure}")
    how, name = query.of
    if not how:
        return query
    if description.grouped(query.rows) is not None and query.measure in description.of_groups:
        # One mention of "average price" is one of groups, in their condition as in their measure.
        once = len({each.start for each in links.fields if each.field == name}) < 2
        filters = [
            replace(each, field=query.measure) if once and each.field == name and each.op in _COMPARED else each
            for each in query.filters
        ]
        return replace(query, filters=tuple(filters))
    words = description.field(name).values
    # Who was absent has no mark: "without the absent" is all that an average can mean.
    filters = [replace(each, op="!=") if each.field == name and each.value in words else each for each in query.filters]
    return replace(query, filters=tuple(filters))


def _apart(query: Query, description: Description, links: Links) -> Query:
    """A figure of several groups is one of each, whichever of comparing or adding up was meant; an aggregate of all
    rows is no list; and how many rows there are of one kind is asked of the one field that the question names."""
    said = links.named
    less = [e for e in description.fields if query.of[1] in (e.name, *(e.of if said.issuperset(e.of) else ()))]
    less = [each for each in less if " - ".join(each.of) == each.name]
    if query.answer == "difference" and less and not two_of_one(query):
        query = replace(query, answer="number", measure=f"{query.of[0] or 'total'} {less[0].name}")
    own = [each for each in query.filters if (group := description.grouped(query.rows)) and each.field == group.name]
    figure = query.answer == "number" or (query.measure != "count" and (query.answer, query.order) == ("list", "none"))
    if figure and [each.op for each in own] == ["="] and own[0].value and (query.of[0] or query.measure == "count"):
        # How many of one name there are is one; what is asked is how many rows it has, or what is their average.
        query = replace(query, rows=description.rows, answer="number")
    if (which := choice(description, links)) and query.order != "none" and query.rows == description.rows:
        # Which of two values has more is one of them, no single row.
        query = replace(query, rows=which.group or description.rows)
    if query.rows != description.rows:
        # A figure of groups is one of each.
        return replace(query, answer="list") if query.answer == "number" and query.measure != "count" else query
    left = [e.name for e in description.fields if e.name in said and e.kind == "number" and e.name not in query.fields]
    counts = {each.count for each in description.fields if each.count}
    if len(left) == 1 and any(each.field in counts for each in query.filters):
        # More than 20 of the number that the question names are no more than 20 rows.
        filters = (replace(each, field=left[0]) if each.field in counts else each for each in query.filters)
        return replace(query, filters=tuple(filters))
    named = [each for each in description.fields if each.offered and each.name in said]
    if not named and not any(links.asks(how) for how in AGGREGATES):
        # Without a word of groups it is a condition on each row.
        rows = (replace(each, field=aggregated(each.field)[1]) for each in query.filters)
        query = replace(query, filters=tuple(rows))
    if len(named) == 1 and any(each.field == named[0].count for each in query.filters):
        return replace(query, rows=named[0].group)
    same = Counter(each.field for each in query.filters if each.op == "=" and each.value)
    group = next((e for e in description.fields if e.group and same[e.name] > 1 and "{}" not in e.sql), None)
    if group is not None and query.answer == "number" and not against(group.name, links):
        return replace(query, rows=group.group, answer="list")
    if group is not None and query.answer == "number":
        query = replace(query, answer="difference")
    summed = query.order == "none" and f"total {query.measure}" in description.measures
    # What two groups have of a number is its sum, named or not.
    if summed and (query.answer == "difference" or (query.answer == "number" and query.measure not in said)):
        return replace(query, measure=f"total {query.measure}")
    if query.of[0] and query.answer == "list" and query.order == "none":
        return replace(query, answer="number")
    return query


def two_of_one(query: Query) -> bool:
    """Whether it has two values of one field."""
    same = [each.field for each in query.filters if each.op == "="]
    return any(same.count(name) == 2 for name in same)
