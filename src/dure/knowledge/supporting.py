"""Which sentence of which passage supports a statement of an answer."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dure.knowledge.claims import missing, negated
from dure.knowledge.claims import numbers as numbers_in
from dure.knowledge.days import days, is_of, undated
from dure.knowledge.figured import Figured
from dure.knowledge.names import absent, alone, names
from dure.knowledge.parse.parsed import ends
from dure.knowledge.units import COLUMN, cells, columns
from dure.knowledge.weighed import NEAR, Source, counted_otherwise, naming_the_same, said_in, says, shared
from dure.messages import language_of
from dure.sources import Passage

if TYPE_CHECKING:
    from dure.knowledge.vectors import Floats

    Encode = Callable[[list[str]], Floats]

_STRONG = 0.6
"""Share of an answer sentence's weight that a source sentence must hold to be cited without being named."""
_ALSO = 0.25
"""The same of a sentence with figures or names, which the source has to hold as well."""
_REST = 0.35
"""Share of what one sentence leaves of a statement that another one must hold to be cited beside it."""
_MOSTLY = 0.4
"""Of that one's own weight, from which on it says little else."""
_HARDLY = 0.15
"""Of a denial's weight, below which a sentence that denies nothing has nothing to do with it."""
_HARDLY_MORE = 0.12
"""Of how well a sentence goes with a statement, up to which it does hardly better than another one."""
_CLAUSE = re.compile(r"[,;]\s+(?![^()]*\))|(?<=[고며])\s+|\sand\s")
"""Between the parts of a sentence that each say something, but not in brackets."""
_LOOK = 8
"""Sentences, those of the most common words first, that are held against the figures and names of a statement."""
TERMS, _PART = 4, 3
"""Terms they must share at least, and that a part of a sentence must have to be looked for by itself."""


class Supports(Figured):
    """What supports statements in the sentences of all passages."""

    def __init__(self, passages: Sequence[Passage], asked: str, encode: "Encode | None", told: Sequence[str]) -> None:
        super().__init__(passages, asked, told)
        self._encode, self._rows = encode, dict[str, Any]()
        self._languages = [language_of(passage.text) for passage in passages]

    def held(
        self, numbers: Sequence[int], since: Sequence[frozenset[str]], statement: str, whole: frozenset[str]
    ) -> Iterator[tuple[str, list[Source]]]:
        """What supports a statement best in each of the passages of these numbers; of one that no sentence or row holds
        alone its parts, where each of these has its own. whole: the terms of the sentence that it is of."""

        def best(
            part: str, before: Sequence[frozenset[str]] = (), around: frozenset[str] = frozenset()
        ) -> list[Source]:
            wanted = [*before, said_in(part)]
            found = (self.best_of(number - 1, wanted, part, around, numbers) for number in numbers)
            return [source for source in found if source is not None]

        found = best(statement, since, whole)
        if found and all(self.wanting(statement, source) for source in found):
            lacking = min((self._lacking(statement, source) for source in found), key=len)
            for parts in _in_parts(statement) if lacking else ():
                own = {part: sorted(best(part), key=lambda s: self._least(part, s))[:1] for part in parts}
                texts = [s.text for its in own.values() for s in its]
                rest = {x for part, its in own.items() for s in its for x in self._lacking(part, s)}
                # What is worked out of several stands in none.
                rest = {x for x in rest if not self.follows(x, statement, texts)}
                if len(texts) == len(own) and len(rest) <= len(lacking):
                    each_of = [(part, self._together(part, its)) for part, its in own.items()]
                    if len(rest) < len(lacking) or not any(self.left(*each) for each in each_of):
                        return iter(each_of)
            return iter([(statement, self._together(statement, found))])
        # In another language only figures and names tell that a passage says it too.
        spoken = language_of(statement)
        found = [s for s in found if spoken == self._languages[s.passage] or not self.wanting(statement, s)]
        return iter([(statement, [s for s in found if not self._hardly(statement, s)])])

    def leaning(self, statement: str, quotes: Sequence[Source], last: Sequence[Source]) -> list[Source]:
        """The quotes of a statement, in the place of each the one of its passage that was the `last` to be quoted where
        this holds no less of the figures and hardly less of the words: then the statement goes on with what was said,
        as one of `this limit` does, and another has the words by chance."""
        wanted, spoken, found = said_in(statement), language_of(statement), list[Source]()
        for quote in quotes:
            compared = self._encode is not None and spoken != self._languages[quote.passage]
            of_passage = [source for source in quotes if source.passage == quote.passage]
            own, lacking = self._rating(wanted, quote), len(self.wanting(statement, quote))
            near = [
                (rating, source)
                for source in (() if compared or len(of_passage) > 1 else last)
                for rating in [self._rating(wanted, source)]
                if source.passage == quote.passage and not source.heading
                # A row is of what it names.
                if COLUMN not in quote.text or wanted & quote.terms <= source.terms
                if own - rating < _HARDLY_MORE and (3 * rating >= own or quote.heading)
                if len(self.wanting(statement, source)) <= lacking
            ]
            found.append(max(near, key=lambda each: each[0], default=(own, quote))[1])
        return found

    def of_row(self, statement: str, quote: Source, above: Iterable[tuple[str, Sequence[Source]]]) -> Source:
        """The quote of an item, in the place of a row that it names by figures alone the one of its table that an item
        `above` named, and of which it tells what stands in another column, right or wrong. Several figures stand in
        one row by no chance."""
        its = columns(quote.text) if COLUMN in quote.text else []
        for before, quotes in reversed([*above]):
            for row in quotes:
                named = columns(row.text) == its and self.calls(before, row)
                own = (said_in(statement) & quote.terms) - row.terms
                if named and len(own) < 2 and all(any(map(str.isdigit, term)) for term in own):
                    return row if any(each in statement and each not in before for each in its) else quote
        return quote

    def _hardly(self, statement: str, source: Source) -> bool:
        """Whether a statement denies something with hardly a word of a source that denies nothing: it tells of none."""
        if any(map(str.isdigit, statement)) or not negated(statement) or negated(source.text):
            return False
        little = self._overlap(said_in(statement), source)[0] < _HARDLY
        return little and language_of(statement) == self._languages[source.passage]

    def _lacking(self, statement: str, source: Source) -> list[str]:
        """The figures and names of a statement that a source and the lines that tell of what day it is do not hold."""
        return self.wanting(self._undated(statement, self._dating(statement, source)), source)

    def _least(self, statement: str, source: Source) -> tuple[int, float]:
        """How much of a statement's figures and names a source lacks, and, the other way, how near its words are."""
        return len(self._lacking(statement, source)), -self._rating(said_in(statement), source)

    def _together(self, statement: str, found: Sequence[Source]) -> list[Source]:
        """What was found for a statement, the nearest of each passage, and what holds more of its figures and names
        with these (`_goes_with`), or in the place of one of another passage; the line that dates what is told too."""
        order = [source.passage for source in found]
        found = sorted(found, key=lambda s: self._least(statement, s))
        passages = {number for source in found for number in self._same(source.passage)}
        apart = self.of_other_rows(statement)
        able = [s for s in self._sources if s.passage in passages and s.at not in apart]
        ranked = self._ranked(said_in(statement), able)
        near = [s for n in passages for s in [s for s in ranked if s.passage == n][:_LOOK]]
        chosen, left = found[:1], self.left(statement, found[:1])
        while left:
            beside = [s for each in chosen for s in naming_the_same(each, self._beside(each))]
            beside += [s for each in chosen for s in self._dating(statement, each)]
            others = [s for s in (*found, *near) if self._goes_with(statement, s, chosen)]
            able = [s for s in (*others, *beside) if s not in chosen]
            lacks = [(self.left(statement, [*chosen, each]), each) for each in able]
            less, best = min(lacks, key=lambda each: len(each[0]), default=(left, found[0]))
            if len(less) >= len(left):
                break
            chosen, left = [*chosen, best], less
        held = {number for source in chosen for number in self._same(source.passage)}
        chosen += [source for source in found if source.passage not in held]
        return sorted(chosen, key=lambda s: (order.index(s.passage) if s.passage in order else len(order), s.at))

    def left(self, statement: str, sources: Iterable[Source]) -> list[str]:
        """The figures and names of a statement that none of several sources holds. What tells of another name than
        these, or is of another item of a list, holds none of its figures, nor does what has little else of its
        words, which tells nothing across languages."""
        sources = [*sources]
        dating = [line for each in sources for line in self._dating(statement, each) if line in sources]
        statement = self._undated(statement, dating)
        said, wanted, spoken = {*names(statement)}, said_in(statement), language_of(statement)
        now = self.in_force(sources, self.answer)
        found = [(source, self.wanting(statement, its)) for source, its in zip(sources, now, strict=True)]
        naming = [source for source, wanting in found if not said <= {*wanting}]
        of_others = [
            bool(said.intersection(wanting) and (names(source.text) or self._in_another_item(source, naming)))
            for source, wanting in found
        ]
        its = [wanting for (_, wanting), others in zip(found, of_others, strict=True) if not others]
        least = min(its or (w for _, w in found), key=len, default=list(self._unknown(statement, "")))
        near = list[Source]()
        for (source, wanting), others in zip(found, of_others, strict=True):
            foreign = spoken != self._languages[source.passage]
            of_it = not others and (foreign or len(wanted & source.terms) >= NEAR)
            if of_it or any(source in self._beside(each) for each in near):
                near.append(source)
                # A figure that stands there is lacking with its unit, where it counts something else.
                figures = [numbers_in(each) for each in wanting]
                least = [each for each in least if each in wanting or (numbers_in(each) or None) in figures]
        return [*least, *counted_otherwise(statement, [self.asked, *(its.text for its in now)])]

    def _goes_with(self, statement: str, source: Source, chosen: Sequence[Source]) -> bool:
        """Whether a sentence may hold a statement together with others: one of another passage, or a row right beside
        one of them where the statement names both."""
        its = [each for each in chosen if source.passage in self._same(each.passage)]
        named = (self.calls(statement, s) for s in (source, *its))
        return not its or (any(abs(source.at - each.at) == 1 for each in its) and all(named))

    def _undated(self, statement: str, dating: Collection[Source]) -> str:
        """A statement without the days that the lines tell which date a source."""
        for day in reversed(days(statement) if dating else []):
            if any(not missing(statement[day.start : day.end], line.text) for line in dating):
                statement = f"{statement[: day.start]} {statement[day.end :]}"
        return statement

    def _dating(self, statement: str, source: Source) -> list[Source]:
        """The lines that tell of what day a source is: none where it has another itself, but for a month alone."""
        said = days(statement) if any(map(str.isdigit, statement)) else []
        own = days(source.text) if said else []
        dated = own and all(a.date[2] and not is_of(a, b) for a in said for b in own)
        return self._over(source) if said and not dated else []

    def rest(self, statement: str, found: Sequence[Source]) -> list[Source]:
        """What says the part of a statement that the one sentence `found` for it leaves: the other rows that it names,
        else another one of the same passage, which has much of those words and no figures of something else, or says
        little beside them."""
        # A row of the answer's own is of one thing.
        if len(found) == 1 and "|" not in statement and (rows := self._named(statement, found[0])):
            return rows
        wanted = said_in(statement)
        left = wanted.difference(*(source.terms for source in found))
        whole, rest = self._weight(left), list[Source]()
        if len(found) != 1 or whole < _ALSO * self._whole(wanted):
            return []
        foreign, most = language_of(statement) != self._languages[found[0].passage], 0.0
        for source in self._sources:
            # Of another language it has figures and names alone.
            if source.passage != found[0].passage or source.heading or len(left & source.terms) < TERMS - foreign:
                continue
            held, own = self._overlap(left, source)
            strong = held >= _STRONG or self._unknown(source.text, statement)
            least = 1.0 if foreign else _STRONG if strong else _REST
            if held > most and (held >= least or own >= _MOSTLY):
                most, rest = held, [source]
        return rest

    def _named(self, statement: str, first: Source) -> list[Source]:
        """The other rows of a table, or lines that begin with a name, which a statement names as it does the `first`:
        by what stands in the same column, and in no second row of it."""
        its, called = cells(first.text), self.calls(statement, first)
        by = [column for column, cell in its.items() if cell in called]
        rows = [(s, cells(s.text)) for s in self._sources if called and s.passage == first.passage]
        alike = [(s, row) for s, row in rows if row.keys() == its.keys() and s is not first]
        found = [s for s, row in alike if not self.calls(statement, s).isdisjoint(row[column] for column in by)]
        return found if len(found) < _LOOK else []

    def _same(self, number: int) -> set[int]:
        """A passage and those of the same web page: what a search gave of it, and what was read then."""
        url = self._passages[number].url if 0 <= number < len(self._passages) else None
        return {n for n, passage in enumerate(self._passages) if n == number or (url and passage.url == url)}

    def best_of(
        self,
        number: int,
        since: Sequence[frozenset[str]],
        statement: str,
        around: frozenset[str] = frozenset(),
        beside: Collection[int] = (),
    ) -> Source | None:
        """The sentence of a passage that supports `statement` best, or one of those before it: `since` has the terms of
        these and, last, its own. around: those of the sentence that it is a part of, which tells of what it is said
        where its own figures stand nowhere. beside: the numbers that are named with this one, each for what it has."""
        same, others = self._same(number), self.of_other_rows(statement)
        of_passage = [source for source in self._sources if source.passage in same and source.at not in others]
        if not of_passage:
            return None
        foreign = language_of(statement) != self._languages[number]
        own = self._ranked(since[-1], of_passage)
        # Across languages figures and names alone tell, but for meaning, of which the days that all have are none.
        compared = foreign and self._encode is not None
        alike = of_passage if compared or (foreign and any(map(str.isdigit, statement))) else own[:_LOOK]
        lacks = [(len(self._lacking(statement, source)), source) for source in alike]
        near = [source for lacking, source in lacks if not lacking]
        if compared:
            whole = self._likest(undated(statement), near)
        else:
            # What is itself of a day tells it before what a line dates that has few words of the statement.
            of = [s for s in near if not self.wanting(statement, s) or self._overlap(since[-1], s)[0] >= _ALSO]
            near = of or near
            whole = next((each for each in near if says(each, statement, near[0])), next(iter(near), None))
        if whole is None and own and not self.left(statement, self._together(statement, own[:1])):
            whole = self._fitting(statement, own)
        if whole is None and (own or foreign):
            # The figures stand elsewhere: the marker is wrong, or the statement is. A passage that has no more of the
            # words than the named one only has the figures; how many one in another language has says nothing.
            least = max([_STRONG if foreign else _ALSO, *(self._overlap(since[-1], source)[0] for source in own)])
            near = [
                s
                for s in self._ranked(since[-1], self._sources)[:_LOOK]
                if s.passage != number and s.at not in others and s.passage not in self._summed
                if s.passage + 1 not in beside and shared(statement, s)
                if self._overlap(since[-1], s)[0] > least and not self.wanting(statement, s)
            ]
            whole = next(iter(near), None)
        if compared:
            fewest = min(lacking for lacking, _ in lacks)
            return whole or self._likest(statement, [source for lacking, source in lacks if lacking == fewest])
        for wanted in reversed([*since[:-1], around | since[-1]]):
            if whole is None and (ranked := self._ranked(wanted, [s for s in of_passage if s.passage == number])):
                whole = self._fitting(statement, ranked)
        # An answer in another language shares no words with its source; the passage is named all the same.
        return self.first_of(number) if foreign and whole is None else whole

    def _fitting(self, statement: str, ranked: Sequence[Source]) -> Source:
        """The first of those that are `ranked` which lack least of a statement's figures and names, and of these the
        first none of whose figures counts something else, as 30 days no 30 %; days stand in many, and count last."""
        plain = undated(statement)
        said, dated = self._unknown(plain, ""), plain != statement
        figures = [its for each in said if (its := numbers_in(each))]

        def fits(source: Source) -> tuple[int, bool, int]:
            lacking = self.wanting(plain, source)
            otherwise = any(x not in said and numbers_in(x) in figures for x in lacking)
            return len(lacking), otherwise, len(self._lacking(statement, source)) if dated else 0

        return min(ranked[:_LOOK], key=fits)

    def _likest(self, statement: str, sources: Sequence[Source]) -> Source | None:
        """The one of `sources` that means most nearly what is stated; a heading where there is nothing else."""
        assert self._encode is not None
        sources = [source for source in sources if not source.heading] or sources
        texts = [statement, *(source.text for source in sources)]
        missing = [text for text in dict.fromkeys(texts) if text not in self._rows]
        self._rows |= zip(missing, self._encode(missing), strict=True) if missing else ()
        alike = {source.text: float(self._rows[source.text] @ self._rows[statement]) for source in sources}
        best = max(sources, key=lambda source: alike[source.text], default=None)
        if best is None or COLUMN not in best.text:
            return best
        # Of a table's rows, which mean much the same, the one of a name that was asked about.
        of_table = [source for source in sources if columns(source.text) == columns(best.text)]
        asked = [each for each in names(self.question) if absent(each, [statement])]
        named = [source for source in of_table if any(not absent(each, [source.text]) for each in asked)]
        return best if best in named else max(named, key=lambda source: alike[source.text], default=best)

    def first_of(self, number: int) -> Source | None:
        """A passage's first sentence, else what it begins with."""
        of_passage = [source for source in self._sources if source.passage == number]
        return next((s for s in of_passage if ends(s.text, ".!?。")), next(iter(of_passage), None))

    def among(self, numbers: Iterable[int], statement: str, wanted: frozenset[str]) -> list[Source]:
        """What supports a statement of the terms `wanted` in the passages of these numbers, which are cited behind what
        follows it: one sentence, else several of a passage that hold its figures and names together."""
        for number in numbers:
            source, same = self.best_of(number - 1, [wanted], statement), self._same(number - 1)
            if source is None or source.passage not in same or not self._agrees(statement, source):
                continue
            if self.wanting(statement, source):
                if not self.left(statement, all_of := self._together(statement, [source])):
                    return all_of
                continue
            # In another language figures and names alone are common.
            foreign = language_of(statement) != self._languages[source.passage]
            if len(wanted & source.terms) >= NEAR - foreign and (foreign or self._overlap(wanted, source)[0] >= _ALSO):
                return [source]
        return []

    def led(self, number: int, statement: str, line: str) -> Source | None:
        """What a statement that leads to a `line` quotes of a passage: what the line does, if nothing says it."""
        own, its = (self.best_of(number - 1, [said_in(text)], text) for text in (statement, line))
        share, whole = self._overlap(said_in(statement), own) if own else (0.0, 0.0)
        held = share >= _STRONG or whole >= _REST
        if own and language_of(statement) != self._languages[own.passage]:
            held = statement[-1] != ":"
        return own if held or not its or its.passage not in self._same(number - 1) else its

    def strong(self, statement: str, wanted: frozenset[str], marked: Collection[str]) -> list[Source]:
        """The sentence of any passage that says nearly the same as a statement of the terms `wanted`, if any, else a
        heading; by words alone only of the documents that the answer names, where it names some."""
        # A figure or name that stands there too says as much as many words.
        figures = any(map(str.isdigit, statement))
        rated = list[tuple[float, Source]]()
        for source in self._sources:
            share, own = self._overlap(wanted, source) if len(wanted & source.terms) >= TERMS else (0.0, 0.0)
            named = figures or not marked or self._passages[source.passage].document_id in marked
            if share >= (_ALSO if figures else _STRONG) and named and source.passage not in self._summed:
                rated.append(((share + 0.1 * own) * (0.1 if source.heading else 1.0), source))
        for _, each in sorted(rated, key=lambda rating: -rating[0]):
            if not (shared(statement, each) and self._agrees(statement, each) and self._of(statement, each)):
                continue
            if not self.wanting(statement, each):
                return [each]
        return []

    def _of(self, statement: str, source: Source) -> bool:
        """Whether a sentence itself holds a figure or name of a statement that the question has not, where others of
        these stand elsewhere alone: what a tool counted may be of anything."""
        if not missing(statement, self.question, source.text, source.above):
            return True
        return len(missing(statement, self.question, source.text)) < len(missing(statement, self.question))

    def _agrees(self, statement: str, source: Source) -> bool:
        """Whether a sentence names what a statement does, it or what it stands under, not the question alone; and
        denies something where that does."""
        known = [source.text, source.above, self._passages[source.passage].heading]
        return negated(statement) == negated(source.text) and not absent(statement, known)


def _in_parts(statement: str) -> Iterator[list[str]]:
    """A statement by its clauses, where all with a figure say something, and as one of each name alone."""
    clauses = [part for part in _CLAUSE.split(statement) if any(map(str.isdigit, part))]
    if len(clauses) > 1 and all(len(said_in(part)) >= _PART for part in clauses):
        yield clauses
    said = names(statement)
    if len(said) > 1:
        # Of several things the same may be said, of each in its own row.
        yield [alone(name, said, statement) for name in said]
