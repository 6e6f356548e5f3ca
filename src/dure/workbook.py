"""Tables as files for spreadsheets: workbooks of Excel (Office Open XML), by XlsxWriter, and CSV."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV_TYPE = "text/csv; charset=utf-8"
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What makes spreadsheets run a cell's text (https://owasp.org/www-community/attacks/CSV_Injection)."""
_NUMBER = re.compile(r"[+-]?[\d.,]+%?")
_EXACT = 10**15
"""From here on Excel knows no number to the last digit."""
_FIRST = 1900
"""The first year of its calendar."""
_WIDEST = 60
"""Of a column, in letters."""
_FORMS = {date: "yyyy-mm-dd", datetime: "yyyy-mm-dd hh:mm:ss"}


def to_xlsx(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """The file: one sheet, `head` in bold and always in sight. Numbers, days and times are what they are, as far as
    Excel has them, and text is text, whatever it begins with."""
    from xlsxwriter import Workbook

    out = io.BytesIO()
    as_text = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with Workbook(out, {"in_memory": True, **as_text}) as book:
        sheet = book.add_worksheet()
        sheet.freeze_panes(1, 0)
        sheet.write_row(0, 0, head, book.add_format({"bold": True}))
        forms = {kind: book.add_format({"num_format": form}) for kind, form in _FORMS.items()}
        widths = list(map(_width, head))
        for at, row in enumerate(rows, 1):
            for place, value in enumerate(row):
                sheet.write(at, place, _value(value), forms.get(type(value)))
                widths[place] = max(widths[place], _width(value))
        for place, most in enumerate(widths):
            sheet.set_column(place, place, min(most + 2, _WIDEST))
    return out.getvalue()


def _width(value: Any) -> int:
    """Of a cell, in letters; those of Hangul take two."""
    text = "" if value is None else str(value)[:_WIDEST]
    return len(text) + sum(each > "\u10ff" for each in text)


def _value(value: Any) -> Any:
    late = isinstance(value, date) and value.year < _FIRST
    long = isinstance(value, int | Decimal) and not -_EXACT < value < _EXACT
    return str(value) if late or long else value


def to_csv(rows: Iterable[Sequence[str]]) -> bytes:
    """The rows, their head first, with a byte order mark, by which spreadsheets know UTF-8."""
    out = io.StringIO()
    csv.writer(out).writerows([[safe(cell) for cell in row] for row in rows])
    return out.getvalue().encode("utf-8-sig", "replace")


def safe(cell: str | float | None) -> str | float | None:
    """The cell so that a spreadsheet shows it instead of running it: text that would be a formula gets a `'`.
    What has no letter or digit, as a dash for what is missing, computes nothing."""
    if not isinstance(cell, str) or _NUMBER.fullmatch(cell):
        return cell
    cell = cell.replace("\x00", "�")
    runs = cell.lstrip(" ").startswith(_FORMULA) and any(map(str.isalnum, cell))
    return f"'{cell}" if runs else cell
