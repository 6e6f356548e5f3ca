"""Versions of one document: which of two is the later one, by their titles, and what a later one changes of it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePath

from dure.knowledge.units import COLUMN, columns, units_of
from dure.patterns import later
from dure.sources import Passage
from dure.storage.terms import terms

_DATE = later(r"(?:19|20)\d\d(?:[\s._-]{0,2}\d{1,2}){0,2}(?!\d)")
_MARKS = later(r"(?:제? ?\d+ ?차[\s_]*)?(?:[전일]부)? ?개정[안본판]?|amend\w*|(?<![A-Za-z])v\d+", re.IGNORECASE)
"""Words of a title for its being a version."""
_WHOLLY = later(r"전부 ?개정|(?<![A-Za-z])restated(?![A-Za-z])", re.IGNORECASE)
"""Of a title: that it replaces what was before as a whole."""
AMENDS = later(r"개정|(?<![A-Za-z])amend", re.IGNORECASE)
_AMENDED = later(r"개정(?!안)|(?<![A-Za-z])amend", re.IGNORECASE)
"""The same of what is decided."""
_PART = later(r"제 ?\d+ ?조(?:의 ?\d+)?|별표 ?\d+|\barticle \d+", re.IGNORECASE)
"""A part of rules or a contract, as an amendment names it."""
_DAY = later(r"\d{4} ?년(?: ?\d{1,2} ?월(?: ?\d{1,2} ?일)?)?")
_FIGURE = later(r"(\d[\d,.]*\d|\d)\s?([^\W\d_]?)")
INSTEAD = later(r'(?:중|가운데|,) ?["“]([^"“”]+)["”](?:[을를]|을\(를\)) ?["“]([^"“”]+)["”](?:으로|로)')
"""Words that give way to others, as amendments of Korean rules have it: `제2항 중 "4일"을 "3일"로 한다`."""
QUOTED = later(r"[\"“‘'「]([^\"“”‘’'「」\n]{1,200})[\"”’'」]")
_LARGE = 4
"""Characters of a figure, as written, up to which its unit tells whether it is the same."""
NAME = 4
"""Letters of the end of a document's name that name it."""
_NEAR = 12
"""Characters between a figure and that which takes its place."""


@lru_cache(4096)
def version_of(title: str) -> tuple[str, tuple[int, ...]]:
    """What a title calls its document, without its date and words for versions, and that date, empty where it has none.

    >>> version_of("여비규정_일부개정_2026-02-01")
    ('여비규정', (2026, 2, 1))
    """
    date = _DATE.search(title)
    name = "".join(filter(str.isalpha, name_of(title))).casefold()
    return name, tuple(map(int, re.findall(r"\d+", date.group()))) if date else ()


def name_of(title: str) -> str:
    """A title without its date and words for versions."""
    return _MARKS.sub(" ", _DATE.sub(" ", title))


def titled(title: str, file: str) -> str:
    """A title with the words that its file's name tells besides, where they stand there: documents are called by them,
    and two may have one title. No day where the title has a date itself.

    >>> titled("거래기본계약서", "한빛정밀_거래기본계약_2026.docx")
    '한빛정밀 거래기본계약서 2026'
    """
    name, known = PurePath(file).stem, set(terms(title))
    if _DATE.search(title):
        name = _DATE.sub(lambda date: " " if len(version_of(date[0])[1]) > 2 else date[0], name)
    parts = re.split(r"[\s_]+", name)
    new = [len(known.intersection(cut)) * 2 < len(cut) for cut in map(terms, parts)]
    at = new.index(False) if False in new else 0
    words = [*parts[:at], title, *(part for part, unknown in zip(parts[at:], new[at:], strict=True) if unknown)]
    return " ".join(words)


def is_later(title: str, other: str) -> bool:
    """Whether a title is that of a later version of the other's document. What amends a part of it may call it by the
    end of its name (`이용규정_일부개정` of `도서관_이용규정`)."""
    (name, date), (its, before) = version_of(title), version_of(other)
    amends = len(name) >= NAME and AMENDS.search(title) and not _WHOLLY.search(title)
    if not name or not (name == its or (amends and its.endswith(name))):
        return False
    # Where the other has no date, what amends it is later than what does not.
    return date > before if before else bool(_AMENDED.search(title) and not AMENDS.search(other))


def to_come(found: Sequence[Passage], on: tuple[int, ...]) -> set[str]:
    """The titles of versions that are of later than a day, if any is given, where an earlier one of the same document
    was found."""
    titles = {passage.title for passage in found}
    later = {title for title in titles if on and version_of(title)[1] > on}
    return {title for title in later if any(is_later(title, each) for each in titles - later)}


def in_force(found: Sequence[Passage], on: tuple[int, ...] = ()) -> list[Passage]:
    """What was found without what a later version, found beside it, replaced as a whole. on: the day that counts, as
    `(2026, 1, 29)`; the newest versions' where none is given. Of what came later what names a day stays: since when it
    is so, and for what it was not so yet."""
    later = to_come(found, on)
    whole = {passage.title for passage in found if _WHOLLY.search(passage.title)}.difference(later)
    return [
        each
        for passage in found
        if not any(is_later(title, passage.title) for title in whole)
        for each in (units_of(passage) if passage.title in later else [passage])
        if passage.title not in later or _DAY.search(_values(each.text))
    ]


def parts(text: str) -> set[str]:
    """The parts of rules that a text names."""
    return {"".join(part.split()).lower() for part in _PART.findall(text)}


def changing(units: Sequence[Passage]) -> Iterator[tuple[int, int]]:
    """Of two sentences or rows the positions, where the second is a later version's and names the part of the rules
    that the first stands in."""
    titles = {unit.title for unit in units}
    later = {title: {each for each in titles if is_later(each, title)} for title in titles}
    if any(later.values()):
        within = [parts(f"{unit.context}\n{unit.text}") for unit in units]
        named = [parts(unit.text) for unit in units]
        for i, unit in enumerate(units):
            for j, other in enumerate(units):
                if other.title in later[unit.title] and within[i] & named[j]:
                    yield i, j


def replaced(units: Sequence[Passage]) -> set[int]:
    """The positions of rows that a later version's table, of the same part of the rules, has with other values: with
    the same columns and the same first cell."""
    rows: dict[tuple[str, ...], list[int]] = {}
    for i, unit in enumerate(units):
        if COLUMN in unit.text:
            rows.setdefault((unit.text.partition(COLUMN)[0], *columns(unit.text)), []).append(i)
    return {
        i
        for same in rows.values()
        for i in same
        for j in same
        if is_later(units[j].title, units[i].title) and parts(units[i].context) & parts(units[j].context)
    }


def amended(unit: Passage, units: Iterable[Passage]) -> tuple[Passage, str] | None:
    """The sentence or row of a later version that changes what `unit` says, a row first: it names the part of the rules
    that `unit` stands in, one of its figures, and another; and what `unit` says by it, where it tells which words give
    way to which, else its own words, without the cells of a row that hold what was so. None where there is none."""
    part = parts(f"{unit.context}\n{unit.text}")
    later = (each for each in units if _changes(each, unit.title) and part & parts(each.text))
    found = [each for each in later if other_figures(unit, each)]
    if not found:
        return None
    change = next((each for each in found if COLUMN in each.text), found[0])
    if (now := _instead(unit.text, change.text)) != unit.text:
        return change, now
    cells, before = change.text.split(COLUMN), _figures(unit.text)
    old = [len(cells) > 1 and bool(its := _figures(cell)) and its <= before for cell in cells]
    return change, COLUMN.join(cell for cell, was in zip(cells, old, strict=True) if not was)


def may_change(unit: Passage) -> bool:
    """Whether a sentence or row may change what another version says: its title tells a day, or it which words give way
    to which."""
    return bool(version_of(unit.title)[1] or INSTEAD.search(unit.text))


def _changes(unit: Passage, title: str) -> bool:
    """Whether a sentence or row is of a later version of the document with this title, or tells which words give way to
    which, in one that is called by that title's name and more (`변경 통지 제3호: 여비규정`)."""
    own, its = version_of(unit.title)[0], version_of(title)[0]
    called = len(its) >= NAME and its in own and its != own
    return is_later(unit.title, title) or bool(called and INSTEAD.search(unit.text))


def present(row: str) -> str:
    """A row without the cells that hold what was so, where the name of another's column says that it is amended: with
    figures of the same kinds.

    >>> present("조항: 제9조 | 종전: 10일 이내 | 개정: 7일 이내")
    '조항: 제9조 | 개정: 7일 이내'
    """
    cells = [(AMENDS.search(cell.partition(": ")[0]), cell) for cell in row.split(COLUMN)]
    kinds = {kind for amends, cell in cells if amends for kind in _kinds(cell)}
    return COLUMN.join(cell for amends, cell in cells if amends or not (its := _kinds(cell)) or not its <= kinds)


def _kinds(text: str) -> set[str]:
    """The letters of the units that its figures have, large ones none."""
    return {unit for _, unit, *_ in _each_figure(text)}


def _instead(text: str, change: str) -> str:
    """A text with the words that a change puts in the place of some that stand in it once."""
    for was, now in INSTEAD.findall(change):
        places = [*re.finditer(rf"(?<![\d.,]){re.escape(was)}", text)]
        if len(places) == 1:
            text = text[: places[0].start()] + now + text[places[0].end() :]
    return text


def other_figures(unit: Passage, change: Passage) -> bool:
    """Whether a sentence or row has one of the figures of `unit`, and another."""
    before, its = _figures(unit.text), _figures(change.text)
    return bool(before & its and its - before)


def gives_way(change: str, rule: str, *, figures: bool = True) -> bool:
    """Whether a sentence has, in quotation marks, words of a rule and others, or, if `figures` count too, a figure of
    it right beside another of the same kind: what stands there gives way to what does not."""
    whole = " ".join(rule.split())
    there = [" ".join(words.split()) in whole for words in QUOTED.findall(change)]
    if any(there) and not all(there):
        return True
    # A share has a unit too.
    before = _figures(rule.replace("%", "p")) if figures else set()
    known = [*_each_figure(change.replace("%", "p"))]
    return any(
        unit == its and at - end <= _NEAR and (one in before) is not (other in before)
        for (one, unit, _, end), (other, its, at, _) in pairwise(known)
    )


def _figures(text: str) -> set[str]:
    """The figures of a text, of a row those of its values, with the letter of their unit; large ones, which are seldom
    two things, without."""
    return {figure for figure, *_ in _each_figure(text)}


def _each_figure(text: str) -> Iterator[tuple[str, str, int, int]]:
    """The figures of a text, each with its unit, where it counts, and where it begins and ends among what is looked
    at."""
    for found in _FIGURE.finditer(_DAY.sub(" ", _PART.sub(" ", _values(text)))):
        number, unit = found.groups()
        if unit or len(number) > _LARGE:
            unit = "" if len(number) > _LARGE else unit
            yield number + unit, unit, found.start(), found.end()


def _values(text: str) -> str:
    """A text, a row without the names of its columns."""
    cells = (cell.partition(": ") for cell in text.split(COLUMN))
    return COLUMN.join(value if colon else name for name, colon, value in cells)
