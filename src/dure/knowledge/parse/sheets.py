"""Workbooks (XLSX, XLSB, XLS) by calamine: one page a sheet, one line a row, formulas by their last value."""

import datetime
import io
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice, zip_longest
from typing import Any

from dure.knowledge.parse import archive, table
from dure.knowledge.parse.parsed import Block, Page, Parsed
from dure.knowledge.parse.problems import Unreadable

_ZIP = b"PK\x03\x04"
Place = tuple[int, int]
"""Row and column of a cell, from 0."""


def parse(data: bytes) -> Parsed:
    pages = []
    with opened(data) as workbook:
        for number, name in enumerate(workbook.sheet_names):
            sheet = workbook.get_sheet_by_index(number)
            rows = ([as_text(cell) for cell in row] for row in rows_of(sheet, table.MAX_COLUMNS))
            ranges = sheet.merged_cell_ranges or ()
            merged = {first: last for first, last in ranges if first[1] <= last[1] < table.MAX_COLUMNS}
            lines = "\n".join(table.lines(_headed(rows, merged)))
            pages.append(Page(number + 1, (Block(f"[{name}]", 1), Block(lines))))
    return Parsed(pages)


@contextmanager
def opened(data: bytes) -> Iterator[Any]:
    """A workbook of calamine. Raises Unreadable for what is unsafe or encrypted."""
    import python_calamine

    if data.startswith(_ZIP):
        archive.check(data)
    try:
        with closing(python_calamine.load_workbook(io.BytesIO(data))) as workbook:
            yield workbook
    except python_calamine.PasswordError as error:
        raise Unreadable("encrypted") from error


def rows_of(sheet: Any, most: int) -> Iterator[list[Any]]:
    """The rows from the sheet's first, `most` columns of each, with the label of merged rows in each of them. Numbers
    stay where they are: they count once."""
    merged: dict[int, list[tuple[int, int]]] = {}
    for (first, column), (last, _) in sheet.merged_cell_ranges or ():
        if first != last:
            merged.setdefault(first, []).append((column, last))
    held: dict[int, tuple[Any, int]] = {}
    for number, row in enumerate(sheet.iter_rows()):
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


def _headed(rows: Iterator[list[str]], merged: dict[Place, Place]) -> Iterator[list[str]]:
    """The rows, where the first of several texts has names over several columns with the rows below it as one."""
    for number, row in enumerate(rows):
        over = {column: last for (first, column), (last, _) in merged.items() if first == number}
        wide = {column: last for (first, column), (_, last) in merged.items() if first == number and last > column}
        if sum(map(bool, row)) > 1 and wide:
            for column, last in wide.items():
                row[column : last + 1] = [row[column]] * (last + 1 - column)
            head = [row, *islice(rows, max(over.values()) - number)]
            yield [" ".join(dict.fromkeys(filter(None, names))) for names in zip_longest(*head, fillvalue="")]
        else:
            yield row
        if sum(map(bool, row)) > 1:
            break
    yield from rows


def as_text(value: Any) -> str:
    """A cell as people read it."""
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(sep=" ")
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float) else str(value).strip()
