"""Presentations (PPTX): one page a slide, with tables and the speaker's notes."""

import io
from collections.abc import Iterable, Iterator
from typing import Any

from dure.knowledge.parse import archive, table
from dure.knowledge.parse.parsed import Page, Parsed
from dure.knowledge.parse.problems import Unreadable


def parse(data: bytes) -> Parsed:
    """Raises Unreadable for damaged, encrypted and oversized files."""
    import pptx
    from pptx.exc import PythonPptxError

    archive.check(data)
    try:
        slides = list(pptx.Presentation(io.BytesIO(data)).slides)
        return Parsed([Page(i + 1, "\n".join(_slide(slide))) for i, slide in enumerate(slides)])
    except (PythonPptxError, KeyError, ValueError, AttributeError, SyntaxError) as error:
        raise Unreadable("broken") from error


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
