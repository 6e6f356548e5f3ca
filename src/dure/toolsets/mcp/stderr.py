"""The error output of a stdio server: read to its end, its last lines kept to explain a failure."""

import asyncio
import os
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_KEPT_LINES = 20
_LONGEST_LINE = 500
_END = 1.0
"""Seconds to wait for the end of what an ended process has written: its own children may hold it open."""


class Stderr:
    """A pipe for a child process's standard error, read by a thread of its own."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._whole = threading.Event()
        self._whole.set()

    @contextmanager
    def opened(self) -> Iterator[TextIO]:
        """The file to start the child with; afterwards only the child holds the pipe open."""
        read, write = os.pipe()
        self._whole.clear()
        with os.fdopen(write, "w") as file:
            threading.Thread(target=self._read, args=(read,), name=f"dure-mcp-{self.name}", daemon=True).start()
            yield file

    def _read(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb", buffering=0) as pipe:
            rest = b""
            while chunk := pipe.read(65_536):
                *whole, rest = (rest + chunk).split(b"\n")
                rest = rest[-65_536:]
                self._keep(whole)
            self._keep([rest])
        self._whole.set()

    def _keep(self, raw: list[bytes]) -> None:
        lines = (each.decode("utf-8", "replace").strip()[:_LONGEST_LINE] for each in raw)
        self.lines.extend(filter(None, lines))

    async def last(self) -> str:
        """The last line that a process wrote which has ended, or nothing."""
        await asyncio.to_thread(self._whole.wait, _END)
        return self.lines[-1] if self.lines else ""
