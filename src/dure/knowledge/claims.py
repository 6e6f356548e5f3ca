"""What a statement claims: its figures and names have to stand together in one sentence or row of a source; the numbers
of an answer that its sources don't give."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any

from dure.errors import Language
from dure.knowledge.days import MONTHS, WORKING, by_hours, days, in_korean, times_in, told_in
from dure.knowledge.names import NAME, ORDINAL, PARTICLES, absent, parts
from dure.knowledge.units import sizes
from dure.messages import language_of
from dure.numbers import Number, fractions, scan
from dure.numbers.clock import in_24_hours
from dure.numbers.currencies import currencies
from dure.numbers.measures import units
from dure.numbers.words import ALONE, ORDER, TH
from dure.patterns import later
from dure.sources import SUB

MARKER = later(r"[\[【]\d[\d\s,;-]*[\]】](?!\()")
_ITEM = later(r"^[^\S\n]*(?:[-*•#]\s*)*\(?\d{1,2}[.)]\s", re.MULTILINE)
_UP_TO = r"(?: ?[~∼–-] ?\d[\d,]*(?:\.\d+)?)?"
_TIME = "|".join(name for name, [(of, _), *_] in units().items() if of == "time" and len(name) == 2 and name > "가")
"""What hours, weeks and months are called, which begin as other things do that are counted: `개월`, not `개`."""
_UNIT = later(
    rf"(?:{TH}\b)?{_UP_TO}"
    rf"(?: ?(?!{PARTICLES}(?![가-힣]))(?![이였])(?!입니)(?!일 (?:때|경우))(달러|{_TIME}|[가-힣%℃])"
    r"|[ -]?([A-Za-z]+?)s?(?![A-Za-z]))"
)
"""What is counted, behind a figure or the upper end of its span (`0~3도`) and at most one blank: the first letter of it
in Hangul, if that is no particle nor of "to be", a word, or `%`."""
_UNITS = {
    **{"second": "초", "minute": "분", "hour": "시간", "day": "일", "week": "주", "month": "개월", "year": "년"},
    **{"time": "회", "번": "회", "달": "개월", "주일": "주", "percent": "%", "percentage": "%"},
    **{"퍼": "%", "프": "%", "℃": "도"},
}
"""What is counted in two ways, as the one; what is counted by other words cannot be compared across languages."""
_FOLD = frozenset({"회", "배"})
"""What English has one word for: times."""
TIMES = frozenset(_UNITS[each] for each in ("second", "minute", "hour", "day", "week", "month", "year"))
_THINGS, _PLURAL = "things", later("[a-z]{2}[a-rt-z]s$", re.IGNORECASE)
"""What an English plural that is no unit counts: `3 vials` are no three days, and may be three of anything else."""
_ByValue = dict[Decimal, set[str]]
_ASKED_IN = later(rf"몇 ?(?-i:({_TIME}|[가-힣]))|how many (?:(?:[a-z]+ ){{,2}}?([a-z]+?)s\b|([a-z]+))", re.IGNORECASE)
_NAMES_UNIT = later(r"[A-Za-z]+|[가-힣]+|%")
_SIZES = {"k": 3, "K": 3, "M": 6, "B": 9}
_SIZE = later(rf"[{''.join(_SIZES)}](?![A-Za-z\d])")
"""What stands behind a figure of thousands, millions, billions."""
_MONTH = later(rf"\b({'|'.join(MONTHS)})\b(?=\.? ?\d)|(?<=\d )({'|'.join(MONTHS)})\b")
"""The name of a month beside a figure, which is a number in Korean."""
_CLOCK = frozenset("년월일시")
"""Units of dates and times of day, which stand everywhere and count nothing there."""
_FULL_HOUR = later(r"(?<=\d):00(?![:\d])")
"""The minutes of `23:00`, which is `23시` as well."""
_SCRIPT = later(r"[\^_]\{?-?\d+\}?(?![A-Za-z\d])")
"""What stands above or below the line in a formula (`a^2`, `x_{1}`), not in a file's name (`sales_2026H2`)."""
_NEGATED = later(
    r"[없않]|(?<!잘)못|아[니닌닙]|금지|불가|제외|지 ?[말마](?=[아고라것십시세 ])|(?<!\S)안 ?(?=[되돼됩된하해합한])"
    r"|\b(?:not?(?!\.)|never|none|nor|without|cannot)\b|n't\b",
    re.IGNORECASE,
)


def negated(text: str) -> bool:
    """Whether something in a text is denied."""
    return next(denials(text), None) is not None


def denials(text: str) -> Iterator[re.Match[str]]:
    """What denies something in a text."""
    return _NEGATED.finditer(text)


def missing(statement: str, *sources: str) -> list[str]:
    """The figures and names of a statement that stand in none of `sources`: a sentence or row, what it stands under,
    and what was asked, whose figures and names may be said again."""
    return [*_missing(statement, *sources)] if any(map(str.isdigit, statement)) else []


@lru_cache(64)
def _missing(statement: str, *sources: str) -> tuple[str, ...]:
    """Of a statement the same sentence is asked for again and again: of each part of it, and of what was found beside
    it."""
    text, its_parts, its_days, its_times, its_numbers, with_units, money, language = _claimed(statement)
    known, its_units, times, others = zip(*(_held(each, language) for each in sources), strict=True)
    found = absent(text, sources)
    if its_parts:
        named = " ".join(parts("\n".join(sources)))
        found += [each for each in its_parts if any(part not in named for part in parts(each))]
    told = [_told(each) for each in sources if its_days]
    untold = [written for written, day in its_days if not any(tells(day) for tells in told)]
    known_times = [_times(each) for each in sources if its_times]
    untold += [written for written, time in its_times if not any(time.hours & its for its in known_times)]
    apart = {written: value for written, value in its_numbers.items() if not any(written in day for day in untold)}
    found += untold
    # It may be the number of an article that they have.
    unknown = outside(apart, known)
    found += [x for x in unknown if x[-1] != "조" or f"제{x}" not in parts("\n".join(sources))]
    # The figures that stand there with other units alone: `1일` where these have `1년`.
    for value, unit, written in with_units:
        # A word of Latin letters is a unit where a source has it as one.
        if unit.isascii() and unit.isalpha() and not any(unit in its for each in its_units for its in each.values()):
            continue
        measured = unit in TIMES | WORKING or unit == "%"
        its = {
            each
            for by_value in (*its_units, *(times if unit in TIMES | WORKING else ()))
            for each in by_value.get(value, "")
        }
        # One of an order is no time: `2일` of "the second".
        may = {unit, "", "" if unit in TIMES | WORKING else TH, "" if measured else _THINGS}
        found += [written] * bool(its and not may & its)
    # Currencies, where they have another: euros of `40달러`.
    found += sorted(money.difference(*others) if any(others) else ())
    return tuple(found)


@lru_cache(16)
def _claimed(statement: str) -> tuple[Any, ...]:
    """What is asked of one statement for one source after the other: its text, numbered parts, days, times of day,
    other numbers, figures with a unit, currencies, language."""
    its_times = [(statement[each.start : each.end], each) for each in times_in(statement)]
    text = statement
    for _, time in reversed(its_times):
        text = f"{text[: time.start]}{';' * (time.end - time.start)}{text[time.end :]}"
    its_days = [(statement[each.start : each.end], each) for each in days(text)]
    for _, day in reversed(its_days):
        # Its year may stand apart from it.
        text = f"{text[: day.start]} {day.date[0] or ''};{text[day.end :]}"
    text = _SCRIPT.sub(" ", text)
    plain = unnamed(text)
    with_units = [each for each in counted(plain, latin=True) if each[1]]
    ordinals, language = ORDINAL.findall(text), language_of(statement)
    return text, ordinals, its_days, its_times, numbers(plain), with_units, currencies(plain), language


_told = lru_cache(1024)(told_in)


@lru_cache(1024)
def _times(source: str) -> frozenset[tuple[int, int]]:
    found = (*times_in(source), *times_in(in_24_hours(source)))
    return frozenset[tuple[int, int]]().union(*(each.hours for each in found))


@lru_cache(1024)
def _held(source: str, language: Language) -> tuple[frozenset[Decimal], _ByValue, _ByValue, set[str]]:
    """What is asked of the same sources for each statement in a language: numbers, units by figure, those of times in
    words, currencies."""
    text = unnamed(in_korean(by_hours(source)).replace(SUB, "\n"))
    by_unit, times = _ByValue(), _ByValue()
    spoken = language_of(source)
    foreign = spoken != language
    for value, unit, written in counted(text, in_words=True, latin=spoken == "ko"):
        # In one language, what is counted in words has more names than one (`네 가지`, `4개`), but for times.
        if foreign or any(map(str.isdigit, written)):
            unit = TH if written.partition(" ")[0].lower() in ORDER else unit
            unit = unit or _THINGS * (foreign and spoken == "en" and _PLURAL.search(written) is not None)
            by_unit.setdefault(value, set()).update(_FOLD if foreign and unit in _FOLD else {unit})
        elif unit in TIMES:
            times.setdefault(value, set()).add(unit)
    return figures_in(text), by_unit, times, currencies(source)


def counted(text: str, *, in_words: bool = False, latin: bool = False) -> Iterator[tuple[Decimal, str, str]]:
    """The figures of a text, also numbers in words where wanted, each with its unit, empty where none is known, and as
    it is written. latin: any word of Latin letters is one, as in Korean, not those alone that touch the figure."""
    for each in _scanned(fractions(text)[0]):
        written = text[each.start : each.end]
        if in_words or any(map(str.isdigit, written)):
            found = _UNIT.match(text, each.end)
            letter, word = found.groups(default="") if found and written.lower() not in ALONE else ("", "")
            latin_too = latin or text[each.end : each.end + 1].isalpha()
            unit = "%" if each.percent else _UNITS.get(letter or word.lower(), letter or word.lower() * latin_too)
            yield each.value.copy_abs(), unit, text[each.start : found.end() if found else each.end]


def counts_otherwise(answer: str, question: str, sources: Iterable[str]) -> bool:
    """Whether an answer's figures all count something else than the question asks for (hours of `몇 분까지`), where
    `sources` have figures of that."""
    asked, units = _asked_in(question), _units(MARKER.sub(" ", answer))
    if not asked or not all(units) or asked & units or not units:
        return False
    return any(asked & {unit for _, unit, _ in counted(source)} for source in sources)


def has_figure(text: str, question: str, *, surely: bool = False) -> bool:
    """Whether a text has a figure of what a question asks for: of minutes for `몇 분`; any, where one of the two does
    not say what is counted, but `surely` only where both do."""
    asked, units = _asked_in(question), _units(text)
    return bool(asked & units if surely else (asked | {""}) & units if asked else units)


def names_unit(text: str, question: str) -> bool:
    """Whether a text, such as a column's name, names what a question asks for: `Hours` or `(%)`."""
    asked = _asked_in(question)
    return bool(asked) and any(asked & _units(f"1 {word}") for word in _NAMES_UNIT.findall(text))


def _asked_in(question: str) -> set[str]:
    """The unit that a question asks in; empty where it names none, several, or one of dates and times of day."""
    found = [(each[1], (each[2] or each[3] or "").lower()) for each in _ASKED_IN.finditer(question)]
    asked = {_UNITS.get(korean or word, korean or word) for korean, word in found}
    return asked if len(asked) == 1 and not any(korean in _CLOCK for korean, _ in found if korean) else set()


def _units(text: str) -> set[str]:
    """Of the figures of a text, names and numbers of parts apart; one without a unit has an empty one."""
    return {unit for _, unit, _ in counted(unnamed(text))}


def unsupported_numbers(answer: str, quotes: Iterable[str]) -> list[str]:
    """The numbers of `answer`, as written, that stand in none of `quotes`.

    Citation markers and the numbers of list items don't count, nor do numbers in words. `20만` and `200,000` are one
    number, and so are `4분의 1` and `a quarter`; in the quotes, number words count too (`이틀`, `three`). Signs don't:
    `5% 감소` is `-5%`. Give the question as one of the quotes to allow its numbers.
    """
    return outside(_numbers(answer), map(figures_in, quotes))


def unnamed(text: str) -> str:
    """A text without names, numbers of parts and of items, whose digits are no figures."""
    return _ITEM.sub(" ", NAME.sub(" ", ORDINAL.sub(" ", text)))


def numbers(text: str) -> dict[str, Decimal]:
    """The figures of a text, by how they are written: no digits of names, as `V7`, of markers and of items."""
    return _numbers(NAME.sub(" ", text))


def _numbers(answer: str) -> dict[str, Decimal]:
    plain = _FULL_HOUR.sub("", _ITEM.sub(" ", MARKER.sub(" ", answer)))
    whole, parts = fractions(plain)
    found = [(each.start, _behind(plain, each.end), each.value) for each in (*parts, *_scanned(whole))]
    said = {plain[start:end]: value.copy_abs() for start, end, value in found}
    return {written: value for written, value in said.items() if any(map(str.isdigit, written))}


def _behind(text: str, end: int) -> int:
    """The end of a number with the letter that counts thousands, millions or billions."""
    return end + bool(_SIZE.match(text, end))


def outside(numbers: dict[str, Decimal], known: Iterable[frozenset[Decimal]]) -> list[str]:
    held = frozenset[Decimal]().union(*known)
    return [
        written
        for written, value in numbers.items()
        if value not in held and value.scaleb(_SIZES.get(written[-1], 0)) not in held
    ]


def _hours_too(source: str) -> str:
    """A text, with its hours of the afternoon as those of the day too."""
    return source if (of_day := in_24_hours(source)) == source else f"{source}\n{of_day}"


@lru_cache(1024)
def figures_in(quote: str) -> frozenset[Decimal]:
    whole, parts = fractions(_hours_too(quote))
    found = [*parts, *_scanned(whole)]
    months = [Decimal(MONTHS[each[0]]) for each in _MONTH.finditer(quote)]
    large = [each.value.scaleb(_SIZES[size[0]]) for each in found if (size := _SIZE.match(quote, each.end))]
    large += [each.value * size for size in sizes(quote) for each in found]
    return frozenset(
        value.copy_abs() for value in (*large, *months, *(v for each in found for v in (each.value, *each.others)))
    )


@lru_cache(64)
def _scanned(text: str) -> tuple[Number, ...]:
    """The numbers of a text, of which both values and units are asked, and of a statement by each of its sources."""
    return tuple(scan(text))


def cited_in(text: str) -> set[int]:
    """The numbers of a text's citation markers."""
    spans = re.findall(r"(\d+)(?:\s*-\s*(\d+))?", " ".join(MARKER.findall(text)))
    return {
        number for first, last in spans for number in range(int(first), min(int(last or first), int(first) + 20) + 1)
    }
