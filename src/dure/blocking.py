"""Dure for scripts that know no `async`:

    with Dure().sync() as dure:
        print(dure.chat("회사 휴가 정책 알려줘"))

A thread of its own runs the event loop until the block ends.
"""

from collections.abc import Coroutine, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from dure.errors import NotOpen

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
        self._portal: BlockingPortal | None = None

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            portal = opened.enter_context(start_blocking_portal(name="dure"))
            opened.enter_context(portal.wrap_async_context_manager(self.dure))
            self._opened = opened.pop_all()
        self._portal = portal
        return self

    def __exit__(self, *_: object) -> None:
        self._portal = None
        self._opened.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine. Ctrl-C cancels it. Raises NotOpen outside of the block."""
        if self._portal is None:
            work.close()
            raise NotOpen()
        future = self._portal.start_task_soon(lambda: work)
        try:
            result: T = future.result()
        except BaseException:
            future.cancel()
            raise
        return result

    def chat(self, message: str, **options: Any) -> "Answer":
        """As `Dure.chat`."""
        return self.run(self.dure.chat(message, **options))  # type: ignore[no-any-return]

    def ask(self, agent: "Agent", message: str, **options: Any) -> "Answer":
        """As `Dure.ask`."""
        return self.run(self.dure.ask(agent, message, **options))  # type: ignore[no-any-return]

    def decide(self, answer: "Answer", action: str = "approve", **options: Any) -> "Answer":
        """As `Dure.decide`."""
        return self.run(self.dure.decide(answer, action, **options))  # type: ignore[no-any-return]

    def ingest(self, *paths: Path | str, **options: Any) -> "list[Document]":
        """As `Dure.ingest`."""
        return self.run(self.dure.ingest(*paths, **options))

    def stream(self, message: str, **options: Any) -> "Iterator[Event]":
        """As `Dure.stream`; left early, the run is cancelled."""
        events = self.dure.stream(message, **options)
        try:
            while (event := self.run(anext(events, None))) is not None:
                yield event
        finally:
            self.run(events.aclose())
