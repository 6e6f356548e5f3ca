"""The error output of a stdio server: read to its end, its last lines kept to explain a failure."""

import os
import threading
from collections import deque
from types import TracebackType
from typing import TextIO

_KEPT_LINES = 20
_LONGEST_LINE = 500


class Stderr:
    """A pipe for a child process's standard error, read by a thread of its own.

    Enter it, start the child with `file`, then call `started()`: from then on only the child holds the pipe open.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self.file: TextIO

    def __enter__(self) -> "Stderr":
        read, write = os.pipe()
        self.file = os.fdopen(write, "w")
        threading.Thread(target=self._read, args=(read,), name=f"dure-mcp-{self.name}", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.started()

    def started(self) -> None:
        self.file.close()

    def _read(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb", buffering=0) as pipe:
            rest = b""
            while chunk := pipe.read(65_536):
                *whole, rest = (rest + chunk).split(b"\n")
                rest = rest[-65_536:]
                for each in whole:
                    self._keep(each)
            self._keep(rest)

    def _keep(self, raw: bytes) -> None:
        line = raw.decode("utf-8", "replace").strip()[:_LONGEST_LINE]
        if line:
            self.lines.append(line)

    def last(self) -> str:
        """The last line that was written, or nothing."""
        return self.lines[-1] if self.lines else ""
