"""Merged cells of ODS sheets, which calamine does not tell. Element names: OASIS OpenDocument 1.3, part 3."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any

_TABLE, _OFFICE = (f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}" for name in ("table", "office"))
Range = tuple[tuple[int, int], tuple[int, int]]
"""The first and the last of the cells, each by row and column from 0."""


def merged(data: bytes) -> list[list[Range]]:
    """The merged cells of each sheet. `data`: a workbook that was found safe to open."""
    from lxml import etree

    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
        root = etree.fromstring(parts.read("content.xml"), parser)
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
