"""Which rows of a table a statement is of: those that hold its figures, those that these were made of, those that it
names; and how few pieces of the table show them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import islice
from operator import attrgetter

from dure.knowledge.claims import numbers
from dure.knowledge.units import COLUMN, cells, sizes
from dure.knowledge.weighed import Source
from dure.sources import Passage

_PIECES = 6
"""Pieces of a table that are quoted for one statement at most; what is of more is of the table as a whole."""
_SHOWN = 3
"""Rows of what is quoted of a whole table, below its header."""
_MOST = 600
"""Characters of a piece of several rows, from which on the table's beginning is shown instead."""
_TRIED = 64
"""Groups of rows that are added up for one figure at most."""
_LARGE = 1_000
"""A figure to which rows that are not named add up hardly by chance."""
_FIGURE = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")
"""A cell that is a figure."""


def is_row(line: Source) -> bool:
    """Whether a line has a row's cells, not the names of columns alone."""
    return COLUMN in line.text and any(cells(line.text).values())


def named_rows(statement: str, rows: Sequence[Source]) -> list[Source]:
    """The rows that have in every column of which a statement names cells one of these; none where it names none."""
    columns: dict[str, set[str]] = {}
    for row in rows:
        for column, cell in cells(row.text).items():
            if _names(statement, cell):
                columns.setdefault(column, set()).add(cell)
    return [row for row in rows if columns and all(cells(row.text).get(each) in of for each, of in columns.items())]


def adding_up(figure: str, statement: str, rows: Sequence[Source]) -> list[Source]:
    """The rows of which a column adds up to a figure of a statement: those that have one cell that it names, those that
    it names by all of them, all, or, to a large one, those of one cell whatever it is called in the statement; empty
    where none do."""
    wanted = {each for each in numbers(figure).values() if each}
    by: dict[tuple[str, str], list[Source]] = {}
    for row in rows:
        for each in cells(row.text).items():
            by.setdefault(each, []).append(row)
    alike = islice((group for group in by.values() if any(each >= _LARGE for each in wanted)), _TRIED)
    named = (group for (_, cell), group in by.items() if _names(statement, cell))
    groups = (*sorted([*named, named_rows(statement, rows)], key=len), rows, *alike)
    return next(([*group] for group in groups if len(group) > 1 and not wanted.isdisjoint(_sums(group))), [])


def shown(rows: Iterable[Source], table: Sequence[Source], passages: Sequence[Passage]) -> list[Source]:
    """Rows of a table in few pieces of it, those below each other as one; else, and where there are none, where it
    begins. table: its lines, in order."""
    return pieces(rows, passages) or begins(table, passages)


def pieces(rows: Iterable[Source], passages: Sequence[Passage]) -> list[Source]:
    """The same; none where they are too many or too long."""
    runs = list[list[Source]]()
    for row in sorted({row.at: row for row in rows}.values(), key=attrgetter("at")):
        if runs and (row.at, row.passage) == (runs[-1][-1].at + 1, runs[-1][-1].passage):
            runs[-1].append(row)
        else:
            runs.append([row])
    found = [_one(run, passages) for run in runs]
    short = all(len(run) == 1 or len(each.text) <= _MOST for run, each in zip(runs, found, strict=True))
    return found if short and len(found) <= _PIECES else []


def begins(table: Sequence[Source], passages: Sequence[Passage]) -> list[Source]:
    """What is quoted of a table as a whole: its lines up to its header and the first rows; `heading` tells that it is
    that."""
    first, kept = [each for each in table if each.passage == table[0].passage] if table else [], 0
    for line in first:
        kept += is_row(line)
        if kept > _SHOWN or (line is not first[0] and line.end - first[0].start > _MOST):
            first = first[: first.index(line)]
            break
    return [replace(_one(first, passages), heading=True)] if first else []


def _one(lines: Sequence[Source], passages: Sequence[Passage]) -> Source:
    """Lines that stand below each other as one."""
    first, last = lines[0], lines[-1]
    if first is last:
        return first
    passage = passages[first.passage]
    text = passage.text[first.start - passage.start : last.end - passage.start]
    terms = frozenset[str]().union(*(each.terms for each in lines))
    above = "\n".join(dict.fromkeys(each.above for each in lines))
    return replace(first, end=last.end, text=text, terms=terms, above=above)


def _names(statement: str, cell: str) -> bool:
    """Whether a statement has the words of a cell that is no figure, also `3월` or `EQ-102`."""
    there = len(cell) > 1 and cell.casefold() in statement.casefold() and not _FIGURE.fullmatch(cell)
    return there and bool(re.search(rf"(?<![\w.,-]){re.escape(cell)}(?![A-Za-z0-9])", statement, re.IGNORECASE))


def _sums(rows: Sequence[Source]) -> set[Decimal]:
    """What the columns of rows add up to, of which every row has a figure, as they stand and in full."""
    found = [cells(row.text) for row in rows]
    columns = [[row.get(column, "") for row in found] for column in found[0]]
    sums = {
        abs(sum((Decimal(cell.replace(",", "")) for cell in column), Decimal(0)))
        for column in columns
        if all(map(_FIGURE.fullmatch, column))
    }
    return {each * size for each in sums for size in (1, *sizes(rows[0].above))}
