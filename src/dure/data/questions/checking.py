"""What is wrong with a query object, as far as code can tell: a model is told so once, a person after that."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from dure.data.questions.description import AGGREGATES, Description, Field, aggregated, called
from dure.data.questions.figures import MANY, OUT, Found, nowhere
from dure.data.questions.linking import Link, Links
from dure.data.questions.query import Filter, Query
from dure.data.questions.ranking import DIFFERENCE, of_times, ranks, versus
from dure.data.questions.settling import is_extreme, two_of_one
from dure.data.questions.sql import select
from dure.data.questions.words import Span, span, within
from dure.knowledge.claims import negated

_YEAR = 4
"""Digits of a number that says itself what it is."""


class Fault(NamedTuple):
    """What is wrong, in a sentence for a model. `form`: the JSON Schemas of the keys under which it is not said again,
    where there are such: code can mend it then whether the model meant the rest or not."""

    said: str
    form: Mapping[str, Any] = {}


class Doubt(Fault):
    """Something that the object says, though perhaps not what the question does."""


def faults(query: Query, description: Description, links: Links, meant: frozenset[str] = frozenset()) -> list[Fault]:
    """What is wrong; empty where nothing is. meant: aggregates that the question means without their names."""
    found = [*_unused(query, description, links), *_odd(query, description, links, meant)]
    sound = all(isinstance(each, Doubt) for each in found)
    return [*found, *(_unheld(query, description) if sound else ())]


def _unheld(query: Query, description: Description) -> Iterator[Fault]:
    """Conditions that the SQL does not hold: with another value it would be the same."""
    for at, each in enumerate(query.filters):
        other = replace(each, value="1" if each.value == "0" else "0")
        others = replace(query, filters=(*query.filters[:at], other, *query.filters[at + 1 :]))
        try:
            held = select(query, description) != select(others, description)
        except ValueError:  # Of servers that do not hold a model to the schema.
            held = False
        if not held:
            yield Fault(f"{each.field} {each.op} {each.value} is no condition of such an answer")


def standing(query: Query, links: Links) -> dict[str, Any] | None:
    """The schema of the query's conditions, and of those that it leaves out of which the question says how they are
    meant; None where there are none, or where one of its own does not stand in the question."""
    said = {(each.field, each.value) for each in links.values}
    figures = {value for each in (*links.numbers, *links.dates) for value in (each.value, each.to)} - {"", "0", "1"}
    if any((each.field, each.value) not in said and each.value not in figures for each in query.filters):
        return None
    places, filters = Counter(map(span, links.values)), list(query.filters)
    held = {(each.field, each.value) for each in filters}
    for each in links.values:
        if (each.field, each.value) not in held and len(each.ops) == 1 and places[span(each)] == 1:
            filters.append(Filter(each.field, each.ops[0], each.value))
            held.add((each.field, each.value))
    return {"filters": {"const": [asdict(f) for f in filters]}} if len(filters) > len(query.filters) else None


def slots(query: Query, description: Description, links: Links) -> Iterator[tuple[Field, list[Field]]]:
    """The fields of a query that the question does not name in so many letters, each with those that would do as well:
    another number for `more than 50`, another date for `in 2019`, another column that holds the same value."""
    fields = description.known
    at = {(each.field, each.value): span(each) for each in links.values}
    alike: dict[str, list[Field]] = {}
    for name, value in [(query.of[1], "-"), *((each.field, each.value) for each in query.filters)]:
        own = fields.get(name)
        if own is None or own.kind == "link" or (own.whole and len(value) == _YEAR):
            continue
        if place := at.get((name, value)):
            meant = {each.field for each in links.values if span(each) == place}
            alike[name] = [each for each in description.fields if each.name in meant and not each.loose]
        elif not value:
            alike[name] = list(description.fields)
        elif own.kind in ("number", "date"):
            alike[name] = [each for each in description.fields if (each.kind, each.whole) == (own.kind, own.whole)]
            of = {part for each in links.numbers if each.value == value for part in each.of}
            alike[name] = [each for each in alike[name] if not of or each.name in of]
    group = description.grouped(query.rows)
    # Examples of other data tell little of which rows are meant.
    if group is not None and description.examples_of and group.name not in query.fields:
        alike[group.name] = [each for each in description.fields if each.offered]
    named = links.named | {e.name for e in description.fields if e.of and links.named.issuperset(e.of)}
    for name, those in alike.items():
        others = [each for each in those if each.name != name and each.kind != "link" and not each.of]
        if name not in named and (others or name == query.of[1]):
            yield fields[name], others


def _unused(query: Query, description: Description, links: Links) -> Iterator[Fault]:
    """Values and numbers of the question that the object leaves out."""
    used = {(each.field, each.value) for each in query.filters}
    values = {value for _, value in used}
    loose = {each.name for each in description.fields if each.loose}
    mentions = Counter(value for _, value in {(span(each), each.value) for each in links.values})
    places: dict[Span, list[Link]] = {}
    for each in links.values:
        places.setdefault(span(each), []).append(each)
    for (start, end), meant in places.items():
        held = [each for each in meant if (each.field, each.value) in used]
        # What the question points to stands nowhere; each of it is meant once.
        word, times = links.question[start:end], Counter(each.value for each in held)
        if len(held) > 1 and any((len(held) if word else times[e.value]) > mentions[e.value] for e in held):
            yield Doubt(f'"{word or times.most_common(1)[0][0]}" stands once in the question, and in several filters')
        named = all(set(each.value.casefold().split()) <= {*query.of[1].casefold().split()} for each in meant)
        named = named or _read_by(query, word, meant, links)
        if not held and not named and not loose.issuperset(each.field for each in meant):
            names = " or ".join(f"{each.field} = {each.value}" for each in meant)
            # As many conditions as there are values leave none out.
            stated = standing(query, links) if all(each.ops for each in meant) else None
            several = stated or {"filters": {"minItems": len(places)}}
            yield Doubt(f'"{word}" ({names}) is not in filters' if word else f"{names} is not in filters", several)
    dates = [span(each) for each in links.dates]
    # How many there are of what the question points to, "those five", is no condition.
    pointed = values.intersection(each.value for each in links.values if each.start == each.end)
    for found in links.dates:
        if not _is_used(found, values, query):
            yield Doubt(f'"{links.question[found.start : found.end]}" is not in filters')
    for found in links.numbers:
        if within(span(found), dates) or nowhere(found):
            continue
        if found.value in ("0", "1", str(len(pointed))) and not found.ops:
            continue
        own = {each.value for each in query.filters if aggregated(each.field)[1] in found.of}
        if not _is_used(found, own if any(found.of) else values, query):
            yield Doubt(f'"{links.question[found.start : found.end]}" is neither in filters nor the limit')


def _read_by(query: Query, word: str, meant: list[Link], links: Links) -> bool:
    """Whether a condition of another field, which the question names, holds the word: `with transformer in the title`
    means no paper of that name."""
    others = links.named - {each.field for each in meant}
    return bool(word) and any(each.field in others and _plain(word) in _plain(each.value) for each in query.filters)


def _is_used(found: Found, values: set[str], query: Query) -> bool:
    if found.to:
        first, last = found.value, found.to
        return first in values and (last in values or (last.isdigit() and str(int(last) + 1) in values))
    if found.value == str(query.limit):
        return True
    # A year is told with its months, "2025년 (1월~6월)", or in a name: "Lindahl 2020".
    return any(re.fullmatch(rf"{(n := found.value)}(?:-.*)?|.*[^\W\d].*(?<!\d){n}(?!\d).*", each) for each in values)


def _odd(query: Query, description: Description, links: Links, meant: frozenset[str]) -> Iterator[Fault]:
    """Combinations that say nothing."""
    how, name = query.of
    yield from _odd_conditions(query, description, links)
    if query.order == "none" and query.limit and query.answer == "list":
        yield Doubt("a limit needs an order, highest or lowest")
    if Filter(name, "=", "") in query.filters:
        yield Fault(f"where {name} is empty it cannot be the measure")
    groups = description.kinds_of_rows[1:]
    of_groups = {"rows": {"enum": groups}} if groups else {}
    single, grouped = query.rows == description.rows, description.grouped(query.rows)
    if having := next((e.field for e in query.filters if single and e.field in description.of_groups), ""):
        yield Fault(f"{having} is one of groups: rows is what has it", of_groups)
    if query.answer in ("yes_no", "share_percent") and (of_times(links) or versus(links)):
        yield Doubt("two are told from each other: answer is difference, with both in filters")
    own = [each.op for each in query.filters if grouped and each.field == grouped.name]
    if query.answer == "number" and query.measure == "count" and own.count("=") > 1:
        yield Doubt("how many there are of what the question names is not asked")
    if query.answer == "difference" and not two_of_one(query):
        yield Fault("a difference needs two values of one field in filters")
    if query.answer == "yes_no" and how:
        yield Fault(f"yes_no is whether there are such rows: {query.measure} is in a condition on groups, or a number")
    if query.answer == "share_percent" and not query.filters and grouped is None:
        yield Fault("a share needs a filter for the rows whose share it is", {"filters": {"minItems": 1}})
    own_field = description.known.get(name)
    day = own_field is not None and own_field.kind == "date"
    if query.answer == "share_percent" and (day or how not in ("", "total")):
        yield Fault("a share is one of a count or a total")
    if query.answer in ("number", "difference") and query.order != "none":
        yield Fault("a ranking is a list: answer list, with order and limit")
    if query.order == "none" and query.answer not in ("cannot", "difference") and ranks(description, links):
        yield Doubt("the question asks for what is most or least: order is highest or lowest, with a limit")
    if query.answer == "list" and query.order != "none" and query.measure == "count" and single:
        yield Fault("what single rows are ranked by is one of groups: rows is what has it", of_groups)
    if query.order != "none" and grouped and grouped.name == query.measure and MANY.search(links.question):
        yield Doubt(f"most is of how many {description.rows} they have, not of the {grouped.name} itself")
    yield from _odd_measure(query, description, links, meant)


def _odd_conditions(query: Query, description: Description, links: Links) -> Iterator[Fault]:
    for each in query.filters:
        known = description.known.get(each.field)
        if known is None and each.field not in description.of_groups:
            yield Fault(f"there is no {each.field} to have conditions on")
        if known is not None and known.kind == "number" and each.value in ("0", "1") and not _stands(each, links):
            yield Doubt(f"nothing in the question says {each.field} {each.op} {each.value}")
        if is_extreme(each, description):
            yield Fault("what is highest or lowest is no filter: order, with a limit")
        text = known is not None and known.kind == "text" and each.value not in known.values
        if text and _plain(each.value) not in _plain(links.question):
            yield Doubt(f'"{each.value}" does not stand in the question')
        if known and text and any(_plain(name) in _plain(each.value) for name in called(known)):
            yield Doubt(f'"{each.value}" is no {each.field}: it names the field')
        others = [other for other in query.filters if text and (other.field, other.value) != (each.field, each.value)]
        if any(_plain(other.value) == _plain(each.value) for other in others):
            yield Doubt(f'"{each.value}" is meant once, and no {each.field}')
        if each.op == "!=" and each.value and not (OUT.search(links.question) or negated(links.question)):
            yield Doubt(f"nothing in the question leaves out what is {each.value}")
        if each.op == "=" and replace(each, op="!=") in query.filters:
            yield Fault(f'{each.field} cannot be "{each.value}" and not be it at once')
        if each.op == "=" and each.field == query.of[1] and known is not None and each.value in known.values:
            yield Fault(f"what has a word for {each.field} has no number of it")


def _odd_measure(query: Query, description: Description, links: Links, meant: frozenset[str]) -> Iterator[Fault]:
    how, name = query.of
    if query.measure not in description.measures:
        yield Fault(f"{name} is no number: measure is count, or a number or a date")
    used = {how, *(aggregated(each)[0] for each in (*query.also, *(f.field for f in query.filters)))}
    for asked in ("average", "median"):
        said = asked in meant or links.asks(asked)
        if said and asked not in used:
            yield Doubt(f"the question asks for the {asked}", _of(asked, description))
        if how == asked == "median" and not said:
            yield Doubt("the question asks for no median")
    # What names a condition between rows, "cites", does not ask how many there are of it.
    between = {each.name for each in description.fields if each.kind == "link"}
    held = between if not between.isdisjoint(each.field for each in query.filters) else set()
    spans = [span(each) for each in links.fields if each.field in held]
    left = {each.field for each in links.fields if not within(span(each), spans)} - query.fields
    figures = [each.name for each in description.fields if each.name in left and each.adds]
    if query.measure == "count" and figures and (links.asks("total") or links.counted in figures):
        wanted = links.counted or figures[0]
        yield Doubt(f"the question asks for the total of {wanted}", _of("total", description, wanted))
    own_field = description.known.get(name)
    made = own_field is not None and bool(own_field.of)
    exact = {each.field for each in links.fields if each.sure}
    those = [each for each in figures if each in exact] if name and name not in exact and not made else []
    form = _of(how, description, those[0]) if len(those) == 1 else {}
    yield from (Doubt(f"the question names {each}, not {name}", form) for each in those)
    parted = query.answer == "difference" or made
    if not parted and query.order == "none" and DIFFERENCE.search(links.question):
        yield Doubt("the question asks for a difference, of two values of one field or of two numbers")
    if query.answer == "number" and not how and name:
        # All else was read: which aggregate it is, is all that it is asked again.
        rest = {key: getattr(query, key) for key in ("rows", "answer", "order", "limit")}
        form = {key: {"const": value} for key, value in (rest | {"filters": [*map(asdict, query.filters)]}).items()}
        aggregates = {"measure": {"enum": [f"{each} {name}" for each in AGGREGATES]}}
        yield Fault("a number is a count, or an average, median or total", form | aggregates)
    if query.answer == "list" and how and description.grouped(query.rows) is None:
        yield Fault("an average is no ranking of single rows")


def _of(how: str, description: Description, name: str = "") -> dict[str, Any]:
    """The schema of a measure that is such an aggregate, of that field or of any."""
    made = {each: aggregated(each) for each in description.measures}
    found = [each for each, (aggregate, field) in made.items() if aggregate == how and name in ("", field)]
    return {"measure": {"enum": found}} if found else {}


def _stands(each: Filter, links: Links) -> bool:
    """Whether the question can mean a comparison with 0 or 1 that no numeral says: that there are none, or any."""
    if any(number.value == each.value for number in links.numbers):
        return True
    return (each.op, each.value) in _NONE_OR_ANY and each.field in links.named


_NONE_OR_ANY = {("=", "0"), ("!=", "0"), (">", "0"), (">=", "1"), ("<", "1")}


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
