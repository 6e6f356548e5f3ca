"""A folder that is followed: its files are documents, as they are there now."""

import asyncio
import contextlib
import hashlib
import json
import logging
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dure.errors import DureError, Forbidden, NotFound
from dure.knowledge.base import Knowledge
from dure.knowledge.files import hidden, read_file
from dure.storage.files import write_whole
from dure.storage.shelves import PERSONAL

log = logging.getLogger(__name__)

Told = Callable[[str, DureError | None], None]
"""Called with the name of what was taken in, or taken out (`- NAME`), and why it could not be."""
_PAUSE = 2.0
"""Seconds between two looks, at least; at most a twentieth of the time goes into looking."""


class Watch:
    """What appears, changes or goes in a folder does so among an owner's documents, or on a shelf.

    A file is taken in once it is the same in two looks, so that none is read while it is written. Links are not
    followed. Where the folder cannot be read, or nothing is left in it, as of a disk that is not there, nothing goes.
    What was seen is kept in the data folder, so that what goes while nobody looks is noticed later.
    """

    def __init__(self, knowledge: Knowledge, data: Path, folder: Path, owner: str, shelf: str = PERSONAL) -> None:
        self._knowledge, self._folder, self._owner, self._shelf = knowledge, folder.absolute(), owner, shelf
        place = f"{owner}\n{shelf}\n{self._folder}"
        self._kept = data / "watched" / f"{hashlib.sha256(place.encode()).hexdigest()[:32]}.json"
        self._seen: dict[str, list[Any]] = {}
        """By the way to each file, what it was like when it was taken in, and the ids of its documents."""
        with contextlib.suppress(OSError, ValueError):
            self._seen = json.loads(self._kept.read_bytes())
        self._before: dict[str, list[int]] = {}
        self.pause = _PAUSE
        """Seconds until the next look."""

    async def follow(self, told: Told) -> None:
        """Go on until cancelled. Raises as `look`."""
        while True:
            await self.look(told)
            await asyncio.sleep(self.pause)

    async def look(self, told: Told) -> None:
        """Look once. Raises Forbidden and NotFound where the owner may not change the shelf."""
        began = time.monotonic()
        found = await asyncio.to_thread(self._scan)
        self.pause = max(_PAUSE, 20 * (time.monotonic() - began))
        if not found:
            return
        before, self._before = self._before, found
        new = [way for way, like in found.items() if before.get(way) == like != self._seen.get(way, [None])[0]]
        gone = [way for way in self._seen if way not in found]
        try:
            for way in new:
                await self._take_in(way, found[way], told)
            for way in gone:
                for id in self._seen[way][1]:
                    with contextlib.suppress(NotFound):
                        await self._knowledge.delete(self._owner, id)
                del self._seen[way]
                told(f"- {_name(way)}", None)
        finally:
            if new or gone:
                write_whole(self._kept, json.dumps(self._seen).encode())

    async def _take_in(self, way: str, like: list[int], told: Told) -> None:
        ids, error = self._seen.get(way, [like, []])[1], None
        try:
            data = await asyncio.to_thread(read_file, self._folder / way, self._knowledge.max_bytes)
            added = await self._knowledge.add(self._owner, _name(way), data, self._shelf)
            ready = any(each.status == "ready" for each in await self._knowledge.wait(self._owner, [added.id]))
            # What could not be read has not replaced the one before.
            ids = [added.id] if ready else [*ids, added.id]
        except (Forbidden, NotFound):
            raise
        except DureError as reason:
            error = reason
        self._seen[way] = [like, ids]
        told(_name(way), error)

    def _scan(self) -> dict[str, list[int]]:
        """Of each file the time of its last change in ns and its size; nothing where not all can be looked at."""

        def stop(error: OSError) -> None:
            raise error

        found: dict[str, list[int]] = {}
        try:
            for folder, inside, names in os.walk(self._folder, onerror=stop):
                inside[:] = [each for each in inside if not hidden(each)]
                for path in (Path(folder, name) for name in names if not hidden(name)):
                    about = path.lstat()
                    if stat.S_ISREG(about.st_mode):
                        found[path.relative_to(self._folder).as_posix()] = [about.st_mtime_ns, about.st_size]
        except OSError as error:
            # Perhaps what was listed is gone by now; the next look finds out.
            log.info("%s cannot be looked at: %s", self._folder, error)
            return {}
        return found


def _name(way: str) -> str:
    """As `files_of` names it; not every file's name is text."""
    return way.replace("/", " - ").encode("utf-8", "replace").decode()
