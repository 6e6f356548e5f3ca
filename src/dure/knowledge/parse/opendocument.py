"""Texts, presentations and workbooks of OpenDocument (ODT, ODP, ODS). Element names: OASIS OpenDocument 1.3, part 3."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from dure.knowledge.parse import archive, table
from dure.knowledge.parse.parsed import Block, Page, Parsed

_NAMES = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
_TEXT, _TABLE, _DRAW, _OFFICE, _SHOW = (
    f"{{{_NAMES.format(name)}}}" for name in ("text", "table", "drawing", "office", "presentation")
)
_LEFT_OUT = {_TEXT + "tracked-changes", _TEXT + "page-number", _OFFICE + "annotation", _OFFICE + "forms"}
_REPEATED = 50
"""Most times that one repeated cell is taken; beyond, cells fill a row to its end."""


def parse(data: bytes) -> Parsed:
    archive.check(data)
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        body = archive.xml(parts.read("content.xml"), huge=True).find(_OFFICE + "body")
    sheets = body.findall(f"{_OFFICE}spreadsheet/{_TABLE}table")
    pages = sheets or list(body.iter(_DRAW + "page"))
    if not pages:
        return Parsed([Page(None, tuple(_blocks(body)))])
    blocks = (_sheet(page) if sheets else _blocks(page) for page in pages)
    return Parsed([Page(number, tuple(its)) for number, its in enumerate(blocks, 1)])


def _sheet(found: Any) -> tuple[Block, Block]:
    """Its name above all that it shows."""
    return Block(f"[{found.get(_TABLE + 'name')}]", 1), _table(found, 1)


def _table(found: Any, under: int = 0) -> Block:
    return Block("\n".join(table.lines(table.spanned(_rows(found)))), under=under)


def _blocks(parent: Any) -> Iterator[Block]:
    for child in parent:
        if child.tag in _LEFT_OUT or not isinstance(child.tag, str):
            continue
        if child.tag == _TEXT + "h":
            yield Block(_words(child), int(child.get(_TEXT + "outline-level", "1")))
        elif child.tag == _TEXT + "p" and child.find(f".//{_DRAW}text-box") is None:
            yield Block(_words(child))
        elif child.tag == _TABLE + "table":
            yield _table(child)
        elif child.get(_SHOW + "class") == "title":
            yield Block("\n".join(block.text for block in _blocks(child)), 1)
        else:
            yield from _blocks(child)


def _rows(found: Any) -> Iterator[list[table.Cell]]:
    for row in found.iter(_TABLE + "table-row"):
        cells = []
        for cell in row.iterchildren(_TABLE + "table-cell"):
            spans = (int(cell.get(f"{_TABLE}number-{name}-spanned", "1")) for name in ("rows", "columns"))
            text = "\n".join(block.text for block in _blocks(cell))
            times = min(int(cell.get(_TABLE + "number-columns-repeated", "1")), _REPEATED)
            cells += [table.Cell(text, *spans)] * times
        yield cells


def _words(element: Any) -> str:
    """The text of a paragraph, with its blanks and line ends, which are elements."""
    pieces = [element.text or ""]
    for child in element:
        if child.tag == _TEXT + "s":
            pieces.append(" " * min(int(child.get(_TEXT + "c", "1")), 100))
        elif child.tag in (_TEXT + "tab", _TEXT + "line-break"):
            pieces.append("\t" if child.tag == _TEXT + "tab" else "\n")
        elif child.tag not in _LEFT_OUT:
            pieces.append(_words(child))
        pieces.append(child.tail or "")
    return "".join(pieces)
