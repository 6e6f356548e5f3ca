"""Plain text; form feeds part its pages, where it has any."""

from dure.knowledge.parse.encoding import decode
from dure.knowledge.parse.parsed import Page, Parsed


def parse(data: bytes) -> Parsed:
    pages = decode(data).split("\f")
    if len(pages) == 1:
        return Parsed([Page(None, pages[0])])
    return Parsed([Page(i + 1, page) for i, page in enumerate(pages)], flows=True)
