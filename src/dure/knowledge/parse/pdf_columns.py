"""Tables of PDFs without lines between their columns: what stands under each other, with blanks between."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from statistics import median

from dure.knowledge.parse.parsed import ITEM
from dure.knowledge.parse.pdf_pieces import TOUCH, Line, Piece, Table, between, has_words, is_figure, lines_of, text_of

TITLE = re.compile(r"(?:Table|TABLE|표|<표)\s*\d")
_FAR = 1.6
"""Heights of a letter of blank between two rows of a table at most."""
_ROWS = 3
"""Of a table at least, with its header."""
_FULL = 0.6
"""Share of its cells that hold something."""
_WIDEST, _NAMES, _FIGURES = 25, 60, 12
"""Characters of a cell: columns of longer ones are columns of a text. Rows of figures may have longer names."""
_TIGHT, _ROUNDED = 0.85, 1.0
"""Of the usual blank between two rows, below which a line goes on with the row above it; points by which blanks differ
where rows are set to whole pixels."""
_TEXT = 0.8
"""Of the width of a page's left column, beyond which a line is of a text."""
_SPARSE = 0.25
"""Of what stands beside the middle of a page of two columns, how much may reach over it."""

Columns = list[tuple[float, float]]
"""From where to where each reaches."""


def in_columns(pieces: Sequence[Piece]) -> Iterator[Table]:
    """The tables of each of the two columns of a page, and those that reach over both; of a page of one, all."""
    found = list(_aligned(pieces))
    middle = _gutter(pieces)
    if middle is not None:
        found = [each for each in found if _wide(each, middle)]
        taken = {id(piece) for each in found for piece in each.pieces}
        left = [piece for piece in pieces if id(piece) not in taken]
        found += _aligned([piece for piece in left if piece.right < middle])
        found += _aligned([piece for piece in left if piece.left > middle])
    yield from found


def _gutter(pieces: Sequence[Piece]) -> float | None:
    """The middle between the two columns of a page that has so many."""
    if not pieces:
        return None
    middle = (min(p.left for p in pieces) + max(p.right for p in pieces)) / 2
    over = sum(p.left < middle < p.right for p in pieces)
    sides = [sum(p.right < middle for p in pieces), sum(p.left > middle for p in pieces)]
    return middle if over < _SPARSE * min(sides) else None


def _wide(found: Table, middle: float) -> bool:
    """Whether what stands left and right of the middle is one table: something reaches over it, or the right has no
    names of rows, and the left no text."""
    if any(piece.left < middle < piece.right for piece in found.pieces):
        return True
    left = [piece for piece in found.pieces if piece.right < middle]
    full = _TEXT * (middle - min((piece.left for piece in left), default=middle))
    if sum(piece.right - piece.left > full for piece in left) > len(left) / 2:
        return False
    right = sorted((p for p in found.pieces if p.left > middle), key=lambda p: (p.middle, p.left))
    first = [next(line) for _, line in groupby(right, key=lambda p: round(p.middle))]
    return len(first) > 2 and all(is_figure(piece.text) for piece in first[2:])


def _aligned(pieces: Sequence[Piece]) -> Iterator[Table]:
    """The tables of lines whose pieces stand under each other, each begun with a line that has most."""
    lines = lines_of(pieces)
    free, tried = [True] * len(lines), [False] * len(lines)
    for at in sorted(range(len(lines)), key=lambda n: -len(_joined([], lines[n]))):
        if tried[at] or not free[at]:
            continue
        start, end, columns = _grown(lines, at, free)
        tried[start:end] = [True] * (end - start)
        if found := _table(lines, start, end, columns):
            start, its = found
            yield its
            free[start:end] = [False] * (end - start)


def _grown(lines: list[Line], at: int, free: list[bool]) -> tuple[int, int, Columns]:
    """The table around a line: its first line, the one behind its last, and its columns."""
    columns = _joined([], lines[at])
    ends = [at, at]
    for step in (1, -1):
        n = at + step
        while 0 <= n < len(lines) and free[n] and len(columns) > 1:
            line = lines[n]
            above, below = (lines[n - 1], line) if step > 0 else (line, lines[n + 1])
            under = [_under(piece, columns) for piece in line]
            if between(above, below) > _FAR * line[0].height or not any(under) or _beside(line, under):
                break
            columns = _joined(columns, line)
            if len(line) > 1:
                ends[step < 0] = n
            n += step
    return ends[1], ends[0] + 1, columns


def _beside(line: Line, under: list[list[int]]) -> bool:
    """Whether a piece stands under two columns, or two beside each other under one."""
    return any(len(each) > 1 for each in under) or any(
        a and a == b and abs(p.middle - q.middle) < p.height / 4
        for (p, a), (q, b) in pairwise(zip(line, under, strict=True))
    )


def _joined(columns: Columns, line: Line) -> Columns:
    """The columns, as wide as what stands in them."""
    wide: Columns = []
    for left, right in sorted([*columns, *((p.left, p.right) for p in line)]):
        if wide and left <= wide[-1][1]:
            wide[-1] = (wide[-1][0], max(right, wide[-1][1]))
        else:
            wide.append((left, right))
    return wide


def _under(piece: Piece, columns: Columns) -> list[int]:
    return [n for n, (left, right) in enumerate(columns) if piece.left < right and piece.right > left]


def _table(lines: list[Line], at: int, end: int, columns: Columns) -> tuple[int, Table] | None:
    """The table of these lines with the names above them, and its first line; None where they are no table."""
    if end - at < _ROWS:
        return None
    rows = [
        [text_of([piece for piece in line if n in _under(piece, columns)]) for n in range(len(columns))]
        for line in lines[at:end]
    ]
    if "" in rows[0][1:] and not any(map(is_figure, filter(None, rows[1]))):
        # Names over those of the columns.
        rows, at = rows[1:], at + 1
    rows = _whole(rows, [between(above, below) for above, below in pairwise(lines[at:end])])
    cells = [cell for row in rows for cell in row]
    first, *others = (median([len(cell) for cell in column if cell] or [0]) for column in zip(*rows, strict=True))
    if (
        len(rows) < _ROWS
        or sum(map(bool, cells)) < _FULL * len(cells)
        or max(others) > _WIDEST
        or first > (_WIDEST if max(others) > _FIGURES else _NAMES)
        or all(ITEM.fullmatch(row[0]) for row in rows if row[0])
    ):
        return None
    while at and (over := _over(lines[at - 1], lines[at], columns)):
        if not any(map(is_figure, filter(None, rows[0]))):
            rows[0] = [f"{name} {own}".strip() for name, own in zip(over, rows[0], strict=True)]
        elif all(over[1:]):
            rows.insert(0, over)
        else:
            break
        at -= 1
    return (at, Table(rows, [piece for line in lines[at:end] for piece in line])) if has_words(rows) else None


def _whole(rows: list[list[str]], blanks: list[float]) -> list[list[str]]:
    """The rows, with the lines that go on with the one above joined to it; `blanks` between each two."""
    usual = median([blank for blank, row in zip(blanks, rows[1:], strict=True) if row[0]] or [0.0])
    whole = rows[:1]
    for blank, row in zip(blanks, rows[1:], strict=True):
        tight = blank < min(_TIGHT * usual, usual - _ROUNDED) and not (all(row) and any(map(_counts, row)))
        if tight or (not row[0] and sum(map(bool, row)) < len(row) / 2):
            whole[-1] = [f"{above} {own}".strip() for above, own in zip(whole[-1], row, strict=True)]
        else:
            whole.append(row)
    return whole


def _counts(cell: str) -> bool:
    return is_figure(cell) and any(map(str.isdigit, cell))


def _over(line: Line, below: Line, columns: Columns) -> list[str]:
    """Names over one column or several, by column; nothing where the line above is another thing."""
    if between(line, below) >= line[0].height or TITLE.match(line[0].text):
        return []
    if len(line) == 1 and len(_under(line[0], columns)) == len(columns):
        line = _split(line[0], len(columns))
    if (line[0].left < columns[0][1] and len(line) < 2) or any(
        is_figure(p.text) or len(p.text) > 2 * _WIDEST for p in line
    ):
        return []
    names = [""] * len(columns)
    for piece in line:
        spans = _under(piece, columns)
        # Those it is nearest to, as many as stand evenly on both sides of it.
        own = [n for n in range(bool(not spans or spans[0]), len(columns)) if _nearest(columns[n], line) is piece]
        while len(own) > 1:
            less = min(own[1:], own[:-1], key=lambda some: _off(piece, some, columns))
            if _off(piece, less, columns) >= _off(piece, own, columns) - TOUCH:
                break
            own = less
        for n in own or spans:
            names[n] = piece.text
    return names


def _split(piece: Piece, count: int) -> Line:
    """A piece as several, where its words stand that much further from each other than others; else itself."""
    gaps = sorted(((b[1] - a[2], n) for n, (a, b) in enumerate(pairwise(piece.words), 1)), reverse=True)
    if len(gaps) < count - 1 or (len(gaps) >= count and gaps[count - 2][0] < 1.5 * gaps[count - 1][0]):
        return [piece]
    ends = [0, *sorted(n for _, n in gaps[: count - 1]), len(piece.words)]
    return [replace(piece, words=piece.words[a:b]) for a, b in pairwise(ends)]


def _nearest(column: tuple[float, float], line: Line) -> Piece:
    at = sum(column) / 2
    return min(line, key=lambda p: (max(p.left - at, at - p.right, 0), abs(p.centre - at)))


def _off(piece: Piece, some: list[int], columns: Columns) -> float:
    """How far the middle of some columns is from a piece's."""
    return abs(piece.centre - (columns[some[0]][0] + columns[some[-1]][1]) / 2)
