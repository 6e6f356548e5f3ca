"""What came of a question: how it was read, then the number, in the reader's language."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dure.data.questions.description import Description, Field, aggregated
from dure.data.questions.query import Filter, Query
from dure.data.questions.understanding import Understood
from dure.errors import Language
from dure.texts import TEXTS
from dure.texts.korean import filled

_TEXT = TEXTS["data_questions.text"]
_QUOTED = re.compile('"[^"]+"')
_OPS = {"=": "", "!=": "≠ ", ">": "> ", ">=": "≥ ", "<": "< ", "<=": "≤ ", "starts_with": "^ ", "contains": "∋ "}


def reading(query: Query, description: Description, language: Language, empty: Mapping[str, int] | None = None) -> str:
    """How the question was read: what is counted, under which conditions, and that there are no others. empty: by field
    how many rows have no value there: they count where one is left out, else not."""
    group = description.grouped(query.rows)
    parts = [group.label[language] if group else description.label[language]]
    for each in query.filters:
        label = measure(each.field, description, language)
        blank = f"{label}: {_TEXT['filled' if each.op == '!=' else 'empty'][language]}"
        field = description.known.get(each.field)
        form = field.told.get(language, "") if field and each.op == "=" else ""
        told = filled(form.replace("{}", "{value}"), {"value": each.value})
        parts.append((told or f"{label} {_OPS[each.op]}{each.value}") if each.value else blank)
        if each.value and (count := (empty or {}).get(each.field)):
            key = "with_empty" if each.op == "!=" else "without_empty"
            parts[-1] += _TEXT[key][language].format(count=_counted(count, description.counter[language]))
    parts.append(_TEXT["none_else" if query.filters else "no_condition"][language])
    return " · ".join(parts)


def _counted(count: int, counter: str, told: str = "") -> str:
    """A number of rows, as it is told, and what they are: ` papers`, of one ` paper`."""
    return f"{told or count}{counter.removesuffix('s') if count == 1 else counter}"


def title(query: Query, description: Description, language: Language) -> str:
    """What a query counts or lists, in a few words: `학회 논문 수`."""
    group = description.grouped(query.rows)
    listed = query.answer == "list" and query.measure == "count" and not group
    what = description.label[language] if listed else measure(query.measure, description, language)
    values = [each.value for each in query.filters if each.op == "="]
    return " ".join(filter(None, [*values, group.label[language] if group else "", what]))


def measure(name: str, description: Description, language: Language) -> str:
    """A measure or a field as people call it."""
    how, field = aggregated(name)
    if own := description.known.get(name):
        return own.label[language]
    if how and (of := description.known.get(field)):
        return f"{_TEXT[how][language]} {of.label[language]}"
    return _TEXT["count"][language].format(rows=description.label[language])


def headings(columns: Sequence[str], query: Query, description: Description, language: Language) -> list[str]:
    """The columns of a result as its readers call them: SQL calls them by the English names of fields and measures."""
    if language == "en":
        return list(columns)
    group = description.grouped(query.rows)
    own = {*description.known, query.measure, *query.also}
    named = {query.rows: (group or description).label[language]}
    named |= {name: measure(name, description, language) for name in own if name}
    return [named.get(name, name) for name in columns]


def sentence(
    query: Query,
    description: Description,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    language: Language,
    empty: Mapping[str, int] | None = None,
) -> str:
    """The reading (see there) and what came of it; of a list its heading, or its one row."""
    head, counter = reading(query, description, language, empty), description.counter[language]
    unit = description.field(query.of[1]).unit if query.of[1] else counter
    if description.grouped(query.rows) and not query.of[1]:
        # What are counted are venues, say, and no papers.
        counter = unit = _TEXT["groups"][language]
    if query.answer == "list" or (query.answer == "share_percent" and description.grouped(query.rows)):
        return _list(query, description, columns, rows, language, head)
    values = dict(zip(columns, rows[0], strict=True)) if rows else {}
    if query.answer == "yes_no":
        said = _TEXT["yes" if values.get("yes") else "no"][language].format(count=_counted(values.get("n", 0), counter))
    elif query.answer == "share_percent":
        percent = values.get("percent")
        said = _TEXT["share"][language].format(
            percent="–" if percent is None else shown(percent),
            part=values["part"],
            whole=_counted(values["whole"], counter),
        )
    elif query.answer == "difference":
        sides = ", ".join(f"{name} {shown(value)}" for name, value in list(values.items())[:2])
        apart = shown(values["difference"])
        told = apart + unit if query.of[1] else _counted(values["difference"], unit, apart)
        said = _TEXT["difference"][language].format(sides=sides, value=told)
        first, second = list(values.values())[:2]
        if query.whether and first is not None and second is not None:
            so = first > second if query.whether == ">" else first < second
            said = _TEXT["yes" if so else "no"][language].format(count=said.replace("**", ""))
    else:
        value = rows[0][-1] if rows else None
        if value is None:
            return f"{head}: {_TEXT['nothing'][language]}"
        figure = _figure(value, query.measure, description)
        said = f"**{figure + unit if query.of[1] else _counted(value, unit, figure)}**"
        head += f" · {measure(query.measure, description, language)}" if query.of[1] else ""
    return f"{head}: {said}"


def _list(
    query: Query,
    description: Description,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    language: Language,
    head: str,
) -> str:
    if query.order != "none":
        ranked = _TEXT[query.order][language].format(measure=measure(query.measure, description, language))
        head = f"{head} · {ranked}" + (f" · {_TEXT['place'][language].format(place=query.limit)}" if query.only else "")
    if not rows:
        return f"{head}: {_TEXT['nothing'][language]}"
    if len(rows) == 1:
        name, *more = (_figure(each, of, description) for each, of in zip(rows[0], columns, strict=True))
        return f"{head}: **{name}**" + (f" ({', '.join(more)})" if more else "")
    told = _TEXT["rows"][language].format(count=len(rows))
    if query.order != "none" and not query.only and 0 < query.limit < len(rows):
        told += _TEXT["tied"][language].format(place=query.limit)
    if query.order == "none" and query.limit == 0 and query.of[0] in ("", "total") and _picked(query, description):
        total = sum(row[1] for row in rows if row[1] is not None)
        told += f", {_TEXT['total'][language]} **{shown(total)}**"
    return f"{head}: {told}"


def _picked(query: Query, description: Description) -> bool:
    """Whether the rows are groups that the question names, so that their sum may be what is asked for."""
    group = description.grouped(query.rows)
    return group is not None and sum((each.field, each.op) == (group.name, "=") for each in query.filters) > 1


def _figure(value: Any, of: str, description: Description) -> str:
    """A value of a measure or field as people read it; the thousands of a year are not apart."""
    field = description.known.get(aggregated(of)[1])
    return shown(value).replace(",", "") if field is not None and field.whole else shown(value)


def shown(value: Any) -> str:
    """A number as people read it: thousands apart, two decimals at most."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}".rstrip("0").rstrip(".")


def caveats(understood: Understood, description: Description, language: Language) -> str:
    """What of the question the result leaves out, what it takes for granted, and that the data hold nothing of a date;
    empty where that is nothing."""
    words = ", ".join(f"'{word}'" for word in understood.unread)
    told = [_TEXT["unread"][language].format(words=words)] if words else []
    if understood.assumed:
        own, *others = understood.assumed
        names = ", ".join(each.label[language] for each in others)
        said = _TEXT["assumed"][language].format(field=own.label[language])
        told.append(f"{said} {_TEXT['others'][language].format(others=names)}" if names else said)
    found = [_outside(each, description) for each in understood.query.filters] if understood.query else []
    for each in filter(None, found):
        told.append(_TEXT["outside"][language].format(field=each.label[language], first=each.first, last=each.last))
    return "\n".join(dict.fromkeys(told))


def _outside(condition: Filter, description: Description) -> Field | None:
    """The field of a condition that is of dates before or after all that the data hold."""
    field, value = description.known.get(condition.field), condition.value
    if field is None or not field.first or not value:
        return None
    first, last = (str(each)[: len(value)] for each in (field.first, field.last))
    outside = (value > last and condition.op in ("=", ">", ">=")) or (
        value < first and condition.op in ("=", "<", "<=")
    )
    return field if outside else None


def refusal(understood: Understood, description: Description, language: Language) -> str:
    """Why nothing was counted, and what can be asked instead."""
    fields = ", ".join(each.label[language] for each in understood.which or description.fields if not each.of)
    key = "which" if understood.which else "unsure" if understood.faults else "cannot"
    # What is wrong is said to a model; the words of the question that it is about are the person's.
    words = dict.fromkeys(word for each in understood.faults for word in _QUOTED.findall(each))
    return _TEXT[key][language].format(fields=fields, words=f" ({', '.join(words)})" if words else "")
