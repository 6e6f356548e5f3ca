"""What stands on a page of a PDF: letters at places, the pieces of lines that they make, and the lines that are drawn.

All places are in points from the upper left corner of the page.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from statistics import median
from typing import NamedTuple

from dure.knowledge.parse.parsed import RAISED

_GAP, _CLOSE = 0.8, 0.45
"""Heights of a letter between two pieces of a line, and between two figures: blanks of justified text are narrower."""
_SAME_LINE = 0.42
"""Heights of a letter above and below its middle that belong to its line: cells of two lines beside one of a line, in
the middle of it, are one row."""
TOUCH = 2.0
"""Points by which drawn lines may miss each other."""
HYPHENS = "\ufffe\x02"
"""PDFium's marks, newer and older, of a word that was cut at a line's end."""
_LEADERS = re.compile(r"[.·…_-]{4,}")
"""What leads from a name to its figure."""
_FIGURE = re.compile(r"\W*\d[\d\W]*[kKM]?|\W+")


_RAISED, _TOUCHING, _BLANK = 0.25, 0.3, 0.15
"""Heights of a letter by which the foot of a note's mark stands above the line's, up to which two touch, and from which
there is a blank between them all the same."""


class Letter(NamedTuple):
    """One character and its box."""

    text: str
    left: float
    right: float
    top: float
    bottom: float

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


_NONE = Letter("", 0, 0, 0, 0)


class Rule(NamedTuple):
    """A line that is drawn: upright at x = `at`, or level at y = `at`, from `start` to `end`."""

    upright: bool
    at: float
    start: float
    end: float

    def meets(self, other: "Rule") -> bool:
        """Whether they cross or touch."""
        if self.upright == other.upright:
            near = abs(self.at - other.at) <= TOUCH
            return near and self.start <= other.end + TOUCH and other.start <= self.end + TOUCH
        return self._covers(other.at) and other._covers(self.at)

    def _covers(self, at: float) -> bool:
        return self.start - TOUCH <= at <= self.end + TOUCH


@dataclass(slots=True)
class Piece:
    """Letters beside each other, `letters[first : last + 1]`, as words, each with where it begins and ends."""

    first: int
    last: int
    words: list[tuple[str, float, float]]
    middle: float
    height: float

    @property
    def text(self) -> str:
        return " ".join(word for word, _, _ in self.words if word)

    @property
    def left(self) -> float:
        return self.words[0][1]

    @property
    def right(self) -> float:
        return self.words[-1][2]

    @property
    def centre(self) -> float:
        return (self.left + self.right) / 2


Line = list[Piece]


@dataclass(slots=True)
class Table:
    """`rows`: its cells as text, the header first; `pieces`: what they are made of; `places`: where columns begin."""

    rows: list[list[str]]
    pieces: list[Piece] = field(default_factory=list)
    places: Sequence[float] = ()


def pieces_of(letters: Sequence[Letter], rules: Sequence[Rule] = ()) -> Iterator[Piece]:
    """Letters that follow each other on one line without a gap or an upright line between them."""
    upright = [rule for rule in rules if rule.upright]
    run: list[int] = []
    for n, letter in enumerate(letters):
        if letter.text.isspace() or letter.text in HYPHENS or letter.right <= letter.left:
            continue
        if run and _apart(letters[run[-1]], letter, upright):
            yield from _piece(letters, run)
            run = []
        run.append(n)
    if run:
        yield from _piece(letters, run)


def with_notes(letters: Iterable[Letter]) -> Iterator[Letter]:
    """Letters, the marks of notes as such: raised digits right behind another letter, which `138.1` would make a
    figure's. The line that PDFium ends behind them goes on where the next letter touches them."""
    base = last = _NONE
    ended: list[Letter] = []
    for letter in letters:
        if letter.text in "\r\n":
            ended.append(letter)
            continue
        gap, high = letter.left - last.right, base.bottom - base.top
        if not (abs(gap) < _TOUCHING * high and base.top < letter.middle < base.bottom):
            yield from ended
            base = _NONE
        elif ended and gap > _BLANK * high:
            yield Letter(" ", last.right, letter.left, base.top, base.bottom)
        ended.clear()
        raised = letter.top <= base.top and base.bottom - letter.bottom > _RAISED * (base.bottom - base.top)
        if raised and not letter.text.isspace():
            letter = letter._replace(text=letter.text.translate(RAISED))
        else:
            base = _NONE if letter.text.isspace() else letter
        last = letter
        yield letter
    yield from ended


def _apart(a: Letter, b: Letter, upright: Sequence[Rule]) -> bool:
    height = max(a.bottom - a.top, b.bottom - b.top)
    gap = (_CLOSE if a.text.isdigit() and b.text.isdigit() else _GAP) * height
    if abs(a.middle - b.middle) > height / 2 or not -height < b.left - a.right < gap:
        return True
    between = max(a.left, a.right - TOUCH), min(b.right, b.left + TOUCH)
    return any(between[0] < r.at < between[1] and r.start <= b.middle <= r.end for r in upright)


def _piece(letters: Sequence[Letter], run: list[int]) -> Iterator[Piece]:
    words: list[tuple[str, float, float]] = []
    for blank, group in groupby(letters[run[0] : run[-1] + 1], key=lambda each: each.text.isspace()):
        held = [] if blank else [each for each in group if each.text not in HYPHENS]
        text = _LEADERS.sub("", "".join(each.text for each in held))
        if text:
            words.append((text, min(each.left for each in held), max(each.right for each in held)))
    if words:
        drawn = [letters[n] for n in run]
        height = median(each.bottom - each.top for each in drawn)
        yield Piece(run[0], run[-1], words, median(each.middle for each in drawn), height)


def lines_of(pieces: Sequence[Piece]) -> list[Line]:
    """Pieces beside each other, from above, each line from the left."""
    lines: list[Line] = []
    end = float("-inf")
    for piece in sorted(pieces, key=lambda p: p.middle - _SAME_LINE * p.height):
        if piece.middle - _SAME_LINE * piece.height > end:
            lines.append([])
            end = float("-inf")
        lines[-1].append(piece)
        end = max(end, piece.middle + _SAME_LINE * piece.height)
    return [sorted(line, key=lambda p: p.left) for line in lines]


def between(above: Line, below: Line) -> float:
    """The blank between two lines, in points."""
    return min(p.middle - p.height / 2 for p in below) - max(p.middle + p.height / 2 for p in above)


def text_of(pieces: Sequence[Piece]) -> str:
    """The text of a cell, whose lines stand under each other."""
    return " ".join(p.text for p in sorted(pieces, key=lambda p: (round(p.middle), p.left)))


def is_figure(text: str) -> bool:
    """Whether there is no word in it, but for what counts thousands and millions."""
    return bool(_FIGURE.fullmatch(text))


def has_words(rows: Sequence[Sequence[str]]) -> bool:
    """Whether there are letters in a table: figures alone are the axes of a drawing."""
    return any(map(str.isalpha, "".join(cell for row in rows for cell in row)))
