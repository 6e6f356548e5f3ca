"""Finds a table's header, and names for tables and columns that SQL takes without quotes."""

import itertools
import re
import unicodedata
from collections.abc import Collection, Iterator

from dure.data.sheets import Row

_SAMPLE = 200
_TITLE_ROWS = 20
_NUMBER = re.compile(r"[+-]?[₩￦$]?[\d,.]+([eE][+-]?\d+)?[%원]?|\d{4}[-./]\d{1,2}[-./]\d{1,2}.*")
_YEAR = re.compile(r"(19|20)\d\d(년|\.(0[1-9]|1[0-2]))?")
"""Also a month: `2024.01`."""
_FOREIGN = re.compile(r"[^\w]+")
_LONGEST = 60


def split_header(rows: Iterator[Row]) -> tuple[Row, int, Iterator[Row]]:
    """The header's cells, the table's width in columns, and the rows below it without empty ones.

    Titles above the header are left out. The header is empty where the first full row is data already: it holds
    numbers that are no years or months.
    """
    filled = (row for row in rows if any(row))
    sample = list(itertools.islice(filled, _SAMPLE))
    if not sample:
        return [], 0, iter(())
    width = max(i for row in sample for i, cell in enumerate(row, 1) if cell)
    full = max(sum(map(bool, row)) for row in sample[:_TITLE_ROWS])
    at = next(i for i, row in enumerate(sample[:_TITLE_ROWS]) if sum(map(bool, row)) >= 0.6 * full)
    first = sample[at]
    has_header = not any(cell and _NUMBER.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in first)
    body = sample[at + 1 :] if has_header else sample[at:]
    return first if has_header else [], width, itertools.chain(body, filled)


def column_names(header: Row, width: int, keywords: Collection[str]) -> list[str]:
    """`width` different names after the header's cells; `col3` where a cell is empty."""
    used: set[str] = set()
    cells = [*header[:width], *[""] * (width - len(header))]
    return [unique(cell or f"col{number}", used, keywords) for number, cell in enumerate(cells, 1)]


def unique(wanted: str, used: set[str], keywords: Collection[str]) -> str:
    """A name like `wanted` for SQL: letters of any language, digits and `_`; adds it to `used` (in lower case)."""
    # File names from macOS come decomposed.
    plain = _FOREIGN.sub("_", unicodedata.normalize("NFC", wanted)).strip("_")[:_LONGEST] or "t"
    if plain[0].isdigit():
        plain = f"_{plain}"
    if plain.casefold() in keywords:
        plain += "_"
    name, number = plain, 2
    while name.casefold() in used:
        name, number = f"{plain}_{number}", number + 1
    used.add(name.casefold())
    return name
