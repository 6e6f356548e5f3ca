"""Which processes share a data folder and still live: each holds a lock on a file of its own.

The system lets go of a dead process's locks, however it died; so a file that can be locked belongs to nobody.
"""

import secrets
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows: without locks every other process counts as living
    fcntl = None  # type: ignore[assignment]


class ThisProcess:
    """`begin` before `id` is used; `end` removes the file."""

    def __init__(self, folder: Path) -> None:
        self.id = secrets.token_hex(8)
        self._folder = folder
        self._file: IO[str] | None = None

    def begin(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._file = (self._folder / self.id).open("w")
        if fcntl is not None:
            fcntl.flock(self._file, fcntl.LOCK_EX)

    def lives(self, process_id: str) -> bool:
        """Whether the process of that id still runs; files of dead ones are removed."""
        path = self._folder / process_id
        if process_id == self.id:
            return True
        if not process_id.isalnum() or not path.exists():
            return False
        if fcntl is None:
            return True
        with path.open("r+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return True
            path.unlink(missing_ok=True)
        return False

    def knows(self, process_id: str) -> bool:
        """Whether the process of that id began in this folder and has not ended properly."""
        return process_id.isalnum() and (self._folder / process_id).exists()

    def end(self) -> None:
        if self._file is not None:
            self._file.close()
            (self._folder / self.id).unlink(missing_ok=True)
            self._file = None
