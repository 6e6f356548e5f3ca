"""What figures give: sums, differences, shares and products of those that are known, and what a table adds up to."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from decimal import Decimal
from itertools import combinations, islice, permutations, zip_longest
from typing import NamedTuple, cast

from dure.knowledge.claims import TIMES, counted, figures_in, missing, numbers, outside
from dure.knowledge.days import WORKING, by_calendar, days, undated
from dure.numbers import fractions, scan
from dure.numbers.clock import in_24_hours
from dure.numbers.measures import behind, unit

_BAR = re.compile(r"(?<!\\)\|")
_DAY = re.compile(r"\d+ ?월 ?\d+ ?일|\d+ ?시(?!간)")
"""A day or an hour, which is no number of days or hours."""
_FEW = 12
"""Numbers of a statement of which the differences are told apart from chance."""
_PAIRS = 6
"""The same of a column of which two are added."""
_UNIT = 16
"""Characters behind a figure in which its unit stands."""
_LARGE = 100
"""A figure that is the product of two others hardly by chance."""
LONG = 3
"""Characters of a figure that is no count of a few things, nor a time of day."""
_CLOCK = re.compile(r"(?<![\d:])([01]?\d|2[0-4])(?::([0-5]\d)(?![:\d])| ?시(?!간))")
_DAY_LONG = 24 * 60
_NEARLY = Decimal("0.05")
"""Of a figure, by which what is rounded to it may differ."""


def worked_out(figure: str, answer: str, quotes: Iterable[str]) -> bool:
    """Whether a figure, as written, that stands in none of `quotes` is made of two that stand there and in the answer:
    their sum, or exact to the places that it has, a difference, a ratio, a percentage or a product. Only with a sign it
    may be one of the two: 20, 40, +20."""
    held = _terms(answer, quotes)
    signed = re.search(rf"(?<!\w)[-+−▲△]\s?[₩$€]?{re.escape(figure)}", answer)
    others = [(each, held if signed else held - {each}) for each in numbers(figure).values()]
    return not (figure[0].isalpha() or days(figure)) and any(is_made(each, its) for each, its in others)


def _terms(text: str, quotes: Iterable[str]) -> frozenset[Decimal]:
    """The figures of a text that stand in `quotes`. Months and days of dates are no terms of sums."""
    return frozenset[Decimal]().union(*map(figures_in, quotes)).intersection(numbers(undated(text)).values())


def is_long(figure: str) -> bool:
    """Whether a figure, as written, has as many digits as no count of a few things has."""
    return sum(map(str.isdigit, figure)) >= LONG


def in_time(figure: str, text: str, asked: str = "") -> bool:
    """Whether a figure of a text is of a day or of a number of days, as the others of it and of what was `asked` tell
    by the calendar, or the minutes or hours between two of its times: 38 of 22:52 and 23:30, 8 of 10 p.m. to 6 a.m."""
    told = counted(undated(text), in_words=True, latin=True)
    spans = {(value, unit) for value, unit, _ in told if unit in TIMES or unit in WORKING}
    if by_calendar(figure if days(figure) else re.sub(r"\D+$", "", figure), f"{text}\n{asked}", spans):
        return True
    times = [60 * int(hour) + int(minute or 0) for hour, minute in _CLOCK.findall(in_24_hours(text))]
    between = {each for a, b in combinations(times, 2) for each in (abs(a - b), (b - a) % _DAY_LONG)}
    made = {(Decimal(each), "분") for each in between} | {(Decimal(each) / 60, "시") for each in between}
    return any((value, unit) in made for value, unit, its in counted(text) if figure in its)


def is_share(figure: str, near: str, quotes: Iterable[str]) -> bool:
    """Whether a figure of several thousands is exactly the percentage or fraction that stands `near` it of one that the
    `quotes` have, or that one with or without it: 248,000,000 at 10 % of a price that is told elsewhere."""
    known = [*quotes]
    wholes = frozenset[Decimal]().union(*map(figures_in, known))
    shares = {value / 100 for value, unit, written in counted(near) if unit == "%" and not missing(written, *known)}
    shares |= {each.value for each in fractions(near)[1] if not missing(near[each.start : each.end], *known)}
    factors = {each for share in shares for each in (share, 1 + share, 1 - share)}
    values = [each for each in numbers(figure).values() if each >= _LARGE * 10]
    return any(value == factor * whole for value in values for factor in factors for whole in wholes)


def multiplied(figure: str, answer: str, quotes: Iterable[str]) -> bool:
    """Whether a figure that has places is exactly the product of two that stand in `quotes` and the answer: 4.8 of 12
    days at 0.4."""
    held = _terms(answer, quotes) - {Decimal(1)}
    values = set(numbers(figure).values()) if "." in figure and len(held) <= _FEW else set()
    return any(a * b in values for a, b in combinations(held, 2))


def given(statement: str, beside: str, *known: str) -> set[str]:
    """The figures of a statement, with and without units, that two others give, which are `known` and stand in it or
    `beside` it: by their units the sum (`14시간` before `12시간과 2시간을 더한 시간`), with one of it the
    difference, if long also without, the share in percent; or that one is in another unit (`480 minutes (8 hours)`)."""
    own, around = [*_amounts(statement)], [*_amounts(beside)]
    near = [each for each in (*own, *around) if not missing(each.written, *known)]
    found = [each.written for each in own if each.of and _is_given(each, near, own)]
    return {*found, *(re.sub(r"\D+$", "", each) for each in found)}


class _Amount(NamedTuple):
    """A figure: `value`: in the smallest `of` what its unit measures, of `size`; as it is `written`, with its unit."""

    value: Decimal
    of: str
    size: float
    written: str


def _amounts(text: str) -> Iterator[_Amount]:
    """The figures of a text, but for days and hours."""
    text = fractions(_DAY.sub(" ", text))[0]
    for each in (each for each in scan(text) if any(map(str.isdigit, text[each.start : each.end]))):
        for value, letter, written in islice(counted(text[each.start : each.end + _UNIT], latin=True), 1):
            of, size = unit(text[each.end : behind(text, each.end)].strip()) or (letter, 1.0)
            yield _Amount(value * Decimal(f"{size:g}"), of, size, written)


def _is_given(its: _Amount, near: Sequence[_Amount], own: Collection[_Amount]) -> bool:
    """As of `given`; one digit alone would be the rounding of many shares."""
    others = [each for each in near if each[:2] != its[:2]]
    alike, rest = ([each for each in others if (each.of == its.of) is same][:_FEW] for same in (True, False))
    long, (_, digits, places) = is_long(its.written) or "." in its.written, its.value.as_tuple()
    made = [a.value + b.value for a, b in combinations(alike, 2)]
    made += [abs(a.value - b.value) for a, b in combinations(alike, 2) if long or a in own]
    made += [each.value for each in near if each.of == its.of and each.size != its.size]
    if its.of != "%" or len(digits) == 1 or its.value in made:
        return its.value in made
    off, pairs = Decimal(1).scaleb(cast("int", places)) / 2, permutations(rest, 2)
    shares = [(a.value, b.value) for a, b in pairs if b.value and (a.of == b.of or (a in own and "" in (a.of, b.of)))]
    return any(abs(each - its.value) <= off for a, b in shares for each in (a / b * 100, abs(a - b) / b * 100))


def made_of(rows: Sequence[str], *known: str) -> set[Decimal]:
    """What a table's known figures give: the sum of a column, of two of a short one, the difference of two of a row or
    a column."""
    columns = _columns(rows, known)
    lines = [*columns, *map(list, zip(*columns, strict=False))] if len({*map(len, columns)}) == 1 else columns
    made = {sum(column, Decimal(0)) for column in columns if len(column) > 1}
    made |= {a + b for column in columns if len(column) <= _PAIRS for a, b in combinations(column, 2)}
    return made.union(abs(a - b) for line in lines if len(line) <= _FEW for a, b in combinations(line, 2))


def _columns(rows: Sequence[str], known: Iterable[str]) -> list[list[Decimal]]:
    """The figures of each column of a table, each in a cell of its own; NaN where it is not known or one of several."""
    held = [figures_in(each) for each in known]
    cells = [[numbers(cell) for cell in _BAR.split(row.strip("| "))] for row in rows]
    columns = zip_longest(*cells, fillvalue=dict[str, Decimal]())
    return [
        [
            next(iter(cell.values())) if len(cell) == 1 and not outside(cell, held) else Decimal("NaN")
            for cell in column
            if cell
        ]
        for column in columns
    ]


def rounded(figure: str, told: str) -> bool:
    """Whether a figure, as written, is one of `told` with fewer places, or that as a percentage. One digit alone would
    be the rounding of many."""
    for each in () if days(figure) else numbers(figure).values():
        step = Decimal(1).scaleb(cast("int", each.as_tuple().exponent))
        for full in figures_in(told) if len(each.as_tuple().digits) > 1 else ():
            for value in (full, full * 100):
                if cast("int", value.as_tuple().exponent) < step.adjusted() and abs(value - each) <= step / 2:
                    return True
    return False


def of_whole(figure: str) -> list[str]:
    """A factor such as 1.3 or 0.7 as the percentage that it adds or takes away."""
    made = [100 * abs(each - 1) for each in numbers(figure).values() if 0 < each < 2]
    return [f"{each.normalize():f}%" for each in made if each]


def is_made(figure: Decimal, held: Set[Decimal]) -> bool:
    """Whether a figure is the sum of two of those that are held, or a difference, ratio or percentage, a large one also
    their product, or the one with or without so many percent."""
    # One digit alone would be the rounding of many.
    off = min(Decimal(1).scaleb(cast("int", figure.as_tuple().exponent)) / 2, figure * _NEARLY)
    # Of many numbers some make any.
    for a, b in permutations(held, 2) if len(held) <= _FEW else ():
        shares = [a / b, a / b * 100, (a - b) / b * 100] if b else []
        products = [a * b, a * b / 100, a * (100 + b) / 100, a * (100 - b) / 100] if figure >= _LARGE else []
        if figure == a + b or any(abs(abs(made) - figure) <= off for made in (a - b, *shares, *products)):
            return True
    return False
