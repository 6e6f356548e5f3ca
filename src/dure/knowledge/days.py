"""The days that a text names, in Korean, English and figures: `2026년 6월 3일`, `2026. 6. 3.`, `3 June 2026`."""

import re
from calendar import month_abbr, month_name
from typing import NamedTuple

MONTHS = {name: number for names in (month_abbr, month_name) for number, name in enumerate(names) if name}
_NAMED = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = re.compile(
    r"(?<!\d)(?:(?P<y>\d{4}) ?년 ?)?(?P<m>\d\d?) ?월(?: ?(?P<d>\d\d?) ?일)?"
    r"|(?<![\d.])(?P<y2>\d{4})[-./] ?(?P<m2>\d\d?)[-./] ?(?P<d2>\d\d?)(?!\d)"
    rf"|\b(?P<d3>\d\d?) (?P<m3>{_NAMED})\b\.?(?: (?P<y3>\d{{4}}))?"
    rf"|\b(?P<m4>{_NAMED})\.? (?P<d4>\d\d?)(?!\d)(?:, (?P<y4>\d{{4}}))?"
)


class Day(NamedTuple):
    """A day and its place in the text; a year or day that is left out is 0."""

    start: int
    end: int
    date: tuple[int, int, int]


def days(text: str) -> list[Day]:
    """The days of a text, from left to right."""
    found = list[Day]()
    for match in _DAY.finditer(text):
        parts = {name[0]: each for name, each in match.groupdict().items() if each}
        year, month, day = (MONTHS.get(each) or int(each) for each in (parts.get(name, "0") for name in "ymd"))
        found.append(Day(*match.span(), (year, month, day)))
    return found


def is_of(day: Day, other: Day) -> bool:
    """Whether one day is the other, as far as it is told."""
    return all(its in (0, whole) for its, whole in zip(day.date, other.date, strict=True))
