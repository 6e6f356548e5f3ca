"""Word documents (DOCX): paragraphs and tables in order; pages where Word or the author left page breaks.

Element names: ECMA-376 part 1, §17 (WordprocessingML).
"""

import io
import re
from collections.abc import Iterator
from typing import Any

from dure.knowledge.parse import archive, table
from dure.knowledge.parse.parsed import Block, Page, Parsed

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BOX = "{http://schemas.microsoft.com/office/word/2010/wordml}checkbox"
_AROUND = tuple(_W + name for name in ("sdt", "sdtContent", "ins", "customXml", "smartTag"))
"""What may stand around paragraphs, tables, rows and cells, such as content controls."""
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"

_NOTES = {"footnotes": _W + "footnoteReference", "endnotes": _W + "endnoteReference"}
"""Marks of notes, by the part that these stand in."""
_NUMBERED = ("ilvl", "numId")
_NAMED = re.compile("title|heading ([1-9])")

_SPACES = {_W + "tab": "\t", _W + "p": "\n", _W + "br": "\n", _W + "cr": "\n"}


def parse(data: bytes) -> Parsed:
    import docx

    archive.check(data)
    document = docx.Document(io.BytesIO(data))
    body, notes = document.element.body, _notes(document.part)
    levels, lists = _styles(document.styles.element)
    # Word notes where its own pages ended; without those marks only breaks set by hand are known.
    rendered = next(body.iter(_W + "lastRenderedPageBreak"), None) is not None
    by_hand = any(br.get(_W + "type") == "page" for br in body.iter(_W + "br"))
    pages: list[list[Block]] = [[]]
    for block in _inside(body, _W + "p", _W + "tbl"):
        text = _text(block, rendered).strip(" \t\n")
        breaks = text.count("\f")
        if block.tag == _W + "tbl":
            pages[-1].append(Block("\n".join(table.lines(table.spanned(_rows(block))))))
            breaks *= rendered
        else:
            if text.startswith("\f"):
                pages.append([])
                breaks -= 1
            named = block.find(f"{_W}pPr/{_W}pStyle")
            style = "" if named is None else named.get(_W + "val")
            level, text = levels.get(style, 0), text.replace("\f", "").strip()
            own = block.find(f"{_W}pPr/{_W}numPr")
            item = "" if level or not text else _item(lists.get(style) if own is None else own)
            pages[-1].append(Block(item + text, level))
        told = (notes.get((mark.tag, mark.get(_W + "id")), "") for mark in block.iter(*_NOTES.values()))
        pages[-1] += map(Block, filter(None, told))
        pages += [[] for _ in range(breaks)]
    numbered = rendered or by_hand
    counted = enumerate(map(tuple, pages), 1)
    return Parsed([Page(number if numbered else None, its) for number, its in counted if its], flows=True)


def _notes(part: Any) -> dict[tuple[str, str], str]:
    """Footnotes and endnotes, by the mark that stands for each."""
    from docx.oxml import parse_xml

    return {
        (_NOTES[kind], note.get(_W + "id")): _text(note).replace("\f", "").strip()
        for related in part.rels.values()
        if (kind := related.reltype.rpartition("/")[2]) in _NOTES
        for note in parse_xml(related.target_part.blob)
    }


def _item(numbered: Any) -> str:
    """What stands before an item of a list, by its depth; nothing before what is none."""
    depth, list_id = ("" if numbered is None else numbered.xpath(f"string(w:{name}/@w:val)") for name in _NUMBERED)
    return "  " * min(int(depth or 0), 8) + "- " if list_id not in ("", "0") else ""


def _styles(styles: Any) -> tuple[dict[str, int], dict[str, Any]]:
    """By the id of a style: the level of headings, told by its outline or its name, which is English in every language
    of Word; and how its paragraphs are numbered or dotted."""
    levels, lists = {}, {}
    for style in styles.iter(_W + "style"):
        key, outline = style.get(_W + "styleId"), style.find(f"{_W}pPr/{_W}outlineLvl")
        named = _NAMED.fullmatch(style.find(_W + "name").get(_W + "val", "").lower())
        if outline is not None and outline.get(_W + "val", "9") < "9":
            levels[key] = int(outline.get(_W + "val")) + 1
        elif named:
            levels[key] = int(named[1] or 1)
        if (numbered := style.find(f"{_W}pPr/{_W}numPr")) is not None:
            lists[key] = numbered
    return levels, lists


def _inside(parent: Any, *tags: str) -> Iterator[Any]:
    """Children of these tags, those inside content controls too."""
    for child in parent:
        if child.tag in tags:
            yield child
        elif child.tag in _AROUND:
            yield from _inside(child, *tags)


def _rows(tbl: Any) -> list[list[table.Cell]]:
    """Cells with what they span: `gridSpan` columns, and the rows below whose cells only continue a merged one."""
    rows: list[dict[int, table.Cell]] = []
    begun: dict[int, int] = {}
    for number, row in enumerate(_inside(tbl, _W + "tr")):
        rows.append({})
        column = 0
        for cell in _inside(row, _W + "tc"):
            span = cell.find(f"{_W}tcPr/{_W}gridSpan")
            merge = cell.find(f"{_W}tcPr/{_W}vMerge")
            wide = 1 if span is None else min(int(span.get(_W + "val", "1")), table.MAX_COLUMNS)
            if merge is not None and merge.get(_W + "val") != "restart" and column in begun:
                above = rows[begun[column]][column]
                rows[begun[column]][column] = above._replace(rows=number - begun[column] + 1)
            else:
                begun[column] = number
                rows[-1][column] = table.Cell(_text(cell).replace("\f", "").strip(), 1, wide)
            column += wide
    return [list(row.values()) for row in rows]


def _text(element: Any, rendered: bool = True) -> str:
    """Text of an element, a form feed at each page break. Deleted text (`w:delText`) is left out by its name."""
    from lxml import etree

    pieces: list[str] = []
    skip = 0
    for event, node in etree.iterwalk(element, events=("start", "end")):
        if node.tag == _FALLBACK:
            # The same content once more, for old readers.
            skip += 1 if event == "start" else -1
        elif skip or event == "start" or node is element:
            continue
        elif node.tag == _W + "lastRenderedPageBreak" or (node.tag == _W + "br" and node.get(_W + "type") == "page"):
            pieces += ["\f"] * (rendered == (node.tag == _W + "lastRenderedPageBreak"))
        elif node.tag == _W + "t":
            pieces.append(node.text or "")
        elif node.tag in (_W + "sym", _W + "checkBox"):
            pieces.append(_box(node))
        else:
            pieces.append(_SPACES.get(node.tag, ""))
    return "".join(pieces)


def _box(node: Any) -> str:
    """A box to tick: of a form, or a symbol that a content control shows; nothing for other symbols."""
    controls = (each.find(f"{_W}sdtPr/{_BOX}") for each in node.iterancestors(_W + "sdt"))
    box = node if node.tag == _W + "checkBox" else next((each for each in controls if each is not None), None)
    if box is None:
        return ""
    state = next((each for name in ("checked", "default") for each in box.iterchildren("{*}" + name)), None)
    # Without a value it is ticked.
    ticked = state is not None and (state.values() or ["1"])[0] not in ("0", "false", "off")
    return "☒" if ticked else "☐"
