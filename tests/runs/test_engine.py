"""The engine's port; every engine must pass these."""

import asyncio

import pytest

from dure.runs import Engine, InProcessEngine


@pytest.fixture(params=[InProcessEngine])
async def engine(request):
    engine: Engine = request.param()
    yield engine
    await engine.close()


async def test_start_returns_before_the_work_has_ended(engine: Engine) -> None:
    go, done = asyncio.Event(), asyncio.Event()

    async def job() -> None:
        await go.wait()
        done.set()

    await engine.start("r", job)
    assert not done.is_set()
    go.set()
    await engine.wait("r")
    assert done.is_set()


async def test_cancel_stops_and_waits(engine: Engine) -> None:
    stopped = asyncio.Event()

    async def job() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    await engine.start("r", job)
    await asyncio.sleep(0)
    assert await engine.cancel("r")
    assert stopped.is_set()
    assert not await engine.cancel("r")


async def test_a_job_that_is_cancelled_at_once_still_ends_properly(engine: Engine) -> None:
    ended: list[str] = []

    async def job() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("r")

    await engine.start("r", job)
    assert await engine.cancel("r")
    assert ended == ["r"]
    await engine.start("r", job)
    await engine.close()
    assert ended == ["r", "r"]


async def test_close_stops_all(engine: Engine) -> None:
    ended = []

    def job(name: str):
        async def work() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(name)

        return work

    for name in "abc":
        await engine.start(name, job(name))
    await asyncio.sleep(0)
    await engine.close()
    assert sorted(ended) == ["a", "b", "c"]


async def test_waiting_for_nothing_returns(engine: Engine) -> None:
    await engine.wait("nobody")
