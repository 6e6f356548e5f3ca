"""Runs that survive: killed at any moment, taken over, ended as if nothing had happened."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from dure.errors import LostRun
from dure.events import Notice
from dure.runs import Ask
from dure.storage import runs as run_rows
from dure.testing import ScriptedServer, call, say, slow

ME = "default"
CRASHING = Path(__file__).with_name("crashing.py")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


def respond(body):
    done = [m for m in body["messages"] if m["role"] == "tool"]
    if not done:
        return call("look_up", name="kim")
    if len(done) == 1:
        return call("send_mail", to="kim")
    if len(done) == 2:
        return call("send_mail", to="lee")
    return say("둘에게 보냈습니다.")


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("verified", [(), ("verified",)], ids=["asking people", "asking the tool"])
async def test_killed_at_every_commit_and_effect_it_ends_the_same(
    database_url: str, tmp_path: Path, verified: tuple[str, ...]
) -> None:
    async with ScriptedServer(respond=respond) as server:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            *(str(CRASHING), server.url, database_url, str(tmp_path), *verified),
            stdout=asyncio.subprocess.PIPE,
        )
        printed, _ = await child.communicate()
    assert child.returncode == 0
    whole, *points = [json.loads(line) for line in printed.splitlines()]
    assert whole["effects"] == ["kim", "lee"]
    assert whole["doubts"] == 0
    killed = [each for each in points if each["killed"]]
    assert [each["kind"] for each in points if not each["killed"]] == ["commit", "effect"]
    effects = [each for each in killed if each["kind"] == "effect"]
    assert len(effects) == 4, "before and after each"
    assert len(killed) >= 20
    compared = ("status", "response", "calls", "messages", "effects", "left", "model_calls")
    for each in killed:
        # Killed before its question was stored, it was asked anew: the same all the same.
        assert {k: each[k] for k in compared} == {k: whole[k] for k in compared}, (each["kind"], each["point"])
    # A process that died while its tool was at work leaves a call in doubt, and only then; nobody is asked about it
    # whose tool can tell.
    assert not any(each["doubts"] for each in killed if verified or not each["begun"])
    assert verified or all(each["doubts"] for each in effects)


async def test_a_process_that_lost_its_run_can_do_nothing_more_with_it(database_url: str, opened) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("너무 늦은 답").after(gate)) as server:
        dure = await opened(server, database_url=database_url, take_over=False)
        run = await dure.runs.start(ME, Ask("안녕", "s", "assistant"))
        await server.arrived(1)
        active = dure.runs._working._active[run.id]
        taken = await dure.database.write(run_rows.take, run.id, dure.runs._engine.id, "another")
        assert taken
        active.log.emit(Notice("x", "too late"))
        with pytest.raises(LostRun):
            await active.log.save()
        gate.set()
        await dure.runs.settle()
        assert (await dure.runs.get(ME, run.id))["status"] == "running"
        assert [m["role"] for m in await dure.runs.sessions.messages(ME, "s")] == ["user"]
        await dure.database.write(run_rows.leave, ME, run.id, "waiting")


@pytest.mark.slow
async def test_a_killed_process_is_noticed_by_one_that_runs(
    tmp_path: Path, database_url: str, warm_command: tuple[str, ...]
) -> None:
    """Two processes on one database; one is killed in mid-answer, the other answers."""
    from dure import Dure

    script = (
        "import asyncio, sys\nfrom dure import Dure\n"
        "async def main():\n"
        "    async with Dure(model_base_url=sys.argv[1], database_url=sys.argv[2], data_dir=sys.argv[3],"
        " embeddings=False, tool_dialect='native') as dure:\n"
        "        await dure.chat('안녕', session_id='s', team='assistant')\n"
        "asyncio.run(main())\n"
    )
    never = asyncio.Event()
    async with ScriptedServer(say("nie").after(never), say("다른 프로세스의 답")) as server:
        settings = {"model_base_url": server.url, "database_url": database_url, "tool_dialect": "native"}
        async with Dure(**settings, data_dir=tmp_path / "a", embeddings=False) as dure:
            other = await asyncio.create_subprocess_exec(
                *warm_command[:-1], script, server.url, database_url, str(tmp_path / "a")
            )
            await server.arrived(1)
            (run,) = await dure.runs.list(ME)
            other.send_signal(signal.SIGKILL)
            await other.wait()
            assert (await dure.runs.answer(ME, run["id"])).response == "다른 프로세스의 답"


POISON = """
import asyncio, os, sys
from dure import Agent, Dure, Team, tool
from dure.events import ENDED
from dure.runs import Ask

@tool
async def poison() -> str:
    "Ends the process."
    os._exit(9)

async def main(url, folder, start):
    team = Team(name="t", kind="solo", description="x", agents=[Agent(name="a", description="x", tools=[poison])])
    settings = {"model_base_url": url, "data_dir": folder, "embeddings": False, "tool_dialect": "native"}
    async with Dure(**settings, teams=[team]) as dure:
        for number in range(7 if start else 0):
            await dure.runs.start("default", Ask("poison" if number == 6 else f"slow {number}", None, "t"))
        while any(run["status"] not in ENDED for run in await dure.runs.list("default")):
            await asyncio.sleep(0.1)
        for run in await dure.runs.list("default"):
            print(run["message"], run["status"], (run["error"] or {}).get("code"))

asyncio.run(main(sys.argv[1], sys.argv[2], len(sys.argv) > 3))
"""


@pytest.mark.slow
async def test_a_poison_run_takes_no_neighbour_with_it(tmp_path: Path, warm_command: tuple[str, ...]) -> None:
    def answered(body):
        asked = body["messages"][-1]["content"]
        return call("poison") if asked == "poison" else slow(2.0, say("답"))

    async with ScriptedServer(respond=answered) as server:
        died = 0
        for start in (["start"], *([[]] * 9)):
            child = await asyncio.create_subprocess_exec(
                *warm_command[:-1], POISON, server.url, str(tmp_path), *start, stdout=asyncio.subprocess.PIPE
            )
            printed, _ = await child.communicate()
            if child.returncode == 0:
                break
            died += 1
    assert died >= 4, "the poison worked"
    assert sorted(printed.decode().splitlines()) == [
        "poison failed interrupted",
        *(f"slow {n} completed None" for n in range(6)),
    ]


async def test_what_others_left_is_taken_up_within_the_limits(database_url: str, opened) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(respond=lambda body: say("답").after(gate)) as server:
        left = await opened(server, database_url=database_url)
        ids = []
        for who in ("kim", "kim", "lee", "pak"):
            ids.append((await left.runs.start(who, Ask("안녕", None, "assistant"))).id)
            # Times are kept in milliseconds.
            await asyncio.sleep(0.005)
        await server.arrived(4)
        await left.runs.close()
        dure = await opened(server, database_url=database_url, max_runs=2, max_owner_runs=1)
        await server.arrived(6)
        await dure.runs._watch.look()
        # The oldest first, but one of each owner.
        assert set(dure.runs._working._active) == {ids[0], ids[2]}
        gate.set()
        for who, run_id in zip(("kim", "kim", "lee", "pak"), ids, strict=True):
            assert (await dure.runs.answer(who, run_id)).response == "답"


async def test_events_are_followed_from_another_process(database_url: str, opened) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("하나 둘 셋").after(gate)) as server:
        here = await opened(server, database_url=database_url)
        there = await opened(server, database_url=database_url)
        run = await here.runs.start(ME, Ask("안녕", None, "assistant"))
        await server.arrived(1)
        follower = asyncio.create_task(_all(there.runs.events(ME, run.id)))
        gate.set()
        assert (await there.runs.answer(ME, run.id)).response == "하나 둘 셋"
        assert await follower == [e async for e in here.runs.events(ME, run.id)]


async def test_two_processes_begin_in_one_session_and_one_is_refused(database_url: str, opened) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(respond=lambda body: say("답").after(gate)) as server:
        both = [await opened(server, database_url=database_url) for _ in range(2)]
        for round in range(5):
            ask = Ask("안녕", f"s{round}", "assistant")
            begun = await asyncio.gather(*(d.runs.start(ME, ask) for d in both), return_exceptions=True)
            assert sorted(type(b).__name__ for b in begun) == ["Run", "SessionBusy"]
        gate.set()
        for each in both:
            await each.runs.settle()


async def _all(events):
    return [e async for e in events]
