"""Citations: which sentence of which passage supports which sentence of an answer."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from dure.knowledge.claims import missing, negated
from dure.knowledge.layout import Layout, claims, tells
from dure.knowledge.names import names
from dure.knowledge.placed import Mark, Marks
from dure.knowledge.tabled import Results, Tabled
from dure.knowledge.units import COLUMN
from dure.knowledge.weighed import Source, said_in
from dure.knowledge.worked import LONG
from dure.messages import language_of
from dure.sources import Citation, Passage

if TYPE_CHECKING:
    from dure.knowledge.supporting import Encode

_FEW = 8
"""Words of a verdict, which says yes or no, or how it is on the whole."""
_REACH = 8
"""Sentences that one marker behind them may stand for."""


class Cited(NamedTuple):
    """`checks`: as `{sentence, missing}` the statements whose figures and names stand in no one sentence or row of what
    they cite, or where they cite nothing in no passage at all, and those that say of a row what it tells not to be so;
    `missing` as written, of a row its name. Where it is empty the statement stands, without a source, beside others
    that have one: general knowledge, a draft, or what is lacking. None: nothing was stated at all."""

    text: str
    citations: list[Citation]
    checks: list[dict[str, Any]] | None


def foreign(answer: str, passages: Iterable[Passage]) -> bool:
    """Whether a passage is in another language than a line of the answer, which may name a title in the passage's."""
    spoken = {language_of(line) for line in answer.splitlines() if line.strip()}
    return any(spoken - {language_of(passage.text)} for passage in passages)


def cite(
    answer: str,
    passages: Sequence[Passage],
    asked: str = "",
    own: Iterable[str] = (),
    encode: "Encode | None" = None,
    told: Sequence[str] = (),
    results: Results = MappingProxyType({}),
) -> Cited:
    """The answer with its markers renumbered, and what they point to. `asked`: figures and names of this may be said
    again. `own`: parts of the answer that state nothing; what they name is looked for in no sentence. encode: short
    texts as unit vectors, whatever their language; compares statements with passages in another one. told: what was
    found besides, which cannot be cited: its figures and names may be said. results: what of that was made of tables.

    In: `[n]` (also `[1, 2]`, `[1-3]`, `【1】`) stands for `passages[n - 1]`. Out: `[k]` stands for the k-th citation,
    whose quote is a whole sentence or row, or rows below each other, verbatim at its span of the document: one that
    holds all figures and names of what it stands behind, of another passage where the named one has none such, and of
    these the one with the most common words, in another language the one that means most nearly the same. A marker that
    names no passage, or one that has nothing to do with the sentence, is dropped; a sentence without a marker gets one
    where a passage says nearly the same, with all of its figures and names. Code in the answer is left as it is, and so
    are brackets that are no markers: intervals (`[0, 1]`), vectors, indices.
    """
    marks, weigh = Marks(answer, passages), Tabled(passages, asked, encode, told, results)
    layout, weigh.answer = Layout(marks.plain, own, len(passages)), marks.plain
    citing = _Citing(marks, layout, weigh, results, bool(passages or told))
    for i in range(len(layout.spans)):
        citing.sentence(i)
    text, citations = marks.render()
    return Cited(text, citations, citing.checks(bool(citations)))


@dataclass(slots=True)
class _Statement:
    """The i-th sentence of an answer, `text` without the number of an item. `after`: where the next one begins.
    `marks`: its own that quote nothing yet. `figures`: those of it that need no source, as of a sum. `over_columns`: it
    is the head of a table."""

    i: int
    start: int
    end: int
    after: int
    text: str
    terms: frozenset[str]
    marks: list[Mark]
    figures: set[str]
    over_columns: bool
    leads: bool


class _Citing:
    """What supports an answer, sentence by sentence. `known`: whether there is anything to hold it against."""

    def __init__(self, marks: Marks, layout: Layout, weigh: Tabled, tables: Collection[int], known: bool) -> None:
        self._marks, self._layout, self._weigh, self._tables, self._known = marks, layout, weigh, tables, known
        self._named = {passage.document_id for passage in marks.passages(marks.named)}
        weigh.made_in(self._named)
        # What comes out may be told before it is worked out.
        self._figures = [weigh.worked_out(layout.plain[a:b], layout.beside(i)) for i, (a, b) in enumerate(layout.spans)]
        # Terms of the sentences since the last that was cited, and what that one cites.
        self._since, self._last = list[frozenset[str]](), list[Source]()
        # Statements that have a source.
        self._sourced = list[str]()
        # Statements of the paragraph or list that is read, and what each cites.
        self._above = list[tuple[str, list[Source]]]()
        # Of the table that is read where its head ends; of the last one that ended the rows.
        self._top, self._rows = 0, list[str]()
        self._missing, self._general = list[dict[str, Any]](), list[dict[str, Any]]()
        self._stated, self._sought = not layout.own, False
        # Up to where the list goes that a marked sentence leads to, and what that cites.
        self._led, self._leading = 0, list[int]()

    def sentence(self, i: int) -> None:
        """Reads the i-th sentence, once those before it were read."""
        start, end = self._layout.spans[i]
        if self._layout.states_nothing(start, end):
            for mark in self._marks.between(start, end):
                mark.quotes += filter(None, (self._weigh.first_of(number - 1) for number in mark.numbers))
            return
        self._stated = True
        if self._layout.code.meet(start, end):
            return
        it = self._statement(i)
        self._since = [*self._since[1 - _REACH :], it.terms]
        # What results were made of tells of itself what it is quoted for.
        numbers = [n for mark in it.marks for n in mark.numbers if n not in self._tables]
        if numbers and (below := self._layout.leads(i)):
            self._led, self._leading = below, numbers
        if numbers and it.leads and (line := self._layout.led_to(i)):
            for mark in it.marks:
                mark.quotes += filter(None, (self._weigh.led(number, it.text, line) for number in mark.numbers))
            self._since = []
            return
        held = self._quoted(it) if it.marks else {}
        self._read_table(it)
        if held:
            self._marked(it, held)
        elif it.over_columns:
            # What it names stands somewhere, its numbers apart.
            self._missing += [{"sentence": it.text, "missing": its} for its in [self._nowhere(it)] if its]
        elif any(map(str.isdigit, it.text)) or not self._layout.letter(start):
            self._unmarked(it)

    def _statement(self, i: int) -> _Statement:
        start, end = self._layout.spans[i]
        before, after = self._layout.gap(i)
        text = self._layout.unnumbered(self._layout.plain[start:end], start, end)
        marks = self._marks.of(before, start, end, after)
        over_columns = self._layout.heads_columns(end)
        leads = bool(self._layout.leads(i)) and not missing(text, self._weigh.question)
        return _Statement(i, start, end, after, text, said_in(text), marks, self._figures[i], over_columns, leads)

    def _quoted(self, it: _Statement) -> dict[str, list[Source]]:
        """What the markers of a statement quote, which they are given, by the part of it that it supports."""
        held: dict[str, list[Source]] = {}
        if "\n\n" in self._layout.plain[self._layout.gap(it.i)[0] : it.start]:
            self._above = []
        for mark, part in zip(it.marks, self._marks.parts(it.start, it.end, it.marks), strict=True):
            part = self._layout.unnumbered(part, it.start, it.end)
            for said, quotes in self._weigh.held(mark.numbers, self._since[:-1], part, it.terms):
                if self._layout.item(it.start):
                    # An item or a row begins with something else, but for another property of what one above named.
                    quotes = [self._weigh.of_row(said, quote, self._above) for quote in quotes]
                else:
                    quotes = self._weigh.leaning(said, quotes, self._last)
                # What says the rest may have been cited for what was said just before.
                rest = self._weigh.rest(said, quotes)
                more = [*quotes, *(each for each in rest if each not in self._last)]
                mark.quotes += [source for source in more if source not in mark.quotes]
                self._last, self._above = quotes or self._last, [*self._above, (said, quotes)]
                held.setdefault(said, []).extend([*quotes, *rest])
            mark.quotes = self._weigh.in_items(part, mark.quotes)
        return {part: quotes for part, quotes in held.items() if quotes}

    def _read_table(self, it: _Statement) -> None:
        """Keeps where the head of a table ends, and its rows at the last one."""
        row = it.text.startswith("|")
        if it.over_columns:
            self._top = it.end
        elif not row:
            self._top = 0
        if row and not self._layout.plain.startswith("|", it.after):
            self._rows = self._layout.rows(it.start, it.end)

    def _marked(self, it: _Statement, held: Mapping[str, list[Source]]) -> None:
        """Of a statement that quotes support: what none of them holds is missing."""
        weigh, self._since = self._weigh, []
        self._sourced.append(it.text)
        if it.over_columns:
            # It says where all that stands in the columns is from, and claims nothing.
            wanting = weigh.nowhere(it.text)
        else:
            lacks = {part: weigh.left(part, quotes) for part, quotes in held.items()}
            # A figure may have been looked for with the whole sentence too.
            wanting = [
                x for part in held for x in lacks[part] if all(x not in missing(p, "") or x in lacks[p] for p in held)
            ]
        sources = [source for quotes in held.values() for source in quotes]
        # Of several rows it may tell the sum.
        rows = [source.text for source in sources if COLUMN in source.text]
        wanting = [x for x in dict.fromkeys(wanting) if not (len(rows) > 1 and weigh.tabled(x, rows))]
        texts = [f"{source.above}\n{source.text}" for source in sources]
        wanting = self._not_made(it, wanting, [*texts, weigh.question])
        wanting += weigh.of_others(it.text, sources, weigh.question)
        wanting += self._misplaced(it, wanting, sources)
        if wanting := wanting + self._unticked(it, sources):
            self._missing.append({"sentence": it.text, "missing": wanting})

    def _unmarked(self, it: _Statement) -> None:
        """A statement that nothing is quoted for gets a marker where a passage surely tells it. Else what of it stands
        nowhere is missing, or it is general knowledge."""
        weigh, ahead, denied = self._weigh, self._marks.ahead(it.end), self._denied(it)
        # What a letter is about it tells further down. One that was written without markers stays so.
        letter = self._layout.letter(it.start)
        subject = letter is not None and letter[0] == it.start
        bare = letter is not None and not self._marks.between(*letter)
        found = weigh.among(ahead or self._leading_to(it), it.text, it.terms)
        found = found or ([] if subject or it.leads else weigh.strong(it.text, it.terms, self._named))
        # What a heading says, and who signs, is known, and tells nothing.
        if found and not (bare or any(each.heading for each in found)) and tells(it.text):
            rest = [each for each in weigh.rest(it.text, found) if each not in self._last]
            self._marks.add(it.end, weigh.in_items(it.text, [*found, *rest]))
            self._since, self._last = [], found
            self._sourced.append(it.text)
            self._missing += [{"sentence": it.text, "missing": its} for its in [self._unticked(it, found)] if its]
        elif wanting := self._nowhere(it):
            self._missing.append({"sentence": it.text, "missing": wanting})
        elif tells(it.text) and not (subject or found or ahead or bare) and (of := weigh.of_tables(it.text)):
            # What no one row holds is of the whole table, whose head says so of all rows.
            self._marks.add(self._top if self._top and all(each.heading for each in of) else it.end, of)
        elif letter is None and claims(it.text, it.terms):
            # What has figures, all of which are known, is no general knowledge.
            known = subject or found or ahead or any(map(str.isdigit, it.text)) or weigh.told_of(it.text)
            known = known or self._opens(it)
            if not (known or denied or self._layout.heads_list(it.end)) and weigh.unheard(it.text, self._sourced):
                self._general.append({"sentence": it.text, "missing": []})

    def _opens(self, it: _Statement) -> bool:
        """Whether a statement opens the answer in few words, without a name, before what has sources: the verdict, of
        which these tell the reasons."""
        few = len(it.text.split()) < _FEW and not names(it.text)
        plain = self._layout.plain
        behind = plain.find("\n\n", it.end)
        return few and behind > 0 and "\n\n" not in plain[: it.start] and bool(self._marks.ahead(behind + 2))

    def _leading_to(self, it: _Statement) -> list[int]:
        """What the sentence cites that leads to the list or table which a statement is of."""
        return self._leading if it.end <= self._led else []

    def _denied(self, it: _Statement) -> bool:
        """Whether a statement tells that something is not there, for which a marker may name where one looked."""
        looked = negated(it.text) and bool(self._marks.passages(it.marks))
        self._sought = self._sought or looked
        # What is said right behind where a table was named is of its rows.
        before = self._layout.gap(it.i)[0]
        if negated(it.text) and self._weigh.is_table(self._last) and "\n" not in self._layout.plain[before : it.start]:
            return True
        return (looked and self._weigh.unheard_of(it.terms)) or self._weigh.denied(it.text, it.terms)

    def _nowhere(self, it: _Statement) -> list[str]:
        """The figures and names of a statement that stand nowhere, and are made of none in its table or beside it."""
        if not self._known:
            return []
        weigh = self._weigh
        # Rows may have columns from elsewhere.
        wanting = weigh.nowhere(it.text, self._leading_to(it) if it.text[0] != "|" else ())
        wanting = self._not_made(it, wanting, [weigh.asked, *weigh.texts])
        wanting += self._misplaced(it, wanting)
        # Headings and lead-ins have numbers of steps and of what follows.
        return wanting if tells(it.text) else [each for each in wanting if len(each) > LONG]

    def _unticked(self, it: _Statement, quotes: Iterable[Source]) -> list[str]:
        """What rows are of in which a no stands where a statement says that it is so."""
        rows, over = [each for each in quotes if COLUMN in each.text], self._layout.over(it.i)
        table = self._layout.table(it.start, it.end)
        return self._weigh.unticked(it.text, rows, [*over, self._weigh.question], table) if rows else []

    def _misplaced(self, it: _Statement, told: Sequence[str], quotes: Sequence[Source] | None = None) -> list[str]:
        """The figures of a statement in whose place others stand, but for those told and those that need no source."""
        known = {*told, *it.figures}
        return [each for each in self._weigh.misplaced(it.text, quotes) if not any(x in each for x in known)]

    def _not_made(self, it: _Statement, wanting: list[str], quotes: Sequence[str]) -> list[str]:
        """Those of a statement's figures and names that are worked out of none that are known: those of `quotes` that
        stand in it too, others in its paragraph, in its table, or beside it."""
        weigh, paragraph = self._weigh, self._layout.paragraph(it.start, it.end)
        rows = self._rows[:-1] if (row := it.text.startswith("|")) else self._rows
        wanting = [x for x in wanting if x not in it.figures and not weigh.follows(x, it.text, quotes)]
        wanting += [x for x in weigh.otherwise(it.text) if x not in (*wanting, *it.figures)]
        beside = self._layout.beside(it.i)
        wanting = [x for x in wanting if not (weigh.made(x, it.text, paragraph, beside) or weigh.tabled(x, rows))]
        near = "\n".join([beside, *rows] if "|" in beside else [beside])
        it.figures.update(each for each in wanting if weigh.beside(each, it.text, near))
        wanting = [each for each in wanting if each not in it.figures]
        # What a result has in the same place is made of no others.
        instead = (
            weigh.instead(self._layout.plain[it.start : it.end], self._layout.table(it.start, it.end)) if row else []
        )
        return [*wanting, *(each for each in instead if each not in wanting)]

    def checks(self, cited: bool) -> list[dict[str, Any]] | None:
        """As of `Cited`, once all sentences were read. `cited`: whether any has a source."""
        return self._missing + self._general * (cited or self._sought) if self._stated else None
