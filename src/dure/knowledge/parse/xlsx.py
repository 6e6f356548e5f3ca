"""Workbooks (XLSX): one page a sheet, one line a row, formulas by their last computed value."""

import datetime
import io
import warnings
import zipfile
from typing import Any

from dure.knowledge.parse import archive, table
from dure.knowledge.parse.parsed import Page, Parsed
from dure.knowledge.parse.problems import Unreadable


def parse(data: bytes) -> Parsed:
    """Raises Unreadable for damaged, encrypted and oversized files."""
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    archive.check(data)
    try:
        with warnings.catch_warnings():
            # Warnings about styles and extensions that do not concern the values.
            warnings.simplefilter("ignore")
            workbook = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            try:
                return Parsed([_sheet(i + 1, sheet) for i, sheet in enumerate(workbook.worksheets)])
            finally:
                workbook.close()
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, TypeError, AttributeError) as error:
        raise Unreadable("broken") from error
    except SyntaxError as error:
        raise Unreadable("broken") from error


def _sheet(number: int, sheet: Any) -> Page:
    # The size that a file states can be wrong: read what is there.
    sheet.reset_dimensions()
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
