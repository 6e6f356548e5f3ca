"""Workbooks (XLSX, XLSB, XLS) by calamine: one page a sheet, one line a row, formulas by their last value."""

import datetime
import io
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain, islice, zip_longest
from typing import Any

from dure.knowledge.parse import archive, table
from dure.knowledge.parse.formats import Formats, Shown
from dure.knowledge.parse.parsed import Block, Page, Parsed
from dure.knowledge.parse.problems import Unreadable

Ranges = Sequence[tuple[tuple[int, int], tuple[int, int]]]
"""Of merged cells: row and column of the first and of the last."""
_DEEPEST = 3
"""Rows of a header below its first."""


def parse(data: bytes) -> Parsed:
    """Numbers as they are shown in the sheet; what counts them reads them as they are."""
    pages = []
    with opened(data) as workbook:
        formats = Formats(data)
        for number, name in enumerate(workbook.sheet_names):
            found = workbook.get_sheet_by_index(number)
            rows = rows_of(formats.rows(found), found.merged_cell_ranges, table.MAX_COLUMNS)
            lines = "\n".join(table.lines(rows))
            pages.append(Page(number + 1, (Block(f"[{name}]", 1), Block(lines, under=1))))
    return Parsed(pages)


@contextmanager
def opened(data: bytes) -> Iterator[Any]:
    """A workbook of calamine. Raises Unreadable for what is unsafe or encrypted."""
    import python_calamine

    if data.startswith(archive.ZIP):
        archive.check(data)
    try:
        with closing(python_calamine.load_workbook(io.BytesIO(data))) as workbook:
            yield workbook
    except python_calamine.PasswordError as error:
        raise Unreadable("encrypted") from error


def rows_of(found: Iterable[list[Any]], ranges: Ranges | None, most: int) -> Iterator[list[str]]:
    """The rows from a sheet's first as people read them, `most` columns of each. The label of merged rows stands in
    each of them; numbers stay where they are: they count once. A header of several rows is one: under `국내` stand
    `국내 건수` and `국내 금액`."""
    merged = {first: last for first, last in ranges or () if last[1] < most}
    rows = ([as_text(cell) for cell in row] for row in _labelled(found, ranges, most))
    for number, row in enumerate(rows):
        if sum(map(bool, row)) < 2:
            yield row  # a title
            continue
        over = {column: last for (first, column), last in merged.items() if first == number}
        wide = [
            range(column, last + 1)
            for column, (_, last) in over.items()
            if last > column and any(row[column : column + 1])
        ]
        deep = max((last for last, _ in over.values()), default=number) - number
        below = list(islice(rows, max(deep, 1))) if wide and deep <= _DEEPEST else []
        # Where no name is merged downward, the row below has names under those that are wide, and nowhere else.
        if (deep and below) or [{n for n, cell in enumerate(each) if cell} for each in below] == [set(chain(*wide))]:
            for each in wide:
                row[each.start : each.stop] = [row[each.start]] * len(each)
            yield [" ".join(dict.fromkeys(filter(None, names))) for names in zip_longest(row, *below, fillvalue="")]
        else:
            yield from (row, *below)
        break
    yield from rows


def _labelled(found: Iterable[list[Any]], ranges: Ranges | None, most: int) -> Iterator[list[Any]]:
    """The rows, with the text or date of cells that are merged downward in each of them."""
    merged: dict[int, list[tuple[int, int]]] = {}
    for (first, column), (last, _) in ranges or ():
        if first != last:
            merged.setdefault(first, []).append((column, last))
    held: dict[int, tuple[Any, int]] = {}
    for number, row in enumerate(found):
        cells = row[:most]
        # A row without anything of its own is a title or a note.
        if held and any(cell != "" for cell in cells):
            for column, (value, last) in held.items():
                if number <= last and column < len(cells) and cells[column] == "":
                    cells[column] = value
        for column, last in merged.get(number, ()):
            if column < len(cells) and isinstance(cells[column], str | datetime.date):
                held[column] = cells[column], last
        yield cells


def as_text(value: Any) -> str:
    """A cell as people read it."""
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(sep=" ")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Shown):
        return value.text
    return f"{value:.15g}" if isinstance(value, float) else plain(str(value))


def plain(cell: str) -> str:
    """A cell's text trimmed, as people type it: Hangul in whole syllables, which Macs store in letters (NFC, Unicode
    Standard Annex 15), and plain blanks."""
    return unicodedata.normalize("NFC", cell).replace("\xa0", " ").strip()
