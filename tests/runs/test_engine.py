"""The engine's port; every engine must pass these."""

import asyncio

import pytest

from dure.pack import chosen
from dure.registry import load
from dure.runs import ENGINES, Engine, InProcessEngine
from dure.runs.jobs import JobsEngine
from dure.settings import Settings
from dure.storage import Database
from dure.testing import ScriptedServer, say


class InTurn(InProcessEngine):
    """One of one's own: one run after another, in the order in which they were started."""

    def __init__(self, settings, database) -> None:
        super().__init__(settings, database)
        self._turn = asyncio.Lock()

    async def start(self, run_id, job) -> None:
        async def in_turn() -> None:
            try:
                await self._turn.acquire()
            except asyncio.CancelledError:
                late = asyncio.ensure_future(job())
                await asyncio.sleep(0)
                late.cancel()
                await asyncio.wait([late])
                raise
            try:
                await job()
            finally:
                self._turn.release()

        await super().start(run_id, in_turn)


CHAINS = [load(pack.tables) for pack in chosen(()) if pack.tables]


async def _nobody(owner: str, run_id: str) -> bool:
    raise AssertionError("no runs are there")


@pytest.fixture(params=[InProcessEngine, InTurn, JobsEngine])
async def engine(request, tmp_path):
    kind = "postgres_url" if request.param is JobsEngine else "sqlite_url"
    url = request.getfixturevalue(kind)
    database = await Database.open(url, packs=CHAINS)
    engine: Engine = request.param(Settings(data_dir=tmp_path, database_url=url), database)
    await engine.open(_nobody, alone=False)
    yield engine
    await engine.close()
    await database.close()


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
    assert await engine.wait("nobody") is None


async def test_a_setting_names_it(opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENGINES._known, "in_turn", InTurn)
    gate = asyncio.Event()
    async with ScriptedServer(say("하나").after(gate), say("둘")) as server:
        dure = await opened(server, engine="in_turn")
        first, second = (asyncio.create_task(dure.chat(f"질문 {n}", team="assistant")) for n in (1, 2))
        await server.arrived(1)
        done, _ = await asyncio.wait([second], timeout=0.3)
        assert (done, len(server.requests)) == (set(), 1)
        gate.set()
        assert [(await each).response for each in (first, second)] == ["하나", "둘"]
