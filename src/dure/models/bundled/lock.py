"""A lock between processes, held on a file; the operating system lets go of it when its holder dies."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def locked(path: Path, waiting: Callable[[], None], pause: float = 0.25) -> Iterator[None]:
    """Hold the lock of `path` (created if need be). While another process has it, calls `waiting` every `pause` s."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        while not _taken(file):
            waiting()
            time.sleep(pause)
        yield


def _taken(file: BinaryIO) -> bool:
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
