"""CSV, workbooks and Parquet files as rows of text cells."""

from collections.abc import Iterator
from dataclasses import dataclass

from dure.data.merged import merged
from dure.knowledge.parse import csv, parquet
from dure.knowledge.parse import sheets as workbooks

Row = list[str]

MAX_COLUMNS = 200
"""Columns of a table. Rows have one more where the file has more, so that it can be told."""
WORKBOOKS = ("xlsx", "xls", "ods")


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
            told = merged(data) if kind == "ods" else []
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
