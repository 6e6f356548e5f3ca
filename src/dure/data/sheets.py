"""CSV, XLSX and Parquet files as rows of text cells."""

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dure.knowledge.parse import csv, parquet, xlsx

Row = list[str]

MAX_COLUMNS = 200
"""Columns of a table. Rows have one more where the file has more, so that it can be told."""
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^<>]*?ref="([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})"')
_BLOCK = 1 << 20


@dataclass(slots=True)
class Sheet:
    """`name`: the sheet's; "" in a file that has only one table. `rows`: once through, cells trimmed.

    `columns`: (name, SQL type) where the file itself states them; its rows hold no header then.
    """

    name: str
    rows: Iterator[Row]
    columns: list[tuple[str, str]] | None = None


def sheets(data: bytes, kind: str) -> Iterator[Sheet]:
    """The tables of a file of kind `csv`, `xlsx` or `parquet`; use each before the next.

    Raises Unreadable, and whatever a damaged file makes a library raise, also while rows are read.
    """
    if kind == "xlsx":
        with xlsx.opened(data) as worksheets:
            for sheet in worksheets:
                spread = _spread(sheet.iter_rows(values_only=True, max_col=MAX_COLUMNS + 1), _merged(sheet))
                name = sheet.title if len(worksheets) > 1 else ""
                yield Sheet(name, ([_cell(value) for value in row] for row in spread))
    elif kind == "parquet":
        with parquet.opened(data) as found:
            rows = ([cell or "" for cell in row[: MAX_COLUMNS + 1]] for row in found.rows)
            yield Sheet("", rows, found.columns[: MAX_COLUMNS + 1])
    else:
        yield Sheet("", ([cell.strip() for cell in row[: MAX_COLUMNS + 1]] for row in csv.rows(data)))


def _merged(sheet: Any) -> dict[int, list[tuple[int, int]]]:
    """Blocks of merged cells of several rows: first row → (first column, from 0, and last row)."""
    from openpyxl.utils import column_index_from_string

    found: dict[int, list[tuple[int, int]]] = {}
    # openpyxl leaves them out where it reads row by row. They stand behind all rows.
    with sheet._get_source() as stream:
        held = b""
        while block := stream.read(_BLOCK):
            held = held[-100:] + block
            for column, first, last in _MERGED.findall(held):
                if first != last:
                    place = column_index_from_string(column.decode()) - 1, int(last)
                    found.setdefault(int(first), []).append(place)
    return found


def _spread(rows: Iterator[Any], merged: dict[int, list[tuple[int, int]]]) -> Iterator[list[Any]]:
    """The rows, with a merged block's label in each row it spans. Numbers stay where they are: they count once."""
    held: dict[int, tuple[Any, int]] = {}
    for number, row in enumerate(rows, 1):
        cells = list(row)
        # A row without anything of its own is a title or a note.
        if held and any(cell is not None for cell in cells):
            for column, (value, last) in held.items():
                if number <= last and cells[column] is None:
                    cells[column] = value
        for column, last in merged.get(number, ()):
            if column < len(cells) and isinstance(cells[column], str | datetime.date):
                held[column] = cells[column], last
        yield cells


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(sep=" ")
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value).strip()
