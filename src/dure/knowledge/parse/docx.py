"""Word documents (DOCX): paragraphs and tables in order; pages where Word or the author left page breaks.

Element names: ECMA-376 part 1, §17 (WordprocessingML).
"""

import io
from collections.abc import Iterator
from typing import Any

from dure.knowledge.parse import archive, table
from dure.knowledge.parse.parsed import Page, Parsed

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def parse(data: bytes) -> Parsed:
    import docx

    archive.check(data)
    body = docx.Document(io.BytesIO(data)).element.body
    # Word notes where its own pages ended; without those marks only breaks set by hand are known.
    rendered = next(body.iter(_W + "lastRenderedPageBreak"), None) is not None
    by_hand = any(br.get(_W + "type") == "page" for br in body.iter(_W + "br"))
    pages: list[list[str]] = [[]]
    for block in _blocks(body):
        if block.tag == _W + "tbl":
            pages[-1].append("\n".join(table.lines([_text(cell).text for cell in row] for row in _rows(block))))
            for _ in range(_text(block, rendered).breaks if rendered else 0):
                pages.append([])
            continue
        found = _text(block, rendered)
        if found.breaks and found.break_first:
            pages.append([])
        pages[-1].append(found.text)
        for _ in range(found.breaks - (1 if found.break_first else 0)):
            pages.append([])
    numbered = rendered or by_hand
    return Parsed([Page(i + 1 if numbered else None, "\n".join(blocks)) for i, blocks in enumerate(pages)], flows=True)


class _Found:
    def __init__(self) -> None:
        self.text = ""
        self.breaks = 0
        self.break_first = False


def _blocks(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables of a body, those inside content controls too."""
    for child in parent:
        if child.tag in (_W + "p", _W + "tbl"):
            yield child
        elif child.tag in (_W + "sdt", _W + "sdtContent", _W + "ins", _W + "customXml", _W + "smartTag"):
            yield from _blocks(child)


def _rows(tbl: Any) -> Iterator[list[Any]]:
    for row in tbl.iterchildren(_W + "tr"):
        yield list(row.iterchildren(_W + "tc"))


def _text(element: Any, rendered: bool = True) -> _Found:
    """Text of an element with its page breaks. Deleted text (`w:delText`) is left out by its name."""
    found = _Found()
    pieces: list[str] = []
    skip = 0
    from lxml import etree

    for event, node in etree.iterwalk(element, events=("start", "end")):
        if node.tag == _FALLBACK:
            # The same content once more, for old readers.
            skip += 1 if event == "start" else -1
        elif skip or event == "start":
            continue
        elif node.tag == _W + "t":
            pieces.append(node.text or "")
        elif node.tag == _W + "tab":
            pieces.append("\t")
        elif node.tag == _W + "p" and node is not element:
            pieces.append("\n")
        elif node.tag == _W + "lastRenderedPageBreak" or (node.tag == _W + "br" and node.get(_W + "type") == "page"):
            if rendered == (node.tag == _W + "lastRenderedPageBreak"):
                found.breaks += 1
                found.break_first = found.break_first or not "".join(pieces).strip()
        elif node.tag in (_W + "br", _W + "cr"):
            pieces.append("\n")
    found.text = "".join(pieces).strip()
    return found
