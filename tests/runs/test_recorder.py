"""Storing what several runs report: together, one transaction at a time, one run's failure its own."""

import asyncio

import pytest

from dure.errors import LostRun
from dure.events import Notice
from dure.runs.log import Recorder, RunLog


class Kept:
    """Stores in memory; `gone` runs are lost, a batch of a `broken` run makes the whole transaction fail."""

    def __init__(self, gone=(), broken=()) -> None:
        self.gone, self.broken = gone, broken
        self.transactions: list[list[tuple[str, list[int]]]] = []
        self.free = asyncio.Event()
        self.free.set()
        self.stored = asyncio.Event()

    async def __call__(self, batches) -> list[str]:
        await self.free.wait()
        if any(run in self.broken for _, run, _ in batches):
            raise RuntimeError("no")
        self.transactions.append([(run, [e[0] for e in events]) for _, run, events in batches if run not in self.gone])
        self.stored.set()
        return [run for _, run, _ in batches if run in self.gone]


def logs(kept: Kept, *names: str) -> list[RunLog]:
    recorder = Recorder(kept)
    return [RunLog(recorder, "me", name) for name in names]


async def test_what_runs_report_within_a_moment_is_stored_together() -> None:
    kept = Kept()
    a, b = logs(kept, "a", "b")
    for log in (a, b, a):
        log.emit(Notice("x", ""))
    await b.save()
    assert kept.transactions == [[("a", [1, 2]), ("b", [1])]]


async def test_it_is_stored_after_a_moment_unasked() -> None:
    kept = Kept()
    (a,) = logs(kept, "a")
    a.emit(Notice("x", ""))
    async with asyncio.timeout(60):
        await kept.stored.wait()
    assert await a.finish() == []


async def test_events_of_a_run_are_stored_in_order_and_one_transaction_at_a_time() -> None:
    kept = Kept()
    (a,) = logs(kept, "a")
    kept.free.clear()
    a.emit(Notice("1", ""))
    first = asyncio.create_task(a.save())
    await asyncio.sleep(0)
    a.emit(Notice("2", ""))
    second = asyncio.create_task(a.save())
    await asyncio.sleep(0.05)
    assert not first.done()
    assert not second.done()
    kept.free.set()
    await asyncio.gather(first, second)
    assert kept.transactions == [[("a", [1])], [("a", [2])]]


async def test_the_end_waits_for_what_is_being_stored_and_takes_the_rest() -> None:
    kept = Kept()
    a, b = logs(kept, "a", "b")
    kept.free.clear()
    a.emit(Notice("1", ""))
    saving = asyncio.create_task(a.save())
    await asyncio.sleep(0)
    a.emit(Notice("2", ""))
    b.emit(Notice("1", ""))
    ending = asyncio.create_task(a.finish())
    await asyncio.sleep(0)
    assert not ending.done()
    kept.free.set()
    assert [seq for seq, *_ in await ending] == [2]
    await saving
    await b.save()
    assert kept.transactions == [[("a", [1])], [("b", [1])]]


async def test_a_lost_run_stops_nobody_else() -> None:
    kept = Kept(gone=("a",))
    a, b = logs(kept, "a", "b")
    a.emit(Notice("1", ""))
    b.emit(Notice("1", ""))
    with pytest.raises(LostRun):
        await a.save()
    await b.save()
    with pytest.raises(LostRun):
        await a.finish()
    assert await b.finish() == []


async def test_what_cannot_be_stored_is_its_own_runs_failure() -> None:
    kept = Kept(broken=("b",))
    a, b, c = logs(kept, "a", "b", "c")
    for log in (a, b, c):
        log.emit(Notice("1", ""))
    await a.save()
    await c.save()
    with pytest.raises(RuntimeError):
        await b.save()
    assert kept.transactions == [[("a", [1])], [("c", [1])]]
