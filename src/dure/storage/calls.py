"""Which calls this process has handed to tools with effects, on a file that outlives the process.

A call is recorded as begun, then written here right before it is made. So one that is recorded and does not stand here
was never made, and nobody has to be asked about it. The file is not synced: it says so only as long as the system runs,
and only of a process that is dead.
"""

import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

from dure.storage.process import boot, fcntl

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

    def by(self) -> str:
        """What a call is recorded with as begun (`ToolStarted.by`); "" where nothing can be said of it later."""
        if self._name and os.fstat(self._file).st_size > _MOST:
            self.close()
        if not self._name and self._folder and boot() and fcntl is not None:
            with suppress(OSError):
                self._open(self._folder)
        return self._name

    def _open(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for each in folder.iterdir():
            if each.stat().st_mtime < time.time() - _KEPT:
                each.unlink(missing_ok=True)
        name = secrets.token_hex(8)
        self._file = os.open(folder / name, os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_WRONLY, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        self._name = name
        self.hand_over(_mark(self._file))

    def hand_over(self, key: str) -> None:
        """The call of that key is made now, after it was recorded as begun. Raises OSError where it must not be."""
        line = f"{key}\n".encode()
        try:
            whole = not self._name or os.write(self._file, line) == len(line)
        except OSError:
            whole = False
        if not whole:
            self.close()

    def unsent(self, by: str, key: str) -> bool:
        """Whether a call was never made that was recorded as begun so; False also where nobody knows."""
        if not self._folder or fcntl is None or not by.isalnum():
            return False
        try:
            with (self._folder / by).open() as file:
                # Held as long as the process lives.
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                mark, *handed = file.read().splitlines()
                return mark == _mark(file.fileno()) and key not in handed
        except (OSError, ValueError):
            return False

    def close(self) -> None:
        """Nothing is known any more of what this process began."""
        if self._name and self._folder:
            (self._folder / self._name).unlink(missing_ok=True)
            os.close(self._file)
            self._name = ""


def _mark(file: int) -> str:
    """A copy, or one of before the system was started again, may lack what was written later."""
    return f"{boot()} {os.fstat(file).st_ino}"
