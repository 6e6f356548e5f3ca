"""The sentences of passages, and how much of what is stated their words have."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, cached_property, lru_cache, reduce
from typing import Any

from dure.errors import Language
from dure.knowledge.claims import TIMES, counted, figures_in, missing, negated, numbers
from dure.knowledge.days import days
from dure.knowledge.names import ORDINAL, names, parts
from dure.knowledge.parse.parsed import ends
from dure.knowledge.sentences import sentences
from dure.knowledge.units import COLUMN, cells, in_full, names_cell, noted
from dure.knowledge.versions import INSTEAD
from dure.messages import language_of
from dure.numbers.currencies import currencies
from dure.sources import SUB, Passage
from dure.storage.terms import terms, words

_FIGURE = re.compile(r"\d")
_NUMBERED = re.compile(r"#*\s*(\d{1,2}(?:\.\d+)*)\.?\s")
_INNER = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?\s+[A-Z가-힣]")
"""What a paragraph with a number of its own begins with: `4.1 Delay`."""
_LABEL = re.compile(r"#*\s*(Q ?\d*)[.:)]\s")
"""What a question of several is called: `Q7.`."""
_DATED = re.compile(r" \((?:[^()]*\D)?\d{4} ?[-./년][^()]*\)$")
_HEADS = 30
"""Characters of a line without an end, from which on it may say something."""
_BETWEEN = " · "
LISTED = re.compile(r"(?:[-*•+]|\(?\d{1,2}[.)]|[가-하][.)]|[①-⑳])\s+")
"""The mark of an item of a list."""
_ENDED = re.compile(r"[^\d\s][.!?。]\W*$")
"""A sentence's end, no day's (`2026. 6. 3.`)."""
_OPENING = 8
"""Lines of a document before its text at most, as where and when a meeting was."""
_WHOLLY = 0.9
"""Of a heading's weight, from which on a statement names it."""
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_HANGUL, _WORD = re.compile(r"[가-힣]+"), re.compile(r"[가-힣]+|[A-Za-z]{2,}")
_MOST = 240
"""Characters of an item that are quoted at most."""
_SENTENCES = 8
"""Of an item before and behind one of it that are looked at."""
NEAR = 2
"""Terms that a statement must share with a sentence of a passage which is cited right behind it."""
_OWN = 0.15
"""Share of a sentence's weight that stands in a statement and not in what is quoted for it."""


@dataclass(slots=True)
class Source:
    """A sentence of a passage: its place in the document, its terms, and what it stands under."""

    passage: int
    start: int
    end: int
    text: str
    terms: frozenset[str]
    heading: bool
    above: str
    at: int
    """Its place among all sentences."""
    item: int
    """The item or paragraph of the passage, one line, that it is of."""


@lru_cache(4096)
def said_in(text: str) -> frozenset[str]:
    """The terms of a text, its figures whole (`68,000` as `68000`), and its names (`HS-3`) and numbered parts
    (`제3조`), whose digits are none."""
    found = names(text)
    rest = _GROUPED.sub("", reduce(lambda left, name: left.replace(name, " "), found, ORDINAL.sub(" ", text)))
    return frozenset(terms(rest)).union((re.sub(r"[-.]", "", name).casefold() for name in found), parts(text))


@lru_cache(4096)
def spoken(text: str) -> frozenset[str]:
    """How the words of a text begin, without figures and the letters of their units."""
    return frozenset(word[0] for word in words(text) if len(word[0]) > 1 and not word[0].isdigit())


def _parts(heading: str) -> list[str]:
    """The numbers of parts in a heading; one that begins with a number may be called an article or a section."""
    numbered = _NUMBERED.match(heading)
    named = [f"{kind} {numbered[1]}" for kind in ("article", "section")] if numbered else []
    return ORDINAL.findall(heading) + named + _LABEL.findall(heading)


def _only_heads(line: str) -> bool:
    """Whether a line names, dates or asks for what others say, and says nothing itself, as one with an amount does."""
    if line.startswith(("From: ", "To: ", "Cc: ")):
        return True
    if ends(line, "?:") or line.startswith("Date: "):
        return bool(_LABEL.match(line) or (line[-1] != "?" and days(line)))
    short = ":" not in line and not ends(line, ".!。,") and len(_DATED.sub("", line)) < _HEADS
    return short and not currencies(line)


def _credits(line: str) -> bool:
    """Whether a line says by whom, where and when the title above it came out: `Ada Lovelace · Seeds · 1843`."""
    return _BETWEEN in line and not ends(line, ".!?。:")


def _flat(text: str) -> str:
    return "".join(text.split()).casefold()


class Weighed:
    """The sentences of all passages. Terms that few of them hold weigh more."""

    def __init__(self, passages: Sequence[Passage], asked: str) -> None:
        self._passages, self._of_question = passages, said_in(asked)
        self.texts = [passage.heading for passage in passages]
        self._sources: list[Source] = []
        self._others = dict[str, set[int]]()
        for number, passage in enumerate(passages):
            above = passage.context.rpartition(SUB)[2]
            unit, under, below = noted(passage.context), "\n".join(_parts(above)), False
            head, title, opens = "", "", passage.start == 0
            for start, end in sentences(passage.text):
                text = passage.text[start:end]
                # The number that an item begins with is no figure.
                self.texts[number] += f"\n{text}"
                unit, above = noted(text) or unit, passage.above
                if COLUMN in text:
                    above += f"\n{in_full(text, unit)}"
                    self.texts[number] += f"\n{in_full(text, unit)}"
                place = (passage.start + start, passage.start + end)
                titled = opens and (_flat(text) == _flat(passage.title) or (bool(head) and _credits(text)))
                heading = text.startswith("#") or (end < len(passage.text) and (titled or _only_heads(text)))
                numbered = heading or bool(_INNER.match(text))
                # What stands under a heading, or in an article of several sentences, is of that part.
                if titled:
                    part = []
                elif part := _parts(text) if numbered else [each[0] for each in [ORDINAL.match(text)] if each]:
                    under = "\n".join([under] * below + part)
                    self.texts[number] += f"\n{under}" * numbered
                below = heading
                # The lines that a document opens with, as the day from which it is in force, are of all of it.
                opens = opens and heading and (titled or (not part and ":" not in text))
                head += f"\n{text}" * opens
                above += f"{head}\n{under}\n{title}"
                title = text if heading else title
                item = passage.text.count("\n", 0, start)
                its = said_in(text).union(parts("\n".join(part)))
                self._sources.append(Source(number, *place, text, its, heading, above, len(self._sources), item))
        counts = Counter(term for source in self._sources for term in source.terms)
        self._terms, count = counts.keys(), len(self._sources)

        @cache
        def weight_of(term: str) -> float:
            return math.log(1 + count / (0.5 + counts[term])) * (2 if _FIGURE.search(term) else 1)

        def weight(terms: Iterable[str]) -> float:
            return sum(map(weight_of, terms))

        self._weight, self._whole = weight, cache(weight)
        """The weight of terms, and of all of a sentence, which is compared with many. Figures weigh twice."""

    def _over(self, source: Source) -> list[Source]:
        """The sentences that tell of what day one is: of the last line before it in its passage that leads to others,
        or the heading; where that has none, of the first with one of the lines that its document opens with."""
        before = [each for each in self._sources if each.passage == source.passage and each.start < source.start]
        last = next((each for each in reversed(before) if each.heading or self._leads(each)), None)
        if last is not None and (dated := _dated(last, before)):
            return dated
        begins = (self._passages[source.passage].document_id, 0)
        first = next((n for n, its in enumerate(self._passages) if (its.document_id, its.start) == begins), None)
        opening = [each for each in self._sources if each.passage == first]
        for line in opening[:_OPENING]:
            if line is source or COLUMN in line.text or (_ENDED.search(line.text) and not self._leads(line)):
                break
            if days(line.text):
                return _dated(line, opening)
        return []

    def _leads(self, line: Source) -> bool:
        """Whether a line leads to others, also one with a day that stands right above a list."""
        near = self._sources[line.at : line.at + _SENTENCES]
        behind = next((s for s in near if (s.passage, s.item) != (line.passage, line.item)), line)
        above = behind.passage == line.passage and LISTED.match(behind.text) and not self._item(line)
        return ends(line.text, ":") or bool(above and days(line.text))

    @cached_property
    def _amending(self) -> list[Source]:
        """The sentences that put words in the place of others."""
        return [each for each in self._sources if INSTEAD.search(each.text)]

    @cached_property
    def _cells(self) -> dict[tuple[Any, ...], set[int]]:
        """Where the rows stand that have a cell in a column of a table, and the lines that begin with a name."""
        found = defaultdict[tuple[Any, ...], set[int]](set)
        for row in self._sources:
            for place in self._its_cells(row):
                found[place].add(row.start)
        return found

    def _its_cells(self, row: Source) -> list[tuple[Any, ...]]:
        """The cells of a row or line, each with the document, the columns of its table, and its own."""
        its = cells(row.text)
        return [(self._passages[row.passage].document_id, tuple(its), *each) for each in its.items()]

    def calls(self, statement: str, row: Source) -> set[str]:
        """The cells of a row by which a statement names it: those that no second one of its table has in the column."""
        its = [place for place in self._its_cells(row) if names_cell(statement, place[-1])]
        return {place[-1] for place in its if len(self._cells[place]) == 1}

    def of_other_rows(self, statement: str) -> Set[int]:
        """The places of the rows of a table that a statement does not name, where it names others of it and has no word
        more of what these have in the same columns: its figures stand there by chance, but where it denies; and of
        those whose first cell has fewer of its words than that of another one (`fee (child)`, `fee (adult)`)."""
        if statement not in self._others:
            lines = () if negated(statement) else self._sources
            rows = [(s, self._its_cells(s), self.calls(statement, s)) for s in lines if COLUMN in s.text]
            by = {place[:-1] for _, its, called in rows for place in its if place[-1] in called}
            said = {cell for _, _, called in rows for cell in called}
            rest = spoken(re.sub("|".join(map(re.escape, said)), " ", statement)) if said else frozenset()
            self._others[statement] = {
                row.at
                for row, its, called in rows
                if not called and (cell := {place[-1] for place in its if place[:-1] in by})
                if not any(rest & spoken(each) for each in cell)
            }
            # One of the same with more of the words is meant, where the statement tells nothing else of that.
            told, figures = spoken(statement), {*numbers(statement).values()}
            keyed = [(s, its[0][:3], own, own & told) for s, its, _ in rows if its for own in [spoken(its[0][3])]]
            self._others[statement] |= {
                s.at
                for s, table, own, said_of in keyed
                for each, of, its, more in keyed
                if said_of < more and of == table and own & its
                if figures.isdisjoint(figures_in(each.text) - figures_in(s.text))
            }
        return self._others[statement]

    def in_force(self, sources: Sequence[Source], answer: str) -> list[Source]:
        """Sources without what gives way in them, or as one of their passages tells of the part that they are in, if an
        answer does not tell for what: it may tell both apart."""
        passages = {each.passage for each in sources} if self._amending else set()
        changes = [each for each in self._amending if each.passage in passages]
        return [self._in_force(each, changes, answer) for each in sources] if changes else [*sources]

    def _in_force(self, source: Source, changes: Iterable[Source], answer: str) -> Source:
        text = source.text
        for change in changes:
            if change.start == source.start or {*parts(change.text)} <= {*parts(f"{source.above}\n{source.text}")}:
                for was, now in INSTEAD.findall(change.text):
                    # Of a figure any writing.
                    told = not missing(now, answer) if _FIGURE.search(now) else now in answer
                    text = text if told else text.replace(was, now)
        return source if text == source.text else replace(source, text=text)

    def _overlap(self, wanted: frozenset[str], source: Source) -> tuple[float, float]:
        """Shares of the weight of `wanted` and of the source's own weight that they have in common."""
        common = self._weight(wanted & source.terms)
        return (common / self._whole(wanted), common / self._whole(source.terms)) if common else (0.0, 0.0)

    def _rating(self, wanted: frozenset[str], source: Source) -> float:
        share, own = self._overlap(wanted, source)
        # A heading names the matter, the sentences under it say something of it; but for what names it as a whole.
        named = own > _WHOLLY and share > _WHOLLY / 2
        return (0.7 * share + 0.3 * own) * (0.3 if source.heading and not named else 1.0)

    def _beside(self, source: Source) -> list[Source]:
        """The sentences right before and behind one in its item or paragraph; rows of a table are of one thing each."""
        around = self._sources[max(0, source.at - 1) : source.at + 2]
        near = [s for s in around if s is not source and (s.passage, s.item) == (source.passage, source.item)]
        return near if COLUMN not in source.text else []

    def _in_another_item(self, source: Source, others: Iterable[Source]) -> bool:
        """Whether a sentence is of an item of a list, of whose passage others are of other items alone."""
        first = next(s for s in self._sources if (s.passage, s.item) == (source.passage, source.item))
        items = {other.item for other in others if other.passage == source.passage}
        return bool(items) and source.item not in items and bool(LISTED.match(first.text))

    def _ranked(self, wanted: frozenset[str], sources: Sequence[Source]) -> list[Source]:
        """Those of `sources` that have words in common with `wanted`, the best first; of two that are as good the one
        with more of what was asked."""
        rated = [(self._rating(wanted, source), source) for source in sources]
        return [source for rating, source in sorted(rated, key=self._first) if rating > 0]

    def _first(self, rated: tuple[float, Source]) -> tuple[float, float]:
        return -round(rated[0], 6), -self._weight(self._of_question & rated[1].terms)

    def in_items(self, statement: str, quotes: Iterable[Source]) -> list[Source]:
        """The quotes of a statement, each one of an item with those of the item's sentences up to the last that
        have words of the statement besides, in another language with the first."""
        once = {(each.passage, each.start, each.end): each for each in quotes}
        found = [self._in_item(statement, quote) for quote in once.values()]
        return [each for each in found if not any(_holds(other, each) for other in found)]

    def _in_item(self, statement: str, quote: Source) -> Source:
        passage, its = self._passages[quote.passage], self._item(quote)
        if len(its) < 2:
            return quote
        foreign, said = _language(statement) != language_of(passage.text), said_in(statement) - quote.terms
        more = [s for s in its if s is quote or self._overlap(said, s)[1] >= _OWN or (foreign and s is its[0])]
        if len(more) < 2 or more[-1].end - more[0].start > _MOST:
            return quote
        # Where the item begins stands what it is of.
        start, end = (its if more[-1].end - its[0].start <= _MOST else more)[0].start, more[-1].end
        terms = frozenset[str]().union(*(each.terms for each in more))
        text = passage.text[start - passage.start : end - passage.start]
        return replace(more[0], start=start, end=end, text=text, terms=terms)

    def _item(self, quote: Source) -> Sequence[Source]:
        """The sentences of the item of a list that a quote is one of; none where it is of none."""
        near = self._sources[max(0, quote.at - _SENTENCES) : quote.at + _SENTENCES]
        its = [each for each in near if (each.passage, each.item) == (quote.passage, quote.item)]
        return its if quote in its and COLUMN not in quote.text and LISTED.match(its[0].text) else []


def _dated(line: Source, sources: Iterable[Source]) -> list[Source]:
    """Of the sentences of a line those with a day."""
    return [each for each in sources if each.item == line.item and days(each.text)]


def _language(statement: str) -> Language:
    """The language of most words of a statement, which may name something in another."""
    return "ko" if 2 * len(_HANGUL.findall(statement)) >= len(_WORD.findall(statement)) else "en"


@lru_cache(256)
def _counts(text: str) -> tuple[tuple[Decimal, str, str], ...]:
    return tuple(counted(text, in_words=True, latin=True))


def counted_otherwise(statement: str, sources: Iterable[str]) -> list[str]:
    """The numbers in words of a statement, from two on, in whose place sources count others of the same: `세 사람`
    where they have `두 사람`. Times stand everywhere."""
    said = [each for each in _counts(statement) if not _FIGURE.search(each[2])]
    said = [each for each in said if each[0] > 1 and each[1] not in TIMES | {""}]
    held = defaultdict[str, set[Decimal]](set)
    for value, unit, _ in (each for text in sources if said for each in _counts(text)):
        held[unit].add(value)
    found = [written for value, unit, written in said if unit in held and value not in held[unit]]
    return [whole[0] for each in found for whole in re.finditer(rf"{re.escape(each)}\w*", statement)][: len(found)]


def _holds(quote: Source, other: Source) -> bool:
    """Whether a quote has all of another one and more."""
    place, its = (quote.start, quote.end), (other.start, other.end)
    return quote.passage == other.passage and place != its and place[0] <= its[0] and its[1] <= place[1]


def naming_the_same(source: Source, others: Iterable[Source]) -> list[Source]:
    """Those that do not name other things than a source does: each of these tells of its own."""
    own = names(source.text)
    return [each for each in others if not (own and (its := names(each.text)) and own != its)]


def says(source: Source, statement: str, first: Source) -> bool:
    """Whether a sentence has words of a statement, where the `first` is a heading such that this has not."""
    known = spoken(first.text) if first.heading else frozenset()
    return not source.heading and len((spoken(statement) & spoken(source.text)) - known) >= NEAR


def shared(statement: str, source: Source) -> bool:
    """Whether a sentence has a word of a statement: figures and names alone are of anything, but those of a row."""
    return "|" in statement or not spoken(statement).isdisjoint(spoken(source.text))
