"""The events of one run while it works: numbered, stored in batches, and then handed to whoever reads them, who can go
on from any of them with another process, too.

Fragments of text that come within a moment of each other become one event, so that the numbers, the record and
the stream are the same whether a reader was there from the start or came later.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from dure.events import Event, ModelCalled, ReasoningDelta, TextDelta
from dure.runs.recorder import Recorder, Source
from dure.runs.replay import Replay
from dure.storage import now
from dure.storage.repeated import brief
from dure.storage.runs import Stored

_MOMENT = 0.02
"""Seconds that fragments of text are gathered before they are handed on."""


class RunLog(Source):
    """`emit` is called by nodes, `follow` by readers, `finish` and then `close` by whoever ends the run.

    recorded: the events of a run that goes on; what is emitted of them once more is not recorded again.
    """

    def __init__(self, recorder: Recorder, owner: str, run_id: str, recorded: Sequence[Event] = ()) -> None:
        super().__init__(owner, run_id)
        self._recorder = recorder
        self._loop = asyncio.get_running_loop()
        self.events: list[Event] = list(recorded)
        """All so far; the event at index i has number i + 1."""
        self._kept = len(self.events)
        """How many of them are stored: readers get those."""
        self._replay = Replay(recorded) if recorded else None
        self._gathering: TextDelta | ReasoningDelta | None = None
        self._timer: asyncio.TimerHandle | None = None
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
            self._timer = self._loop.call_later(_MOMENT, self.flush)

    def flush(self) -> None:
        """Hand on the text that is being gathered."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._gathering is not None:
            held, self._gathering = self._gathering, None
            self._append(held)

    def _append(self, event: Event) -> None:
        self.events.append(event)
        # Nobody changes an event: it can be written as JSON when it is stored.
        self._unsaved.append((len(self.events), event.kind, now(), self._stored(event)))
        self._recorder.tell(event)
        if len(self._unsaved) == 1:
            self._recorder.soon(self)

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

    def kept(self, batch: Sequence[Stored]) -> None:
        if batch:
            self._kept = batch[-1][0]
            self._wake()

    async def save(self) -> None:
        """Store all that has happened so far. Raises what kept any of it from being stored."""
        self.flush()
        await self._recorder.flush(self)
        if self._failure is not None:
            raise self._failure

    async def finish(self, *last: Event) -> list[Stored]:
        """What is not stored yet, for whoever stores it together with the run's end; all else is stored. `last` is part
        of it, but readers see it only when it is told (`tell`). No other event is taken any more."""
        self.flush()
        await self._recorder.settle(self)
        if self._failure is not None:
            raise self._failure
        self._finished = True
        numbered = enumerate(last, len(self.events) + 1)
        return [*self.take(), *((number, event.kind, now(), event) for number, event in numbered)]

    def tell(self, *last: Event) -> None:
        """Hand on what was the last, now that it is stored."""
        self.events.extend(last)
        self._kept = len(self.events)
        for event in last:
            self._recorder.tell(event)
        self._wake()

    async def drop(self) -> None:
        """Give up what is not stored yet: whoever goes on with the run numbers its events anew."""
        self.flush()
        await self._recorder.settle(self)
        self.take()
        del self.events[self._kept :]

    def close(self) -> None:
        """Take no more events: readers end after the last."""
        self.flush()
        self.closed.set()
        self._wake()

    async def follow(self, after: int = 0) -> AsyncIterator[tuple[int, Event]]:
        """Events after number `after` that are stored, those to come too, until the log is closed."""
        at = after
        while True:
            while at < self._kept:
                at += 1
                yield at, self.events[at - 1]
            if self.closed.is_set() and self._kept == len(self.events):
                return
            await self._more.wait()
