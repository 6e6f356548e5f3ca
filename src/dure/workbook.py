"""Tables as workbooks of Excel (Office Open XML), by XlsxWriter."""

import io
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_EXACT = 10**15
"""From here on Excel knows no number to the last digit."""
_FIRST = 1900
"""The first year of its calendar."""
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
        for at, row in enumerate(rows, 1):
            for place, value in enumerate(row):
                sheet.write(at, place, _value(value), forms.get(type(value)))
        sheet.autofit()
    return out.getvalue()


def _value(value: Any) -> Any:
    late = isinstance(value, date) and value.year < _FIRST
    long = isinstance(value, int | Decimal) and not -_EXACT < value < _EXACT
    return str(value) if late or long else value
