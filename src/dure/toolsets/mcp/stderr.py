"""The error output of a stdio server: read to its end, its last lines kept to explain a failure."""

import os
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_KEPT_LINES = 20
_LONGEST_LINE = 500


class Stderr:
    """A pipe for a child process's standard error, read by a thread of its own."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: deque[str] = deque(maxlen=_KEPT_LINES)

    @contextmanager
    def opened(self) -> Iterator[TextIO]:
        """The file to start the child with; afterwards only the child holds the pipe open."""
        read, write = os.pipe()
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

    def _keep(self, raw: list[bytes]) -> None:
        lines = (each.decode("utf-8", "replace").strip()[:_LONGEST_LINE] for each in raw)
        self.lines.extend(filter(None, lines))

    def last(self) -> str:
        """The last line that was written, or nothing."""
        return self.lines[-1] if self.lines else ""
