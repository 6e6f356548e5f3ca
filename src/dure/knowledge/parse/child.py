"""The process that reads documents: `python -m dure.knowledge.parse.child`, driven by `reader.py`.

Hostile or broken files can crash a native library, hang it or fill the memory; here they take only this process with
them. One request a line on stdin, one answer a line on stdout, both JSON. Ends when stdin does.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from dure.knowledge.parse.kinds import parse
from dure.knowledge.parse.parsed import join
from dure.knowledge.parse.problems import Unreadable

MEMORY = 3 << 30
"""Bytes of address space."""


def main() -> None:
    """Answer requests until stdin ends."""
    answers = os.fdopen(os.dup(1), "wb")
    # Whatever a library prints must not get between the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _limit_memory()
    for line in sys.stdin.buffer:
        request = json.loads(line)
        # The parent ends a process that takes too long; this also holds when the parent is gone.
        if hasattr(signal, "alarm"):
            signal.alarm(int(request["seconds"]) + 5)
        answer = read(Path(request["path"]), request["kind"])
        if hasattr(signal, "alarm"):
            signal.alarm(0)
        answers.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        answers.flush()


def read(path: Path, kind: str) -> dict[str, Any]:
    """The answer to one request: `{title, text, pages}` or `{problem, parameters}`."""
    try:
        parsed = parse(kind, path.read_bytes())
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


def _limit_memory() -> None:
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    main()
