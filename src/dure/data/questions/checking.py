"""What is wrong with a query object, as far as code can tell: a model is told so once, a person after that."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from dure.data.questions.description import Description
from dure.data.questions.linking import Found, Link, Links
from dure.data.questions.query import Filter, Query

_COMPARED = frozenset({">", ">=", "<", "<="})


def settled(query: Query, description: Description, links: Links) -> Query:
    """The query with what code knows better: comparisons that stand in the question, a limit that does not, and what
    else would say nothing."""
    limit = query.limit
    if limit > 1 and str(limit) not in links.numbers_as_text():
        limit = 0
    compared = []
    for each in query.filters:
        # A comparison with a number says what the words beside the number say; a decade's bounds belong to it.
        found = [number for number in (*links.dates, *links.numbers) if each.value == number.value and not number.to]
        ops = {number.ops for number in found}
        wanted = ops.pop() if len(ops) == 1 and each.op in _COMPARED | {"="} else ()
        compared.append(replace(each, op=wanted[0]) if wanted and each.op not in wanted else each)
    query = replace(query, filters=tuple(compared), limit=limit)
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
    query = replace(query, filters=tuple(filters))
    same = Counter(each.field for each in filters if each.op == "=" and each.value)
    group = next((each for each in description.fields if each.group and same[each.name] > 1), None)
    if query.answer == "number" and query.rows == description.rows and group is not None and how != "total":
        # An average of two classes is one of each.
        return replace(query, rows=group.group, answer="list")
    return query


def faults(query: Query, description: Description, links: Links) -> list[str]:
    """What is wrong, in sentences for a model; empty where nothing is."""
    return [*_unused(query, description, links), *_odd(query, description, links)]


def _unused(query: Query, description: Description, links: Links) -> Iterator[str]:
    """Values and numbers of the question that the object leaves out."""
    used = {(each.field, each.value) for each in query.filters}
    values = {value for _, value in used}
    loose = {each.name for each in description.fields if each.loose}
    mentions = Counter(value for _, _, value in {(each.start, each.end, each.value) for each in links.values})
    places: dict[tuple[int, int], list[Link]] = {}
    for each in links.values:
        places.setdefault((each.start, each.end), []).append(each)
    for (start, end), meant in places.items():
        held = [each for each in meant if (each.field, each.value) in used]
        if len(held) > 1 and any(len(held) > mentions[each.value] for each in held):
            yield f'"{links.question[start:end]}" stands once in the question, and in several filters'
        if not held and not loose.issuperset(each.field for each in meant):
            names = " or ".join(f"{each.field} = {each.value}" for each in meant)
            yield f'"{links.question[start:end]}" ({names}) is not in filters'
    dates = [(each.start, each.end) for each in links.dates]
    for found in links.dates:
        if not _is_used(found, values, query):
            yield f'"{links.question[found.start : found.end]}" is not in filters'
    for found in links.numbers:
        if any(start <= found.start and found.end <= end for start, end in dates) or found.value in ("0", "1"):
            continue
        if not _is_used(found, values, query):
            yield f'"{links.question[found.start : found.end]}" is neither in filters nor the limit'


def _is_used(found: Found, values: set[str], query: Query) -> bool:
    if found.to:
        first, last = found.value, found.to
        return first in values and (last in values or str(int(last) + 1) in values)
    return found.value in values or found.value == str(query.limit)


def _odd(query: Query, description: Description, links: Links) -> Iterator[str]:
    """Combinations that say nothing."""
    for each in query.filters:
        known = next((field for field in description.fields if field.name == each.field), None)
        if known is not None and known.kind == "number" and each.value in ("0", "1") and not _stands(each, links):
            yield f"nothing in the question says {each.field} {each.op} {each.value}"
        text = known is not None and known.kind == "text" and each.value not in known.values
        if text and _plain(each.value) not in _plain(links.question):
            yield f'"{each.value}" does not stand in the question'
    for name in {each.field for each in query.filters if not each.value}:
        if {"=", "!="} <= {each.op for each in query.filters if each.field == name and not each.value}:
            yield f"{name} cannot be empty and filled in at once"
    if query.answer == "difference":
        same = [each.field for each in query.filters if each.op == "="]
        if not any(same.count(name) == 2 for name in same):
            yield "a difference needs two values of one field in filters"
    if query.answer == "share_percent" and not query.filters and description.grouped(query.rows) is None:
        yield "a share needs a filter for the rows whose share it is"
    if query.answer == "share_percent" and query.of[0] not in ("", "total"):
        yield "a share is one of a count or a total"
    if query.answer in ("number", "difference") and query.order != "none":
        yield "a ranking is a list: answer list, with order and limit"
    how, name = query.of
    if query.answer == "number" and not how and name:
        yield "a number is a count, or an average, median or total"
    if query.answer == "list" and how and description.grouped(query.rows) is None:
        yield "an average is no ranking of single rows"


def _stands(each: Filter, links: Links) -> bool:
    """Whether the question can mean a comparison with 0 or 1 that no numeral says: that there are none, or any."""
    if any(number.value == each.value for number in links.numbers):
        return True
    return (each.op, each.value) in _NONE_OR_ANY and any(link.field == each.field for link in links.fields)


_NONE_OR_ANY = {("=", "0"), ("!=", "0"), (">", "0"), (">=", "1"), ("<", "1")}


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
