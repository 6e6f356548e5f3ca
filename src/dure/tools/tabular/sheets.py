"""CSV, XLSX and Parquet files as rows of text cells."""

import csv
import datetime
import io
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dure.knowledge.parse import archive, parquet
from dure.knowledge.parse.csv import delimiter
from dure.knowledge.parse.encoding import decode

Row = list[str]

MAX_COLUMNS = 200
"""Columns of a table. Rows have one more where the file has more, so that it can be told."""
_MAX_CELL = 1_000_000


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
        yield from _workbook(data)
    elif kind == "parquet":
        with parquet.opened(data) as found:
            rows = ([cell or "" for cell in row[: MAX_COLUMNS + 1]] for row in found.rows)
            yield Sheet("", rows, found.columns[: MAX_COLUMNS + 1])
    else:
        yield Sheet("", _text(data))


def _text(data: bytes) -> Iterator[Row]:
    text = decode(data).replace("\0", "")
    csv.field_size_limit(_MAX_CELL)
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(text)):
        yield [cell.strip() for cell in row[: MAX_COLUMNS + 1]]


def _workbook(data: bytes) -> Iterator[Sheet]:
    import openpyxl

    archive.check(data)
    with warnings.catch_warnings():
        # Warnings about styles and extensions, which do not concern the values.
        warnings.simplefilter("ignore")
        workbook = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        try:
            several = len(workbook.worksheets) > 1
            for sheet in workbook.worksheets:
                # The size that a file states can be wrong: read what is there.
                sheet.reset_dimensions()
                rows = sheet.iter_rows(values_only=True, max_col=MAX_COLUMNS + 1)
                yield Sheet(sheet.title if several else "", ([_cell(value) for value in row] for row in rows))
        finally:
            workbook.close()


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
