"""The process that reads documents and draws pages: `python -m dure.knowledge.parse.child`, driven by `reader.py`."""

from dataclasses import asdict

from dure.child import Message, serve
from dure.knowledge.parse.drawing import draw
from dure.knowledge.parse.kinds import parse
from dure.knowledge.parse.parsed import join
from dure.knowledge.parse.problems import answering

MEMORY = 3 << 30
"""Bytes of address space."""


def read(request: Message, data: bytes) -> Message:
    """`{path, kind, seconds}` → `{title}` and a DocumentText's fields; `{path, page, width, seconds}` → as `draw`."""
    if "page" in request:
        return draw(data, request["page"], request["width"])
    parsed = parse(request["kind"], data)
    whole = join(parsed)
    return {"title": parsed.title, **asdict(whole)}


if __name__ == "__main__":
    serve(answering(read), memory=MEMORY)
