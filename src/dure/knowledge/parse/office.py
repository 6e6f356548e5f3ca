"""Hangul documents (HWP, HWPX) and Office files of before 2007 (DOC, PPT) and presentations (PPTX), all by dochan."""

import tempfile
from collections.abc import Iterator
from itertools import product
from typing import Any

from dure.knowledge.parse import archive, table
from dure.knowledge.parse.parsed import Block, Page, Parsed
from dure.knowledge.parse.problems import Unreadable


def parse(data: bytes) -> Parsed:
    """Sections are pages of presentations; the other formats know no pages before they are laid out."""
    from dochan import Dochan

    if data.startswith(archive.ZIP):
        archive.check(data)
    # It reads files only; what kind of file it is, it finds out.
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(data)
        file.flush()
        document = Dochan(file.name).doc
    slides = document.source_format in ("ppt", "pptx")
    pages = [
        Page(number if slides else None, tuple(_blocks(section.elements)))
        for number, section in enumerate(document.sections, 1)
    ]
    if not any(page.blocks for page in pages):
        errors = " ".join(document.errors)
        if "암호" in errors:
            raise Unreadable("encrypted")
        if "제한" in errors or "상한" in errors:
            raise Unreadable("unsafe")
        raise Unreadable("broken" if errors or not document.sections else "no_text")
    return Parsed(pages)


def _rows(rows: list[list[Any]]) -> Iterator[list[table.Cell]]:
    """The rows without the cells below merged ones, which HWP has as empty ones."""
    below: set[tuple[int, int]] = set()
    for number, row in enumerate(rows):
        shown = []
        for column, cell in enumerate(row):
            if cell.is_merged_away or ((number, column) in below and not cell.text.strip()):
                continue
            over = range(min(cell.row_span, len(rows) - number)), range(min(cell.col_span, len(row) - column))
            below.update((number + down, column + right) for down, right in product(*over))
            shown.append(table.Cell(cell.text, cell.row_span, cell.col_span))
        yield shown


def _blocks(elements: list[Any]) -> Iterator[Block]:
    for each in elements:
        if hasattr(each, "rows"):
            text = "\n".join(table.lines(table.spanned(_rows(each.rows))))
        elif hasattr(each, "script"):
            text = each.latex or each.script
        else:
            # Pictures have a text only where it was read out of them.
            text = getattr(each, "text", "")
        if text.strip():
            yield Block(text, getattr(each, "heading_level", 0))
