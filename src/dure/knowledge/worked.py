"""What figures give: sums, differences, shares and products of two that are known, and what a table adds up to."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import combinations, islice, permutations, zip_longest
from typing import NamedTuple, cast

from dure.knowledge.claims import TIMES, counted, figures_in, missing, numbers, outside, unnamed
from dure.knowledge.days import WORKING, by_calendar, by_clock, by_hours, days, times_in, undated
from dure.numbers import fractions, scan
from dure.numbers.measures import behind, unit

_BAR = re.compile(r"(?<!\\)\|")
_BEFORE = re.compile(r"([A-Za-z]{1,3}|[₩$€£]) ?\Z")
"""A currency before a figure."""
FEW = 12
"""Figures of which two are told apart from chance."""
_PAIRS = 6
"""The same of a column of which two are added."""
_BEHIND = 16
"""Characters behind a figure in which its unit stands."""
_LARGE = 100
"""A figure from which on it is no count of a few things, and hardly a product by chance."""
LONG = 3
"""Characters of a figure that is no count of a few things, nor a time of day."""
_NEARLY = Decimal("0.05")
"""Of a figure, by which what is rounded to it may differ."""


class Amount(NamedTuple):
    """A figure: `value`: in the smallest of what its unit measures, of `size`; `of`: that, or the unit, where it is not
    known what it measures. `plain`: without unit; `written`: with it."""

    value: Decimal
    of: str
    size: Decimal
    known: bool
    plain: Decimal
    written: str

    @property
    def short(self) -> bool:
        """Whether it may be a count of a few things, which two others give by chance."""
        return self.plain < _LARGE and "." not in self.written

    @property
    def step(self) -> Decimal:
        """Half of its last place."""
        return Decimal(1).scaleb(cast("int", self.plain.as_tuple().exponent)) * self.size / 2

    def fits(self, other: "Amount") -> bool:
        """Whether both may count the same; of a unit that is not known nobody can tell."""
        return self.of == other.of or not (self.known and other.known)


@lru_cache(256)
def amounts(text: str) -> tuple[Amount, ...]:
    """The figures of a text, but for days and times of day, names and numbers of parts."""
    text, shares = fractions(by_hours(undated(unnamed(text))))
    found = [Amount(100 * s.value, "%", Decimal(1), True, s.value, "") for s in shares]
    for each in (each for each in scan(text) if any(map(str.isdigit, text[each.start : each.end]))):
        for value, letter, written in islice(counted(text[each.start : each.end + _BEHIND], latin=True), 1):
            name = text[each.end : behind(text, each.end)].strip() or "".join(
                _BEFORE.findall(text, max(0, each.start - 5), each.start)
            )
            measured = unit(name)
            of, factor = measured or (letter, 1.0)
            size = Decimal(f"{factor:g}")
            found.append(Amount(value * size, of, size, measured is not None or of == "%", value, written))
    return tuple(found)


def worked_out(figure: str, text: str, known: Sequence[str], beside: str = "") -> bool:
    """Whether a figure of a text, as written, that stands in none of what is `known` is made of two that stand there
    and in the text or `beside` it, or is one of these in another unit (`480 minutes (8 hours)`). Only with a sign it
    may itself be one of the two: 20, 40, +20."""
    values = () if figure[0].isalpha() or days(figure) or times_in(figure) else numbers(figure).values()
    own = amounts(text) if values else ()
    held = frozenset[Decimal]().union(*map(figures_in, known)) if own else ()
    signed = re.search(rf"(?<!\w)[-+−▲△]\s?[₩$€]?{re.escape(figure)}", text)
    for its in (each for each in own if each.plain in values):
        # A short figure stands in many places, as of something else.
        near = [
            each
            for each in (own if its.short and not its.of else (*own, *amounts(beside)))
            if each.plain in held or each.value in held
            if not (each.short and each.of) or not missing(each.written, *known)
        ]
        others = near if signed else [each for each in near if each[:2] != its[:2]]
        if is_made(its, others) or any(each[:2] == its[:2] and each.size != its.size for each in near):
            return True
    return False


def is_made(its: Amount, near: Iterable[Amount]) -> bool:
    """Whether a figure is the sum or difference of two that count the same as it, their ratio or share in percent; a
    large one also the product of two, or the one with or without so many percent, or by so many. A short one has to
    have the very unit of both: some two of many numbers make any."""
    near = list({each[:2]: each for each in near}.values())
    alike = [each for each in near if (each.of == its.of if its.short else each.fits(its))]
    pairs = [*combinations(alike, 2)] if len(alike) <= FEW else []
    if any(its.value in (a.value + b.value, abs(a.value - b.value)) for a, b in pairs):
        return True
    # Of a unit that is not known nobody can tell the size.
    plain = [(a.plain, b.plain) for a, b in pairs if not (a.known and b.known and its.known)]
    if any(its.plain in (a + b, abs(a - b)) for a, b in plain):
        return True
    # One digit alone would be the rounding of many.
    if len(near) > FEW or (its.short and (its.plain < 10 or its.of != "%")):
        return False
    made, of_all = list[Decimal](), list[Decimal]()
    for a, b in permutations(near, 2):
        if b.value and a.fits(b):
            of_all += [a.value / b.value, a.value / b.value * 100, (a.value - b.value) / b.value * 100]
        if a.fits(its) and not its.short:
            made += [a.value * b.plain, *([a.value / b.plain] if b.plain else ())]
            if b.of == "%" or not b.known:
                made += [a.value * each / 100 for each in (b.plain, 100 + b.plain, 100 - b.plain)]
                made += [a.value / b.plain * 100] if b.plain else []
    if its.known and its.of != "%":
        of_all = [each for each in of_all if each == its.plain]
    found = ((each, its.value) for each in made), ((each, its.plain) for each in of_all)
    return any(
        abs(abs(each) - value) <= min(its.step * value / (its.value or 1), value * _NEARLY)
        for pairs in found
        for each, value in pairs
    )


def is_long(figure: str) -> bool:
    """Whether a figure, as written, has as many digits as no count of a few things has."""
    return sum(map(str.isdigit, figure)) >= LONG


def in_time(figure: str, text: str, known: Callable[[str], bool]) -> bool:
    """Whether a figure of a text is of a day or of a number of days, as two others of it, which are known, tell by the
    calendar, or by the clock a time or the minutes or hours between two of its times."""
    told = counted(undated(text), in_words=True, latin=True)
    spans = [(value, unit, written) for value, unit, written in told if unit in TIMES or unit in WORKING]
    return by_calendar(figure, text, spans, known) or by_clock(figure, text, spans, known)


def is_share(figure: str, near: str, known: Iterable[str]) -> bool:
    """Whether a figure of several thousands is exactly the percentage or fraction that stands `near` it of another
    one that is `known`, as it is, or that one with or without it: 248,000,000 at 10 % of a price told elsewhere."""
    wholes = frozenset[Decimal]().union(*map(figures_in, known))
    shares = [each.value / 100 for each in amounts(near) if each.of == "%" and each.plain in wholes]
    factors = {each for share in shares for each in (share, 1 + share, 1 - share)}
    values = [each for each in numbers(figure).values() if each >= _LARGE * 10]
    return any(value == factor * whole for value in values for factor in factors for whole in wholes)


def made_of(rows: Sequence[str], *known: str) -> set[Decimal]:
    """What a table's known figures give: the sum of a column, of two of a short one, the difference of two of a row or
    a column."""
    columns = _columns(rows, known)
    lines = [*columns, *map(list, zip(*columns, strict=False))] if len({*map(len, columns)}) == 1 else columns
    made = {sum(column, Decimal(0)) for column in columns if len(column) > 1}
    made |= {a + b for column in columns if len(column) <= _PAIRS for a, b in combinations(column, 2)}
    return made.union(abs(a - b) for line in lines if len(line) <= FEW for a, b in combinations(line, 2))


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


def of_whole(figure: str) -> Iterator[str]:
    """A factor such as 1.3 or 0.7 as the percentage that it adds or takes away."""
    made = [100 * abs(each - 1) for each in numbers(figure).values() if 0 < each < 2]
    return (f"{each.normalize():f}%" for each in made if each)
