"""The rows of tables that tools told, and of tables that an answer makes of them."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from operator import itemgetter

from dure.knowledge.claims import figures_in, negated, numbers
from dure.knowledge.sentences import COLUMN
from dure.knowledge.worked import rounded

_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s|:-]+")
"""The line below a Markdown table's header."""
FIGURE = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")
"""A cell that is a figure."""
_NO = re.compile(r"(?:[-–—−×✗✘]|[xX](?!\w))\W*")
"""A cell's sign that something is not so."""
_SIGNS = 4
"""Signs or words by which a column tells yes or no at most, with the marks of notes."""

Row = Mapping[str, str]
"""A row's cells by its columns."""


def rows_in(text: str) -> list[dict[str, str]]:
    """The rows of a table, each by its columns: of Markdown, or as later runs are told it, without borders."""
    inner = (line.removeprefix("|").removesuffix("|") for line in text.split("\n") if _BAR.search(line))
    lines = [[cell.strip() for cell in _BAR.split(line)] for line in inner if not _RULE.fullmatch(line)]
    return [dict(zip(lines[0], row, strict=False)) for row in lines[1:]]


def rows_named(statement: str, rows: Sequence[Row]) -> list[int]:
    """The places of the rows that have in every column of which a statement names cells one of these; none where it
    names none."""
    said = {cell for cell in {cell for row in rows for cell in row.values()} if says_cell(statement, cell)}
    among = {column for row in rows for column, cell in row.items() if cell in said}
    return [at for at, row in enumerate(rows) if among and all(row.get(each) in said for each in among)]


def says_cell(statement: str, cell: str) -> bool:
    """Whether a statement has the words of a cell that is no figure, also `3월` or `EQ-102`."""
    there = len(cell) > 1 and cell.casefold() in statement.casefold() and not FIGURE.fullmatch(cell)
    return there and bool(re.search(rf"(?<![\w.,-]){re.escape(cell)}(?![A-Za-z0-9])", statement, re.IGNORECASE))


def counts(tables: Iterable[Sequence[Row]]) -> set[Decimal]:
    """What can be counted in tables: their rows, those of one cell, and what their columns add up to."""
    found = set[Decimal]()
    for rows in tables:
        found.add(Decimal(len(rows)))
        for column in {*chain(*rows)}:
            its = [row.get(column, "") for row in rows]
            found.update(map(Decimal, Counter(its).values()))
            if all(map(FIGURE.fullmatch, its)):
                found.add(sum((Decimal(each.replace(",", "")) for each in its), Decimal(0)))
    return found


def columns_of(own: Sequence[Row], rows: Sequence[Row]) -> dict[str, str]:
    """By the columns of a table those of another one that they are: of which most rows that name one of it have the
    cells, or of the same name."""
    pairs = [(its, rows[at[0]]) for its in own if len(at := rows_named(COLUMN.join(its.values()), rows)) == 1]
    called, found = {_letters(name): name for row in rows[:1] for name in row}, dict[str, str]()
    for column in own[0] if pairs else ():
        cells = [(numbers(its.get(column, "")), told) for its, told in pairs]
        same = Counter(name for said, told in cells for name, cell in told.items() if said and _has(cell, said))
        name, n = max(same.items(), key=itemgetter(1), default=("", 0))
        found[column] = name if 1 < n > (len(pairs) - 1) / 2 else called.get(_letters(column), "")
    return found


def denies(cell: str) -> bool:
    """Whether a cell, or what else is said, tells that something is not so."""
    return bool(_NO.fullmatch(cell)) or negated(cell)


def tells_yes_or_no(cells: Collection[str]) -> bool:
    """Whether the cells of a column tell of what is so, and may tell of what is not, in one sign or word each."""
    short = len(cells) <= _SIGNS and not any(map(re.compile(r"[\s\d]").search, cells))
    return short and not all(map(denies, cells))


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def _has(cell: str, figures: Mapping[str, Decimal]) -> bool:
    """Whether a cell has all of these figures, by how they are written."""
    return figures_in(cell).issuperset(figures.values()) or all(rounded(each, cell) for each in figures)
