"""SQLite: how a connection is prepared, and what is said when the file cannot be used."""

import errno
import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import sqlalchemy as sa

from dure.errors import DatabaseUnavailable, Text
from dure.texts import TEXTS

PATIENCE = 5.0
"""Seconds for which a query waits for a database that another program holds or that is being restarted."""
FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
"""The system's errors where there is no more room."""
_SAYS = TEXTS["storage_sqlite"]
_KINDS = {
    "FULL": "full",
    **dict.fromkeys(("BUSY", "LOCKED"), "locked"),
    **dict.fromkeys(("CORRUPT", "NOTADB"), "damaged"),
    **dict.fromkeys(("READONLY", "CANTOPEN", "PERM", "IOERR"), "unusable"),
}
"""What is amiss, by the name of SQLite's result code (https://www.sqlite.org/rescode.html)."""


def prepare(connection: Any, _record: Any) -> None:
    """Set a new connection up."""
    cursor = connection.cursor()
    # NORMAL: in WAL mode a crash of the machine can lose the last moment, but never harms the file.
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", f"busy_timeout={PATIENCE * 1000:.0f}"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def sync(file: str) -> None:
    """Have the log on the disk, as `synchronous=FULL` does at each commit. Nobody holds a lock on the log itself, which
    closing it here would break."""
    with suppress(FileNotFoundError):
        log = os.open(f"{file}-wal", os.O_RDWR)
        try:
            os.fsync(log)
        finally:
            os.close(log)


def refusal(error: sa.exc.DBAPIError, url: sa.URL) -> DatabaseUnavailable | None:
    """Why the file cannot be used, where that is the reason: the disk is full, another program holds it, it is damaged
    or cannot be read or written. `kind`: which of them."""
    name = getattr(error.orig, "sqlite_errorname", "").removeprefix("SQLITE_")
    kind = _KINDS.get(name.partition("_")[0])
    if kind is None:
        return None
    said = str(error.orig)
    if kind == "unusable" and (why := unwritable(Path(str(url.database)).parent)) is not None:
        kind, said = ("full" if why.errno in FULL else kind), why.strerror or said
    return DatabaseUnavailable(reason=Text(**_SAYS[kind].filled(file=url.database, said=said)), kind=kind)


def unwritable(folder: Path) -> OSError | None:
    """What the system says against writing in a folder: SQLite tells of all of it alike."""
    try:
        with TemporaryFile(dir=folder) as probe:
            probe.write(bytes(1 << 16))
            probe.flush()
    except OSError as error:
        return error
    return None
