"""Citations: which sentence of which passage supports which sentence of an answer."""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from dure.knowledge.claims import missing, rounded, worked_out
from dure.knowledge.markers import Code, without_markers
from dure.knowledge.sentences import sentences
from dure.knowledge.units import COLUMN, in_full, noted
from dure.messages import language_of
from dure.sources import Citation, Passage
from dure.storage.terms import terms

if TYPE_CHECKING:
    from dure.knowledge.vectors import Floats

    Encode = Callable[[list[str]], Floats]

_ITEM = re.compile(r"^(?:[-*•]\s+)?\(?\d{1,2}[.)]\s+")
_NO_CLAIM = re.compile(r"^[#(|]|[:?]$|^\*\*[^*]+\*\*$")
"""A heading, also one in bold, a remark, a row, what leads to a list, a question."""
_RULE = re.compile(r"[ \t]*\n[ \t]*\|[ \t:|-]*-[ \t:|-]*(?:\n|\Z)")
"""The line below the head of a Markdown table, which is no statement."""
_CLAUSE = re.compile(r"[,;]\s+|(?<=[고며])\s+|\sand\s")
"""Between the parts of a sentence that each say something."""
_STRONG = 0.6
"""Share of an answer sentence's weight that a source sentence must hold to be cited without being named."""
_ALSO = 0.25
"""The same of a sentence with figures or names, which the source has to hold as well."""
_TERMS, _PART = 4, 3
"""Terms they must share at least, and that a part of a sentence must have to be looked for by itself."""
_REACH = 8
"""Sentences that one marker behind them may stand for."""


_LOOK = 8
"""Sentences, those of the most common words first, that are held against the figures and names of a statement."""


class Cited(NamedTuple):
    """`checks`: as `{sentence, missing}` the statements whose figures and names stand in no one sentence or row of what
    they cite, or where they cite nothing in no passage at all; `missing` as written. Where it is empty the statement
    stands, without a source, beside others that have one: it is general knowledge. None: nothing was stated at all."""

    text: str
    citations: list[Citation]
    checks: list[dict[str, Any]] | None


@dataclass(slots=True)
class _Source:
    """A sentence of a passage: its place in the document, its terms, and what it stands under."""

    passage: int
    start: int
    end: int
    text: str
    terms: frozenset[str]
    heading: bool
    above: str
    weight: float = 0.0
    """Of all its terms."""


@dataclass(slots=True)
class _Mark:
    """Markers that stand at one place of the answer. `at`: offset in the answer without markers."""

    at: int
    blank: str
    numbers: list[int]
    quotes: list[_Source] = field(default_factory=list)


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
) -> Cited:
    """The answer with its markers renumbered, and what they point to. `asked`: figures and names of this may be said
    again. `own`: parts of the answer that state nothing; what they name is looked for in no sentence. encode: short
    texts as unit vectors, whatever their language; compares statements with passages in another one.

    In: `[n]` (also `[1, 2]`, `[1-3]`, `【1】`) stands for `passages[n - 1]`. Out: `[k]` stands for the k-th citation,
    whose quote is a whole sentence or row, verbatim at its span of the document: one that holds all figures and names
    of what it stands behind, of another passage where the named one has none such, and of these the one with the most
    common words, in another language the one that means most nearly the same. A marker that names no passage, or one
    that has nothing to do with the sentence, is dropped; a sentence without a marker gets one where a passage says
    nearly the same, with all of its figures and names. Code in the answer is left as it is, and so are brackets that
    are no markers: intervals (`[0, 1]`), vectors, indices.
    """
    plain, found = without_markers(answer, len(passages))
    named = [_Mark(*each) for each in found]
    places = [mark.at for mark in named]
    marks = list(named)
    weigh = _Sources(passages, asked, encode)
    checks: list[dict[str, Any]] = []
    general: list[dict[str, Any]] = []
    code, ours = Code(plain), _places(plain, own, len(passages))
    stated = not ours
    since: list[frozenset[str]] = []
    spans = list(sentences(plain))
    for i, (start, end) in enumerate(spans):
        if any(first <= start and end <= last for first, last in ours):
            for mark in named[bisect_left(places, start) : bisect_right(places, end)]:
                mark.quotes += [source for n in mark.numbers if (source := weigh.first_of(n - 1)) is not None]
            continue
        stated = True
        if code.meet(start, end):
            continue
        statement = _ITEM.sub("", plain[start:end])
        since = [*since[1 - _REACH :], frozenset(terms(statement))]
        before = spans[i - 1][1] if i else 0
        after = spans[i + 1][0] if i + 1 < len(spans) else len(plain)
        around = named[bisect_left(places, before) : bisect_right(places, after)]
        about = [mark for mark in around if not mark.quotes and _belongs(plain, mark.at, before, start, end)]
        held: dict[str, list[_Source]] = {}
        for mark, part in zip(about, _parts(plain, start, end, about), strict=True):
            part = _ITEM.sub("", part)
            for said, quotes in weigh.held(mark.numbers, since[:-1], part):
                quotes = [source for source in quotes if source not in mark.quotes]
                mark.quotes += quotes
                held.setdefault(said, []).extend(quotes)
        held = {part: quotes for part, quotes in held.items() if quotes}
        if held:
            since = []
            wanting = [
                each
                for part, quotes in held.items()
                for each in min((weigh.wanting(part, source) for source in quotes), key=len)
            ]
            texts = [f"{source.above}\n{source.text}" for quotes in held.values() for source in quotes]
            if wanting := [each for each in wanting if not worked_out(each, statement, texts)]:
                checks.append({"sentence": statement, "missing": wanting})
        elif not _RULE.match(plain, end):
            if (source := weigh.strong(statement, since[-1])) is not None:
                marks.append(_Mark(_behind(plain, end), " ", [], [source]))
                since = []
            elif passages and (wanting := weigh.unknown(statement, *weigh.texts)):
                checks.append({"sentence": statement, "missing": wanting})
            elif len(since[-1]) >= _TERMS and not _NO_CLAIM.search(statement):
                general.append({"sentence": statement, "missing": []})
    text, citations = _render(plain, marks, passages)
    return Cited(text, citations, checks + general * bool(citations) if stated else None)


def _parts(plain: str, start: int, end: int, marks: Sequence[_Mark]) -> list[str]:
    """Of each mark of a sentence the part that it stands behind, back to the mark before it, the last with all that
    follows; the whole sentence where the part alone says little, of a Markdown row its first cell and the part."""
    inner = sorted({mark.at for mark in marks if start < mark.at})
    named = plain[start : plain.find("|", start + 1, end) + 1] if plain[start] == "|" else ""
    parts = []
    for mark in marks:
        first = max((at for at in inner if at < mark.at), default=start)
        last = mark.at if any(at > mark.at for at in inner) else end
        part = plain[first:last]
        little = len(frozenset(terms(part))) < _TERMS
        parts.append((named * (first > start) + part if named else plain[start:end]) if little else part)
    return parts


def _places(plain: str, own: Iterable[str], known: int) -> list[tuple[int, int]]:
    """Where parts of an answer stand in it when it has no markers."""
    texts = {without_markers(text, known)[0].strip() for text in own} - {""}
    return [match.span() for text in texts for match in re.finditer(re.escape(text), plain)]


def _behind(plain: str, end: int) -> int:
    """Where a sentence's marker goes: behind it; of a row of a Markdown table, within its last cell, since a cell
    more would be none of the table's."""
    line = plain[plain.rfind("\n", 0, end) + 1 : end]
    if line.lstrip().startswith("|") and line.endswith("|") and line.count("|") > 1:
        return end - (len(line) - len(line[:-1].rstrip()))
    return end


def _belongs(plain: str, at: int, before: int, start: int, end: int) -> bool:
    """A marker belongs to the sentence it stands in or right behind; one at a line's start to what follows. `before`:
    the end of the sentence before, from which there are but blanks up to `start`."""
    if start < at <= end:
        return True
    if at > end:
        return "\n" not in plain[end:at]
    return before == 0 or "\n" in plain[before:at]


class _Sources:
    """The sentences of all passages. Terms that few of them hold weigh more."""

    def __init__(self, passages: Sequence[Passage], asked: str, encode: "Encode | None") -> None:
        self._asked, self._passages = asked, passages
        self._encode, self._rows = encode, dict[str, Any]()
        self._languages = [language_of(passage.text) for passage in passages]
        self.texts = [f"{passage.heading}\n{passage.text}" for passage in passages]
        self._sources: list[_Source] = []
        for number, passage in enumerate(passages):
            unit = noted(passage.context)
            for start, end in sentences(passage.text):
                text = passage.text[start:end]
                unit, above = noted(text) or unit, passage.above
                if COLUMN in text:
                    above += f"\n{in_full(text, unit)}"
                    self.texts[number] += f"\n{in_full(text, unit)}"
                place = (passage.start + start, passage.start + end)
                heading = end < len(passage.text) and len(text) < 30 and text[-1] not in ".!?。" and ":" not in text
                self._sources.append(_Source(number, *place, text, frozenset(terms(text)), heading, above))
        counts = Counter(term for source in self._sources for term in source.terms)
        self._rare = math.log(1 + len(self._sources) / 0.5)
        self._weights = {term: math.log(1 + len(self._sources) / (0.5 + count)) for term, count in counts.items()}
        self._weights |= {term: 2 * weight for term, weight in self._weights.items() if term[0].isdigit()}
        for source in self._sources:
            source.weight = self._weight(source.terms)

    def _same(self, number: int) -> list[int]:
        """A passage and those of the same web page: what a search gave of it, and what was read then."""
        url = self._passages[number].url if number < len(self._passages) else None
        return [n for n, passage in enumerate(self._passages) if n == number or (url and passage.url == url)]

    def _weight(self, terms: Iterable[str]) -> float:
        known = self._weights
        return sum(known[term] if term in known else self._rare * (1 + term[0].isdigit()) for term in terms)

    def _overlap(self, wanted: frozenset[str], source: _Source) -> tuple[float, float]:
        """Shares of the weight of `wanted` and of the source's own weight that they have in common."""
        common = self._weight(wanted & source.terms)
        return (common / self._weight(wanted), common / source.weight) if common else (0.0, 0.0)

    def _rating(self, wanted: frozenset[str], source: _Source) -> float:
        share, own = self._overlap(wanted, source)
        # A heading names the matter, the sentences under it say something of it.
        return (0.7 * share + 0.3 * own) * (0.3 if source.heading else 1.0)

    def _ranked(self, wanted: frozenset[str], sources: Sequence[_Source]) -> list[_Source]:
        """Those of `sources` that have words in common with `wanted`, the best first."""
        rated = [(self._rating(wanted, source), source) for source in sources]
        return [source for rating, source in sorted(rated, key=lambda each: -each[0]) if rating > 0]

    def wanting(self, statement: str, source: _Source) -> list[str]:
        """The figures and names of a statement that a source and what it stands under do not hold."""
        above = f"{source.above}\n{source.text}"
        return [
            each
            for each in self.unknown(statement, source.text, source.above)
            if not worked_out(each, statement, [above])
        ]

    def unknown(self, statement: str, *texts: str) -> list[str]:
        """The same of any texts: what was asked and what tools gave may be said again, and rounded."""
        return [each for each in missing(statement, self._asked, *texts) if not rounded(each, self._asked)]

    def held(
        self, numbers: Sequence[int], since: Sequence[frozenset[str]], statement: str
    ) -> Iterator[tuple[str, list[_Source]]]:
        """What supports a statement best in each of the passages of these numbers; of one that no sentence or row holds
        alone its parts, where each of these has its own."""

        def best(part: str, before: Sequence[frozenset[str]] = ()) -> list[_Source]:
            wanted = [*before, frozenset(terms(part))]
            return [source for number in numbers if (source := self.best_of(number - 1, wanted, part)) is not None]

        found = best(statement, since)
        parts = [part for part in _CLAUSE.split(statement) if any(map(str.isdigit, part))]
        lacking = min((self.wanting(statement, source) for source in found), key=len, default=[])
        if len(parts) > 1 and lacking and all(len(frozenset(terms(part))) >= _PART for part in parts):
            own = {part: sorted(best(part), key=lambda s: len(self.wanting(part, s)))[:1] for part in parts}
            if all(own.values()) and sum(len(self.wanting(part, *s)) for part, s in own.items()) < len(lacking):
                return iter(own.items())
        return iter([(statement, found)])

    def best_of(self, number: int, since: Sequence[frozenset[str]], statement: str) -> _Source | None:
        """The sentence of a passage that supports `statement` best, or one of those before it: `since` has the terms of
        these and, last, its own."""
        of_passage = [source for source in self._sources if source.passage in self._same(number)]
        if not of_passage:
            return None
        foreign = language_of(statement) != self._languages[number]
        own = self._ranked(since[-1], of_passage)
        if foreign and self._encode is not None:
            whole = self._likest(statement, [s for s in of_passage if not self.wanting(statement, s)])
        else:
            whole = next((source for source in own[:_LOOK] if not self.wanting(statement, source)), None)
        if whole is None and (own or foreign):
            # The figures stand elsewhere: the marker is wrong, or the statement is. A passage that has no more of the
            # words than the named one only has the figures.
            least = max([_ALSO, *(self._overlap(since[-1], source)[0] for source in own)])
            near = [s for s in self._ranked(since[-1], self._sources)[:_LOOK] if s.passage != number]
            whole = next(
                (s for s in near if self._overlap(since[-1], s)[0] > least and not self.wanting(statement, s)), None
            )
        if foreign and self._encode is not None:
            return whole or self._likest(statement, of_passage)
        for wanted in reversed(since):
            if whole is None and (ranked := self._ranked(wanted, [s for s in of_passage if s.passage == number])):
                whole = ranked[0]
        # An answer in another language shares no words with its source; the passage is named all the same.
        return self.first_of(number) if foreign and whole is None else whole

    def _likest(self, statement: str, sources: Sequence[_Source]) -> _Source | None:
        """The one of `sources` that means most nearly what is stated; a heading where there is nothing else."""
        assert self._encode is not None
        sources = [source for source in sources if not source.heading] or sources
        texts = [statement, *(source.text for source in sources)]
        missing = [text for text in dict.fromkeys(texts) if text not in self._rows]
        self._rows |= zip(missing, self._encode(missing), strict=True) if missing else ()
        return max(sources, key=lambda source: float(self._rows[source.text] @ self._rows[statement]), default=None)

    def first_of(self, number: int) -> _Source | None:
        """A passage's first sentence, else what it begins with."""
        of_passage = [source for source in self._sources if source.passage == number]
        return next((s for s in of_passage if s.text[-1] in ".!?。"), next(iter(of_passage), None))

    def strong(self, statement: str, wanted: frozenset[str]) -> _Source | None:
        """The sentence of any passage that says nearly the same as a statement of the terms `wanted`, if any."""
        # A figure or name that stands there too says as much as many words.
        least = _ALSO if any(map(str.isdigit, statement)) else _STRONG
        best, best_rating = None, 0.0
        for source in self._sources:
            share, own = self._overlap(wanted, source)
            if share < least or len(wanted & source.terms) < _TERMS or share + 0.1 * own <= best_rating:
                continue
            if not self.wanting(statement, source):
                best, best_rating = source, share + 0.1 * own
        return best


def _render(plain: str, marks: list[_Mark], passages: Sequence[Passage]) -> tuple[str, list[Citation]]:
    citations: dict[tuple[str, int, int], Citation] = {}
    pieces: list[str] = []
    at = 0
    written: list[int] = []
    for mark in sorted(marks, key=lambda mark: mark.at):
        pieces.append(plain[at : mark.at])
        before = written if mark.at == at else []
        at, written = mark.at, [*before]
        for source in mark.quotes:
            passage = passages[source.passage]
            key = (passage.document_id, source.start, source.end)
            if key not in citations:
                place = (passage.page, source.start, source.end, source.text)
                number = len(citations) + 1
                citations[key] = Citation(passage.document_id, passage.title, *place, url=passage.url, marker=number)
            if (number := citations[key].marker or 0) not in written:
                written.append(number)
        if more := written[len(before) :]:
            pieces.append(mark.blank * (not before) + "".join(f"[{number}]" for number in more))
    pieces.append(plain[at:])
    return "".join(pieces), list(citations.values())
