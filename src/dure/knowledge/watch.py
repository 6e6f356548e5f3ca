"""A folder that is followed: its files are documents, as they are there now."""

import asyncio
import contextlib
import hashlib
import logging
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from dure.errors import DureError, Forbidden, NotFound
from dure.knowledge.base import Knowledge
from dure.knowledge.files import hidden, read_file, write_whole
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
        self._seen: dict[str, tuple[list[int], list[str]]] = {}
        """By the way to each file, what it was like when it was taken in, and the ids of its documents."""
        with contextlib.suppress(OSError, orjson.JSONDecodeError):
            self._seen = orjson.loads(self._kept.read_bytes())
        self._before: dict[str, list[int]] = {}

    async def follow(self, told: Told) -> None:
        """Go on until cancelled. Raises Forbidden and NotFound where the owner may not change the shelf."""
        while True:
            began = time.monotonic()
            found = await asyncio.to_thread(self._scan)
            took = time.monotonic() - began
            if found:
                await self._step(found, told)
            await asyncio.sleep(max(_PAUSE, 20 * took))

    async def _step(self, found: dict[str, list[int]], told: Told) -> None:
        there = {way: ids for way, (like, ids) in self._seen.items() if found.get(way) == list(like)}
        new = [way for way, like in found.items() if way not in there and self._before.get(way) == like]
        gone = [way for way in self._seen if way not in found]
        self._before = found
        try:
            for way in new:
                name = way.replace("/", " - ")
                ids = list(self._seen.get(way, ((), ()))[1])
                error = None
                try:
                    data = await asyncio.to_thread(read_file, self._folder / way, self._knowledge.max_bytes)
                    ids.append((await self._knowledge.add(self._owner, name, data, self._shelf)).id)
                    await self._knowledge.wait(self._owner, ids[-1:])
                except (Forbidden, NotFound):
                    raise
                except DureError as reason:
                    error = reason
                self._seen[way] = (found[way], ids)
                told(name, error)
            for way in gone:
                for id in self._seen[way][1]:
                    with contextlib.suppress(NotFound):
                        await self._knowledge.delete(self._owner, id)
                del self._seen[way]
                told("- " + way.replace("/", " - "), None)
        finally:
            # Also where it is interrupted, between two files.
            if new or gone:
                self._keep()

    def _keep(self) -> None:
        self._kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._kept, orjson.dumps(self._seen))

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
