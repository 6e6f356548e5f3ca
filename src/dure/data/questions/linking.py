"""What of a question is known: values of the data, numbers, dates, names of fields; each with its place.

A value is linked by its spelling alone, never guessed. Forms are closed ones: numbers, dates, comparisons, units.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain, pairwise

from dure.data.questions.description import Description, called
from dure.data.questions.units import Unit, behind, counted, unit
from dure.data.questions.words import PARTICLE, WORD, function_words, stem
from dure.knowledge.claims import negated
from dure.numbers import scan
from dure.numbers.terms import COUNTED

_BLANKS = re.compile(r"[\s·_-]+")
_HANGUL, _DIGITS = re.compile(r"[가-힣]"), re.compile(r"\d")
_COMPOUND = 4
"""Letters of a name that may be two words, or have a plural."""
_GAP, _ENDING = r"[\s·_-]?", "[은는을를의한된할]"
_SHORTEST_TYPO = 5
_LIKE = 88
"""Out of 100: likeness of a misspelt name; `transfomer` and `transformer` have 95, `ICLR` and `ICML` 75."""

_AFTER: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("이상|or more|or above|or later", (">=",)),
    ("이하|or less|or fewer|or below", ("<=",)),
    ("초과|를?을? ?넘|보다 (?:많|크|큰|높|비싸|비싼|늦|뒤)", (">",)),
    ("미만|보다 (?:적|작|낮|싸|싼|이르|이른|앞)", ("<",)),
    ("까지|사이에?", ("<=",)),
    ("부터", (">=",)),
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
    r"(?:[천만억%원개명편건번점살세kgK]|년(?:도)?|월|일|회|곳|가지|percent|papers?|citations?|authors?|times?|\s){0,4}"
    r"(?:[이가을를은는도]\s)?"
)
_UNIT_RE = re.compile(_UNIT)
_AFTER_RE = [(re.compile(rf"{_UNIT}(?:{words})", re.IGNORECASE), ops) for words, ops in _AFTER]
_BEFORE_RE = [(re.compile(rf"(?:{words})\s*(?:the\s+|year\s+)*[$₩]?$", re.IGNORECASE), ops) for words, ops in _BEFORE]
_DECADE = re.compile(r"\s?년대|'?s\b")
_DATE = re.compile(
    r"(?P<y>(?:19|20)\d\d)\s?(?:년|[./-])\s?(?P<m>1[0-2]|0?[1-9])(?!\d)(?:\s?(?:월|[./-])\s?(?:(?P<d>[12]\d|3[01]|0?[1-9])(?!\d)\s?[일.]?)?)?"
    r"|(?<!\d)(?P<m2>1[0-2]|0?[1-9])\s?월(?:\s?(?P<d2>[12]\d|3[01]|0?[1-9])\s?일)?"
    r"|(?<!\d)(?P<y3>(?:19|20)\d\d)(?!\d)(?:\s?년)?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_ENGLISH_DATE = re.compile(
    rf"\b(?:{_DAY}\s(?:of\s)?)?({'|'.join(_MONTHS)})[a-z]*\.?(?:\s{_DAY})?(?:,?\s((?:19|20)\d\d))?\b", re.IGNORECASE
)
_PART = re.compile(
    r"(?P<y>(?:19|20)\d\d)\s?년?도?\s?(?:(?P<ko>[상하])반기|(?P<n>[1-4])\s?사?분기|(?P<en>[HQ][1-4])\b)"
    r"|\b(?P<en2>[HQ][1-4])\s(?:of\s)?(?P<y2>(?:19|20)\d\d)",
    re.IGNORECASE,
)
"""Half a year, or a quarter."""
_TO, _FROM = re.compile(rf"{_UNIT}\s?[~∼～–]\s?[$₩]?|\s?and\s[$₩]?"), re.compile(rf"{_UNIT}에서\s")
_RANGE = [(">=",), ("<=",)]
_LEFT_OUT = re.compile(r"[가-힣]{0,2}\s?[건것]?[이가은는을를]?\s?(?:아닌|말고|빼|제외)")
_NOT_SO = re.compile(r"[가-힣]?지\s?않")
_OTHERWISE = {">": ("<=",), ">=": ("<",), "<": (">=",), "<=": (">",)}
"""What a comparison leaves over: `이상은 빼고` is less."""
_BUT = re.compile(r"\b(?:not|except|other than) (?:in |from |the )?$", re.IGNORECASE)
"""Behind and before a value that is left out."""
_BETWEEN = re.compile(r"\bbetween\s[$₩]?$", re.IGNORECASE)
_NOT_ONE = re.compile(rf"(?:{COUNTED.pattern})?도(?![가-힣])")
"""Behind a one that stands before what is not: `한 번도`, `하나도`."""
_DENIES = re.compile(r"\s?[가-힣]+")
_RECENT = re.compile(r"최근\s?(\d{1,2})\s?년|\b(?:last|past)\s(\d{1,2})\syears", re.IGNORECASE)
_RELATIVE = {"올해": 0, "금년": 0, "this year": 0, "작년": -1, "지난해": -1, "last year": -1, "재작년": -2}


@dataclass(frozen=True, slots=True)
class Link:
    """A value of a field that stands in the question at `start:end`. `sure`: in so many letters."""

    field: str
    value: str
    start: int
    end: int
    sure: bool = True
    ops: tuple[str, ...] = ()
    """Of a code that bounds a range of them, or a value that is left out."""


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


_BY = (["by"], ["per"])


@dataclass(slots=True)
class Links:
    """What was found in one question."""

    question: str
    values: list[Link] = field(default_factory=list)
    numbers: list[Found] = field(default_factory=list)
    dates: list[Found] = field(default_factory=list)
    fields: list[Link] = field(default_factory=list)
    """Names of fields: `value` is empty."""
    rows: list[Link] = field(default_factory=list)
    """Values that the name of the data says too: the rows, and no condition, where their field is not named."""

    @property
    def by(self) -> set[str]:
        """The fields whose values have a row each: `월별`, `by month`."""
        said = ((each, self.question[: each.start].casefold().split()[-1:]) for each in self.fields)
        return {each.field for each, word in said if self.question.startswith("별", each.end) or word in _BY}

    def values_of(self, name: str) -> list[str]:
        return list(dict.fromkeys(link.value for link in self.values if link.field == name))

    def numbers_of(self, name: str) -> list[str]:
        """Those that a field of that name may have, by their units."""
        found = [each for each in self.numbers if not each.of or name in each.of]
        return list(dict.fromkeys(value for each in found for value in (each.value, each.to) if value))

    def dates_as_text(self) -> list[str]:
        return list(dict.fromkeys(value for each in self.dates for value in (each.value, each.to) if value))


def link(question: str, description: Description, extra: Iterable[Link] = (), today: date | None = None) -> Links:
    """What of the question is known. `extra`: links that were found elsewhere, such as titles."""
    links = Links(question, list(extra))
    links.values = _bounds(question, _longest([*links.values, *_values(question, description)]))
    taken = [(each.start, each.end) for each in links.values]
    links.numbers = _ranges(question, [each for each in _numbers(question, today) if not _within(each, taken)])
    if columns := [each for each in description.fields if each.kind == "date"]:
        # A month alone is one of the last year that the data tell of; what ends later began in it.
        last = min(filter(None, (each.last for each in columns)), default=today)
        links.dates = _ranges(question, [e for e in dates(question, today, last) if not _within(e, taken)])
        days = [(each.start, each.end) for each in links.dates if not each.value.isdigit()]
        links.numbers = [each for each in links.numbers if not _within(each, days)]
    links.fields = _fields(question, description, taken)
    if description.examples_of:
        known = {(each.name, v): [v] for each in description.fields if each.kind == "category" for v in each.values}
        read: list[Link | Found] = [*links.fields, *links.numbers, *links.dates]
        # What begins the names of fields too says nothing of either.
        known |= {(each.name, ""): called(each) for each in description.fields}
        found = _parts(question, known, [*taken, *((each.start, each.end) for each in read)])
        links.values += [each for each in found if each.value]
    links.numbers = [replace(each, of=_measured(each, links, description)) for each in links.numbers]
    links.values = [replace(v, ops=("!=",)) if _left_out(question, v) else v for v in links.values]
    marks = {each.name for each in description.fields if each.kind == "number"}
    named = {each.field for each in links.fields}
    title = description.name.casefold()
    links.rows = [v for v in links.values if v.field not in named and v.value.casefold() in title]
    links.values = [v for v in links.values if v not in links.rows]
    # Of a word among numbers, such as `absent`, and the fields that have it, those are meant that are named, if any.
    sure = {(each.start, each.end) for each in links.values if each.field in named}
    unmeant = marks - named
    links.values = [v for v in links.values if v.field not in unmeant or (v.start, v.end) not in sure]
    return links


def _measured(number: Found, links: Links, description: Description) -> frozenset[str]:
    """The fields whose unit is the number's, or that are named and have none; none where all have others."""
    if number.unit is None:
        return frozenset()
    units = {each.name: unit(each.unit) for each in description.fields if each.kind == "number"}
    same = {name for name, each in units.items() if each == number.unit}
    named = {each.field for each in links.fields}
    free = {name for name, each in units.items() if each is None and (name in named or not same)}
    return frozenset(same | free) or frozenset([""])


def _left_out(question: str, value: Link) -> bool:
    return bool(_LEFT_OUT.match(question, value.end) or _BUT.search(question[: value.start]))


def _fields(question: str, description: Description, taken: list[tuple[int, int]]) -> list[Link]:
    """Names of fields, and words that are a part of one's name alone: `경로` of 유입경로."""
    names = {(each.name, ""): list(dict.fromkeys(called(each))) for each in description.fields}
    found = [Link(*key, *at) for key, said in names.items() for each in said for at in places(each, question)]
    return [*found, *_parts(question, names, [*taken, *((each.start, each.end) for each in found)])]


def _parts(
    question: str, names: Mapping[tuple[str, str], Sequence[str]], taken: Sequence[tuple[int, int]]
) -> Iterator[Link]:
    """The words, but for what is taken, that are a part of the names of one field or value alone."""
    for word in WORD.finditer(question):
        part = PARTICLE.sub("", word[0]).casefold()
        end = word.start() + len(part)
        over = any(start < end and word.start() < last for start, last in taken)
        if len(part) < 2 or over or {part, word[0].casefold()} & function_words():
            continue
        # Surgeries is a value's other form; of a column's name another form is another thing: parcelling, parcels.
        form = stem(part) if len(part) > _SHORTEST_TYPO else ""
        parts = {
            key: [_is_part(part, each.casefold()) or bool(key[1] and form == stem(each.casefold())) for each in said]
            for key, said in names.items()
        }
        held = [key for key, said in names.items() if any(parts[key]) or any(part in each.casefold() for each in said)]
        if len(held) == 1 and any(parts[held[0]]):
            yield Link(*held[0], word.start(), end, sure=False)


def _is_part(part: str, name: str) -> bool:
    """Whether it is one of several words of a name, or half a compound of Hangul."""
    compound = len(name) >= _COMPOUND and part >= "가" and (name.startswith(part) or name.endswith(part))
    return compound or part in re.split(r"[\W_]+", name)


def _within(each: Found, taken: list[tuple[int, int]]) -> bool:
    return any(start <= each.start and each.end <= end for start, end in taken)


def _values(question: str, description: Description) -> Iterator[Link]:
    for each in description.fields:
        for value, names in each.values.items():
            for name in (value, *names):
                for start, end in places(name, question):
                    yield Link(each.name, value, start, end)
        words = [value.split() for value in each.values] if each.kind in ("text", "category") else []
        if len({len(those) for those in words}) == 1 and len(words[0]) > 1:
            # What several have beside their names, such as a rank: those that have it.
            for word, count in Counter(chain(*map(set, words))).items():
                for start, end in places(word, question) if 1 < count < len(words) and len(word) > 1 else ():
                    yield Link(each.name, word, start, end, sure=False, ops=("contains",))
    yield from _misspelt(question, description)


def places(name: str, question: str) -> Iterator[tuple[int, int]]:
    """Where a name stands in the question, blanks and hyphens aside; of Latin letters as whole words, of Hangul from a
    word's start."""
    letters = [re.escape(letter) for letter in _BLANKS.sub("", name)]
    if not letters:
        return
    latin = not _HANGUL.search(name[0]), not _HANGUL.search(name[-1])
    if len(letters) >= _COMPOUND and name[-1].islower() and latin[1]:
        letters = [*letters[: len(letters) - (name[-1] == "s")], "s?"]
    # Between the two words of a compound of Hangul an ending may stand: 결제한 금액 is 결제금액.
    ending = rf"(?:{_ENDING}?[\s·_-])?"
    inner = range(2, 0 if any(latin) else len(letters) - 1)
    between = [ending if at in inner else _GAP for at in range(len(letters))]
    before = r"(?<![A-Za-z0-9])" if latin[0] else r"(?<![가-힣])"
    # Particles follow Hangul without a blank; a single syllable that goes on is another word.
    after = r"(?![A-Za-z0-9])" if latin[1] else "" if len(letters) > 1 else r"(?=$|[^가-힣]|[은는이가을를의에와과도별])"
    name = "".join(gap * (at > 0) + letter for at, (gap, letter) in enumerate(zip(between, letters, strict=True)))
    for match in re.finditer(before + name + after, question, re.IGNORECASE):
        yield match.span()


def _misspelt(question: str, description: Description) -> Iterator[Link]:
    from rapidfuzz import fuzz, process

    names = {
        name.casefold(): (each.name, value)
        for each in description.fields
        for value, others in each.values.items()
        for name in (value, *others)
        if len(name) >= _SHORTEST_TYPO
    }
    if not names:
        return
    for word in re.finditer(r"[^\W\d_]{5,}", question):
        found = process.extractOne(word[0].casefold(), names.keys(), scorer=fuzz.ratio, score_cutoff=_LIKE)
        if found:
            yield Link(*names[found[0]], *word.span(), sure=False)


def _longest(links: list[Link]) -> list[Link]:
    """Of links that overlap the longest, then the surest; one place may be values of several fields."""
    kept: list[Link] = []
    for each in sorted(links, key=lambda link: (link.start - link.end, not link.sure)):
        over = [other for other in kept if other.start < each.end and each.start < other.end]
        if all((other.start, other.end) == (each.start, each.end) and other.sure == each.sure for other in over):
            kept.append(each)
    return sorted(dict.fromkeys(kept), key=lambda link: link.start)


def _found(value: str, question: str, start: int, end: int, to: str = "") -> Found:
    """What stands at a place, with the comparison beside it, which belongs to it then."""
    unit = counted(question, start, end)
    for pattern, ops in _AFTER_RE:
        if match := pattern.match(question, behind(question, end)):
            left_out = _LEFT_OUT.match(question, match.end()) or _NOT_SO.match(question, match.end())
            return Found(value, start, match.end(), _OTHERWISE[ops[0]] if left_out else ops, to, unit)
    for pattern, ops in _BEFORE_RE:
        if match := pattern.search(question[:start], max(start - 24, 0)):
            left_out = _BUT.search(question[: match.start()])
            return Found(value, match.start(), end, _OTHERWISE[ops[0]] if left_out else ops, to, unit)
    left_out = _LEFT_OUT.match(question, _UNIT_RE.match(question, end).end())  # type: ignore[union-attr]
    return Found(value, start, end, ("!=",) if left_out and not to else (), to, unit)


def _numbers(question: str, today: date | None) -> Iterator[Found]:
    recent = [(match, match.span()) for match in _RECENT.finditer(question)]
    for match, span in recent:
        yield Found(str((today or date.today()).year - int(match[1] or match[2])), *span, (">=",))
    for each in scan(question):
        if any(start <= each.start < end for _, (start, end) in recent):
            continue
        if each.value == each.value.to_integral() and (decade := _DECADE.match(question, each.end)):
            first = int(each.value) + (1900 if 20 < each.value < 100 else 2000 if each.value <= 20 else 0)
            if first % 10 == 0:
                yield _found(str(first), question, each.start, decade.end(), to=str(first + 9))
                continue
        if question[each.start : each.end] == "한" and not COUNTED.match(question, each.end):
            continue  # No numeral: `주문을 한 고객`.
        if each.value == 1 and question[each.start] >= "가" and (none := _NOT_ONE.match(question, each.end)):
            # What denies it says no more than it: `한 건도 없던`.
            denies = _DENIES.match(question, none.end())
            yield Found("0", each.start, denies.end() if denies and negated(denies[0]) else each.end)
        else:
            yield _found(f"{each.value.normalize():f}", question, each.start, each.end)
    for word, years in _RELATIVE.items():
        for match in re.finditer(rf"(?<!\w){word}", question, re.IGNORECASE):
            yield _found(str((today or date.today()).year + years), question, *match.span())


def _ranges(question: str, found: list[Found]) -> list[Found]:
    """The numbers or dates, those that bound a range with what that says: `20~29`, `5월에서 7월까지`."""
    found = sorted(found, key=lambda each: each.start)
    for at, (one, two) in enumerate(pairwise(found)):
        between = question[one.end : two.start]
        marked = _TO.fullmatch(between)
        if marked and "and" in between:
            marked = _BETWEEN.search(question[: one.start])
        if not one.ops and (marked or (two.ops == ("<=",) and _FROM.fullmatch(between))):
            found[at : at + 2] = replace(one, ops=(">=",)), replace(two, ops=two.ops or ("<=",))
    return found


def _bounds(question: str, values: list[Link]) -> list[Link]:
    """The values, those that bound a range of codes with what that says: `A-010부터 A-020까지`."""
    for at, (one, two) in enumerate(pairwise(values)):
        said = _ranges(question, [_found("", question, each.start, each.end) for each in (one, two)])
        same = one.field == two.field and one.value != two.value
        if same and _DIGITS.sub("", one.value) == _DIGITS.sub("", two.value) and [each.ops for each in said] == _RANGE:
            values = [*values[:at], replace(one, ops=said[0].ops), replace(two, ops=said[1].ops), *values[at + 2 :]]
    return values


def dates(question: str, today: date | None = None, last: date | None = None) -> Iterator[Found]:
    """The dates of the question, as `2026`, `2026-05` or `2026-05-12`. Months without a year are of that of `last`, or
    of the year that is told by how long ago it was: `작년 5월`."""
    year, halves = "", list(_PART.finditer(question))
    years = [n for n in _numbers(question, today) if n.to or question[n.start : n.end].casefold() in _RELATIVE]
    for match in halves:
        part = (match["en"] or match["en2"] or "").upper()
        months = 6 if match["ko"] or part[:1] == "H" else 3
        first = 1 + months * ((1 if match["ko"] == "하" else 0) if match["ko"] else int(match["n"] or part[1]) - 1)
        if first < 12:
            year = match["y"] or match["y2"]
            yield _found(f"{year}-{first:02}", question, *match.span(), to=f"{year}-{first + months - 1:02}")
    for match in _DATE.finditer(question):
        if any(each.start() <= match.start() < each.end() for each in halves):
            continue
        year, start = match["y"] or match["y3"] or year, match.start()
        for told in [n for n in years if match["m2"] and not n.to and not question[n.end : start].strip()]:
            years.remove(told)
            year, start = told.value, told.start
        parts = [year or str((last or date.today()).year)]
        parts += [f"{int(part):02}" for part in (match["m"] or match["m2"], match["d"] or match["d2"]) if part]
        yield _found("-".join(parts), question, start, match.end())
    for number in scan(question):
        # 삼월, 십이월
        at = number.end
        if question[at : at + 1] == "월" and not question[number.start].isdigit() and 1 <= number.value <= 12:
            parts = [year or str((last or date.today()).year), f"{int(number.value):02}"]
            yield _found("-".join(parts), question, number.start, at + 1)
    for match in _ENGLISH_DATE.finditer(question):
        before = question[: match.start()]
        if match[0].lower() == "may" and not (before.endswith("in ") or (before and match[0] == "May")):
            continue  # No month: `may I`.
        given = match[4] or (found[0] if (found := re.search(r"(?:19|20)\d\d", question)) else "")
        month = _MONTHS.index(match[2].casefold()) + 1
        parts = [given or str((last or date.today()).year), f"{month:02}"]
        parts += [f"{int(day):02}" for day in (match[1] or match[3],) if day]
        yield _found("-".join(parts), question, *match.span())
    yield from years
