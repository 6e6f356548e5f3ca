"""The process that reads documents: `python -m dure.knowledge.parse.child`, driven by `reader.py`."""

from pathlib import Path

from dure.child import Message, serve
from dure.knowledge.parse.kinds import parse
from dure.knowledge.parse.parsed import join
from dure.knowledge.parse.problems import Unreadable

MEMORY = 3 << 30
"""Bytes of address space."""


def read(request: Message) -> Message:
    """`{path, kind, seconds}` → `{title, text, pages}` or `{problem, parameters}`."""
    try:
        parsed = parse(request["kind"], Path(request["path"]).read_bytes())
        whole = join(parsed)
        return {"title": parsed.title, "text": whole.text, "pages": whole.pages}
    except Unreadable as error:
        return {"problem": error.problem, "parameters": error.parameters}
    except FileNotFoundError:
        return {"problem": "missing", "parameters": {}}
    except MemoryError:
        return {"problem": "memory", "parameters": {}}
    except Exception:
        # A parser met something that its author did not foresee. For the owner that is a damaged file.
        return {"problem": "broken", "parameters": {}}


if __name__ == "__main__":
    serve(read, memory=MEMORY)
