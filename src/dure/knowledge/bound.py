"""Which figure stands among which words: of those that count the same a statement has to have the one among its own."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from dure.knowledge.claims import counted
from dure.knowledge.days import days, times_in
from dure.knowledge.names import NAME, ORDINAL
from dure.knowledge.units import COLUMN
from dure.knowledge.weighed import spoken

_PART = re.compile(r"[,;·(]\s*(?!\d)|(?<=[고며])\s+|\sand\s|\. | \| ")
"""Between the parts of a sentence, and the cells of a row."""
_NEAR = 2
"""Words before and behind a figure that say what it is of."""
_AMONG = 0.5
"""Share of the words around a figure among which another one stands in its place."""
_FIGURE = re.compile(r"\d[\d.,]*")


class Bound(NamedTuple):
    """A figure with what it counts: its unit, or that it is a day, a month or a time; the words right beside it, and
    those of its part of the sentence. A column's name is beside what stands in it."""

    written: str
    value: Any
    kind: str
    beside: frozenset[str]
    around: frozenset[str]


@lru_cache(2048)
def bound(text: str) -> tuple[Bound, ...]:
    """The figures of a sentence or row that count something."""
    ends, found = [match.span() for match in _PART.finditer(text)], list[Bound]()
    for start, end, kind, value in _figures(text):
        first = max((b for _, b in ends if b <= start), default=0)
        last = min((a for a, _ in ends if a >= end), default=len(text))
        column, colon, _ = text[first:start].partition(": ") if COLUMN in text else ("", "", "")
        before = column if colon else " ".join(_FIGURE.sub(" ", text[first:start]).split()[-_NEAR:])
        behind = " ".join(text[end:last].split()[:_NEAR])
        around = spoken(f"{text[first:start]} {text[end:last]}")
        found.append(Bound(text[start:end], value, kind, spoken(f"{before} {behind}"), around))
    return tuple(found)


def _figures(text: str) -> Iterator[tuple[int, int, str, Any]]:
    """The figures of a text: where they stand, what they count, and their values; no names, no parts of documents."""

    def hidden(match: re.Match[str]) -> str:
        return ";" * len(match[0])

    text, at = NAME.sub(hidden, ORDINAL.sub(hidden, text)), 0
    for time in times_in(text):
        yield time.start, time.end, "time", min(time.hours)
        text = f"{text[: time.start]}{';' * (time.end - time.start)}{text[time.end :]}"
    for day in days(text):
        yield day.start, day.end, "day" if day.date[2] else "month", day.date[1:]
        text = f"{text[: day.start]}{';' * (day.end - day.start)}{text[day.end :]}"
    for value, unit, written in counted(text, latin=True):
        at = text.find(written, at)
        if unit:
            yield at, at + len(written), unit, value
        at += len(written)


def misplaced(
    statement: str, sources: Collection[str], weight: Callable[[Iterable[str]], float]
) -> Iterator[tuple[str, str]]:
    """The figures of a statement which stand nowhere among the words around them, and in whose place, among most of
    these, `sources` have another one that counts the same and that the statement leaves out; each with that."""
    said = bound(statement)
    told = [each for text in sources for each in bound(text)] if said else []
    values = {each.value for each in said}
    for its in said:
        whole, alike = _weighed(its, its, weight), [each for each in told if each.kind == its.kind]
        others = [(_weighed(its, each, weight), each.written) for each in alike if each.value not in values]
        most, other = max(others, default=(0.0, ""))
        own = max((_weighed(its, each, weight) for each in alike if each.value == its.value), default=0.0)
        if whole and not own and most >= _AMONG * whole:
            yield its.written, other


def _weighed(its: Bound, other: Bound, weight: Callable[[Iterable[str]], float]) -> float:
    return 2 * weight(its.beside & other.beside) + weight(its.around & other.around)
