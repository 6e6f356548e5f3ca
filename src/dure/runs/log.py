"""The events of runs while these work: numbered, stored in batches, and then handed to whoever reads them, who can go
on from any of them with another process, too.

Fragments of text that come within a moment of each other become one event, so that the numbers, the record and
the stream are the same whether a reader was there from the start or came later.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace

from dure.errors import DatabaseUnavailable, LostRun
from dure.events import Event, ModelCalled, ReasoningDelta, TextDelta
from dure.runs.replay import Replay
from dure.storage import now
from dure.storage.repeated import brief
from dure.storage.runs import Batch, Stored

Store = Callable[[Sequence[Batch]], Awaitable[Sequence[str]]]
"""Stores batches of events and returns the runs that are no longer this process's, of which nothing is stored."""
_MOMENT = 0.02
"""Seconds that events, and fragments of text as one, are gathered before they are stored and handed on."""
_PATIENCE = 20.0
"""Seconds for which storing is tried anew where the database is held by another program or away."""
_PAUSE = 0.5


class RunLog:
    """`emit` is called by nodes, `follow` by readers, `finish` and then `close` by whoever ends the run.

    recorded: the events of a run that goes on; what is emitted of them once more is not recorded again.
    """

    def __init__(self, recorder: "Recorder", owner: str, run_id: str, recorded: Sequence[Event] = ()) -> None:
        self.owner, self.run_id = owner, run_id
        self._recorder = recorder
        self._unsaved: list[Stored] = []
        self._failure: BaseException | None = None
        self.events: list[Event] = list(recorded)
        """All so far; the event at index i has number i + 1."""
        self._kept = len(self.events)
        """How many of them are stored: readers get those."""
        self._replay = Replay(recorded) if recorded else None
        self._gathering: TextDelta | ReasoningDelta | None = None
        self._more = asyncio.Event()
        """Set, and another one, when there is more."""
        self._finished = False
        self.closed = asyncio.Event()
        """No more events will come."""

    def emit(self, event: Event) -> None:
        """Take an event; never blocks. Once the log is finished or closed nothing more is taken."""
        if self._finished or self.closed.is_set():
            return
        for each in [event] if self._replay is None else self._replay.new(event):
            self._take_in(each)
            self._recorder.soon(self)

    def _take_in(self, event: Event) -> None:
        held = self._gathering
        if not isinstance(event, TextDelta | ReasoningDelta):
            self.flush()
            self._append(event)
        elif held is not None and type(held) is type(event) and held.message_id == event.message_id:
            held.text += event.text
        else:
            self.flush()
            self._gathering = replace(event)

    def flush(self) -> None:
        """Hand on the text that is being gathered."""
        if self._gathering is not None:
            held, self._gathering = self._gathering, None
            self._append(held)

    def _append(self, event: Event) -> None:
        self.events.append(event)
        # Nobody changes an event: it can be written as JSON when it is stored.
        self._unsaved.append((len(self.events), event.kind, now(), self._stored(event)))
        self._recorder.tell(event)

    def _stored(self, event: Event) -> Event:
        if not isinstance(event, ModelCalled):
            return event
        number, first = next((n, each) for n, each in enumerate(self.events, 1) if isinstance(each, ModelCalled))
        if first is event:
            return event
        messages = brief(event.request.get("messages"), first.request.get("messages"), number)
        return replace(event, request=event.request | {"messages": messages})

    def _wake(self) -> None:
        more, self._more = self._more, asyncio.Event()
        more.set()

    def take(self) -> list[Stored]:
        """What is not stored yet, for whoever stores it now; nothing any more after a gap."""
        self.flush()
        batch, self._unsaved = self._unsaved, []
        return batch if self._failure is None else []

    def kept(self, batch: Sequence[Stored]) -> None:
        """What was taken is stored."""
        if batch:
            self._kept = batch[-1][0]
            self._wake()

    def lost(self, error: BaseException | None) -> None:
        """What was taken could not be stored; None: since another process has taken the run over."""
        self._failure = self._failure or error or LostRun()

    async def save(self) -> None:
        """Store all that has happened so far. Raises what kept any of it from being stored."""
        await self._recorder.flush(self)
        if self._failure is not None:
            raise self._failure

    async def finish(self, *last: Event) -> list[Stored]:
        """What is not stored yet, for whoever stores it together with the run's end; all else is stored. `last` is part
        of it, but readers see it only when it is told (`tell`). No other event is taken any more."""
        await self._recorder.settle(self)
        if self._failure is not None:
            raise self._failure
        self._finished = True
        rest = self.take()
        return rest + [(number, event.kind, now(), event) for number, event in enumerate(last, len(self.events) + 1)]

    def tell(self, *last: Event) -> None:
        """Hand on what was the last, now that it is stored."""
        self.events.extend(last)
        self._kept = len(self.events)
        for event in last:
            self._recorder.tell(event)
        self._wake()

    async def close(self) -> None:
        """Take no more events, and give up what is not stored: whoever goes on with the run numbers its events anew.
        Readers end after the last."""
        await self._recorder.settle(self)
        self.take()
        del self.events[self._kept :]
        self.closed.set()
        self._wake()

    async def follow(self, after: int = 0) -> AsyncIterator[tuple[int, Event]]:
        """Events after number `after` that are stored, those to come too, until the log is closed."""
        at = after
        while True:
            while at < self._kept:
                at += 1
                yield at, self.events[at - 1]
            if self.closed.is_set():
                return
            await self._more.wait()


class Recorder:
    """Stores what the runs of a process report: what comes within a moment, of all of them, in one transaction.

    One transaction at a time: while it is under way, events of the next one gather."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.listeners: list[Callable[[Event], object]] = []
        """Told each event as it happens; they never block."""
        self._waiting: dict[RunLog, None] = {}
        self._writing: Sequence[RunLog] = ()
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def soon(self, source: RunLog) -> None:
        """There is something to be stored."""
        self._waiting[source] = None
        if self._timer is None and self._task is None:
            self._timer = asyncio.get_running_loop().call_later(_MOMENT, self._look)

    def tell(self, event: Event) -> None:
        """Tell who listens to all runs of the process."""
        for each in self.listeners:
            each(event)

    async def flush(self, source: RunLog) -> None:
        """Store all that waits; returns when nothing of `source` does."""
        while source in self._waiting or source in self._writing:
            await asyncio.wait([self._task or self._begin()])

    async def settle(self, source: RunLog) -> None:
        """Wait for what is being stored of `source`. What else it has is no longer stored here."""
        self._waiting.pop(source, None)
        while self._task is not None and source in self._writing:
            await asyncio.wait([self._task])

    def _look(self) -> None:
        self._timer = None
        if self._waiting:
            self._begin()

    def _begin(self) -> asyncio.Task[None]:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._writing, self._waiting = tuple(self._waiting), {}
        taken = [(each, (each.owner, each.run_id, each.take())) for each in self._writing]
        self._task = asyncio.create_task(self._write(taken))
        return self._task

    async def _write(self, taken: list[tuple[RunLog, Batch]]) -> None:
        try:
            await self._write_all(taken, time.monotonic() + _PATIENCE)
        finally:
            self._writing, self._task = (), None
            if self._waiting:
                self.soon(next(iter(self._waiting)))

    async def _write_all(self, taken: list[tuple[RunLog, Batch]], until: float) -> None:
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
