"""Stores what the runs of a process report: what comes within a moment, of all of them, in one transaction."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence

from dure.errors import DatabaseUnavailable, LostRun
from dure.events import Event
from dure.storage.runs import Batch, Stored

log = logging.getLogger(__name__)

Store = Callable[[Sequence[Batch]], Awaitable[Sequence[str]]]
"""Stores batches of events and returns the runs that are no longer this process's, of which nothing is stored."""
_MOMENT = 0.02
"""Seconds after which events are stored: other processes read them there."""
_PATIENCE = 20.0
"""Seconds for which storing is tried anew where the database is held by another program or away."""
_PAUSE = 0.5


class Source:
    """Where events come from: the log of one run."""

    def __init__(self, owner: str, run_id: str) -> None:
        self.owner, self.run_id = owner, run_id
        self._unsaved: list[Stored] = []
        self._failure: BaseException | None = None

    def take(self) -> list[Stored]:
        """What is not stored yet, for whoever stores it now; nothing any more after a gap."""
        batch, self._unsaved = self._unsaved, []
        return batch if self._failure is None else []

    def kept(self, batch: Sequence[Stored]) -> None:
        """What was taken is stored."""

    def lost(self, error: BaseException | None) -> None:
        """What was taken could not be stored; None: since another process has taken the run over."""
        self._failure = self._failure or error or LostRun()


class Recorder:
    """One transaction at a time: while it is under way, events of the next one gather."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.listeners: list[Callable[[Event], object]] = []
        """Told each event as it happens; they never block."""
        self._waiting: dict[Source, None] = {}
        self._writing: Sequence[Source] = ()
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def soon(self, source: Source) -> None:
        """There is something to be stored."""
        self._waiting[source] = None
        if self._timer is None and self._task is None:
            self._timer = asyncio.get_running_loop().call_later(_MOMENT, self._look)

    def tell(self, event: Event) -> None:
        """Tell who listens to all runs of the process."""
        for each in self.listeners:
            each(event)

    async def flush(self, source: Source) -> None:
        """Store all that waits; returns when nothing of `source` does."""
        while source in self._waiting or source in self._writing:
            await asyncio.wait([self._task or self._begin()])

    async def settle(self, source: Source) -> None:
        """Wait for what is being stored of `source`. What else it has is no longer stored here."""
        self._waiting.pop(source, None)
        while self._task is not None and source in self._writing:
            await asyncio.wait([self._task])

    def _look(self) -> None:
        self._timer = None
        if self._waiting and self._task is None:
            self._begin()

    def _begin(self) -> asyncio.Task[None]:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._writing, self._waiting = tuple(self._waiting), {}
        taken = [(each, (each.owner, each.run_id, each.take())) for each in self._writing]
        self._task = asyncio.create_task(self._write(taken))
        return self._task

    async def _write(self, taken: list[tuple[Source, Batch]]) -> None:
        try:
            await self._write_all(taken, time.monotonic() + _PATIENCE)
        finally:
            self._writing, self._task = (), None
            if self._waiting:
                self.soon(next(iter(self._waiting)))

    async def _write_all(self, taken: list[tuple[Source, Batch]], until: float) -> None:
        try:
            gone = await self._store([batch for _, batch in taken])
        except Exception as error:
            busy = isinstance(error, DatabaseUnavailable) and error.details.get("kind") in (None, "locked")
            if busy and time.monotonic() < until:
                # What tools did would have to be asked of people.
                await asyncio.sleep(_PAUSE)
                await self._write_all(taken, until)
            elif len(taken) > 1:
                # One spoils it for all: each for itself.
                for each in taken:
                    await self._write_all([each], until)
            else:
                taken[0][0].lost(error)
            return
        for source, batch in taken:
            if batch[1] in gone:
                source.lost(None)
            else:
                source.kept(batch[2])
