"""The child's side of `child.py`: `serve`, called from a module that runs as `python -m …`. It starts in half the time
without what only the parent needs, asyncio above all."""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import orjson

from dure import tied
from dure.messages import json_bytes

Message = dict[str, Any]
STARTED = b" "
"""What is written once it can be asked."""

_ORPHANED = 10
"""Seconds beyond a request's own limit after which a child ends itself: its parent, which would, must be gone."""
_working: list[Any] = []
"""Where its answers go, and after how many seconds of a request without a word it ends itself."""


def serve(answered: Callable[[Message], Message], *, memory: int) -> None:
    """Answer requests until stdin ends. `memory`: bytes of address space (on Linux)."""
    answers = os.fdopen(os.dup(1), "wb")
    # Whatever a library prints must not get between the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if sys.platform == "linux":
        import ctypes
        import resource

        ctypes.CDLL(None).prctl(tied.PDEATHSIG, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    answers.write(STARTED)
    answers.flush()
    for line in sys.stdin.buffer:
        request = orjson.loads(line)
        _working[:] = answers, int(request["seconds"]) + _ORPHANED
        alive(tell=False)
        answer = answered(request)
        if hasattr(signal, "alarm"):
            signal.alarm(0)
        answers.write(json_bytes(answer) + b"\n")
        answers.flush()


def alive(*, tell: bool = True) -> None:
    """Out of work that takes long and goes on: the time for it begins anew. Does nothing elsewhere."""
    if not _working:
        return
    answers, seconds = _working
    if tell:
        # A blank before the answer is nothing in JSON.
        answers.write(b" ")
        answers.flush()
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)
