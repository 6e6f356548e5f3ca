"""Presentations (PPTX): one page a slide, with tables and the speaker's notes."""

import io
from collections.abc import Iterable, Iterator
from typing import Any

from dure.knowledge.parse import archive, table
from dure.knowledge.parse.parsed import Page, Parsed


def parse(data: bytes) -> Parsed:
    import pptx

    archive.check(data)
    slides = pptx.Presentation(io.BytesIO(data)).slides
    return Parsed([Page(number, "\n".join(_slide(slide))) for number, slide in enumerate(slides, 1)])


def _slide(slide: Any) -> Iterator[str]:
    yield from _shapes(slide.shapes)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        yield slide.notes_slide.notes_text_frame.text


def _shapes(shapes: Iterable[Any]) -> Iterator[str]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes)
        elif getattr(shape, "has_table", False):
            yield from table.lines([cell.text for cell in row.cells] for row in shape.table.rows)
        elif shape.has_text_frame:
            yield shape.text_frame.text.replace("\v", "\n")
