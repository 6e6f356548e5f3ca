"""Citations: which sentence of which passage supports which sentence of an answer."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from dure.knowledge.numbers import unsupported_numbers
from dure.knowledge.sentences import sentences
from dure.messages import language_of
from dure.sources import Citation, Passage
from dure.storage.terms import terms

_MARKER = re.compile(r"([ \t]*)(?<![A-Za-z_])[\[【](\d{1,3}(?:\s*[,;-]\s*\d{1,3})*)[\]】](?!\()")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_ITEM = re.compile(r"^(?:[-*•]\s+)?\(?\d{1,2}[.)]\s+")
_RULE = re.compile(r"[ \t]*\n[ \t]*\|[ \t:|-]*-[ \t:|-]*(?:\n|\Z)")
"""The line below the head of a Markdown table."""
_STRONG = 0.6
"""Share of an answer sentence's weight that a source sentence must hold to be cited without being named."""
_TERMS = 4
"""Terms they must share at least."""


@dataclass(slots=True)
class _Source:
    """A sentence of a passage: its place in the document, and its terms."""

    passage: int
    start: int
    end: int
    text: str
    terms: frozenset[str]
    heading: bool


@dataclass(slots=True)
class _Mark:
    """Markers that stand at one place of the answer. `at`: offset in the answer without markers."""

    at: int
    blank: str
    numbers: list[int]
    quotes: list[_Source] = field(default_factory=list)


def cite(answer: str, passages: Sequence[Passage]) -> tuple[str, list[Citation]]:
    """The answer with its markers renumbered, and what they point to.

    In: `[n]` (also `[1, 2]`, `[1-3]`, `【1】`) stands for `passages[n - 1]`. Out: `[k]` stands for the k-th citation,
    whose quote is a whole sentence, verbatim at its span of the document. A marker that names no passage, or one
    that has nothing to do with the sentence, is dropped; a sentence without a marker gets one where a passage says
    nearly the same, with all of its numbers. Code in the answer is left as it is.
    """
    plain, marks = _without_markers(answer)
    weigh = _Sources(passages)
    code = [match.span() for match in _CODE.finditer(plain)]
    since: list[str] = []
    for start, end in sentences(plain):
        if any(a < end and start < b for a, b in code):
            continue
        statement = _ITEM.sub("", plain[start:end])
        since.append(statement)
        own = [mark for mark in marks if not mark.quotes and _belongs(plain, mark.at, start, end)]
        for mark in own:
            for number in mark.numbers:
                source = weigh.best_of(number - 1, since)
                if source is not None and source not in mark.quotes:
                    mark.quotes.append(source)
        if any(mark.quotes for mark in own):
            since = []
        elif not own and not _is_head(plain, end) and (source := weigh.strong(statement)) is not None:
            marks.append(_Mark(_behind(plain, end), " ", [], [source]))
            since = []
    return _render(plain, marks, passages)


def _without_markers(answer: str) -> tuple[str, list[_Mark]]:
    code = [match.span() for match in _CODE.finditer(answer)]
    pieces: list[str] = []
    marks: list[_Mark] = []
    at = length = 0
    for match in _MARKER.finditer(answer):
        if any(a <= match.start(2) < b for a, b in code):
            continue
        piece = answer[at : match.start()]
        pieces.append(piece)
        length += len(piece)
        at = match.end()
        marks.append(_Mark(length, match.group(1), _expand(match.group(2))))
    pieces.append(answer[at:])
    return "".join(pieces), marks


def _expand(written: str) -> list[int]:
    numbers: list[int] = []
    for part in re.split(r"\s*[,;]\s*", written):
        first, _, last = part.partition("-")
        low, high = int(first), int(last or first)
        numbers.extend(range(low, min(high, low + 20) + 1))
    return numbers


def _is_head(plain: str, end: int) -> bool:
    """Whether the line that ends here is the head of a Markdown table."""
    return _RULE.match(plain, end) is not None


def _behind(plain: str, end: int) -> int:
    """Where a sentence's marker goes: behind it; of a row of a Markdown table, within its last cell, since a cell
    more would be none of the table's."""
    line = plain[plain.rfind("\n", 0, end) + 1 : end]
    if line.lstrip().startswith("|") and line.endswith("|") and line.count("|") > 1:
        return end - (len(line) - len(line[:-1].rstrip()))
    return end


def _belongs(plain: str, at: int, start: int, end: int) -> bool:
    """A marker belongs to the sentence it stands in or right behind; one at a line's start to what follows."""
    if start < at <= end:
        return True
    if at > end:
        return "\n" not in plain[end:at] and not plain[end:at].strip()
    return at <= start and not plain[at:start].strip() and (at == 0 or plain[:at].rstrip(" \t").endswith("\n"))


class _Sources:
    """The sentences of all passages. Terms that few of them hold weigh more."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._sources: list[_Source] = []
        for number, passage in enumerate(passages):
            for start, end in sentences(passage.text):
                text = passage.text[start:end]
                place = (passage.start + start, passage.start + end)
                heading = end < len(passage.text) and len(text) < 30 and text[-1] not in ".!?。" and ":" not in text
                self._sources.append(_Source(number, *place, text, frozenset(terms(text)), heading))
        counts: dict[str, int] = {}
        for source in self._sources:
            for term in source.terms:
                counts[term] = counts.get(term, 0) + 1
        self._count = len(self._sources)
        self._counts = counts

    def _weight(self, term: str) -> float:
        weight = math.log(1 + self._count / (0.5 + self._counts.get(term, 0)))
        return 2 * weight if term[0].isdigit() else weight

    def _overlap(self, wanted: frozenset[str], source: _Source) -> tuple[float, float]:
        """Shares of the weight of `wanted` and of the source's own weight that they have in common."""
        common = sum(map(self._weight, wanted & source.terms))
        whole = sum(map(self._weight, wanted)) or 1.0
        own = sum(map(self._weight, source.terms)) or 1.0
        return common / whole, common / own

    def _rating(self, wanted: frozenset[str], source: _Source) -> float:
        share, own = self._overlap(wanted, source)
        # A heading names the matter, the sentences under it say something of it.
        return (0.7 * share + 0.3 * own) * (0.3 if source.heading else 1.0)

    def best_of(self, number: int, statements: Sequence[str]) -> _Source | None:
        """The sentence of a passage that supports the last of `statements` best, or one of those before it."""
        of_passage = [source for source in self._sources if source.passage == number]
        if not of_passage:
            return None
        for statement in reversed(statements):
            wanted = frozenset(terms(statement))
            ratings = [self._rating(wanted, source) for source in of_passage]
            if (best := max(ratings)) > 0:
                return of_passage[ratings.index(best)]
        # An answer in another language shares no words with its source; the passage is named all the same.
        if language_of(statements[-1]) != language_of(of_passage[0].text):
            return next((s for s in of_passage if s.text[-1] in ".!?。"), of_passage[0])
        return None

    def strong(self, statement: str) -> _Source | None:
        """The sentence of any passage that says nearly the same; None when there is none."""
        wanted = frozenset(terms(statement))
        best, best_rating = None, 0.0
        for source in self._sources:
            share, own = self._overlap(wanted, source)
            if share < _STRONG or len(wanted & source.terms) < _TERMS or share + 0.1 * own <= best_rating:
                continue
            if not unsupported_numbers(statement, [source.text]):
                best, best_rating = source, share + 0.1 * own
        return best


def _render(plain: str, marks: list[_Mark], passages: Sequence[Passage]) -> tuple[str, list[Citation]]:
    citations: dict[tuple[str, int, int], Citation] = {}
    pieces: list[str] = []
    at = 0
    for mark in sorted(marks, key=lambda mark: mark.at):
        pieces.append(plain[at : mark.at])
        at = mark.at
        written: list[int] = []
        for source in mark.quotes:
            passage = passages[source.passage]
            key = (passage.document_id, source.start, source.end)
            if key not in citations:
                place = (passage.page, source.start, source.end, source.text)
                number = len(citations) + 1
                citations[key] = Citation(passage.document_id, passage.title, *place, url=passage.url, marker=number)
            if (number := citations[key].marker or 0) not in written:
                written.append(number)
        if written:
            pieces.append(mark.blank + "".join(f"[{number}]" for number in written))
    pieces.append(plain[at:])
    return "".join(pieces), list(citations.values())
