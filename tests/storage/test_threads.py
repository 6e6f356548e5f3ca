"""Threads for queries."""

import asyncio
import threading
from collections.abc import Iterable

import pytest

from dure.storage.threads import Threads, Together


async def test_results_and_errors_come_back_in_any_number() -> None:
    threads = Threads(3, "t")
    assert await asyncio.gather(*(threads.run(lambda n=n: n * n) for n in range(50))) == [n * n for n in range(50)]
    with pytest.raises(ZeroDivisionError):
        await threads.run(lambda: 1 // 0)
    threads.close()


async def test_one_thread_takes_jobs_in_their_order() -> None:
    threads, done = Threads(1, "t"), []
    await asyncio.gather(*(threads.run(lambda n=n: done.append(n)) for n in range(50)))
    assert done == list(range(50))
    threads.close()


async def test_who_no_longer_waits_disturbs_nobody_and_closing_does_what_is_left() -> None:
    threads, free, done = Threads(1, "t"), threading.Event(), []
    waiting = asyncio.create_task(threads.run(free.wait))
    later = asyncio.create_task(threads.run(lambda: done.append(1)))
    await asyncio.sleep(0)
    waiting.cancel()
    free.set()
    await asyncio.to_thread(threads.close)
    assert done == [1]
    await later
    with pytest.raises(asyncio.CancelledError):
        await waiting
    with pytest.raises(RuntimeError, match="closed"):
        await threads.run(int)


async def test_jobs_that_wait_for_a_thread_are_done_at_once_and_one_that_raises_alone() -> None:
    free, done = threading.Event(), list[list[int]]()

    def do(jobs: Iterable[int]) -> list[float]:
        done.append([])
        return [done[-1].append(job) or (free.wait() and 6 / job) for job in jobs]

    together = Together("t", do)
    first = asyncio.gather(*(together.run(n) for n in (1, 2, 3)))
    await asyncio.sleep(0)
    free.set()
    assert await first == [6, 3, 2]
    assert done == [[1, 2, 3]]
    free.clear()
    second = asyncio.gather(*(together.run(n) for n in (1, 0, 3)), return_exceptions=True)
    await asyncio.sleep(0)
    free.set()
    results = await second
    assert (results[0], results[2]) == (6, 2)
    assert isinstance(results[1], ZeroDivisionError)
    assert done[1:] == [[1, 0], [1], [0], [3]]
    await asyncio.to_thread(together.close)
    with pytest.raises(RuntimeError, match="closed"):
        await together.run(1)


def test_closing_without_a_job_begins_no_thread() -> None:
    Threads(2, "jobless").close()
    assert not [each.name for each in threading.enumerate() if each.name.startswith("jobless")]
