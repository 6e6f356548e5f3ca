"""Which processes share a data folder and still live: each holds a lock on a file of its own.

The system lets go of a dead process's locks, however it died; so a file that can be locked belongs to nobody. That is
true on one machine; on a folder that several machines share, locks may reach only those of the same machine, or
outlive a machine. So a file says on which machine its process runs.
"""

import platform
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, BinaryIO

try:
    import fcntl as fcntl
except ImportError:  # Windows: without locks every other process counts as living
    fcntl = None  # type: ignore[assignment]


@cache
def boot() -> str:
    """The same for all processes of a running system, another after it was started again; "" where nobody knows."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def this_machine() -> str:
    """`boot`, else the machine's name."""
    return boot() or platform.node()


def unlocked(file: IO[str]) -> bool:
    """Whether nobody that lives holds the file's lock; False where nobody knows. Several may ask at once."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


class ThisProcess:
    """`begin` before `id` is used; `end` removes the file."""

    def __init__(self, folder: Path) -> None:
        self.id = secrets.token_hex(8)
        self._folder = folder
        self._file: IO[str] | None = None
        self._dead: set[str] = set()
        """Of this machine, whose files were removed here."""

    def begin(self) -> None:
        """Hold a lock from now on, and remove what dead processes left."""
        self._folder.mkdir(parents=True, exist_ok=True)
        # Under another name until it is locked: what can be locked counts as dead.
        path = self._folder / f".{self.id}"
        self._file = path.open("w")
        if fcntl is not None:
            fcntl.flock(self._file, fcntl.LOCK_EX)
        self._file.write(this_machine())
        self._file.flush()
        path.rename(self._folder / self.id)
        self.others()

    def others(self) -> list[str]:
        """The ids of other processes that live and share the folder; what dead ones left is removed."""
        there = list(self._folder.iterdir()) if self._folder.is_dir() else []
        return [each.name for each in there if each.name != self.id and self.lives(each.name)]

    def lives(self, process_id: str) -> bool:
        """Whether the process of that id still runs; files of dead ones are removed."""
        if process_id == self.id:
            return True
        if not process_id.isalnum():
            return False
        path = self._folder / process_id
        with suppress(FileNotFoundError), path.open("r+") as file:
            if not unlocked(file):
                return True
            if file.read() == this_machine():
                self._dead.add(process_id)
            path.unlink(missing_ok=True)
        return False

    def knows(self, process_id: str) -> bool:
        """Whether the process of that id began in this folder, on this machine, and has not ended properly."""
        if process_id in self._dead:
            return True
        try:
            return process_id.isalnum() and (self._folder / process_id).read_text() == this_machine()
        except OSError:
            return False

    def end(self) -> None:
        if self._file is not None:
            self._file.close()
            (self._folder / self.id).unlink(missing_ok=True)
            self._file = None


@contextmanager
def locked(path: Path, waiting: Callable[[], None], pause: float = 0.25) -> Iterator[None]:
    """Hold the lock of `path` (created if need be), where there are locks. While another process has it, calls
    `waiting` every `pause` s."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        while fcntl is not None and not _taken(file):
            waiting()
            time.sleep(pause)
        yield


def _taken(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
