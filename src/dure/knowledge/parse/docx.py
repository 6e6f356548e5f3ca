"""Word documents (DOCX): paragraphs and tables in order; pages where Word or the author left page breaks.

Element names: ECMA-376 part 1, §17 (WordprocessingML).
"""

import io
from collections.abc import Iterator
from typing import Any

from dure.knowledge.parse import archive, table
from dure.knowledge.parse.parsed import Block, Page, Parsed

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def parse(data: bytes) -> Parsed:
    import docx

    archive.check(data)
    document = docx.Document(io.BytesIO(data))
    body, levels = document.element.body, _levels(document.styles.element)
    # Word notes where its own pages ended; without those marks only breaks set by hand are known.
    rendered = next(body.iter(_W + "lastRenderedPageBreak"), None) is not None
    by_hand = any(br.get(_W + "type") == "page" for br in body.iter(_W + "br"))
    pages: list[list[Block]] = [[]]
    for block in _blocks(body):
        if block.tag == _W + "tbl":
            pages[-1].append(Block("\n".join(table.lines(table.spanned(_rows(block))))))
            for _ in range(_text(block, rendered)[1] if rendered else 0):
                pages.append([])
            continue
        text, breaks, break_first = _text(block, rendered)
        if break_first:
            pages.append([])
        pages[-1].append(Block(text, _level(block, levels)))
        for _ in range(breaks - break_first):
            pages.append([])
    numbered = rendered or by_hand
    counted = enumerate(map(tuple, pages), 1)
    return Parsed([Page(number if numbered else None, its) for number, its in counted if its], flows=True)


def _levels(styles: Any) -> dict[str, int]:
    """Of each style of headings its level, by the style's id: by its outline, or by its name, which is English in every
    language of Word."""
    found = {}
    for style in styles.iter(_W + "style"):
        outline = style.find(f"{_W}pPr/{_W}outlineLvl")
        name = style.find(_W + "name").get(_W + "val", "").lower()
        if outline is not None and outline.get(_W + "val", "9") < "9":
            found[style.get(_W + "styleId")] = int(outline.get(_W + "val")) + 1
        elif name in ("title", *(f"heading {level}" for level in range(1, 10))):
            found[style.get(_W + "styleId")] = int(name[-1]) if name[-1].isdigit() else 1
    return found


def _level(paragraph: Any, levels: dict[str, int]) -> int:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    return 0 if style is None else levels.get(style.get(_W + "val"), 0)


def _blocks(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables of a body, those inside content controls too."""
    for child in parent:
        if child.tag in (_W + "p", _W + "tbl"):
            yield child
        elif child.tag in (_W + "sdt", _W + "sdtContent", _W + "ins", _W + "customXml", _W + "smartTag"):
            yield from _blocks(child)


def _rows(tbl: Any) -> list[list[table.Cell]]:
    """Cells with what they span: `gridSpan` columns, and the rows below whose cells only continue a merged one."""
    rows: list[dict[int, table.Cell]] = []
    begun: dict[int, int] = {}
    for number, row in enumerate(tbl.iterchildren(_W + "tr")):
        rows.append({})
        column = 0
        for cell in row.iterchildren(_W + "tc"):
            span = cell.find(f"{_W}tcPr/{_W}gridSpan")
            merge = cell.find(f"{_W}tcPr/{_W}vMerge")
            wide = 1 if span is None else min(int(span.get(_W + "val", "1")), table.MAX_COLUMNS)
            if merge is not None and merge.get(_W + "val") != "restart" and column in begun:
                above = rows[begun[column]][column]
                rows[begun[column]][column] = above._replace(rows=number - begun[column] + 1)
            else:
                begun[column] = number
                rows[-1][column] = table.Cell(_text(cell)[0], 1, wide)
            column += wide
    return [list(row.values()) for row in rows]


def _text(element: Any, rendered: bool = True) -> tuple[str, int, bool]:
    """Text of an element, how many page breaks it has, and whether one comes before its text. Deleted text
    (`w:delText`) is left out by its name."""
    pieces: list[str] = []
    skip, breaks, break_first = 0, 0, False
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
                breaks += 1
                break_first = break_first or not "".join(pieces).strip()
        elif node.tag in (_W + "br", _W + "cr"):
            pieces.append("\n")
    return "".join(pieces).strip(), breaks, break_first
