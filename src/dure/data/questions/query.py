"""The query object: what a question asks of described data, as a model is told to fill it in and code reads it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from dure.data.questions.clock import O_CLOCK
from dure.data.questions.description import AGGREGATES, Description, Field, aggregated, called
from dure.data.questions.figures import Found, nowhere
from dure.data.questions.linking import Links
from dure.data.questions.ranking import DIFFERENCE, MOST_ROWS, choice, is_amount, many, ranks, two_of
from dure.data.questions.units import asked_for, unit
from dure.data.questions.words import span, stems
from dure.tooling import an_object

Answer = Literal["number", "list", "yes_no", "share_percent", "difference", "cannot"]
_MOST_FILTERS = 5
_SHOWN, _FEW = 14, 40
"""Values of a field that are told, of one with few."""
EXTREMES = {"max": "highest", "min": "lowest"}
"""Values of a condition that are a ranking's order."""
_COMPARED = ["=", "!=", ">", ">=", "<", "<="]

_KEYS = """Fill in one JSON object that says what the question asks of the data. Do not answer the question.
rows: what is counted or listed: {rows}, or the values of a field
filters: every condition that the question states on the rows, {{field, op, value}}, and none that it does not state
answer: number; list; yes_no; share_percent (of the rows that meet all filters among those that meet all but the \
last); difference (between two values of one field); cannot (the data do not hold what is asked for)
measure: what is counted, averaged or ranked by: count, a field, or average, median or total of a field
order: highest, lowest or none
limit: how many rows are asked for, 0 for all

Examples{of}:
{examples}

"""


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on the rows; `field` may be the count of a group. An empty value: that the field is empty."""

    field: str
    op: str
    value: str


@dataclass(frozen=True, slots=True)
class Query:
    """`measure`: `count`, a field, or `average`, `median`, `total` and a field. `limit` 0: all. `only`: of a ranking
    what is last within its limit alone. `whether`: of a difference, whether the first is more (>) or less (<). `also`:
    of a list measures, or fields of single rows, that are shown beside its own."""

    rows: str
    filters: tuple[Filter, ...]
    answer: Answer
    measure: str = "count"
    order: Literal["none", "highest", "lowest"] = "none"
    limit: int = 0
    only: bool = False
    whether: str = ""
    also: tuple[str, ...] = ()

    @property
    def of(self) -> tuple[str, str]:
        """The measure's aggregate and its field, both empty where there is none."""
        return ("", "") if self.measure == "count" else aggregated(self.measure)

    @property
    def fields(self) -> set[str]:
        """The names of fields in its filters and its measures."""
        names = (*self.also, *(each.field for each in self.filters))
        return {self.of[1], *(aggregated(each)[1] for each in names)} - {"", "count"}


def read(written: Any) -> Query | None:
    """The object that a model wrote; None where it is none."""
    try:
        filters = (Filter(each["field"], each["op"], str(each["value"]).strip()) for each in written["filters"])
        said = {key: written[key] for key in ("rows", "answer", "measure", "order")}
        # Twice the same says nothing more.
        said |= {"also": tuple(map(str, written.get("also", ())))}
        return Query(filters=tuple(dict.fromkeys(filters)), limit=int(written["limit"]), **said)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def unfilled(query: Query, description: Description) -> dict[str, Query]:
    """By field on which there is a condition: how many rows meet all others and have no value at all there."""
    fields = {f.name for f in description.fields if not (f.full or f.kind in ("text", "link") or "{}" in f.sql)}
    group, own = description.grouped(query.rows), {*description.known}
    left = dict.fromkeys(each.field for each in query.filters if each.value and each.field in fields)
    return {
        name: Query(
            description.rows,
            (*(e for e in query.filters if e.field in own - {name}), Filter(name, "=", "")),
            "number",
        )
        for name in left
        if group is None or group.name != name
    }


def measured(description: Description, links: Links) -> list[str] | None:
    """The measures in the unit that the question asks for, or in none; None where it asks for no unit."""
    kinds = {kind for kind, _ in asked_for(links.question)}
    if not kinds:
        return None
    units = {each.name: unit(each.unit) for each in description.fields if each.kind == "number"}
    same = {name for name, own in units.items() if own and own[0] in kinds}
    same = same or {name for name, own in units.items() if own is None}
    return [each for each in description.measures if aggregated(each)[1] in same]


def schema(
    description: Description, links: Links, *, small: bool = False, able: bool = True, rows: str = ""
) -> dict[str, Any]:
    """The JSON Schema of objects that can be asked of the data with this question: values are those that are known, or
    that stand in it. small: what code can tell of the kind of answer is not left to the model. able: whether it may say
    that the data hold none. rows: what a ranking is of, where that is known."""
    ranking = ranks(description, links) and not DIFFERENCE.search(links.question)
    limit = many(links) if small and ranking else None
    numbers = [each for each in links.numbers if each != limit]
    # Beside what is compared a one in words counts nothing: `한 줄이 한 항목`.
    idle = ("0", "1") if any(each.ops for each in numbers) else ()
    links = replace(links, numbers=[each for each in numbers if each.ops or each.value not in idle])
    fields = [each for each in description.fields if not each.of]
    shared = Counter(stem for each in fields for stem in stems(called(each)))
    alone = stems([links.question]) & {stem for stem, count in shared.items() if count == 1}
    filters = [condition for each in fields for condition in _filters(each, links, alone)]
    # A condition that no number of the question is for would leave the model no way out; a group of no rows is none,
    # and a year is no number of rows.
    years = {"0", *(value for each in links.dates for value in (each.value, each.to))}
    # How many are asked for of a ranking is no number of rows.
    numbers = [each for each in links.numbers if each.value not in years and (each.ops or not ranking)]
    grouped = any(each.offered and each.name in links.named for each in description.fields)
    grouped = grouped or any(map(links.asks, AGGREGATES))
    for name in description.of_groups:
        aggregate, of = aggregated(name)
        if small and not grouped and aggregate:
            continue  # Nothing says that it is one on groups.
        own = _compared([each for each in numbers if not each.of or of in each.of])
        filters += [_one_of(name, list(ops), values) for ops, values in own.items()]
    # An enum of nothing is no schema to an engine, which answers without one then.
    condition: dict[str, Any] = {"anyOf": filters} if filters else {"type": "string"}
    by = [each.group for each in description.fields if each.group and not each.flag and each.name in links.by]
    properties: dict[str, Any] = {
        "rows": {"enum": by if small and len(by) == 1 else description.kinds_of_rows},
        "filters": {"type": "array", "items": condition, "maxItems": _most(description, links) if filters else 0},
        "answer": {"enum": list(get_args(Answer))},
        # Models say of a list what it is of: see `settled`.
        "measure": {
            "enum": [*description.measures, *(each.name for each in fields if each.kind in ("text", "category"))]
        },
        "order": {"enum": ["none", "highest", "lowest"]},
        "limit": {"type": "integer", "minimum": 0, "maximum": MOST_ROWS},
    }
    counted = [each for each in description.measures if links.counted and aggregated(each)[1] == links.counted]
    if counted := (counted or measured(description, links) or []) if small else []:
        if not ranking:
            # Without another word it is a sum.
            how = AGGREGATES if links.asks("average") or links.asks("median") else ("total",)
            found = [each for each in counted if aggregated(each)[0] in how]
            counted = found or [each for each in counted if aggregated(each)[0]]
        properties["measure"] = {"const": counted[0]} if len(counted) == 1 else {"enum": counted}
    if not able:
        properties["answer"]["enum"].remove("cannot")
    if small and two_of(links):
        # No date is what one has more of, and how much is no count.
        others = {each.name for each in fields if each.kind == "date"} | ({"count"} if is_amount(links) else set())
        figures = [each for each in counted or description.measures if each not in others]
        properties |= {"answer": {"const": "difference"}, "measure": {"enum": figures}}
    elif small and ranking:
        measures = counted or description.measures
        if rows == description.rows:
            # Single rows are ranked by what each has; groups are counted, or ranked by what they have together.
            measures = [each for each in measures if each != "count" and not aggregated(each)[0]] or measures
        properties |= {"answer": {"const": "list"}, "measure": {"enum": measures}}
        properties |= {"order": {"enum": ["highest", "lowest"]}, "limit": properties["limit"] | {"minimum": 1}}
        if limit or choice(description, links):
            properties["limit"] = {"const": int(limit.value) if limit else 1}
        if rows:
            properties["rows"] = {"const": rows}
    return an_object(properties)


def _most(description: Description, links: Links) -> int:
    """How many conditions the question can hold: a small model that began a list goes on as long as it may."""
    if any(each.open for each in description.fields):
        return _MOST_FILTERS
    said = len({span(each) for each in links.values})
    said += sum(each.flag or not each.full for each in description.fields if each.name in links.named)
    said += sum(1 + bool(each.to) for each in (*links.numbers, *links.dates) if not nowhere(each))
    return min(max(said, 1), _MOST_FILTERS)


def _filters(field: Field, links: Links, alone: frozenset[str]) -> Iterator[dict[str, Any]]:
    """The conditions on a field. That it is empty, that there are none, or any, is said of one that is named: a model
    that has nothing to fill in says so of others. alone: the stems of the question that are of one field's names."""
    values, ops = links.values_of(field.name), ["=", "!="]
    if field.kind == "number" and field.name in links.off:
        return
    named = field.name in links.named
    near = named or bool(stems(called(field)) & alone)
    if named and field.flag and not values:
        values = list(field.values)  # Who is insured has a Y there: nobody says so.
    if field.kind in ("number", "date"):
        dates = field.kind == "date"
        found = links.dates if dates else [each for each in links.numbers if not each.of or field.name in each.of]
        # 2 is no time of day.
        found = [each for each in found if each.unit == O_CLOCK] if field.clock else found
        for op, told in _compared(found).items():
            yield _one_of(field.name, list(op), told)
        some = not (dates or field.clock) and named and (field.zeros or not field.full)
        some = some and not any(each.ops for each in found)
        # How many there are of what is counted is no condition.
        values, ops = [*values, *(["0", "1"] if some and field.name != links.counted else [])], _COMPARED
    elif bounds := [op for each in links.values if each.field == field.name for op in each.ops or ["="]]:
        ops = bounds if set(bounds) != {"="} else ops
    elif field.kind == "text" and (values or field.open):
        ops = [*ops, "starts_with", "contains"]
    if field.open and field.kind == "text" and not values:
        yield _one_of(field.name, ops, None)
    elif values:
        yield _one_of(field.name, ops, list(dict.fromkeys(values)))
    if named and field.kind == "number" and (values or found) and not any(each.ops for each in found):
        # Models say so of what is ranked by it, and have no way out of a condition that they began.
        yield _one_of(field.name, ["="], list(EXTREMES))
    if near and field.kind != "link" and not field.full:
        yield _one_of(field.name, ["=", "!="], [""])


def _compared(found: Sequence[Found]) -> dict[tuple[str, ...], list[str]]:
    """The numbers or dates by the comparisons that the question can mean with them."""
    told: dict[tuple[str, ...], list[str]] = {}
    for each in found:
        told.setdefault(each.ops or tuple(_COMPARED), []).extend(filter(None, (each.value, each.to)))
    return {ops: list(dict.fromkeys(values)) for ops, values in told.items()}


def _one_of(field: str, ops: list[str], values: list[str] | None) -> dict[str, Any]:
    value = {"type": "string", "maxLength": 60} if values is None else {"enum": values}
    return an_object({"field": {"const": field}, "op": {"enum": ops}, "value": value})


def keys(description: Description) -> str:
    """What the system message begins with: the keys and examples, which are the same for many data."""
    return _KEYS.format(rows=description.rows, of=description.examples_of, examples=description.examples.strip())


def rules(description: Description) -> str:
    """The system message: the keys, examples, the fields of the data. The same text for all questions of one
    description, so that an engine reads it once."""
    lines = []
    for each in (each for each in description.fields if not each.of):
        known = list(each.values)[:_SHOWN] if len(each.values) <= _FEW else []
        said = ": ".join(filter(None, [each.name, each.note]))
        lines.append(f"- {said}" + (f" ({', '.join(known)})" if known else ""))
    counts = dict.fromkeys(each.count for each in description.fields if each.count)
    lines += [f"- {name}: how many {description.rows} such a group has" for name in counts]
    lines += [f"The data do not hold: {description.lacks}"] if description.lacks else []
    rows = ", ".join(description.kinds_of_rows)
    fields = "\n".join([f"The data: {description.name}", f"Rows: {rows}", "Fields:", *lines])
    return keys(description) + fields


def asked(description: Description, links: Links) -> str:
    """The user's turn: the question, and what of it is known: values, dates, numbers in words."""
    known = [f"{each.field} {(each.ops or '=')[0]} {each.value}" for each in links.values]
    known += [f"{links.question[each.start : each.end]} is {each.field}" for each in links.fields if not each.sure]
    days = [each.name for each in description.fields if each.kind == "date"]
    day = days[0] if len(days) == 1 else "date"
    limit = many(links) if ranks(description, links) else None
    # A one or none in words is most often no condition: `한 건당`.
    told = {each.value for each in links.dates}
    unread = [e for e in links.numbers if (e.ops or e.value not in ("0", "1")) and e.value not in told]
    unread = [e for e in unread if e.value not in links.question and not nowhere(e)]
    unread = [e for e in unread if e != limit]
    for name, found in ((day, links.dates), ("number", unread)):
        for each in found:
            bounds = ((">=", each.value), ("<=", each.to)) if each.to else (((each.ops or "=")[0], each.value),)
            known += [f"{name} {op} {value}" for op, value in bounds]
            if "=" in each.ops[1:]:
                known[-1] += f" or = {each.value}"
    return f"Q: {links.question}" + (f"\n(known: {'; '.join(dict.fromkeys(known))})" if known else "")
