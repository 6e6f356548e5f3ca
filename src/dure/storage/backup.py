"""A copy of a data folder that can be put back: its SQLite file, taken while it is in use and checked, and what lies
beside it."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from dure.errors import InvalidInput, phrase
from dure.storage.database import now

NAME = "dure.db"
_BESIDE = ("files", "artifacts", "teams")
"""Folders whose files the database names, written before and never changed; and the teams that were written here."""
_WATCHED = "watched"
"""What was taken in of folders that are followed. Copied before the database: what came since is taken in again."""


def backup(file: Path, data: Path, to: Path) -> None:
    """Copy the database `file` and what lies beside it in `data` into a new folder `to`. Raises InvalidInput where
    something is there already, where there is no database, or where it is damaged."""
    part = to.with_name(f"{to.name}.part")
    if there := next((each for each in (part, to) if each.exists()), None):
        raise InvalidInput(reason=phrase("storage_backup.there", folder=there), key="folder")
    if not file.is_file():
        raise InvalidInput(reason=phrase("storage_backup.nothing", file=file), key="folder")
    part.mkdir(parents=True)
    try:
        _copy(data, part, _WATCHED)
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(part / NAME)) as copy:
            source.backup(copy)
        check(part / NAME)
        _copy(data, part, *_BESIDE)
        part.rename(to)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def restore(folder: Path, file: Path, data: Path) -> Path | None:
    """Put a backup in the place of `file`, which no process may be using, and its files back into `data`. Returns where
    what was there lies now. Raises InvalidInput where the backup is none or is damaged; nothing has changed then."""
    check(folder / NAME)
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.restored")
    shutil.copyfile(folder / NAME, fresh)
    shutil.rmtree(data / _WATCHED, ignore_errors=True)
    _copy(folder, data, _WATCHED, *_BESIDE)
    aside = file.with_name(f"{file.name}.{now().replace(':', '')}")
    there = file.exists()
    for end in ("-wal", "-shm", ""):
        if (old := file.with_name(file.name + end)).exists():
            old.rename(aside.with_name(aside.name + end))
    fresh.rename(file)
    return aside if there else None


def check(file: Path) -> None:
    """Raises InvalidInput for a file that is no sound SQLite database."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        found = str(error)
    if found != "ok":
        raise InvalidInput(reason=phrase("storage_backup.damaged", file=file, found=found), key="folder")


def _copy(source: Path, to: Path, *names: str) -> None:
    for name in names:
        if (source / name).is_dir():
            shutil.copytree(source / name, to / name, dirs_exist_ok=True)
