"""Numbers and dates of a question, each with the comparison that stands beside it. Their forms are closed ones."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from dure.data.questions.units import Unit, behind, counted
from dure.data.questions.words import WORD, Span, function_words, span, within
from dure.knowledge.claims import negated
from dure.numbers import scan
from dure.numbers.reading import COUNTED
from dure.numbers.words import ALONE, COUNTERS, TH
from dure.patterns import later

MORE, LESS = "많|크|큰|높|비싸|비싼|늦|뒤", "적|작|낮|싸|싼|이르|이른|앞"
_AFTER: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("이상|or more|or above|or later|부터|이?나 그 이?[뒤후]", (">=",)),
    ("이하|or less|or fewer|or below|까지|사이에?|이?나 그 이?전", ("<=",)),
    (f"초과|를?을? ?넘|보다 (?:{MORE})", (">",)),
    (f"미만|보다 (?:{LESS})", ("<",)),
    ("이후", (">=", ">")),
    ("이전|전에|전의", ("<", "<=")),
)
_BEFORE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("at least|no (?:less|fewer) than|since|from|starting", (">=",)),
    ("at most|no more than|up to|until|through", ("<=",)),
    ("more than|over|above|after|exceed(?:s|ing)?|greater than|later than", (">",)),
    ("less than|fewer than|under|below|before|earlier than", ("<",)),
)
_UNIT = (
    rf"(?:[천만억%]|년도|(?:{COUNTERS})|[A-Za-z]+|\s){{0,4}}"
    r"(?:[이가을를은는도]\s)?"
)
_UNIT_RE = later(_UNIT)
_COUNTER = rf"(?:{_UNIT}|\s?(?-i:[가-힣]{{1,2}}[이가을를]?)\s?)"
"""Before a comparison what is counted may have a counter: `15그루 넘게`. Else `re` asks each syllable for its case."""
_AFTER_RE = [(later(rf"{_COUNTER}(?:{words})", re.IGNORECASE), ops) for words, ops in _AFTER]
_BEFORE_RE = [(later(rf"(?:{words})\s*(?:the\s+|year\s+)*[$₩]?$", re.IGNORECASE), ops) for words, ops in _BEFORE]
_SINCE_OR_IN = (">=", "=")
"""What `from` says of a year or a date that nothing goes on from: what began then, or what is of then."""
_YEAR_OR_DATE = later(r"(?:19|20)\d\d(?:-\d\d)*")
_STARTING = later(r"\bstart[a-z]*\s$", re.IGNORECASE)
_ON = later(
    r",?\s(?:[a-z]{2,3}wards?\b|on(?!\s?\w)|and\s(?:on|later)\b|up\b|(?:un)?t(?:o|il+|hr[a-z]+)\b)|\s?[-~∼～–—+]",
    re.IGNORECASE,
)
"""Before `from`, and behind what stands after it, what says that it is where something begins."""
_A_DAY = ("time", 86400.0)
_DAYS = frozenset(word for word in ALONE if word >= "가") - {"첫"}
"""하루, 이틀 and so on."""
_DECADE = later(r"\s?년대|'?s\b")
_DATE = later(
    r"(?P<y>(?:19|20)\d\d)\s?(?:년|[./-])\s?(?P<m>1[0-2]|0?[1-9])(?!\d)(?:\s?(?:월|[./-])\s?(?:(?P<d>[12]\d|3[01]|0?[1-9])(?!\d)\s?[일.]?)?)?"
    r"|(?<!\d)(?P<m2>1[0-2]|0?[1-9])\s?월(?:\s?(?P<d2>[12]\d|3[01]|0?[1-9])(?:\s?일|(?=\s?~\s?\d)))?"
    r"|(?<!\d)(?P<y3>(?:19|20)\d\d)(?!\d)(?:\s?년)?"
)
_TO_DAY = later(r"\s?(?:부터|에서|~)\s?([12]\d|3[01]|0?[1-9])\s?일")
"""Behind a date, the last day of a range within its month."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY = rf"(\d{{1,2}}){TH}?"
_ENGLISH_DATE = later(
    rf"\b(?:{_DAY}\s(?:of\s)?)?({'|'.join(_MONTHS)})[a-z]*\.?(?:\s{_DAY})?(?:,?\s((?:19|20)\d\d))?\b", re.IGNORECASE
)
_PART = later(
    r"(?P<y>(?:19|20)\d\d)\s?년?도?\s?(?:(?P<ko>[상하])반기|(?P<n>[1-4])\s?사?분기|(?P<en>[HQ][1-4])\b)"
    r"|\b(?P<en2>[HQ][1-4])\s(?:of\s)?(?P<y2>(?:19|20)\d\d)",
    re.IGNORECASE,
)
"""Half a year, or a quarter."""
_TO, _FROM = later(rf"{_UNIT}\s?[~∼～–]\s?[$₩]?|\s?and\s[$₩]?"), later(rf"{_UNIT}에서\s")
RANGE = [(">=",), ("<=",)]
_OUT = "아닌|말고|[빼뺀뺄]|제외"
LEFT_OUT = later(rf"[가-힣]{{0,2}}\s?[건것]?[이가은는을를]?\s?(?:다\s?)?(?:{_OUT})")
_NOT_SO = later(r"[가-힣]?지\s?않")
_OTHERWISE = {">": ("<=",), ">=": ("<",), "<": (">=",), "<=": (">",)}
"""What a comparison leaves over: `이상은 빼고` is less."""
_BUT = "not|neither|except|other than"
BUT = later(rf"\b(?:{_BUT}) (?:[a-z]{{1,5}} ){{0,2}}$", re.IGNORECASE)
"""Behind and before a value that is left out; before it a preposition and an article too."""
OUT = later(rf"{_OUT}|\b(?:{_BUT})\b", re.IGNORECASE)
"""What leaves something out, wherever it stands."""
_AT_ONCE, _IN = later(r"년?도?에\s|년?도?의?\s?([가-힣A-Za-z]+)"), later(r"\bin\s$", re.IGNORECASE)
"""Behind and before a year that nothing compares."""
_BETWEEN = later(r"\bbetween\s[$₩]?$", re.IGNORECASE)
_NOT_ONE = later(rf"(?:{COUNTED.pattern})?도(?![가-힣])")
"""Behind a one that stands before what is not: `한 번도`, `하나도`."""
_DENIES = later(r"\s?[가-힣]+")
_PLACE = later(r"\s?번\s?째로|[위등](?:[은는이가을의로]|(?![가-힣]))(?!\s?안)|(?P<english>[nr]d|th)\b")
"""Behind a number, that it is a place in an order: not within `3위까지`, `2등급`."""
MOST = later(r"가장|제일|최[대소고저다]|\bmost\b|\bleast\b|\b([a-z]{2,}?)e?st\b", re.IGNORECASE)
"""Words that say what is first or last of all."""
MANY = later(rf"{MORE[0]}|{LESS[0]}[은게었]|\bmost\b|\bfewest\b", re.IGNORECASE)
"""Says that what is first or last is of how many there are."""
TOP = later(r"(?:상위|\btop)\s?$", re.IGNORECASE)
"""Before a number, that it says how many of a ranking are asked for."""
_RECENT = later(r"최근\s?(\d{1,2})\s?년|\b(?:last|past)\s(\d{1,2})\syears", re.IGNORECASE)
_RELATIVE = {"올해": 0, "금년": 0, "this year": 0, "작년": -1, "지난해": -1, "last year": -1, "재작년": -2}


@dataclass(frozen=True, slots=True)
class Found:
    """A number or date of the question. `ops`: what its comparison says; empty where there is none beside it."""

    value: str
    start: int
    end: int
    ops: tuple[str, ...] = ()
    to: str = ""
    """The last value of a range, such as a decade's."""
    unit: Unit | None = None
    of: frozenset[str] = frozenset()
    """The fields that its unit may be of; empty where it has none."""


def nowhere(found: Found) -> bool:
    """Whether it is told in a unit that no field is in, and compared with nothing: `2주간`."""
    return not any(found.of) and bool(found.of) and not found.ops


def found_at(value: str, question: str, start: int, end: int, to: str = "") -> Found:
    """What stands at a place, with the comparison beside it, which belongs to it then."""
    unit = counted(question, start, end) or (_A_DAY if question[start:end] in _DAYS else None)
    for pattern, ops in _AFTER_RE:
        if match := pattern.match(question, behind(question, end)):
            left_out = LEFT_OUT.match(question, match.end()) or _NOT_SO.match(question, match.end())
            return Found(value, start, match.end(), _OTHERWISE[ops[0]] if left_out else ops, to, unit)
    for pattern, ops in _BEFORE_RE:
        if match := pattern.search(question[:start], max(start - 24, 0)):
            left_out = BUT.search(question[: match.start()])
            if _either(value, question, match, end):
                # Of a decade its bounds say themselves what they are.
                ops = () if to else ("<", "!=") if left_out else _SINCE_OR_IN
            elif left_out:
                ops = _OTHERWISE[ops[0]]
            return Found(value, match.start(), end, ops, to, unit)
    left_out = LEFT_OUT.match(question, _UNIT_RE.match(question, end).end())  # type: ignore[union-attr]
    return Found(value, start, end, ("!=",) if left_out and not to else (), to, unit)


def _either(value: str, question: str, said: re.Match[str], end: int) -> bool:
    """Whether a year or date, with `said` before it, is told by a `from` that may be read in two ways: `from 2024`."""
    if not said[0].casefold().startswith("from") or not _YEAR_OR_DATE.fullmatch(value):
        return False
    return not (_STARTING.search(question[: said.start()]) or _ON.match(question, end))


def is_at_once(question: str, year: Found, rows: Collection[str]) -> bool:
    """Whether a year stands as when something was, compared with nothing: `2019년에`, `in 2019`, before one of `rows`,
    what the rows are called."""
    if year.ops or year.to:
        return False
    behind = _AT_ONCE.match(question, year.end)
    word = (behind[1] or "").casefold() if behind else None
    return bool(_IN.search(question[: year.start])) or word == "" or (word or "").startswith(tuple(rows))


def numbers(question: str, today: date | None) -> Iterator[Found]:
    """The numbers of the question, with decades, and years that are told by how long ago they were."""
    year, recent = (today or date.today()).year, list(_RECENT.finditer(question))
    for match in recent:
        yield Found(str(year - int(match[1] or match[2])), *match.span(), (">=",))
    for each in scan(question):
        if within(span(each), (match.span() for match in recent)):
            continue
        if each.value == each.value.to_integral() and (decade := _DECADE.match(question, each.end)):
            first = int(each.value) + (1900 if 20 < each.value < 100 else 2000 if each.value <= 20 else 0)
            if first % 10 == 0:
                yield found_at(str(first), question, each.start, decade.end(), to=str(first + 9))
                continue
        if question[each.start : each.end] == "한" and not COUNTED.match(question, each.end):
            continue  # No numeral: `주문을 한 고객`.
        if each.value == 1 and question[each.start] >= "가" and (none := _NOT_ONE.match(question, each.end)):
            # What denies it says no more than it: `한 건도 없던`.
            denies = _DENIES.match(question, none.end())
            yield Found("0", each.start, denies.end() if denies and negated(denies[0]) else each.end)
        else:
            yield found_at(f"{each.value.normalize():f}", question, each.start, each.end)
    for word, years in _RELATIVE.items():
        for match in re.finditer(rf"(?<!\w){word}", question, re.IGNORECASE):
            yield found_at(str(year + years), question, *match.span())


def ranges(question: str, found: list[Found]) -> list[Found]:
    """The numbers or dates, those that bound a range with what that says: `20~29`, `5월에서 7월까지`."""
    found = sorted(found, key=lambda each: each.start)
    for at, (one, two) in enumerate(pairwise(found)):
        between = question[one.end : two.start]
        marked = _TO.fullmatch(between)
        if marked and "and" in between:
            marked = _BETWEEN.search(question[: one.start])
        if not one.ops and (marked or (two.ops == ("<=",) and _FROM.fullmatch(between))):
            # What bounds it is told in one unit, most often behind the last.
            low = replace(one, ops=(">=",), unit=one.unit or two.unit)
            found[at : at + 2] = low, replace(two, ops=two.ops or ("<=",))
    return found


def dates(question: str, today: date | None = None, last: date | None = None) -> Iterator[Found]:
    """The dates of the question, as `2026`, `2026-05` or `2026-05-12`. Months without a year are of that of `last`, or
    of the year that is told by how long ago it was: `작년 5월`."""
    whole = list[Span]()
    found = list(_dates(question, today, last, whole))
    # The year of a date is no date beside it: `December 2026`.
    return (each for each in found if not (each.value.isdigit() and within(span(each), whole)))


def _dates(question: str, today: date | None, last: date | None, whole: list[Span]) -> Iterator[Found]:
    """As `dates`. whole: is given where the year of a date in words stands."""
    year, this, halves = "", str((last or date.today()).year), list(_PART.finditer(question))
    years = [n for n in numbers(question, today) if n.to or question[n.start : n.end].casefold() in _RELATIVE]
    for match in halves:
        part = (match["en"] or match["en2"] or "").upper()
        months = 6 if match["ko"] or part[:1] == "H" else 3
        first = 1 + months * ((1 if match["ko"] == "하" else 0) if match["ko"] else int(match["n"] or part[1]) - 1)
        if first < 12:
            year = match["y"] or match["y2"]
            yield found_at(f"{year}-{first:02}", question, *match.span(), to=f"{year}-{first + months - 1:02}")
    for match in _DATE.finditer(question):
        if any(each.start() <= match.start() < each.end() for each in halves):
            continue
        year, start = match["y"] or match["y3"] or year, match.start()
        for told in [n for n in years if match["m2"] and not n.to and not question[n.end : start].strip()]:
            years.remove(told)
            year, start = told.value, told.start
        parts = [year or this]
        parts += [f"{int(part):02}" for part in (match["m"] or match["m2"], match["d"] or match["d2"]) if part]
        yield found_at("-".join(parts), question, start, match.end())
        if to := _TO_DAY.match(question, match.end()) if match["d"] or match["d2"] else None:
            yield found_at("-".join([*parts[:2], f"{int(to[1]):02}"]), question, to.start(1), to.end())
    for number in scan(question):
        # 삼월, 십이월
        at = number.end
        if question[at : at + 1] == "월" and not question[number.start].isdigit() and 1 <= number.value <= 12:
            whole += [each.span() for each in re.finditer(rf"{year}년\s?(?={question[number.start : at]})", question)]
            yield found_at(f"{year or this}-{int(number.value):02}", question, number.start, at + 1)
    for match in _ENGLISH_DATE.finditer(question):
        before = question[: match.start()]
        if match[0].lower() == "may" and not (before.endswith("in ") or (before and match[0] == "May")):
            continue  # No month: `may I`.
        of = re.search(r"(?:19|20)\d\d", question)
        whole += [match.span(), of.span()] if of and not match[4] else [match.span()]
        parts = [match[4] or (of[0] if of else this), f"{_MONTHS.index(match[2].casefold()) + 1:02}"]
        parts += [f"{int(day):02}" for day in (match[1] or match[3],) if day]
        yield found_at("-".join(parts), question, *match.span())
    yield from years


def place(question: str, numbers: Sequence[Found]) -> Found | None:
    """The number that is the one place of a ranking that the question is about: 2위."""
    found = []
    for each in numbers:
        told, behind = ALONE.get(question[each.start : each.end].casefold()), _PLACE.match(question, each.end)
        if not (told or behind) or not each.value.isdigit() or int(each.value) <= 1 or each.ops:
            continue
        # In English the next word tells: that of the second quarter is no place.
        after = WORD.search(question, behind.end() if behind else each.end)
        alone = after is None or after[0].casefold() in function_words() or MOST.match(question, after.start())
        if alone or (behind and not behind["english"]):
            found.append(each)
    return found[0] if len(found) == 1 else None
