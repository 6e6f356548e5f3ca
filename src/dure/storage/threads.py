"""Threads that run queries for an event loop: what a ThreadPoolExecutor does, for half of its CPU."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
_Job = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[[], Any]]


class Threads:
    """`count` threads, which take jobs in the order they come; begun with the first job."""

    def __init__(self, count: int, name: str) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._work, name=f"{name}_{n}", daemon=True) for n in range(count)]
        self._begun = self._closed = False

    async def run(self, job: Callable[[], T]) -> T:
        """What `job` returns or raises. Cancelled, the job is done all the same."""
        if self._closed:
            raise RuntimeError("the database is closed")
        if not self._begun:
            self._begun = True
            for thread in self._threads:
                thread.start()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._jobs.put((loop, future, job))
        return await future

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            loop, future, function = job
            try:
                end = partial(future.set_result, function())
            except BaseException as error:
                end = partial(future.set_exception, error)
            # A loop that was closed meanwhile: nobody waits any more.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_end, future, end)
            # Nothing of a job is kept alive by waiting for the next.
            del loop, future, function, job, end

    def close(self) -> None:
        """Do what is left, then end."""
        self._closed = True
        if self._begun:
            for _ in self._threads:
                self._jobs.put(None)
            for thread in self._threads:
                thread.join()


def _end(future: "asyncio.Future[Any]", end: Callable[[], None]) -> None:
    if not future.done():
        end()
