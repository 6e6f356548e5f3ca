"""The rows of a query as a file to go on with: a workbook, or CSV."""

from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from pathlib import PurePath
from typing import Any

from dure.data.limits import Limits
from dure.data.rows import Rows, sent
from dure.errors import ToolInputError
from dure.packs.tables import TEXTS
from dure.runs.artifacts import safe_name
from dure.tooling import File
from dure.workbook import CSV_TYPE, XLSX_TYPE, to_csv, to_xlsx

LIMITS = Limits(rows=50_000, seconds=30.0, size=40_000_000, cell=32_000)
"""What a file holds at most: a cell of Excel has 32,767 characters."""
_DATES = {"DATE": date, "TIMESTAMP": datetime}


def name_of(wanted: str) -> str:
    """The file's name made safe, a workbook's where it has no ending. Raises ToolInputError for another ending."""
    name = safe_name(wanted)
    ending = PurePath(name).suffix.lower()
    if ending not in ("", ".xlsx", ".csv"):
        raise ToolInputError(**TEXTS.one("tables.text.ending").filled(name=name))
    return name if ending else f"{name}.xlsx"


def file_of(found: Rows, name: str) -> File:
    """The rows with their columns' names above, as a file of that name. Takes some seconds where they are many."""
    if PurePath(name).suffix.lower() == ".csv":
        return File(name, to_csv((found.columns, *found.texts)), CSV_TYPE)
    made = [_DATES.get(each) for each in found.types]
    return File(name, to_xlsx(found.columns, [list(map(_dated, row, made)) for row in found.rows]), XLSX_TYPE)


def first_of(found: Rows, count: int, longest: int) -> Rows:
    """The first rows, as a model reads them: text cut to `longest` characters."""
    rows = [[sent(each, longest) if isinstance(each, str) else each for each in row] for row in found.rows[:count]]
    return replace(found, rows=rows)


def _dated(value: Any, made: type[date] | None) -> Any:
    """A value, as the day or time that its column holds."""
    if made and isinstance(value, str):
        with suppress(ValueError):  # which is none of the calendar
            return made.fromisoformat(value)
    return value
