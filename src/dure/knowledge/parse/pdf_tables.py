"""Tables of PDFs, ruled or not: liteparse finds them, PDFium's characters at their place are taken out of the text.

liteparse (Apache-2.0) found the rows of more tables, whole and with their headers, than pdf_oxide on twenty real pages,
in 7 ms a page; pdfplumber takes ten times that.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, zip_longest
from statistics import fmean, median
from typing import Any, NamedTuple

from dure.knowledge.parse import table

_TITLE = re.compile(r"(?:Table|TABLE|표|<표)\s*\d")
_ABOVE = 1.2
"""Heights of a row within which the header of a table may stand above it."""
_ROWS = 3
"""Of a table at least, with its header."""
_FULL = 0.7
"""Share of its cells that hold something: two tables that were taken for one have more holes."""
_WIDEST = 25
"""Characters of a cell of a table without lines: columns of longer ones are columns of a text."""
_APART = 6.0
_NEAR = 0.1
"""Points between the cells of a row, and the share of gaps that may be less: what stands nearer are words of a text.
Ruled cells touch."""
_GUTTER = 4.0
_SPARSE = 0.25
"""Half of the points between two columns of a page, and the share of letters there of those that stand elsewhere."""
_UNLIKE = 0.05
"""Share of the characters at a table's place that may be missing in its cells, or be there twice."""
_SIGNS = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_HYPHEN = "[-‐‑‒–—−]?"
_CUT = re.compile("[\ufffe\x02]\\s*|\u2010\\s*\n\\s*")
"""Hyphens at a line's end, by PDFium's marks and as they stand."""


Letter = tuple[str, float, float]
"""With the x and y of its middle, in points from the upper left corner of the page."""


class Cell(NamedTuple):
    """`left`, `right`: in points; None where it is empty."""

    text: str
    left: float | None = None
    right: float | None = None

    @property
    def middle(self) -> float | None:
        return None if self.left is None or self.right is None else (self.left + self.right) / 2


class Box(NamedTuple):
    """In points, from the upper left corner of the page."""

    left: float
    top: float
    right: float
    bottom: float

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def beside(self, other: "Box") -> bool:
        return self.top <= other.bottom and other.top <= self.bottom


@dataclass(slots=True, frozen=True)
class Table:
    """`rows`: its cells, the header first. `headed`: whether liteparse tells which one that is."""

    box: Box
    rows: list[list[Cell]]
    headed: bool


def tables(data: bytes, page: int | None = None, halved: float | None = None) -> dict[int, list[Table]]:
    """The tables of a PDF by page number, from 1; of one `page` alone, and of its left and right part by themselves
    where it is to be `halved`, at a share of its width. None at all where liteparse cannot read what PDFium can."""
    import liteparse

    found: dict[int, list[Table]] = {}
    for crop in [None] if halved is None else [(0.0, 1 - halved, 0.0, 0.0), (0.0, 0.0, 0.0, halved)]:
        reader = liteparse.LiteParse(
            ocr_enabled=False,
            extract_blocks=True,
            output_format="markdown",
            quiet=True,
            num_workers=1,
            target_pages=page and str(page),
            crop_box=crop,
        )
        try:
            pages = reader.parse(data).pages
        except liteparse.ParseError:
            return {}
        for each in pages:
            found.setdefault(each.page_num, []).extend(_tables(each.blocks or ()))
    return found


def _tables(blocks: Sequence[Any]) -> Iterator[Table]:
    for block in blocks:
        if not block.rows or (at := block.bbox) is None:
            continue
        read = [
            [(" ".join(cell.text.split()), cell.bbox) for cell in row]
            for row in ([block.header] if block.header else []) + list(block.rows)
        ]
        rows = [[Cell(text, *((box.x, box.x + box.width) if box else ())) for text, box in row] for row in read]
        cells = [cell for row in rows for cell in row]
        pairs = (two for row in rows for two in pairwise(row))
        gaps = [b.left - a.right for a, b in pairs if a.right is not None and b.left is not None]
        apart = sum(0.5 < gap < _APART for gap in gaps) <= max(_NEAR * len(gaps), 1)
        full = sum(bool(cell.text) for cell in cells) > _FULL * len(cells)
        columns = zip_longest(*rows, fillvalue=Cell(""))
        known = block.header or all(median(len(cell.text) for cell in column) <= _WIDEST for column in columns)
        if len(rows) >= _ROWS and len(cells) > len(rows) and full and apart and known:
            yield Table(Box(at.x - 1, at.y - 1, at.x + at.width + 1, at.y + at.height + 1), rows, bool(block.header))


def without(letters: list[Letter], found: list[Table], halved: Callable[[float], list[Table]]) -> str:
    """The text of a page, its tables as lines of a row each. A table whose cells are not what stands at its place is
    left as it stands. `halved`: the tables of the page's two parts, left and right of an x, each read by itself."""
    middle = _gutter(letters)
    if middle is not None and any(_parted(each, letters, middle) for each in found):
        found = [each for each in found if not _parted(each, letters, middle)]
        parts = halved(middle)
        # What has no names of rows is the right part of a table that reaches over both.
        right = [each for each in parts if all(_figure(row[0].text) for row in each.rows[1:] if row[0].text)]
        taken = [each.box for each in (*right, *found)]
        found += [each for each in parts if not any(each.box.beside(box) for box in taken)]
    found = [_headed(each, letters) for each in found]
    texts: dict[int, str] = {}
    table_at: dict[int, int] = {}
    for number, each in enumerate(found):
        inside = [at for at, (_, x, y) in enumerate(letters) if each.box.holds(x, y)]
        text = "".join(letters[at][0] for at in inside)
        there = len("".join(_CUT.sub("", text).split()))
        told = sum(len("".join(cell.text.split())) for row in each.rows for cell in row)
        if there and abs(there - told) <= max(_UNLIKE * there, 2):
            texts[number] = text
            table_at = dict.fromkeys(inside, number) | table_at
    out: list[str] = []
    line, lost = "", False
    for at, (letter, _, _) in enumerate([*letters, ("\n", 0.0, 0.0)]):
        if at in table_at:
            if text := texts.pop(table_at[at], ""):
                out += [*filter(None, [line.strip()]), *_lines(found[table_at[at]], text)]
                line = ""
            lost = True
        elif letter == "\n":
            if line.strip() or not lost:
                out.append(line.rstrip("\r"))
            line, lost = "", False
        else:
            line += letter
    return "\n".join(out)


def _gutter(letters: list[Letter]) -> float | None:
    """The middle between the two columns of a page that has so many."""
    across = [x for letter, x, _ in letters if not letter.isspace()]
    if len(across) < 2:
        return None
    left, right = min(across), max(across)
    middle = (left + right) / 2
    expected = len(across) * 2 * _GUTTER / (right - left or 1.0)
    return middle if sum(abs(x - middle) < _GUTTER for x in across) < _SPARSE * expected else None


def _parted(found: Table, letters: list[Letter], middle: float) -> bool:
    """Whether a table reaches over both columns of a page and has nothing between them: it is two things."""
    if not found.box.left < middle - _GUTTER < middle + _GUTTER < found.box.right:
        return False
    return not any(
        abs(x - middle) < _GUTTER and found.box.holds(x, y) for letter, x, y in letters if not letter.isspace()
    )


def _headed(found: Table, letters: list[Letter]) -> Table:
    """The table with the line above it as its header, where it has none and each of its columns stands under words."""
    columns = [
        [cell.middle for cell in column if cell.middle is not None]
        for column in zip_longest(*found.rows, fillvalue=Cell(""))
    ]
    if found.headed or not all(columns) or not any(_figure(cell.text) for cell in found.rows[0]):
        return found
    left, top, right, bottom = found.box
    high = top - _ABOVE * (bottom - top) / len(found.rows)
    names: list[list[str]] = [[] for _ in columns]
    middles = [median(column) for column in columns]
    above = (each for each in letters if high <= each[2] < top)
    for blank, group in groupby(above, key=lambda each: each[0].isspace()):
        held = [] if blank else list(group)
        at = fmean(x for _, x, _ in held) if held else -1.0
        if left <= at <= right:
            near = min(range(len(columns)), key=lambda n: abs(middles[n] - at))
            names[near].append("".join(letter for letter, _, _ in held))
            left, right = min(left, held[0][1]), max(right, held[-1][1])
    if not all(names[1:]) or any(map(_figure, map("".join, names))):
        return found
    return Table(Box(left, high, right, bottom), [[Cell(" ".join(each)) for each in names], *found.rows], True)


def _lines(found: Table, text: str) -> Iterator[str]:
    """The rows as lines; what liteparse took for a header though it is the table's title comes first."""
    rows = [[_spelled(cell.text, text) for cell in row] for row in found.rows]
    shown = found.rows
    if _TITLE.match(title := " ".join(filter(None, rows[0]))):
        yield title
        rows, shown = rows[1:], shown[1:]
    elif found.headed and "" in rows[0][1:] and all(rows[1]) and not any(map(_figure, rows[1])):
        rows = [_over(shown[0], shown[1], rows[1]), *rows[2:]]
    for above, row in pairwise(rows):
        # What stands for several rows stands in each of them.
        if not row[0] and above[0] and sum(map(bool, row)) > 1:
            row[0] = above[0]
    yield from table.lines(rows)


def _figure(cell: str) -> bool:
    return cell[:1].isdigit() or cell[1:2].isdigit()


def _over(above: list[Cell], below: list[Cell], names: list[str]) -> list[str]:
    """One header of two rows: over each column but the first stands the name whose middle is nearest."""
    groups = [(cell.middle, cell.text) for cell in above if cell.middle is not None]
    told = [names[0]]
    for name, at in zip(names[1:], (cell.middle for cell in below[1:]), strict=False):
        near = min(groups, key=lambda group: abs(group[0] - at))[1] if groups and at is not None else ""
        told.append(f"{near} {name}".strip())
    return told


def _spelled(cell: str, text: str) -> str:
    """A cell as PDFium reads it where that has fewer blanks: either parts `1 박` or `4 1`."""
    plain = "".join(cell.translate(_SIGNS).split())
    pattern = r"\s*".join(_HYPHEN if letter == "-" else re.escape(letter) for letter in plain)
    there = re.search(pattern, _CUT.sub("", text)) if len(plain) > 1 else None
    return min(" ".join(there[0].split()), cell, key=len) if there else cell
