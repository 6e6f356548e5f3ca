"""How numbers of XLSX workbooks are shown to people: `1,200원`, `12.5%`. calamine tells values alone.

Number formats: ECMA-376 part 1, §18.8.30 and §18.8.31.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from functools import lru_cache
from itertools import chain
from typing import Any

from dure.knowledge.parse import archive

_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_COMMON = {1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%"}
_COMMON |= dict.fromkeys((37, 38, 41), "#,##0") | dict.fromkeys((39, 40, 43), "#,##0.00")
"""Codes that no workbook states, by their numbers; those of currencies depend on the reader's country."""
_PART = re.compile(r'"([^"]*)"|\\(.)|[_*].|\[\$([^\]-]*)[^\]]*\]|\[[^\]<>=]*\]|([#0?][#0?,.]*)|(.)', re.DOTALL)
"""A literal text, one literal character, a blank as wide as one, a currency, a colour, the digits, anything else."""
_DIGITS = re.compile(r"(?P<whole>[#0?,]*?)(?P<thousands>,*)(?:\.(?P<part>[#0?]*)(?P<more>,*))?")
_DATED = re.compile(r"[A-Za-z0-9/:@]")
"""Of anything else, what makes it no number: letters of dates and powers, fractions, times, text."""
_LONGEST = 255
"""Characters of a code."""
_EXACT = Context(prec=2 * _LONGEST + 310, rounding=ROUND_HALF_UP)
_BROKEN = (zipfile.BadZipFile, zlib.error, KeyError, ValueError, IndexError, SyntaxError, NotImplementedError)
"""What a damaged part raises, without which numbers are as they are."""


class Shown(float):
    """A number, and how it is shown."""

    text: str


class Formats:
    """How the numbers of a workbook's sheets are shown: as they are, where nothing that is understood tells of it."""

    def __init__(self, data: bytes) -> None:
        self._codes: list[str] = []
        self._parts: dict[str, str] = {}
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            self._codes = self._styles()
            self._parts = self._sheets() if any(self._codes) else {}
        except _BROKEN:
            self._parts = {}

    def rows(self, sheet: Any) -> Iterator[list[Any]]:
        """The rows of a sheet of calamine, from its first, with numbers as `Shown`."""
        part = self._parts.get(sheet.name, "")
        styles = chain(self._formatted(part) if part else (), [(-1, {})])
        at, codes = next(styles)
        # Columns begin with the first that has something.
        _, left = sheet.start or (0, 0)
        for number, row in enumerate(sheet.iter_rows()):
            while 0 <= at < number:
                at, codes = next(styles)
            if at == number:
                for column, code in codes.items():
                    if left <= column < left + len(row) and type(row[column - left]) in (int, float):
                        row[column - left] = as_shown(row[column - left], code)
            yield row

    def _read(self, part: str) -> Any:
        return archive.xml(self._archive.read(part), huge=True)

    def _styles(self) -> list[str]:
        """The code of each style of cells; empty for one that shows numbers as they are."""
        root = self._read("xl/styles.xml")
        own = {int(each.get("numFmtId")): each.get("formatCode", "") for each in root.iter(_S + "numFmt")}
        numbers = [int(each.get("numFmtId", "0")) for each in root.iterfind(f"{_S}cellXfs/{_S}xf")]
        codes = [own.get(number, _COMMON.get(number, "")) for number in numbers]
        return [code if parts_of(code) else "" for code in codes]

    def _sheets(self) -> dict[str, str]:
        """The parts of the sheets, by their names."""
        related = {each.get("Id"): each.get("Target", "") for each in self._read("xl/_rels/workbook.xml.rels")}
        sheets = self._read("xl/workbook.xml").iter(_S + "sheet")
        places = {each.get("name"): related[each.get(_ID)] for each in sheets}
        return {name: at[1:] if at.startswith("/") else f"xl/{at}" for name, at in places.items()}

    def _formatted(self, part: str) -> Iterator[tuple[int, dict[int, str]]]:
        """The rows that have numbers with a format, by their places, with the code of each by its column."""
        from lxml import etree
        from xlsxwriter.utility import xl_cell_to_rowcol

        try:
            number = -1
            with self._archive.open(part) as file:
                for _, row in etree.iterparse(file, tag=_S + "row", resolve_entities=False, huge_tree=True):
                    number, column, codes = int(row.get("r", number + 2)) - 1, -1, {}
                    for cell in row.iterchildren(_S + "c"):
                        column = xl_cell_to_rowcol(cell.get("r"))[1] if cell.get("r") else column + 1
                        if cell.get("t", "n") == "n" and (code := self._codes[int(cell.get("s", "0"))]):
                            codes[column] = code
                    row.clear()
                    while row.getprevious() is not None:
                        del row.getparent()[0]
                    if codes:
                        yield number, codes
        except _BROKEN:
            return


@lru_cache(1000)
def parts_of(code: str) -> tuple[str, re.Match[str], str, str] | None:
    """Of a format what stands before the digits, they themselves, what stands behind, and a minus; None for one that
    shows numbers as they are, and for one that is more than digits and texts: dates, fractions, conditions."""
    if len(code) > _LONGEST:
        return None
    first, *others = re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', code)
    texts, digits = [""], None
    for quoted, escaped, currency, figures, other in _PART.findall(first):
        if figures and digits is None:
            digits = _DIGITS.fullmatch(figures)
            texts.append("")
        elif figures or _DATED.match(other):
            return None
        else:
            texts[-1] += quoted or escaped or currency or other
    if digits is None:
        return None
    minus = next((sign for sign in "△▲" if others and sign in others[0]), "-")
    before, behind = (text.strip("()-+") for text in texts)
    return before.lstrip(), digits, behind.rstrip(), minus


def as_shown(value: float, code: str) -> Shown:
    """A number as a format shows it. What is below zero has a minus: brackets and colours say it to the eye alone."""
    shown, parts = Shown(value), parts_of(code)
    assert parts is not None
    before, digits, behind, minus = parts
    # Of more digits than these a workbook knows nothing.
    exact = Decimal(f"{value:.15g}") * 100 ** (before + behind).count("%")
    exact /= 1000 ** len(digits["thousands"] + (digits["more"] or ""))
    part, width, comma = digits["part"] or "", digits["whole"].count("0"), "," in digits["whole"]
    form = f",.{len(part)}f" if comma else f"0{width + len(part) + bool(part)}.{len(part)}f"
    with localcontext(_EXACT):
        figure = format(abs(exact), form)
    for _ in range(len(part) - part.count("0")):
        figure = figure.removesuffix("0")
    below = exact < 0 and figure.strip("0.,")
    shown.text = f"{minus if below else ''}{before}{figure.removesuffix('.')}{behind}"
    return shown
