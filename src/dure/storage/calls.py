"""Which calls this process has handed to tools with effects and how they ended, on a file that outlives the process.

A call is recorded as begun, then written here right before it is made, and its end here right when it is known. So one
that is recorded and does not stand here was never made, of one whose end stands here that is known, and nobody has to
be asked about either. The file is not synced: it says so only as long as the system runs, and only of a process that is
dead. Nothing stays in it once the ends of all are recorded.
"""

import os
import secrets
import threading
import time
from contextlib import suppress
from pathlib import Path

from dure.storage.process import boot, fcntl, unlocked

_MOST = 1_000_000
"""Bytes of a file, after which another is begun."""
_KEPT = 7 * 86_400.0
"""Seconds after which a file is removed; of what stood there nobody knows then."""


class Calls:
    """folder: of files by name, one a process; None: nothing is known of any call."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._name = ""
        self._file = -1
        self._open: set[str] = set()
        """The keys of calls that were handed over and whose end is not recorded."""
        self._lock = threading.RLock()
        """A tool may hand over in a thread of its own."""

    def by(self) -> str:
        """What a call is recorded with as begun (`ToolStarted.by`); "" where nothing can be said of it later."""
        with self._lock:
            if self._name and os.fstat(self._file).st_size > _MOST:
                self.close()
            if not self._name and self._folder and boot() and fcntl is not None:
                with suppress(OSError):
                    self._begin(self._folder)
            return self._name

    def _begin(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for each in folder.iterdir():
            if each.stat().st_mtime < time.time() - _KEPT:
                each.unlink(missing_ok=True)
        name = secrets.token_hex(8)
        self._file = os.open(folder / name, os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_WRONLY, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        self._name = name
        self._write(_mark(self._file))
        self._head = os.fstat(self._file).st_size

    def hand_over(self, key: str) -> None:
        """The call of that key is made now, after it was recorded as begun. May be called in any thread."""
        with self._lock:
            self._open.add(key)
            self._write(key)

    def ended(self, key: str, outcome: str) -> None:
        """The call of that key has ended so, told in one line that is not empty; it is to be recorded now."""
        with self._lock:
            self._write(f"{key} {outcome}")

    def recorded(self, key: str) -> None:
        """How the call of that key ended is recorded for good."""
        with self._lock:
            self._open.discard(key)
            if self._name and not self._open:
                os.ftruncate(self._file, self._head)

    def _write(self, text: str) -> None:
        line = f"{text}\n".encode()
        try:
            whole = not self._name or os.write(self._file, line) == len(line)
        except OSError:
            whole = False
        if not whole:
            self.close()

    def became(self, by: str, key: str) -> str | None:
        """What became of a call that was recorded as begun so: how it ended, as told then; "" where it was never made;
        None where nobody knows."""
        if not self._folder or not by.isalnum():
            return None
        try:
            with (self._folder / by).open(encoding="utf-8") as file:
                # Held as long as the process lives.
                if not unlocked(file):
                    return None
                mark, *lines = file.read().split("\n")
                if mark != _mark(file.fileno()):
                    return None
        except (OSError, ValueError):
            return None
        # The last line is empty, or was cut off.
        told = dict(line.partition(" ")[::2] for line in lines[:-1])
        return told[key] or None if key in told else ""

    def close(self) -> None:
        """Nothing is known any more of what this process began."""
        with self._lock:
            if self._name and self._folder:
                (self._folder / self._name).unlink(missing_ok=True)
                os.close(self._file)
                self._name = ""


def _mark(file: int) -> str:
    """A copy, or one of before the system was started again, may lack what was written later."""
    return f"{boot()} {os.fstat(file).st_ino}"
