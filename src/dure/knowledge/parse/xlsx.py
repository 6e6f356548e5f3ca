"""Workbooks (XLSX): one page a sheet, one line a row, formulas by their last computed value."""

import datetime
import io
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from dure.knowledge.parse import archive, table
from dure.knowledge.parse.parsed import Page, Parsed


def parse(data: bytes) -> Parsed:
    with opened(data) as sheets:
        return Parsed([_page(number, sheet) for number, sheet in enumerate(sheets, 1)])


@contextmanager
def opened(data: bytes) -> Iterator[list[Any]]:
    """A workbook's sheets, to be read row by row. Raises Unreadable for what is unsafe or encrypted."""
    import openpyxl

    archive.check(data)
    with warnings.catch_warnings():
        # Warnings about styles and extensions, which do not concern the values.
        warnings.simplefilter("ignore")
        with closing(openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)) as workbook:
            for sheet in workbook.worksheets:
                # The size that a file states can be wrong: read what is there.
                sheet.reset_dimensions()
            yield workbook.worksheets


def _page(number: int, sheet: Any) -> Page:
    rows = ([_value(cell) for cell in row] for row in sheet.iter_rows(values_only=True, max_col=table.MAX_COLUMNS))
    return Page(number, "\n".join([f"[{sheet.title}]", *table.lines(rows)]))


def _value(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, float):
        return f"{value:.10g}" if abs(value) < 1e15 else str(value)
    return str(value)
