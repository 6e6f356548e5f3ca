"""What amends rules comes with them: passages of later versions, and of the same file further down, that tell a change
of the part that a passage found stands in.

A part is known by its heading (`제7조(회의비)`, `Article 7 Term`, `5.2 Interest`). What changes it names it elsewhere,
and puts other words or figures in the place of some that stand there, or is about the part as such and stands in none
itself: `제14조를 다음과 같이 한다.`. A cross reference (`제7조에 따라`) is neither.
"""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from itertools import dropwhile
from pathlib import PurePath
from typing import Any

import sqlalchemy as sa

from dure.knowledge.days import days
from dure.knowledge.parse.parsed import ends, headings_in, is_table
from dure.knowledge.search import passage_of
from dure.knowledge.units import units_of
from dure.knowledge.versions import AMENDS, NAME, QUOTED, gives_way, is_later, name_of, version_of
from dure.patterns import later
from dure.sources import SUB, Passage
from dure.storage import amending, documents
from dure.storage.terms import codes, words

_MOST = 2
"""Passages of amendments behind one that was found."""
_CLOSING = 2
"""Passages that amendments close with."""
_FIRST = later(r"제1조|[a-z§]+ 1")
"""The name of a first part."""
_ANY = "§"
"""The name of a part that has a number alone."""
_AMENDMENT = "*"
"""Instead of a name: that a heading is of an amendment."""
_CHANGES = "→"
"""The same: that words of a part which is named give way to others."""
_CALLED = ("section", "clause", "paragraph")
"""How else such a part may be named."""
_NAMED = later(
    r"제 ?(?P<article>\d+) ?조(?:의 ?(?P<sub>\d+))?|별[표지] ?(?:제 ?)?(?P<sheet>\d+)"
    r"|(?:\b(?P<word>[A-Za-z]{3,}?)s?\.? |§+ ?)(?P<number>\d{1,3}(?:\.\d+)*|[A-Z])(?![A-Za-z\d'’]|,\d)"
)
"""A part as it is named: an article, a sheet behind the rules, `clause 5.2`, `Annex C`."""
_NUMBER = later(r"(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s")
"""How the heading of a part begins that has a number alone."""
_DOTTED = later(r"^\d{1,2}(?:\.\d{1,2}){1,3}\.?\s", re.MULTILINE)
_LINE = later(r"^.+$", re.MULTILINE)
_STOPS = ".!?。:;,|다"
_ITEM = later(rf"[^\w{_ANY}]*(?:(?:\d{{1,2}}|[가-힣]|[a-z]{{1,3}})[.)][^\w{_ANY}]*)*")
"""The mark of an item."""
_WITHIN = r"(?: ?\([^()\n]*\))*+(?: ?제? ?\d+ ?[항호목])*+"
"""What may follow the name of a part: its title, a paragraph of it."""
_AND = later(rf"{_WITHIN}(?! ?[에의])[^.:;\n]{{0,5}}")
"""Between parts that are named together."""
_ABOUT = later(
    rf"{_WITHIN}(?:(?![에의])[가-힣]| [가-힣]{{2}}[을를] | ?(?:[가-힣]{{2}} )?중[ ,]|[에의] ?(?=제 ?\d|[\"“‘'「]))"
)
"""Behind a part that a sentence is about, in Korean: a particle, but for those of place, as in cross references."""


Behind = dict[int, list[Passage]]


def amendments(connection: sa.Connection, owners: Sequence[str], found: Sequence[Passage]) -> tuple[Behind, Behind]:
    """By the id of each passage what later versions of its document, or amendments further down in it, say of the parts
    of rules that it stands in, a few passages; what tells a change comes first. And what the amendments close with."""
    rules = [_Rule(passage) for passage in found]
    ruled = sorted({rule.passage.document_id for rule in rules if rule.names})
    others = _others(connection, owners, ruled)
    wanted = {_AMENDMENT, *(name for rule in rules for name in rule.names)}
    below = [_Amending(row) for row in amending.amending(connection, owners, ruled, wanted, _names_of)]
    behind = {rule.passage.id: _behind(connection, rule, others, below) for rule in rules if others or below}
    return {id: told for id, (told, _) in behind.items()}, {id: closing for id, (_, closing) in behind.items()}


class _Rule:
    """A passage found. `names`: of the parts that it stands in or holds."""

    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        self.headings = passage.context.split(SUB)
        # Of a file without headings of its own: lines that begin with a part, and numbers with more than one step.
        lines = [line for line in passage.text.splitlines() if _NAMED.match(line)]
        headings = [*self.headings, *(words for _, _, words in headings_in(passage.text))]
        self.names = {name for each in (*headings, *lines, *_DOTTED.findall(passage.text)) for name in _part(each)}
        titles = (_NAMED.sub("", each, 1).strip(" ().:") for each in headings if _NAMED.match(each))
        self.titles = {title.casefold() for title in titles if len(title) > 1}


class _Amending:
    """A passage that may amend others. `of`: the ids of documents that its own is a later version of; `own`: where in
    that its own parts begin, which are none of theirs."""

    def __init__(self, row: dict[str, Any], of: frozenset[str] = frozenset()) -> None:
        self.row = row
        self.passage = passage_of(row)
        self.of = of
        self.own = sys.maxsize

    @cached_property
    def named(self) -> set[str]:
        return _named_in(f"{self.row['context']}\n{self.row['text']}")

    @cached_property
    def units(self) -> list[Passage]:
        return [*units_of(self.passage)]

    def tells(self, rule: _Rule) -> list[Passage]:
        """Its sentences and rows that tell a change of the parts that a rule stands in."""
        return [unit for unit in self.units if self._tells(unit, rule)] if self.named & rule.names else []

    def _tells(self, unit: Passage, rule: _Rule) -> bool:
        text, headings = unit.text, unit.context.split(SUB)
        if unit.start >= self.own:
            text, headings = _NAMED.sub("", text, 1) if _NAMED.match(text) else text, [""]
        *_, last = headings
        above = [each for each in headings if each not in rule.headings]
        if not self.of:
            above = [*dropwhile(lambda heading: not AMENDS.search(heading), above)]
        amends = bool(self.of or above)
        if any(_part(heading) & rule.names for heading in above):
            return True
        named = _named_in(text) & rule.names
        if not named:
            return False
        # What begins with the title of a part, `제7조(회의비)를 …`, passes for its heading.
        within = set() if last and unit.text.startswith(last) else _part(last)
        outside = not within or (amends and within <= _numbers(within))
        by_name = named > _numbers(named)
        if gives_way(unit.text, rule.passage.text, figures=by_name or outside):
            return True
        return outside and (amends or (by_name and (unit.text.endswith(":") or _is_about(unit.text, named))))


def _headings(text: str) -> list[tuple[int, str]]:
    """Where headings begin in a text, and their words; of a file without any of its own lines that name a part and are
    no sentences."""
    lines = ((line.start(), line[0]) for line in _LINE.finditer(text) if _NAMED.match(line[0]))
    return [(at, words) for _, at, words in headings_in(text)] + [each for each in lines if not ends(each[1], _STOPS)]


def _part(heading: str) -> set[str]:
    """The name of the part that a heading begins, or its number where it has no name; empty where it begins none."""
    if (named := _NAMED.match(heading)) and not is_table(heading):
        names = _names(named)
        return names - _numbers(names) or names
    numbered = _NUMBER.match(heading)
    return {f"{_ANY} {numbered[1]}"} if numbered else set()


def _names(named: re.Match[str]) -> set[str]:
    """How a part is named, and its number, by which those are known whose headings have no more."""
    if named["sheet"]:
        return {f"{named[0][:2]} {named['sheet']}"}
    if named["sub"]:
        return {f"제{named['article']}조의{named['sub']}"}
    number = named["article"] or named["number"]
    if named["article"]:
        return {f"제{number}조", f"{_ANY} {number}"}
    word = (named["word"] or _ANY).lower()
    return {f"{word} {number}"} | ({f"{_ANY} {number}"} if word in _CALLED else set())


def _named_in(text: str) -> set[str]:
    return {name for named in _NAMED.finditer(text) for name in _names(named)}


def _numbers(names: set[str]) -> set[str]:
    return {name for name in names if name.startswith(_ANY)}


def _names_of(context: str, text: str) -> set[str]:
    """What a passage names under its headings; also `_AMENDMENT` where these are of one."""
    changes = any(
        (named := _NAMED.search(line)) and QUOTED.findall(line, named.end())[1:] for line in text.splitlines()
    )
    there = {_AMENDMENT: bool(AMENDS.search(context)), _CHANGES: changes}
    return _named_in(f"{context}\n{text}").union(mark for mark, so in there.items() if so)


def _is_about(text: str, names: set[str]) -> bool:
    """Whether a sentence begins with a part of these names, alone or among others, and is about it as such."""
    at, last, its = _ITEM.match(text), None, False
    for named in _NAMED.finditer(text):
        if last is None:
            follows = at is not None and named.start() == at.end()
        else:
            follows = _AND.fullmatch(text, last.end(), named.start()) is not None
        if not follows:
            break
        last, its = named, its or bool(_names(named) & names)
    if last is None or not its:
        return False
    return text.endswith((".", ":")) if last["number"] else _ABOUT.match(text, last.end()) is not None


def _behind(
    connection: sa.Connection, rule: _Rule, others: Sequence[Sequence[_Amending]], below: Sequence[_Amending]
) -> tuple[list[Passage], list[Passage]]:
    """The passages that come with a rule, and what closes them; `others`: of later documents, `below`: of files that
    rules were found in."""
    its, found, closing = rule.passage, list[_Amending](), list[Passage]()
    for rows in (rows for rows in others if its.document_id in rows[0].of):
        changing = [each for each in rows if each.tells(rule)]
        found += changing
        closing += _closing(rows, rule) if changing else ()
    for each in below:
        if (
            each.passage.document_id == its.document_id
            and each.passage.start > its.start
            and (told := each.tells(rule))
        ):
            found.append(each)
            last = each.units[-1]
            if told[-1] is last and _named_in(last.text) & rule.names and not gives_way(last.text, its.text):
                # What it announces stands below it.
                found += map(
                    _Amending, documents.next_to(connection, [each.row["owner"]], last.document_id, last.start)
                )
    return [*{each.passage.id: each.passage for each in found}.values()][:_MOST], closing[:_CLOSING]


def _closing(rows: Sequence[_Amending], rule: _Rule) -> list[Passage]:
    """What a document that amends another closes with, since when and for whom it is so: what comes first, and what has
    the title of one of the parts that a rule stands in. It begins with the document's own parts, else behind the last
    passage that names one; where nothing does, how it opens tells since when."""
    first = rows[0].passage
    if not (AMENDS.search(_calls(rows[0].row)) or any(_CHANGES in _names_of("", each.row["text"]) for each in rows)):
        return []
    behind = 1 + max((i for i, each in enumerate(rows) if each.named), default=len(rows))
    below = [each for i, each in enumerate(rows) if each.passage.end > each.own or i >= behind]
    titled = [any(map(each.passage.text.casefold().count, rule.titles)) for each in below]
    closing = [each.passage for i, each in enumerate(below) if not i or titled[i]]
    return closing or ([first] if days(first.text) else [])


def _own(rows: Sequence[_Amending]) -> int:
    """Where a document's own parts begin: they are numbered anew behind those that it names."""
    named, own = False, sys.maxsize
    for each in rows:
        for start, heading in _headings(text := each.passage.text):
            if (named or _named_in(text[:start])) and any(map(_FIRST.fullmatch, _part(heading))):
                own = each.passage.start + start
        named = named or bool(each.named)
    return own


def _others(connection: sa.Connection, owners: Sequence[str], ruled: Sequence[str]) -> list[list[_Amending]]:
    """The passages of each document that is a later version of one of `ruled`, ids, or amends it, the newest first,
    which has the last word."""
    begun = amending.called(connection, owners, ids=ruled)
    called = {row["id"]: _titles(row) for row in begun}
    titles = {name for names in called.values() for name in names}
    begins = {word[:2] for title in titles for word in re.split(r"[\s_]+", title) if word[:1].isalpha()}
    found = amending.called(connection, owners, starts=sorted(begins))
    follow = {each["id"]: (each, {id for id, its in called.items() if _follows(each, its)}) for each in found}
    # What begins with their names or numbers, and says that it amends something or does so.
    numbers = {row["id"]: _codes(f"{_calls(row)}\n{row['head']}") for row in begun}
    named = [name for name in map(name_of, titles) if len(version_of(name)[0]) >= NAME]
    # Of Hangul each second pair: words may be written together or apart.
    groups = [[term for word in words(name) for term in word[::2]] for name in {*named}.union(*numbers.values())]
    beginning = amending.beginning_with(connection, owners, groups)
    naming = [row["id"] for row in beginning if any(_is_of(row, its, numbers[id]) for id, its in called.items())]
    changing = amending.amending(connection, owners, naming, {_CHANGES}, _names_of)
    changes = {row["document_id"] for row in changing}
    amends = [row for row in beginning if row["id"] in changes or AMENDS.search(_calls(row))]
    # A number that is in the title of one is but told of by others.
    told = {code for row in beginning if row not in amends for title in _titles(row) for code in _codes(title)}
    for row in amends:
        of = {id for id, its in called.items() if _is_of(row, its, numbers[id] - told.difference(*map(_codes, its)))}
        follow.setdefault(row["id"], (row, set()))[1].update(of - {row["id"]})
    others = []
    for row, its in sorted(follow.values(), key=lambda each: version_of(each[0]["title"])[1], reverse=True):
        if its:
            rows = documents.passages_of(connection, row["owner"], row["id"])
            others.append([_Amending(each, frozenset(its)) for each in rows])
            own = _own(others[-1])
            for each in others[-1]:
                each.own = own
    return others


def _titles(row: Mapping[str, Any]) -> set[str]:
    return {row["title"], PurePath(row["name"]).stem}


def _calls(row: Mapping[str, Any]) -> str:
    """What a document calls itself: its title, its file's name, and the line that it begins with."""
    first = str(row["head"] if "head" in row else row["text"]).strip().partition("\n")[0]
    return "\n".join([*sorted(_titles(row)), first])


@lru_cache(4096)
def _codes(text: str) -> frozenset[str]:
    """The numbers by which a text calls documents: of letters and digits."""
    return frozenset(code for code in codes(text) if len(code) >= NAME and re.search("[a-z]", code))


def _is_of(row: Mapping[str, Any], names: Iterable[str], numbers: Set[str]) -> bool:
    """Whether a document calls itself by one of these names of another, which is not the later one, or begins with one
    of these numbers in its first lines."""
    calls = _calls(row)
    own = "".join(filter(str.isalpha, calls)).casefold()
    named = any(len(its) >= NAME and its in own for its, _ in map(version_of, names))
    codes_of = _codes(f"{calls}\n{row.get('head', '')}")
    return bool(named or codes_of & numbers) and not any(is_later(name, row["title"]) for name in names)


def _follows(document: Mapping[str, Any], names: Iterable[str]) -> bool:
    """Whether a document is a later version of one that goes by these names, or a supplement, called by such a name and
    more (`재택근무지침_추록`)."""
    for own in _titles(document):
        for other in names:
            (name, date), (its, before) = version_of(own), version_of(other)
            if is_later(own, other) or (len(its) >= NAME and name.startswith(its) and before and date > before):
                return True
    return False
