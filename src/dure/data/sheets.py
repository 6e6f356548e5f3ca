"""CSV, workbooks and Parquet files as rows of text cells."""

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dure.knowledge.parse import archive, csv, parquet
from dure.knowledge.parse import sheets as workbooks

Row = list[str]

MAX_COLUMNS = 200
"""Columns of a table. Rows have one more where the file has more, so that it can be told."""
WORKBOOKS = ("xlsx", "xls", "ods")
_TABLE, _OFFICE = (f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}" for name in ("table", "office"))
Range = tuple[tuple[int, int], tuple[int, int]]
"""The first and the last of merged cells, each by row and column from 0."""


@dataclass(slots=True)
class Sheet:
    """`name`: the sheet's; "" in a file that has only one table. `rows`: once through, cells trimmed.

    `columns`: (name, SQL type) where the file itself states them; its rows hold no header then.
    """

    name: str
    rows: Iterator[Row]
    columns: list[tuple[str, str]] | None = None


def sheets(data: bytes, kind: str) -> Iterator[Sheet]:
    """The tables of a file of kind `csv`, `parquet` or one of `WORKBOOKS`; use each before the next.

    Raises Unreadable, and whatever a damaged file makes a library raise, also while rows are read.
    """
    if kind in WORKBOOKS:
        with workbooks.opened(data) as workbook:
            told = _merged(data) if kind == "ods" else []
            for number, name in enumerate(workbook.sheet_names):
                sheet = workbook.get_sheet_by_index(number)
                ranges = told[number] if number < len(told) else sheet.merged_cell_ranges
                rows = workbooks.rows_of(sheet.iter_rows(), ranges, MAX_COLUMNS + 1)
                shown = name if len(workbook.sheet_names) > 1 else ""
                yield Sheet(shown, rows)
    elif kind == "parquet":
        with parquet.opened(data) as (columns, found):
            rows = ([workbooks.plain(cell or "") for cell in row[: MAX_COLUMNS + 1]] for row in found)
            yield Sheet("", rows, columns[: MAX_COLUMNS + 1])
    else:
        yield Sheet("", ([workbooks.plain(cell) for cell in row[: MAX_COLUMNS + 1]] for row in csv.rows(data)))


def _merged(data: bytes) -> list[list[Range]]:
    """The merged cells of each sheet of an ODS file that was found safe to open: calamine does not tell them. Element
    names: OASIS OpenDocument 1.3, part 3."""
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        root = archive.xml(parts.read("content.xml"), huge=True)
    tables = root.findall(f"{_OFFICE}body/{_OFFICE}spreadsheet/{_TABLE}table")
    return [list(_ranges(each)) for each in tables]


def _ranges(table: Any) -> Iterator[Range]:
    row = 0
    for each in table.iter(_TABLE + "table-row"):
        column = 0
        for cell in each.iterchildren(_TABLE + "table-cell", _TABLE + "covered-table-cell"):
            rows, columns = (int(cell.get(f"{_TABLE}number-{name}-spanned", "1")) for name in ("rows", "columns"))
            if rows > 1 or columns > 1:
                yield (row, column), (row + rows - 1, column + columns - 1)
            column += int(cell.get(_TABLE + "number-columns-repeated", "1"))
        row += int(each.get(_TABLE + "number-rows-repeated", "1"))
