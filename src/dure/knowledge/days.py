"""The days that a text names, in Korean, English and figures: `2026년 6월 3일`, `2026. 6. 3.`, `3 June 2026`."""

import re
from calendar import day_name, month_abbr, month_name, monthrange
from collections.abc import Callable, Iterator, Sequence
from datetime import MAXYEAR, date, timedelta
from decimal import Decimal
from itertools import chain, combinations, pairwise, permutations
from typing import NamedTuple

from dure.numbers import scan
from dure.numbers.clock import KOREAN, in_24_hours
from dure.numbers.words import TH
from dure.patterns import later

WORKING = frozenset(("근", "영", "working", "business"))
"""Units of days that are worked on: `근무일`, `영업일`, `working days`."""
MONTHS = {name: number for names in (month_abbr, month_name) for number, name in enumerate(names) if name}
_NAMED = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = later(
    r"(?<!\d)(?:(?P<y>\d{4}) ?년 ?)?(?P<m>\d\d?) ?월(?: ?(?P<d>\d\d?) ?일)?"
    r"|(?<![\d.])(?P<y2>\d{4})[-./] ?(?P<m2>\d\d?)[-./] ?(?P<d2>\d\d?)(?!\d)"
    rf"|(?<![\d.,])\b(?P<d3>\d\d?){TH}? (?:of )?(?P<m3>{_NAMED})\b\.?(?:,? (?P<y3>\d{{4}}))?"
    rf"|\b(?P<m4>{_NAMED})\.? (?P<d4>\d\d?)(?!,?\d|\.\d){TH}?(?:,? (?P<y4>\d{{4}}))?"
    rf"|\b(?P<m5>{_NAMED}),? (?P<y5>\d{{4}})(?![\d,])"
)
_TIME = later(
    rf"(?:(?:{KOREAN})에?\s?)?(?<![\d.,:])(?P<hour>\d\d?)(?::(?P<minute>\d\d)(?!\d|:\d)|\s?시(?!간)(?:\s?(?P<min>\d\d?)\s?분|(?P<half>\s?반))?"
    r"|(?=\s?[ap]\.?m))(?:\s?[ap]\.?m(?![A-Za-z])\.?)?",
    re.IGNORECASE,
)
"""A time of day, with the half of the day that it is of."""
_MONTH = later(rf"\b({_NAMED})\b|(?<!\d)\d{{4}}[-./](\d\d?)(?!\d)|(?<!\d)(\d\d?) ?[~∼–-] ?\d\d? ?월")
"""A month that is told without a day."""
_OF_MONTH = later(rf"(?<=[가-힣][월달]) ?(\d\d?) ?일|\b(\d\d?){TH}\b")
"""The day of a month that is told elsewhere, or of each: `매월 10일`, `the 10th`."""
_SPAN = later(r"(?<![\d.,:])(\d\d?)\D{1,5}\Z"), later(r"\D{1,5}(\d\d?)(?=일|[^\w.,:%]|\.?\Z)")
"""The other end of a span that a day begins or ends: `5월 7일부터 9일`, `18–19 February`, `19 to 24 October`."""
_IN_FIGURES = later(r"(?<![\d.,/])(\d\d?)[/.](\d\d?)(?![\d%]|[.,]\d)")
"""A month and a day, in the one order or the other."""

_DAY_LONG, _YEAR = 24 * 60, 366
"""Minutes of a day, days of a year."""
_BEFORE = 16
"""Characters before the name of a weekday in which its place in the month is told."""
Span = tuple[Decimal, str, str]
"""A number, its unit, and both as they are written."""


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
        end = match.end() - match[0].endswith(".")
        found.append(Day(match.start(), end, (year, month, day)))
    return found


class Time(NamedTuple):
    """A time of day and its place in the text; `hours`: those of the day, with their minutes, that it may be, two where
    it does not tell of which half."""

    start: int
    end: int
    hours: frozenset[tuple[int, int]]


def times_in(text: str) -> list[Time]:
    """The times of day of a text, from left to right."""
    found = list[Time]()
    for match in _TIME.finditer(text) if any(map(str.isdigit, text)) else ():
        told = _TIME.match(of_day := in_24_hours(match[0]))
        hour, minute = int((told or match)["hour"]), int(match["minute"] or match["min"] or 30 * bool(match["half"]))
        either = of_day == match[0] and hour < 12 and match["hour"][0] != "0"
        found.append(Time(*match.span(), frozenset({(hour, minute), (hour + 12 * either, minute)})))
    return found


def by_hours(text: str) -> str:
    """The text with its times of day as full hours, whose minutes are none that go by."""
    at, pieces = 0, list[str]()
    for start, end, hours in times_in(text):
        pieces += [text[at:start], " ".join(f"{hour}시" for hour, _ in sorted(hours))]
        at = end
    return "".join([*pieces, text[at:]])


def undated(text: str) -> str:
    """The text without its days."""
    return _DAY.sub(" ", text)


def in_korean(text: str) -> str:
    """The text with its days as Korean has them, whose parts have units of their own."""
    for start, end, parts in reversed(days(text)):
        words = " ".join(f"{part}{unit}" for part, unit in zip(parts, "년월일", strict=True) if part)
        text = f"{text[:start]}{words}{text[end:]}"
    return text


def is_of(day: Day, other: Day) -> bool:
    """Whether one day is the other, as far as it is told."""
    return all(its in (0, whole) for its, whole in zip(day.date, other.date, strict=True))


def told_in(text: str) -> Callable[[Day], bool]:
    """Whether a text tells a day, also without its year, or apart from its month (`5월 7~9일`, `매월 10일`)."""
    told = days(text)
    found = {each.date for each in told}
    for start, end, (year, month, _) in told:
        ends = _SPAN[0].search(text, max(0, start - 8), start), _SPAN[1].match(text, end)
        found.update((year, month, int(each[1])) for each in ends if each)
    rest = undated(text)
    numbers = {int(each) for each in re.findall(r"(?<![\d.,])\d\d?(?![\d,]|\.\d)", rest)}
    figures = {(int(a), int(b)) for a, b in _IN_FIGURES.findall(text)}
    months = {MONTHS.get(name) or int(each or first) for name, each, first in _MONTH.findall(text)}
    of_month = {int(a or b) for a, b in _OF_MONTH.findall(rest)}

    def tells(day: Day) -> bool:
        year, month, number = day.date
        if number in of_month or {(month, number), (number, month)} & figures:
            return True
        its = [date for date in found if date[1] == month and (0 in (year, date[0]) or year == date[0])]
        if not number:
            return bool(its) or month in months
        return any(date[2] == number or (not date[2] and number in numbers) for date in its)

    return tells


def by_calendar(figure: str, text: str, spans: Sequence[Span], known: Callable[[str], bool]) -> bool:
    """Whether a figure of a text is that of a day which lies so many days (`일`), weeks (`주`) or months (`개월`) from
    another one or the end of a quarter, or is the so manieth of its weekday in its month, or the number of days between
    two: `9월 1일에서 20일 뒤인 9월 21일`. The two others have to be known. spans: these numbers of the text."""
    number, now = re.match(r"\d+", figure), date.today().year
    found = [(text[each.start : each.end], each.date) for each in days(text) if each.date[2]]
    told = [year for year, _, _ in (each.date for each in days(text)) if year]
    for day in (day for each in days(figure) if each.date[2] for day in _whole(each.date, (told or [now])[0])):
        since = ((day - timedelta(int(count)), span) for count, unit, span in spans if unit == "일" and count < _YEAR)
        its_end = any(_ends_quarter(first) and known(span) for first, span in since)
        if (_is_nth(day, text, known) or its_end) and (day.year == now or known(str(day.year))):
            return True
    for pair in combinations(found, 2):
        years = [year for _, (year, _, _) in pair if year]
        whole = sorted(day for _, each in pair for day in _whole(each, (years or [now])[0]))
        for count, unit, span in spans if len(whole) == 2 else ():
            of = next((told for told, _ in pair if told == figure), "")
            counts = not of and not days(figure) and number and int(number[0]) == count
            if (of or counts) and _lies(whole[0], whole[1], int(count), unit):
                needed = [f"{month}월 {day}일" for told, (_, month, day) in pair if told != of]
                # The year of the one is that of the other, where this is told.
                needed += [span] * (not counts) + [str(year) for year in years if len(years) == 1 and year != now]
                if all(map(known, needed)):
                    return True
    return False


def _whole(day: tuple[int, int, int], year: int) -> Iterator[date]:
    """A day, of `year` where its own is not told; nothing where there is none such."""
    try:
        yield date(day[0] or year, day[1], day[2])
    except ValueError:
        return


def _lies(first: date, last: date, count: int, unit: str) -> bool:
    """Whether so many days, weeks or months lie between two days, the first of them counted or not; of working days
    without weekends alone."""
    if unit in WORKING:
        return count == sum((first + timedelta(each)).weekday() < 5 for each in range(1, (last - first).days + 1))
    if months := count * {"개월": 1, "년": 12}.get(unit, 0):
        year, month = divmod(first.month - 1 + months, 12)
        years, there = first.year + year, month + 1
        at = date(years, there, min(first.day, monthrange(years, there)[1])) if years <= MAXYEAR else date.max
        return abs(last - at) <= timedelta(1)
    length = count * {"일": 1, "주": 7}.get(unit, 0)
    return bool(length) and last - first in (timedelta(length), timedelta(length - 1))


def _is_nth(day: date, text: str, known: Callable[[str], bool]) -> bool:
    """Whether a text names the weekday of a day, and right before it its place among those of its month."""
    for name in re.finditer(rf"{'월화수목금토일'[day.weekday()]}요일|{day_name[day.weekday()]}", text):
        place = text[max(0, name.start() - _BEFORE) : name.start()]
        if (day.day + 6) // 7 in {int(each.value) for each in scan(place)} and known(place + name[0]):
            return True
    return False


def _ends_quarter(day: date) -> bool:
    return (day + timedelta(1)).day == 1 and day.month % 3 == 0


def by_clock(figure: str, text: str, spans: Sequence[Span], known: Callable[[str], bool]) -> bool:
    """Whether a figure of a text is of the minutes or hours between two of its times, also of two of its days, or of
    a time that lies so many from another one: 38 of 22:52 and 23:30, 8 of 10 p.m. to 6 a.m. The others are known."""
    times = [[h * 60 + m for h, m in each.hours] for each in times_in(text) if known(text[each.start : each.end])]
    units = {"시간": 60, "분": 1}
    lengths = [(int(units[unit] * count), unit, its) for count, unit, its in spans if unit in units]
    if told := [h * 60 + m for each in times_in(figure) for h, m in each.hours]:
        steps = [sign * length for length, _, its in lengths if known(its) for sign in (1, -1)]
        return any((time + step) % _DAY_LONG in told for time in chain(*times) for step in steps)
    # Hours with minutes behind them are one length.
    both = [(a, b) for a, b in pairwise(lengths) if (a[1], b[1]) == ("시간", "분")]
    lengths = [each for each in lengths if not any(each in pair for pair in both)]
    lengths += [(a[0] + b[0], "", f"{a[2]} {b[2]}") for a, b in both]
    whole = [day for each in days(text) if each.date[2] for day in _whole(each.date, date.today().year)]
    apart = {1, *(abs((a - b).days) for a, b in combinations(whole, 2))}
    between = {b - a for its, others in permutations(times, 2) for a in its for b in others}
    between |= {each + _DAY_LONG * count for each in between for count in apart}
    said = re.compile(rf"(?<!\d){re.escape(figure)}(?!\d)")
    return any(length in between and said.search(of) for length, _, of in lengths)
