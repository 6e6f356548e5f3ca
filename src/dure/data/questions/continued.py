"""A question that says only what is other than in the one before: `취소된 건 빼면?`, `10월은?`."""

from dure.data.questions.description import AGGREGATES, Description
from dure.data.questions.linking import Links, link, places
from dure.data.questions.unread import rows_called
from dure.data.questions.words import Span, span, within

_YEAR = 4
"""Digits of one."""


def continued(before: str, question: str, description: Description) -> str:
    """The question before with what this one says instead and besides; empty where this one says itself what it is
    about, or nothing that the data know."""
    new, old = link(question, description), link(before, description)
    conditions = _conditions(new)
    own = any(next(places(name, question), None) for name in rows_called(description))
    if own or new.fields or not (conditions or any(map(new.asks, AGGREGATES))):
        return ""
    instead: dict[Span, str] = {}
    for kind, value, (start, end) in conditions:
        same = [(place, had) for other, had, place in _conditions(old) if other == kind and had != value]
        if len(same) > 1:
            return ""  # Nobody can tell which of them it stands for.
        for place, had in same:
            said = question[start:end]
            # A month alone is one of the year that was asked about.
            dated = kind == ("date", len(value)) and value[:_YEAR] not in said
            instead[place] = had[:_YEAR] + value[_YEAR:] if dated else said
    text = before
    for (start, end), said in sorted(instead.items(), reverse=True):
        blank = " " * before[start:end].endswith(" ")
        text = text[:start] + said.strip() + blank + text[end:]
    return text if conditions and len(instead) == len(conditions) else f"{text} {question}"


def _conditions(links: Links) -> list[tuple[tuple[object, ...], str, Span]]:
    """What may stand for one another, of each value, date and number that is named; the value; and its place."""
    found = [((each.field, each.ops), each.value, span(each)) for each in links.values]
    dates = [(("date", len(each.value)), each.value, span(each)) for each in links.dates]
    numbers = [each for each in links.numbers if not within(span(each), (place for _, _, place in dates))]
    return [*found, *dates, *(((each.unit, each.ops), each.value, span(each)) for each in numbers)]
