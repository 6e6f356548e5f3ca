"""Which figures and names of a statement stand in the passages, are known otherwise, or are worked out of such; which
of its words were never heard of."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from dure.knowledge.bound import misplaced
from dure.knowledge.claims import denials, missing, negated, numbers
from dure.knowledge.days import days
from dure.knowledge.names import instead, told_of
from dure.knowledge.units import COLUMN, cells, names_cell
from dure.knowledge.weighed import Source, Weighed, said_in, spoken
from dure.knowledge.worked import LONG, in_time, is_long, is_share, made_of, of_whole, rounded, worked_out
from dure.numbers.equations import equations
from dure.sources import Passage
from dure.texts import TEXTS

_CELLS = re.compile(r" *\| *(?=[₩$€*]{0,3}\d[\d,.]*[^|\d]{0,6}\|)")
"""Before a cell of one figure."""
_MUCH = 0.25
"""Share of a statement's weight, from which on what holds it may be what is told."""
_KOREAN, _ENGLISH = TEXTS.one("knowledge_absence.documents").values()
_IN_ENGLISH = re.compile(rf"\bin (?:\w+ ){{,2}}{_ENGLISH}\b", re.IGNORECASE)
_ACTING = re.compile(rf"\b{_ENGLISH}(?: \w+){{,2}} ?\Z", re.IGNORECASE)
_WITHIN = re.compile(rf"([가-힣]{{2,}})에는?(?! [따의근])\s|({_KOREAN})에서는?\s")
"""What something is within, as a document; by or according to one something is denied."""
_KIND = re.compile(r"[가-힣]{2,}(?=[^가-힣]*\Z)")
"""What a title calls its document: `회의록` in `6월_회의록_2026`."""


class Figured(Weighed):
    """The figures of all passages, and those that may be said besides: of what was `asked`, and of what was `told`."""

    def __init__(self, passages: Sequence[Passage], asked: str, told: Sequence[str]) -> None:
        super().__init__(passages, asked)
        self.question, self._told = asked, told
        self.asked = "\n".join([asked, *told])
        self._summed = set[int]()
        """Passages of which only what was made of them was told: looked into where they are named alone."""
        self.answer = ""
        """All of what is held against the passages."""
        self._base: Sequence[str] = self.texts
        self._parts_of = dict[str, set[str]]()
        """The figures of equations that the answer writes out, by what comes out."""

    def made_in(self, documents: Collection[str]) -> None:
        """Of the figures of these documents others may be made, where an answer names any; in another one some would
        give anything."""
        its = [
            text for text, passage in zip(self.texts, self._passages, strict=True) if passage.document_id in documents
        ]
        self._base = its or self.texts

    def worked_out(self, statement: str, beside: str) -> set[str]:
        """The figures of a statement's equations whose parts stand in the passages or are known, with what comes out
        where that is right, which is known then."""
        figures: set[str] = set()
        # In a row of a table what comes out stands in a cell of its own.
        for each in equations(_CELLS.sub(" = ", statement) if statement.startswith("|") else statement):
            self._parts_of.setdefault(each.result, set()).update(each.parts)
            unknown = {
                x
                for x in each.parts
                if not (self._known(x) or in_time(x, f"{self.answer}\n{self.question}", self._known))
            }
            if all(self.beside(x, statement, beside) for x in unknown):
                made = {each.result} if each.holds else set()
                self.asked = "\n".join([self.asked, *made])
                figures |= {*each.parts, *made}
        return figures

    def beside(self, figure: str, statement: str, beside: str) -> bool:
        """Whether two figures give one of a statement, which are known and stand in it or beside it."""
        own, others = (self._before(figure, text) for text in (statement, beside))
        return worked_out(figure, own, [self.asked, *self._base], others)

    def _known(self, part: str) -> bool:
        """Whether a figure stands in the passages or is known, also as what is added to the whole or taken from it:
        1.3 where 30 % are."""
        return any(not missing(each, self.asked, *self._base) for each in (part, *of_whole(part)))

    def _before(self, figure: str, text: str) -> str:
        """A text without what comes out where the figure is worked with, which tells nothing of it."""
        for result in (each for each, parts in self._parts_of.items() if figure in parts):
            text = re.sub(rf"(?<![\d.,]){re.escape(result)}(?!\d|[.,]\d)", " ", text)
        return text

    def made(self, figure: str, statement: str, around: str, beside: str) -> bool:
        """Whether a statement's long figure is worked out of others that are known, which stand anywhere `around` it,
        and then is known itself; the share of one told elsewhere is in a table one of its own row. Two that make a
        short one are always there, but for times and what has places."""
        around = self._before(figure, around)
        share = self._before(figure, statement) if statement.startswith("|") else around
        if (is_long(figure) or "." in figure) and not days(figure):
            known = [self.asked, *self._base]
            found = worked_out(figure, around, known) or is_share(figure, share, known)
        else:
            found = in_time(figure, f"{around}\n{beside}\n{self.question}", self._known)
        if found:
            self.asked += f"\n{figure}"
        return found

    def tabled(self, figure: str, rows: Sequence[str]) -> bool:
        """Whether a long figure, or one with places, is what known figures of a table of the answer give, a sum in a
        column or the difference of two in a row or column."""
        told = rows and (is_long(figure) or "." in figure) and not days(figure)
        return bool(told and not made_of(rows, self.asked, *self._base).isdisjoint(numbers(figure).values()))

    def follows(self, figure: str, statement: str, quotes: Sequence[str]) -> bool:
        """As `beside` of figures of the `quotes`; what is no count of a few things is known then."""
        found = worked_out(figure, self._before(figure, statement), quotes)
        if found and len(figure) >= LONG and figure not in self.asked.splitlines():
            self.asked += f"\n{figure}"
        return found

    def wanting(self, statement: str, source: Source) -> list[str]:
        """The figures and names of a statement that a source and what it stands under do not hold."""
        above = f"{source.above}\n{source.text}"
        unknown = self._unknown(statement, told_of(source.text, statement), source.above)
        unknown += [each for each in instead(statement, source.text, source.above) if each not in unknown]
        return [each for each in unknown if not self.follows(each, statement, [above])]

    def _unknown(self, statement: str, *texts: str) -> list[str]:
        """The same of any texts: what was asked and what tools gave may be said again, and rounded."""
        return [each for each in missing(statement, self.asked, *texts) if not rounded(each, self.asked)]

    def misplaced(self, statement: str, quotes: Iterable[Source] | None = None) -> list[str]:
        """The figures of a statement in whose place its quotes have others, or what has many of its words."""
        if negated(statement) or not any(map(str.isdigit, statement)):
            return []
        if quotes is None:
            wanted = said_in(statement)
            quotes = [
                s for s in self._sources if self._overlap(wanted, s)[0] >= _MUCH and s.passage not in self._summed
            ]
        found = misplaced(statement, [each.text for each in quotes], self._weight)
        # What tells of both tells of a change, or from where to where something goes.
        return [
            figure
            for figure, other in found
            if missing(figure, self.asked) and all(missing(f"{figure}; {other}", s.text) for s in self._sources)
        ]

    @cached_property
    def _columns(self) -> dict[tuple[str, str], set[str]]:
        """What stands in the columns of the tables of each document."""
        found = defaultdict[tuple[str, str], set[str]](set)
        for row in (source for source in self._sources if COLUMN in source.text):
            for column, cell in cells(row.text).items():
                found[self._passages[row.passage].document_id, column].add(cell)
        return found

    def of_others(self, statement: str, quotes: Sequence[Source], known: str) -> list[str]:
        """What a statement names in the place of what the rows that it quotes have in a column: a cell of another row,
        which neither these nor what is `known` have. One that names what they have, or denies, may tell them apart."""
        held, found = "\n".join([known, *(f"{each.above}\n{each.text}" for each in quotes)]), set[str]()
        for row in (quote for quote in quotes if COLUMN in quote.text and not negated(statement)):
            for column in cells(row.text):
                its = self._columns[self._passages[row.passage].document_id, column]
                named = {cell for cell in its if cell in statement and names_cell(statement, cell)}
                found |= named if not any(cell in held for cell in named) else set()
        return sorted(found, key=statement.find)

    def denied(self, statement: str, wanted: frozenset[str]) -> bool:
        """Whether a statement of the terms `wanted` says that something is not, mostly in words of the question, or
        that it is not in the documents."""
        if not negated(statement):
            return False
        asked = 2 * len(wanted & self._of_question) >= len(wanted)
        return asked or is_absent(statement, (passage.title for passage in self._passages))

    def unheard_of(self, wanted: frozenset[str]) -> bool:
        """Whether some of these terms was asked for and stands in no passage."""
        return bool((wanted & self._of_question) - self._terms)

    def unheard(self, statement: str, sourced: Collection[str]) -> bool:
        """Whether half of the words of a statement begin none in a passage, in what was asked and told, or in what of
        the answer is `sourced`, which has its endings too."""
        said = spoken(statement)
        return 2 * len(said - self._terms - said_in(self.asked) - said_in("\n".join(sourced))) >= len(said)


def is_absent(statement: str, titles: Iterable[str]) -> bool:
    """Whether a statement says that something is not in documents, which it calls so or by the end of one of these
    titles (`회의록에 나와 있지 않다`); not that they deny something (`없다고 적혀 있다`)."""
    kinds = {_KOREAN, *(kind[0] for title in titles for kind in _KIND.finditer(title))}
    for denied in denials(statement):
        before, behind = statement[: denied.start()], statement[denied.end() :]
        if _ACTING.search(before) or _IN_ENGLISH.search(behind):
            return True
        within = any(kind.endswith(each[1] or each[2]) for each in _WITHIN.finditer(before) for kind in kinds)
        if within and not re.search(r"고\s", behind):
            return True
    return False
