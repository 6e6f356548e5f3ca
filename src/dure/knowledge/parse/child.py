"""The process that reads documents and draws pages: `python -m dure.knowledge.parse.child`, driven by `reader.py`."""

from pathlib import Path

from dure.child import Message, serve
from dure.knowledge.parse.drawing import draw
from dure.knowledge.parse.kinds import parse
from dure.knowledge.parse.parsed import join
from dure.knowledge.parse.problems import Unreadable, unreadable

MEMORY = 3 << 30
"""Bytes of address space."""


def answered(request: Message) -> Message:
    """`{path, kind, seconds}` → `{title, text, pages}`, `{path, page, width, seconds}` → what `draw` gives, or
    `{problem, parameters}`."""
    try:
        with unreadable():
            data = Path(request["path"]).read_bytes()
            if "page" in request:
                return draw(data, request["page"], request["width"])
            parsed = parse(request["kind"], data)
            whole = join(parsed)
            return {"title": parsed.title, "text": whole.text, "pages": whole.pages}
    except Unreadable as error:
        return {"problem": error.problem, "parameters": error.parameters}


if __name__ == "__main__":
    serve(answered, memory=MEMORY)
