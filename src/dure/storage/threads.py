"""Threads that run queries for an event loop: what a ThreadPoolExecutor does, for half of its CPU."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
_MOMENT = 0.02
"""Seconds after whose beginning no more jobs are done with others, which wait for them."""
_Job = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[..., Any]]


class Threads:
    """`count` threads, which take jobs in the order they come; begun with the first job."""

    def __init__(self, count: int, name: str) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._work, name=f"{name}_{n}", daemon=True) for n in range(count)]
        self._begun = self._closed = False

    async def run(self, job: Callable[..., T]) -> T:
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
            self._serve(job)
            # Nothing of a job is kept alive by waiting for the next.
            del job

    def _serve(self, job: _Job) -> None:
        _do(*job)

    def close(self) -> None:
        """Do what is left, then end."""
        self._closed = True
        if self._begun:
            for _ in self._threads:
                self._jobs.put(None)
            for thread in self._threads:
                thread.join()


class Together(Threads):
    """One thread; the jobs that wait when it gets to the first are done at once.

    do: takes jobs as they come and gives what they return, in their order. It may be called again with each of them
    alone: what one raises undoes all.
    """

    def __init__(self, name: str, do: Callable[[Iterable[Any]], Sequence[Any]]) -> None:
        super().__init__(1, name)
        self._do = do

    def _serve(self, job: _Job) -> None:
        taken = [job]
        try:
            results = self._do(self._and_more(taken))
            ends: list[Callable[[], Any]] = [partial(results.__getitem__, number) for number in range(len(taken))]
        except BaseException as error:
            ends = [partial(self._alone, job) for _, _, job in taken] if taken[1:] else [partial(_raise, error)]
        for (loop, future, _), end in zip(taken, ends, strict=True):
            _do(loop, future, end)

    def _and_more(self, taken: list[_Job]) -> Iterator[Any]:
        """The first of what was taken, then what comes in a moment."""
        yield taken[0][2]
        until = time.monotonic() + _MOMENT
        while not self._jobs.empty() and time.monotonic() < until:
            job = self._jobs.get()
            if job is None:
                # The end, for `_work`.
                self._jobs.put(job)
                return
            taken.append(job)
            yield job[2]

    def _alone(self, job: Any) -> Any:
        return self._do([job])[0]


def _raise(error: BaseException) -> None:
    raise error


def _do(loop: asyncio.AbstractEventLoop, future: "asyncio.Future[Any]", job: Callable[[], Any]) -> None:
    try:
        end = partial(future.set_result, job())
    except BaseException as error:
        end = partial(future.set_exception, error)
    # A loop that was closed meanwhile: nobody waits any more.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(_end, future, end)


def _end(future: "asyncio.Future[Any]", end: Callable[[], None]) -> None:
    if not future.done():
        end()
