"""What of a question is known: values of the data, numbers, dates, names of fields; each with its place.

A value is linked by its spelling alone, never guessed. Forms are closed ones: numbers, dates, comparisons, units.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise

from dure.data.questions.clock import times
from dure.data.questions.description import Description, called
from dure.data.questions.figures import BUT, LEFT_OUT, RANGE, TOP, Found, dates, found_at, numbers, place, ranges
from dure.data.questions.units import unit
from dure.data.questions.words import PARTICLE, WORD, Span, cuts, function_words, over, span, stem, within
from dure.numbers.words import BEFORE_NOUNS, ENGLISH, ONES
from dure.patterns import later
from dure.texts import TEXTS

_BLANKS, _HANGUL, _DIGITS = later(r"[\s·_-]+"), later(r"[가-힣]"), later(r"\d")
_COMPOUND = 4
"""Letters of a name that may be two words, or have a plural."""
_GAP, _ENDING = r"[\s·_-]?", "[은는을를의한된할]"
_SHORTEST_TYPO = 5
_NAMING, _WORDS = ("text", "category"), 4
"""Words of a name, on average, at most: what has more is a note."""
_THESE = frozenset(word for word, count in ONES.items() if count > 1) - BEFORE_NOUNS
"""둘, 셋 and so on, which stand for what is named."""
_LIKE = 88
"""Out of 100: likeness of a misspelt name; `transfomer` and `transformer` have 95, `ICLR` and `ICML` 75."""

_TOO = later(r"[가-힣]{0,2}(?:\s[건것])?(?:[도은는]\s?(?:[가-힣]{1,2}\s)?(?:포함|넣)|\s?포함[해하])")
_AND = later(r"[가-힣]{0,2}[\s,·/]+|,?\s(?:and|n?or)\s(?:[a-z]{1,4}\s){0,2}", re.IGNORECASE)
"""Between values that are named together."""
_HOW_MANY = later(r"몇\s?([가-힣]+)")
_TEXT = TEXTS["data_questions.text"]


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
    included: list[Link] = field(default_factory=list)
    """Values that the question says to count as well as the others: no conditions."""
    place: Found | None = None
    """The number that is the one place of a ranking that the question is about: 2위."""
    counted: str = ""
    """The field that tells how many there are of what the question counts."""
    rows: list[Link] = field(default_factory=list)
    """Values that the name of the data says too: the rows, and no condition, where their field is not named."""

    @property
    def by(self) -> set[str]:
        """The fields whose values have a row each: `월별`, `by month`."""
        said = ((each, self.question[: each.start].casefold().split()[-1:]) for each in self.fields)
        return {each.field for each, word in said if self.question.startswith("별", each.end) or word in _BY}

    @property
    def off(self) -> set[str]:
        """The fields that are taken off, or counted too, and no conditions: `매출(할인 뺀 것)`, `배송비도 포함해서`."""
        said = (LEFT_OUT, _TOO)
        return {each.field for each in self.fields if any(form.match(self.question, each.end) for form in said)}

    @property
    def named(self) -> set[str]:
        """The fields that the question names."""
        return {each.field for each in self.fields}

    def asks(self, aggregate: str) -> bool:
        """Whether one of its names stands in the question, not as a part of a value or of the name of a field."""
        spans = [span(each) for each in (*self.values, *self.fields)]
        said = (at for name in _TEXT[aggregate].values() for at in places(name, self.question))
        return any(not within(at, spans) for at in said)

    def values_of(self, name: str) -> list[str]:
        return list(dict.fromkeys(link.value for link in self.values if link.field == name))

    def numbers_of(self, name: str) -> list[str]:
        """Those that a field of that name may have, by their units."""
        found = [each for each in self.numbers if not each.of or name in each.of]
        return list(dict.fromkeys(value for each in found for value in (each.value, each.to) if value))


def link(question: str, description: Description, today: date | None = None) -> Links:
    """What of the question is known."""
    links = Links(question)
    columns = [each for each in description.fields if each.kind == "date"]
    # A month alone is one of the last year that the data tell of; what ends later began in it.
    last = min(filter(None, (each.last for each in columns)), default=today)
    told = list(dates(question, today, last)) if columns else []
    days = [span(each) for each in told if not each.value.isdigit()]
    # A word of a longer name of a field, such as of `scrap cost`, is no value of another; nor is the 1 of `2026년 1월`.
    named_fields = list(_named(question, description))
    heads = {span(each) for each in named_fields}
    values = [
        v
        for v in _values(question, description)
        if not (v.value.isdigit() and (within(span(v), days) or TOP.search(question[: v.start])))
        and not within(span(v), heads - {span(v)})
    ]
    links.values = _bounds(question, _longest(values))
    links.values, links.included = _asked_too(question, links.values)
    taken = [span(each) for each in (*links.values, *links.included)]
    clock = list(times(question, [f.clock for f in description.fields if f.clock]))
    hours = [span(each) for each in clock]
    plain = [each for each in numbers(question, today) if not over(span(each), hours)]
    # `First Reminder` is no one.
    named = [*taken, *heads]
    links.numbers = ranges(question, [each for each in (*plain, *clock) if not within(span(each), named)])
    links.dates = ranges(question, [each for each in told if not within(span(each), taken)])
    days = [span(each) for each in links.dates if not each.value.isdigit()]
    links.numbers = [each for each in links.numbers if not within(span(each), days)]
    counted = list(_counted(question, description))
    links.fields = [*_fields(question, description, named_fields, taken), *counted]
    links.counted = counted[0].field if counted else ""
    if description.examples_of:
        known = {(each.name, v): [v] for each in description.fields if each.kind == "category" for v in each.values}
        # What begins the names of fields too says nothing of either.
        known |= {(each.name, ""): called(each) for each in description.fields}
        spans = [*taken, *map(span, links.fields), *map(span, links.numbers), *map(span, links.dates)]
        found = [each for each in _parts(question, known, spans) if each.value]
        spans += map(span, found)
        links.values += [*found, *_contained(question, description, spans)]
    held = {each.name: len(each.values) for each in description.fields if each.kind == "category"}
    # As many as there are of what stands behind it: `두 지점`.
    all_of = {each.start: str(held[each.field]) for each in links.fields if each.field in held}
    near = {each: links.question[each.end : each.end + 1].isspace() for each in links.numbers}
    links.numbers = [each for each in links.numbers if all_of.get(each.end + near[each]) != each.value]
    together = Counter(field for field, _ in {(v.field, v.value) for v in links.values})
    those = [e for e in links.numbers if e.ops in ((), ("!=",)) and _of_those(question, e, {*together.values()})]
    links.place = place(question, links.numbers)
    links.numbers = [each for each in links.numbers if each not in those and each != links.place]
    links.numbers = [replace(each, of=_measured(each, links, description)) for each in links.numbers]
    links.values = excluded(question, links.values)
    # `except those two`, `그 둘 빼고`: what was named before.
    left_out = [each.start for each in those if each.ops or BUT.search(question[: each.start])]
    before = max(left_out, default=0)
    links.values = [replace(v, ops=("!=",)) if v.end <= before and not v.ops else v for v in links.values]
    links.rows = [v for v in links.values if v.field not in links.named and _entitles(v.value, description.name)]
    links.values = [v for v in links.values if v not in links.rows]
    # Of a word among numbers, such as `absent`, and the fields that have it, those are meant that are named, if any.
    sure = {span(each) for each in links.values if each.field in links.named}
    unmeant = {each.name for each in description.fields if each.kind == "number"} - links.named
    links.values = [v for v in links.values if v.field not in unmeant or span(v) not in sure]
    return links


def _entitles(value: str, title: str) -> bool:
    """Whether the name of the data has it as a word, or a part of a compound of Hangul: a B is none of `jobs`."""
    return any(places(value, title)) or (len(value) > 1 and value >= "가" and value in title)


def _of_those(question: str, number: Found, named: set[int]) -> bool:
    """Whether it only says how many there are of what is named: `서울하고 부산 둘`, `those two`, `셋 중에`."""
    told, after = question[number.start : number.end].casefold(), question[number.end :]
    if told in _THESE or told in ENGLISH:
        these = WORD.match(after.lstrip())
        few = told in _THESE or these is None or these[0].casefold() in function_words()
        return few and (int(number.value) in named or after.lstrip().startswith("중"))
    return False


def _measured(number: Found, links: Links, description: Description) -> frozenset[str]:
    """The fields whose unit is the number's, or that are named, at least in part, and have none; none where all have
    others."""
    if number.unit is None:
        # `한 병 이하`, of what is told in 병.
        said = links.question[number.start : number.end]
        return frozenset(f.name for f in description.fields if f.kind == "number" and f.unit and f.unit in said)
    units = {f.name: unit(f.unit) for f in description.fields if f.kind == "number" and f.name not in links.off}
    same = {name for name, each in units.items() if each == number.unit}
    named = links.named
    # A span of time or a time of day is no number of whatever has no unit, but what is compared with it may be.
    timed = number.unit[0] in ("time", "clock")
    free = {name for name, each in units.items() if each is None}
    free &= named if timed and number.ops else set() if timed else free if not same else named
    if free.isdisjoint(named):
        # 매출 is a word of several names, 음료매출 and 매출계, and of 손님수 none.
        words = {part for word in WORD.findall(links.question) for part in cuts(word.casefold())}
        parts = {
            name
            for name in free
            for part in words
            if any(_is_part(part, n.casefold()) for n in called(description.field(name)))
        }
        free = parts or free
    # Of several in that unit those that are named.
    return frozenset((same & named or same) | free) or frozenset([""])


def _asked_too(question: str, values: Sequence[Link]) -> tuple[list[Link], list[Link]]:
    """The values that may be conditions, and those that the question only says to count too: `취소된 것도 포함해서`."""
    too = {at for at, each in enumerate(values) if _TOO.match(question, each.end)}
    too |= {at - 1 for at in too if at and _AND.fullmatch(question, values[at - 1].end, values[at].start)}
    return [v for at, v in enumerate(values) if at not in too], [v for at, v in enumerate(values) if at in too]


def excluded(question: str, values: Sequence[Link]) -> list[Link]:
    """The values, those marked that the question leaves out, also as one of several: `취소랑 반려 빼고`."""
    after = {each.start for each in values if LEFT_OUT.match(question, each.end)}
    before = {each.start for each in values if BUT.search(question[: each.start])}
    joined = [
        (one.start, two.start)
        for one, two in pairwise(sorted(values, key=lambda each: each.start))
        if one.field == two.field and _AND.fullmatch(question, one.end, two.start)
    ]
    for one, two in joined:
        before |= {two} if one in before else set()
    for one, two in reversed(joined):
        after |= {one} if two in after else set()
    return [replace(each, ops=("!=",)) if each.start in after | before else each for each in values]


def _fields(question: str, description: Description, found: Sequence[Link], taken: list[Span]) -> list[Link]:
    """Names of fields, those `found`, and words that are a part of one's name alone: `경로` of 유입경로."""
    names = {(each.name, ""): list(dict.fromkeys(called(each))) for each in description.fields}
    # 손님 is how many guests there are, 손님수; 주문 is not its day, 주문일.
    numbers = {each.name for each in description.fields if each.kind == "number"}
    spans = [*taken, *map(span, found)]
    return [*found, *_parts(question, names, spans, lambda name: _COMPOUND - (name in numbers))]


def _named(question: str, description: Description) -> Iterator[Link]:
    for each in description.fields:
        for name in dict.fromkeys(called(each)):
            yield from (Link(each.name, "", *at) for at in places(name, question))


def _counted(question: str, description: Description) -> Iterator[Link]:
    """The number that is told in what the question counts: `몇 병` of those in 병."""
    for asked in _HOW_MANY.finditer(question):
        those = [f for f in description.fields if f.kind == "number" and f.unit and asked[1].startswith(f.unit)]
        if len(those) == 1 and unit(those[0].unit) is None:
            yield Link(those[0].name, "", asked.start(), asked.start(1) + len(those[0].unit), sure=False)


def _parts(
    question: str,
    names: Mapping[tuple[str, str], Sequence[str]],
    taken: Sequence[Span],
    least: Callable[[str], int] = lambda _: _COMPOUND,
) -> Iterator[Link]:
    """The words, but for what is taken, that are a part of the names of one field or value alone. least: letters of a
    compound that a field is named by."""
    for start, forms in _untaken(question, taken):
        for part in forms:
            # Surgeries is a value's other form; of a column's name another form is another thing: parcelling, parcels.
            form = stem(part) if len(part) > _SHORTEST_TYPO else ""
            parts = {
                key: any(_is_part(part, each.casefold(), form if key[1] else "", least(key[0])) for each in said)
                for key, said in names.items()
            }
            held = [key for key, said in names.items() if parts[key] or any(part in each.casefold() for each in said)]
            if held:
                if len(held) == 1 and parts[held[0]]:
                    yield Link(*held[0], start, start + len(part), sure=False)
                break


def _contained(question: str, description: Description, taken: Sequence[Span]) -> Iterator[Link]:
    """The words, but for what is taken, that stand in names of several words which one column alone has: the syringes
    of `Syringe 5 ml`, a rank beside people's names."""
    held = {f.name: [v.casefold().split() for v in f.values] for f in description.fields if f.kind in _NAMING}
    held = {name: values for name, values in held.items() if sum(map(len, values)) <= _WORDS * len(values)}
    for start, forms in _untaken(question, taken):
        one = forms[0].removesuffix("s") if len(forms[0]) > _COMPOUND and forms[0] < "가" else ""
        for part in filter(None, [one, *forms]):
            has = {name: sum(len(v) > 1 and part in v for v in values) for name, values in held.items()}
            those = [name for name, count in has.items() if 0 < count < len(held[name])]
            if those and not _entitles(part, description.name):
                if len(those) == 1:
                    yield Link(those[0], part, start, start + len(part), sure=False, ops=("contains",))
                break


def _untaken(question: str, taken: Sequence[Span]) -> Iterator[tuple[int, list[str]]]:
    """Where words begin that say something and are not taken, and what they may be without particles."""
    for word in WORD.finditer(question):
        known = {PARTICLE.sub("", word[0]).casefold(), word[0].casefold()} & function_words()
        if not known and len(word[0]) > 1 and not over(word.span(), taken):
            yield word.start(), list(cuts(word[0].casefold()))


def _is_part(part: str, name: str, form: str = "", least: int = _COMPOUND) -> bool:
    """Whether it is one of several words of a name, or half a compound of Hangul of that many letters. form: the stem
    that a value may have in another form."""
    compound = len(name) >= least and part >= "가" and (name.startswith(part) or name.endswith(part))
    return compound or bool(form and form == stem(name)) or part in re.split(r"[\W_]+", name)


def _values(question: str, description: Description) -> Iterator[Link]:
    found = list(_spelt(question, description))
    yield from found
    # A name with its particle is no other spelling of it.
    for each in _misspelt(question, description):
        if not any(other.value == each.value and within(span(other), [span(each)]) for other in found):
            yield each


def _spelt(question: str, description: Description) -> Iterator[Link]:
    for each in description.fields:
        for value, names in each.values.items():
            whole = [name for head in called(each) for name in _with_head(value, head)]
            for name in (value, *names, *whole):
                for start, end in places(name, question):
                    yield Link(each.name, value, start, end)


def _with_head(value: str, head: str) -> Iterator[str]:
    """How a value of one letter is told with what it is one of, 토요일, 3학년, grade A, or a code: line 2 of L2."""
    if len(value) == 1:
        yield from (value + head, head + value)
    elif value[0].casefold() == head[:1].casefold() and value[1:].isdigit() and not value[0].isdigit():
        yield head + value[1:]


def places(name: str, question: str) -> Iterator[Span]:
    """Where a name stands in the question, blanks and hyphens aside; of Latin letters as whole words, of Hangul from a
    word's start."""
    plain = _BLANKS.sub("", name)
    # A look at its letters, a plural's aside, spares the patterns of most names.
    if not plain or not {*(plain[:-1] or plain).casefold()} <= {*question.casefold()}:
        return
    letters = [re.escape(letter) for letter in plain]
    latin = not _HANGUL.search(name[0]), not _HANGUL.search(name[-1])
    if len(letters) >= _COMPOUND and name[-1].islower() and latin[1]:
        letters = [*letters[: len(letters) - (name[-1] == "s")], "s?"]
    # Between the two words of a compound of Hangul an ending may stand: 결제한 금액 is 결제금액.
    ending = rf"(?:{_ENDING}?[\s·_-])?"
    inner = range(2, 0 if any(latin) else len(letters) - 1)
    between = [ending if at in inner else _GAP for at in range(len(letters))]
    before = r"(?<![A-Za-z0-9])" if latin[0] else r"(?<![가-힣])" if len(letters) > 1 else r"(?<![가-힣\d])"
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
    words = [*re.finditer(r"[^\W\d_]+", question)]
    for size in {name.count(" ") + 1 for name in names}:
        those = [name for name in names if name.count(" ") + 1 == size]
        for first, last in zip(words, words[size - 1 :], strict=False):
            said = question[first.start() : last.end()].casefold()
            found = process.extractOne(said, those, scorer=fuzz.ratio, score_cutoff=_LIKE)
            if found and len(said) >= _SHORTEST_TYPO:
                yield Link(*names[found[0]], first.start(), last.end(), sure=False)


def _longest(links: list[Link]) -> list[Link]:
    """Of links that overlap the longest, then the surest; one place may be values of several fields."""
    kept: list[Link] = []
    for each in sorted(links, key=lambda link: (link.start - link.end, not link.sure)):
        if all(span(e) == span(each) and e.sure == each.sure for e in kept if over(span(e), [span(each)])):
            kept.append(each)
    return sorted(dict.fromkeys(kept), key=lambda link: link.start)


def _bounds(question: str, values: list[Link]) -> list[Link]:
    """The values, those that bound a range of codes with what that says: `A-010부터 A-020까지`."""
    for at, (one, two) in enumerate(pairwise(values)):
        said = ranges(question, [found_at("", question, each.start, each.end) for each in (one, two)])
        same = one.field == two.field and one.value != two.value
        if same and _DIGITS.sub("", one.value) == _DIGITS.sub("", two.value) and [each.ops for each in said] == RANGE:
            values = [*values[:at], replace(one, ops=said[0].ops), replace(two, ops=said[1].ops), *values[at + 2 :]]
    return values
