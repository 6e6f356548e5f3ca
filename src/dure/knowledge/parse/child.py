"""The process that reads documents and draws pages: `python -m dure.knowledge.parse.child`, driven by `reader.py`."""

from dataclasses import asdict

from dure.knowledge.parse.drawing import boxes, draw
from dure.knowledge.parse.kinds import parse
from dure.knowledge.parse.parsed import join, one_line
from dure.knowledge.parse.problems import answering
from dure.serving import Message, serve

MEMORY = 3 << 30
"""Bytes of address space."""


def read(request: Message, data: bytes) -> Message:
    """`{path, kind, seconds}` → `{title, author}` and a DocumentText's fields; with `page` and `width` as `draw`; with
    `page`, `text` and `start` as `boxes`."""
    kind = request["kind"]
    if "text" in request:
        return boxes(data, kind, request["page"], request["text"], request["start"])
    if "page" in request:
        return draw(data, kind, request["page"], request["width"])
    parsed = parse(kind, data)
    return {"title": parsed.title, "author": one_line(parsed.author), **asdict(join(parsed))}


if __name__ == "__main__":
    serve(answering(read), memory=MEMORY)
