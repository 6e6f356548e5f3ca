"""Dates, times of day and spans of time as people write them. Linear parsers, no guessing: `3/4/2026` is refused."""

import calendar
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time
from typing import Final

from dure.errors import Language
from dure.numbers.clock import in_24_hours
from dure.numbers.words import ENGLISH, TH
from dure.packs.contracts.faults import WrongValue

_MAX_CHARS: Final = 60
_LONG: Final = {name.casefold(): at for at, name in enumerate(calendar.month_name) if name}
_MONTHS: Final = _LONG | {name[:3]: at for name, at in _LONG.items()} | {"sept": 9}
_DAYS: Final = tuple(zip("월화수목금토일", calendar.day_name, strict=True))
_WEEKDAYS: Final = {
    word: at for at, (ko, en) in enumerate(_DAYS) for word in (ko, f"{ko}요일", en.casefold(), en[:3].casefold())
}
# Bounded repetitions only, matched once against at most 60 characters.
_DATES: Final = (
    re.compile(r"(?P<y>\d{4}) ?([-./]) ?(?P<m>\d{1,2}) ?\2 ?(?P<d>\d{1,2})\.?(?:t00:00(?::00)?z?)?", re.ASCII),
    re.compile(r"(?P<y>\d{4})년 ?(?P<m>\d{1,2})월 ?(?P<d>\d{1,2})일", re.ASCII),
    re.compile(rf"(?P<m>[a-z]{{3,9}})\.? (?P<d>\d{{1,2}}){TH}?,? (?P<y>\d{{4}})", re.ASCII),
    re.compile(rf"(?P<d>\d{{1,2}}){TH}? (?:of )?(?P<m>[a-z]{{3,9}})\.?,? (?P<y>\d{{4}})", re.ASCII),
)
_TIME: Final = re.compile(r"(\d{1,2})(?::(\d{2})(?::00)?|시(?: ?(\d{1,2})분| ?(반))?)", re.ASCII)
_UNITS: Final = {"year": "년|years?", "month": "개월|달|months?", "week": "주일|주|weeks?", "day": "일|days?"}
_SPAN: Final = re.compile(
    "".join(
        rf"(?:(?:(?<=.)(?: and |, | ))?(?P<{name}>\d{{1,4}}|[a-z]{{1,9}}) ?(?:{unit})(?: ?간)?)?"
        for name, unit in _UNITS.items()
    ),
    re.ASCII,
)
_NUMBERS: Final = ENGLISH | {"a": 1, "an": 1}


@dataclass(frozen=True, slots=True)
class Span:
    """A length of time; months and days are kept apart, since a month is no number of days."""

    months: int = 0
    days: int = 0

    @property
    def about_days(self) -> int:
        """For comparing spans: a month counts 30 days, twelve of them 365."""
        years, months = divmod(self.months, 12)
        return 365 * years + 30 * months + self.days

    @property
    def said(self) -> dict[Language, str]:
        """By language: `1년 6개월`, `2 years`."""
        years, months = divmod(self.months, 12)
        parts = [(years, "년", "year"), (months, "개월", "month"), (self.days, "일", "day")]
        korean = [f"{number}{ko}" for number, ko, _ in parts if number]
        english = [f"{number} {en}{'' if number == 1 else 's'}" for number, _, en in parts if number]
        return {"ko": " ".join(korean), "en": " and ".join(english)}


def read_date(value: object) -> date:
    """ISO (`2026-03-01`, also with dots or slashes), `2026년 3월 1일`, `1 March 2026`, `March 1, 2026`.

    A weekday in brackets must be right. Raises WrongValue: another form, a day that does not exist, years before
    1900 or after 2199.
    """
    head, bracket, rest = _plain(value, "date").partition("(")
    weekday = _WEEKDAYS.get(rest.removesuffix(")").strip()) if bracket and rest.endswith(")") else None
    match = next(filter(None, (form.fullmatch(head.strip()) for form in _DATES)), None)
    month = match and (int(match["m"]) if match["m"].isdigit() else _MONTHS.get(match["m"]))
    if match is None or month is None or (bracket and weekday is None):
        raise WrongValue("date", value=value)
    year = int(match["y"])
    try:
        found = date(year, month, int(match["d"]))
    except ValueError:
        raise WrongValue("no_day", value=value) from None
    if not 1900 <= year <= 2199:
        raise WrongValue("year", value=value)
    if weekday is not None and found.weekday() != weekday:
        ko, en = _DAYS[found.weekday()]
        raise WrongValue("weekday", value=value, name={"ko": ko, "en": en})
    return found


def _plain(value: object, fault: str) -> str:
    """A short text on one line, in lower case. Raises WrongValue."""
    if not isinstance(value, str) or len(value) > _MAX_CHARS:
        raise WrongValue(fault, value=value)
    return " ".join(value.split()).casefold()


def show_date(value: date, language: Language) -> str:
    """`2026년 3월 1일`, `1 March 2026`."""
    if language == "ko":
        return f"{value.year}년 {value.month}월 {value.day}일"
    return f"{value.day} {calendar.month_name[value.month]} {value.year}"


def read_time(value: object) -> time:
    """`09:00`, `9시`, `오후 6시 30분`, `6:30 pm`, `24:00` for midnight at the end. Raises WrongValue."""
    match = _TIME.fullmatch(in_24_hours(_plain(value, "time")))
    if match is not None:
        hour, minute = int(match[1]), 30 if match[4] else int(match[2] or match[3] or 0)
        with suppress(ValueError):
            return time(0 if (hour, minute) == (24, 0) else hour, minute)
    raise WrongValue("time", value=value)


def read_span(value: object) -> Span:
    """`2년`, `1년 6개월`, `90일`, `2 weeks`, `one year and six months`. Raises WrongValue; zero is none."""
    match = _SPAN.fullmatch(_plain(value, "span"))
    said = match.groupdict("0").values() if match else ()
    counts = [int(each) if each.isdigit() else _NUMBERS.get(each) for each in said]
    if None in counts or not any(counts):
        raise WrongValue("span", value=value)
    years, months, weeks, days = (each or 0 for each in counts)
    return Span(12 * years + months, 7 * weeks + days)
