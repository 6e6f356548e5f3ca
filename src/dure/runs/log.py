"""The events of one run while it works: numbered, handed to whoever listens, stored in batches.

Fragments of text that come within a moment of each other become one event, so that the numbers, the record and
the stream are the same whether a reader was there from the start or came later.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Any

from dure.events import Event, ReasoningDelta, TextDelta, encode
from dure.runs.replay import Replay
from dure.storage import now

Stored = tuple[int, str, str, dict[str, object]]
_MOMENT = 0.02
"""Seconds that fragments of text are gathered before they are handed on."""
_KEEP = 0.02
"""Seconds after which handed-on events are stored: other processes read them there."""


class RunLog:
    """`emit` is called by nodes, `follow` by readers, `finish` and then `close` by whoever ends the run.

    recorded: the events of a run that goes on; what is emitted of them once more is not recorded again.
    """

    def __init__(
        self, store: Callable[[list[Stored]], Coroutine[Any, Any, None]], recorded: Sequence[Event] = ()
    ) -> None:
        self._store = store
        self._loop = asyncio.get_running_loop()
        self.events: list[Event] = list(recorded)
        self._replay = Replay(recorded) if recorded else None
        self._failure: BaseException | None = None
        """All so far; the event at index i has number i + 1."""
        self._gathering: TextDelta | ReasoningDelta | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._unsaved: list[Stored] = []
        self._save_timer: asyncio.TimerHandle | None = None
        self._saving: set[asyncio.Task[None]] = set()
        self._more = asyncio.Event()
        self.closed = False

    def emit(self, event: Event) -> None:
        """Take an event; never blocks."""
        for each in [event] if self._replay is None else self._replay.new(event):
            self._take_in(each)

    def _take_in(self, event: Event) -> None:
        if isinstance(event, TextDelta | ReasoningDelta):
            if self._joins(event):
                return
            self._gather_end()
            self._gathering = type(event)(event.message_id, event.text, event.work_id)
            self._timer = self._loop.call_later(_MOMENT, self._gather_end)
            return
        self._gather_end()
        self._append(event)

    def flush(self) -> None:
        """Hand on the text that is being gathered."""
        self._gather_end()

    def _joins(self, event: TextDelta | ReasoningDelta) -> bool:
        held = self._gathering
        if held is None or type(held) is not type(event) or held.message_id != event.message_id:
            return False
        held.text += event.text
        return True

    def _gather_end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._gathering is not None:
            held, self._gathering = self._gathering, None
            self._append(held)

    def _append(self, event: Event) -> None:
        self.events.append(event)
        kind, fields = encode(event)
        self._unsaved.append((len(self.events), kind, now(), fields))
        if self._save_timer is None:
            self._save_timer = self._loop.call_later(_KEEP, self._save)
        self._wake()

    def _wake(self) -> None:
        self._more.set()
        self._more = asyncio.Event()

    def _save(self) -> None:
        task = self._loop.create_task(self._store(self._take()))
        self._saving.add(task)
        task.add_done_callback(self._saved)

    def _saved(self, task: asyncio.Task[None]) -> None:
        self._saving.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._failure = self._failure or task.exception()

    def _take(self) -> list[Stored]:
        if self._save_timer is not None:
            self._save_timer.cancel()
            self._save_timer = None
        batch, self._unsaved = self._unsaved, []
        return batch

    async def save(self) -> None:
        """Store all that has happened so far. Raises what kept any of it from being stored."""
        self._gather_end()
        if self._unsaved:
            self._save()
        if self._saving:
            await asyncio.wait(self._saving)
        if self._failure is not None:
            raise self._failure

    async def finish(self) -> list[Stored]:
        """What is not stored yet, for whoever stores it together with the run's end; all else is stored."""
        self._gather_end()
        if self._saving:
            await asyncio.wait(self._saving)
        if self._failure is not None:
            raise self._failure
        return self._take()

    def close(self) -> None:
        """No more events will come: readers end after the last."""
        self._gather_end()
        self.closed = True
        self._wake()

    async def follow(self, after: int = 0) -> AsyncIterator[tuple[int, Event]]:
        """Events after number `after`, those to come too, until the log is closed."""
        at = after
        while True:
            more = self._more
            while at < len(self.events):
                at += 1
                yield at, self.events[at - 1]
            if self.closed:
                return
            await more.wait()
