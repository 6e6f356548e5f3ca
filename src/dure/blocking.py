"""Dure for scripts that know no `async`:

    with Dure().sync() as dure:
        print(dure.chat("회사 휴가 정책 알려줘"))

A thread of its own runs the event loop until the block ends.
"""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from dure.agents import Agent
    from dure.answer import Answer
    from dure.events import Event
    from dure.knowledge.document import Document

T = TypeVar("T")


class Blocking:
    """The methods of a `Dure` that wait until they are done. For all others: `run(dure.dure.knowledge.list(…))`."""

    def __init__(self, dure: Any) -> None:
        self.dure = dure
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="dure", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self.run(self.dure.__aenter__())
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.run(self.dure.__aexit__())
        finally:
            self._end()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine. Ctrl-C cancels it."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def chat(self, message: str, **options: Any) -> "Answer":
        """As `Dure.chat`."""
        return self.run(self.dure.chat(message, **options))  # type: ignore[no-any-return]

    def ask(self, agent: "Agent", message: str, **options: Any) -> "Answer":
        """As `Dure.ask`."""
        return self.run(self.dure.ask(agent, message, **options))  # type: ignore[no-any-return]

    def ingest(self, *paths: Path | str, **options: Any) -> "list[Document]":
        """As `Dure.ingest`."""
        return self.run(self.dure.ingest(*paths, **options))

    def stream(self, message: str, **options: Any) -> "Iterator[Event]":
        """As `Dure.stream`; left early, the run is cancelled."""
        events = self.dure.stream(message, **options)
        try:
            while True:
                try:
                    yield self.run(anext(events))
                except StopAsyncIteration:
                    return
        finally:
            self.run(events.aclose())
