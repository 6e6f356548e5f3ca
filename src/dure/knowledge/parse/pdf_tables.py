"""The text of a page of a PDF with its tables as rows, each value beside its column's name.

A PDF holds letters at places, and no tables. One is found by the lines that are drawn between its cells (`pdf_ruled`),
or by what stands under each other (`pdf_columns`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from dure.knowledge.parse import table
from dure.knowledge.parse.pdf_columns import TITLE, in_columns
from dure.knowledge.parse.pdf_pieces import TOUCH, Letter, Rule, Table, pieces_of
from dure.knowledge.parse.pdf_ruled import ruled, whole

_DIGIT = re.compile(r"\d")
_BETWEEN = 3
"""Lines between two parts of one table at most: what stands at the foot and the head of a page."""


class Tabled:
    """The pages of a document, one after the other: a table that goes on on the next keeps its header."""

    def __init__(self) -> None:
        self._header: list[str] = []
        self._last = Table([])
        self._since = 0
        """Lines since a table."""
        self._turned = self._new = False
        """Whether since that a page began, and a line that stands on none before."""
        self._lines = {""}

    def text(self, letters: Sequence[Letter], rules: Sequence[Rule]) -> str:
        """The text of a page, its tables as lines of a row each, where their first letter stands."""
        found = tables(letters, rules)
        at = {n: i for i, each in enumerate(found) for piece in each.pieces for n in range(piece.first, piece.last + 1)}
        told: set[int] = set()
        out: list[str] = []
        line, lost = "", False
        self._turned = True
        for n, letter in enumerate([*letters, Letter("\n", 0, 0, 0, 0)]):
            if n in at:
                if at[n] not in told:
                    told.add(at[n])
                    out += filter(None, [line.strip()])
                    self._met(line)
                    out += self._rows(found[at[n]])
                    line = ""
                lost = True
            elif letter.text == "\n":
                if line.strip() or not lost:
                    out.append(line.rstrip("\r"))
                    self._met(line)
                line, lost = "", False
            else:
                line += letter.text
        return "\n".join(out)

    def _met(self, line: str) -> None:
        letters = "".join(filter(str.isalpha, line))
        self._since += bool(line.strip())
        self._new = self._new or letters not in self._lines
        self._lines.add(letters)

    def _same(self, found: Table) -> bool:
        """Whether what begins a page is the rest of the table before it: it has no names of its own, but the columns
        stand at the same places, and none that had figures alone begins without."""
        before, first = self._last, found.rows[0]
        off = (abs(a - b) for a, b in zip(found.places, before.places, strict=False))
        there = len(found.places) == len(before.places) > 0 and max(off) < TOUCH
        had = (all(map(_DIGIT.search, column)) for column in zip(*before.rows, strict=False))
        fits = all(_DIGIT.search(cell) or not figures for figures, cell in zip(had, first, strict=False))
        return self._turned and not self._new and there and fits and first != self._header

    def _rows(self, found: Table) -> Iterator[str]:
        """The rows as lines; a title that stands in the first comes first, what stands for several rows in each."""
        rows, same = found.rows, self._same(found)
        if TITLE.match(title := " ".join(dict.fromkeys(filter(None, rows[0])))):
            yield title
            rows = rows[1:]
        for above, row in pairwise(rows):
            if not row[0] and above[0] and sum(map(bool, row)) > 1:
                row[0] = above[0]
        own = bool(rows) and not same and table.is_header(rows[0])
        goes_on = not own and self._since <= _BETWEEN and bool(rows) and len(rows[0]) == len(self._header)
        yield from table.lines(rows, self._header if goes_on else None)
        if not goes_on:
            self._header = rows[0] if own else []
        self._since, self._last = 0, replace(found, rows=rows[own:])
        self._turned = self._new = False


def tables(letters: Sequence[Letter], rules: Sequence[Rule] = ()) -> list[Table]:
    """The tables of a page."""
    rules = whole(rules)
    pieces = list(pieces_of(letters, rules))
    found = list(ruled(pieces, rules))
    taken = {id(piece) for each in found for piece in each.pieces}
    return [*found, *in_columns([piece for piece in pieces if id(piece) not in taken])]
