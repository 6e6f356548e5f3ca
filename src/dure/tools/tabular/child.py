"""The process that holds an owner's tables: `python -m dure.tools.tabular.child`, driven by `worker.py`.

A hostile file or query can fill the memory or never end; here it takes only this process with it. One request a line
on stdin, one answer a line on stdout, both JSON. Ends when stdin does.
"""

import os
import signal
import sys
from dataclasses import asdict
from typing import Any

import orjson

from dure.errors import ToolInputError
from dure.tools.tabular.store import Store

MEMORY = 3 << 30
"""Bytes of address space. The engine's own limit is lower, but it does not count everything."""
_GRACE = 10


def main() -> None:
    """Answer requests until stdin ends."""
    answers = os.fdopen(os.dup(1), "wb")
    # Whatever a library prints must not get between the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    store = Store()
    for line in sys.stdin.buffer:
        request = orjson.loads(line)
        # The parent ends a process that takes too long; this also holds when the parent is gone.
        if hasattr(signal, "alarm"):
            signal.alarm(int(request["seconds"]) + _GRACE)
        answer = answered(store, request)
        if hasattr(signal, "alarm"):
            signal.alarm(0)
        answers.write(orjson.dumps(answer) + b"\n")
        answers.flush()


def answered(store: Store, request: dict[str, Any]) -> dict[str, Any]:
    """Load: `{load, seconds}` → `{tables, problems}`. Query: `{sql, limit, seconds}` → `{columns, rows, more}`.

    What the model should know is `{ko, en}`.
    """
    try:
        if "load" in request:
            store.load(request["load"])
            return {"tables": [asdict(table) for table in store.tables], "problems": store.problems}
        return asdict(store.query(request["sql"], request["limit"], request["seconds"]))
    except ToolInputError as error:
        return {"ko": error.message("ko"), "en": error.message("en")}
    except MemoryError:
        return {"ko": "메모리가 모자랍니다.", "en": "There is not enough memory."}


if __name__ == "__main__":
    main()
