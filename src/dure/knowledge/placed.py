"""The markers at their places in an answer: which sentence each belongs to, where more go, how it reads with them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dure.knowledge.layout import without_list
from dure.knowledge.markers import without_markers
from dure.knowledge.supporting import TERMS
from dure.knowledge.weighed import Source, said_in
from dure.sources import Citation, Passage

_BOLD = re.compile(r"\*\*([\[【][\d,; -]{1,20}[\]】])\*\*")
_STOPS = (".", "!", "?", "。")


@dataclass(slots=True)
class Mark:
    """Markers that stand at one place of the answer. `at`: offset in the answer without markers."""

    at: int
    blank: str
    numbers: list[int]
    quotes: list[Source] = field(default_factory=list)


class Marks:
    """The markers of an answer. `plain`: it without them; `named`: its own, in order."""

    def __init__(self, answer: str, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self.plain, found = without_markers(without_list(_BOLD.sub(r"\1", answer), passages), len(passages))
        self.named, self._more = _at_one_place(found), list[Mark]()
        self._places = [mark.at for mark in self.named]
        # Its own stand before the stops of sentences.
        self._inside = bool(self.named) and not any(self.plain[at - 1 : at] in _STOPS for at in self._places)

    def passages(self, marks: Iterable[Mark]) -> list[Passage]:
        """Those that markers name, which may be none."""
        known = range(1, len(self._passages) + 1)
        return [self._passages[number - 1] for mark in marks for number in mark.numbers if number in known]

    def between(self, start: int, end: int) -> list[Mark]:
        return self.named[bisect_left(self._places, start) : bisect_right(self._places, end)]

    def of(self, before: int, start: int, end: int, after: int) -> list[Mark]:
        """Those without quotes that belong to a sentence: that stand in it or right behind; at a line's start to what
        follows. before, after: the end of the sentence before, and where the next begins."""

        def belongs(at: int) -> bool:
            if start < at <= end:
                return True
            if at > end:
                return "\n" not in self.plain[end:at]
            return before == 0 or "\n" in self.plain[before:at]

        return [mark for mark in self.between(before, after) if not mark.quotes and belongs(mark.at)]

    def ahead(self, end: int) -> list[int]:
        """The numbers of the next marker behind a sentence, in its line."""
        mark = next(iter(self.named[bisect_right(self._places, end) :]), None)
        return mark.numbers if mark and "\n" not in self.plain[end : mark.at] else []

    def parts(self, start: int, end: int, marks: Sequence[Mark]) -> list[str]:
        """Of each mark of a sentence the part that it stands behind, back to the mark before it, the last with all that
        follows; the whole sentence where the part alone says little."""
        inner = sorted({mark.at for mark in marks if start < mark.at})
        parts = []
        for mark in marks:
            first = max((at for at in inner if at < mark.at), default=start)
            last = mark.at if any(at > mark.at for at in inner) else end
            little = len(said_in(self.plain[first:last])) < TERMS
            parts.append(self.plain[start:end] if little else self.plain[first:last])
        return parts

    def add(self, end: int, quotes: list[Source]) -> None:
        """A marker for the sentence that ends there: behind it, before its stop where the answer's own stand there, and
        behind what is in bold; of a row of a Markdown table, within its last cell, since a cell more would be none of
        the table's."""
        plain = self.plain
        at = end - (self._inside and plain[end - 1] in _STOPS)
        line = plain[plain.rfind("\n", 0, at) + 1 : at]
        if line.lstrip().startswith("|") and line.endswith("|") and line.count("|") > 1:
            at -= len(line) - len(line[:-1].rstrip())
        elif line.count("**") % 2 and (closed := plain.find("**", at)) >= 0 and "\n" not in plain[at:closed]:
            at = closed + 2
        self._more.append(Mark(at, " ", [], quotes))

    def render(self) -> tuple[str, list[Citation]]:
        """The answer with a number for each citation, counted in the order of its text, and these."""
        citations: dict[tuple[str, int, int], Citation] = {}
        pieces: list[str] = []
        at = 0
        written: list[int] = []
        for mark in sorted([*self.named, *self._more], key=lambda mark: mark.at):
            pieces.append(self.plain[at : mark.at])
            before = written if mark.at == at else []
            at, written = mark.at, [*before]
            for source in mark.quotes:
                passage = self._passages[source.passage]
                key = (passage.document_id, source.start, source.end)
                if key not in citations:
                    place = (passage.title, passage.page, source.start, source.end, source.text)
                    number = len(citations) + 1
                    there = (passage.url, number, passage.sheet, passage.slide)
                    citations[key] = Citation(passage.document_id, *place, *there)
                if (number := citations[key].marker or 0) not in written:
                    written.append(number)
            if more := written[len(before) :]:
                pieces.append(mark.blank * (not before) + "".join(f"[{number}]" for number in more))
        pieces.append(self.plain[at:])
        return "".join(pieces), list(citations.values())


def _at_one_place(found: Iterable[tuple[int, str, list[int]]]) -> list[Mark]:
    """Markers side by side (`[1][2]`) are one with several numbers (`[1, 2]`)."""
    marks: list[Mark] = []
    for at, blank, numbers in found:
        if marks and marks[-1].at == at:
            marks[-1].numbers += numbers
        else:
            marks.append(Mark(at, blank, numbers))
    return marks
