"""What runs survive when the model or an MCP server fails too: `python benchmarks/faults.py points|moments`.

A process that works on runs with four effects (by tools of ours, with and without `verify`, and by those of an MCP
server, one of which is idempotent) is killed with SIGKILL; a second process takes its runs over.

points   at every commit and effect in turn, within an MCP server's call too, for each fault (of the model: refuse, cut,
         slow, other answer on retry; of an MCP tool: the same; none). --every K: at each K-th point.
moments  at N moments by chance (--kills N), again and again with four runs under way, each with a fault by chance. The
         model takes 200 ms for a reply, an effect 5 ms.

A "person" who is asked looks at what was really done. Counted, on SQLite and on PostgreSQL (--store S: this one alone):

lost      a run that did not end, or an effect that its record tells as done and that was not
repeated  an effect that was done twice
silent    an effect that was done and that neither the calls nor the error of the ended run tell
asked     questions to people about calls in doubt, by what the tool can: `idempotent` (MCP server), `verify` (ours),
          neither; and how many of these calls had come to their tool, had their effect, and were at a server that takes
          half a second for its answer (`mcp slow`), which ends them alone
"""

import argparse
import asyncio
import json
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import mcp.client.client
import mcp.client.streamable_http  # noqa: F401

import dure.packs.papers.tools.library
import dure.packs.tables.toolset  # noqa: F401, all imported once, before forking
from dure import Agent, Dure, Team, tool
from dure.agents.loop import graph
from dure.events import ENDED
from dure.runs import Ask
from dure.runs.answer import FURTHER
from dure.storage import Database
from dure.testing import call, cut, fail, say, slow
from dure.tooling import ToolContext

OWNER = "default"
KINDS = ("refuse", "cut", "slow", "other")
FAULTS = ("none", *(f"model {kind}" for kind in KINDS), *(f"mcp {kind}" for kind in KINDS))
PLAN = (("book", "a"), ("ship", "b"), ("note", "c"), ("pay", "d"))
CLASSES = {"pay": "idempotent", "note": "verify", "book": "neither, ours", "ship": "neither, MCP"}
AT_ONCE = 4
LATENCY = 0.2
_KILLS = 25
_LONGEST = 90
"""Seconds for what a second process has to do; the MCP server's calls may take two."""
_ASKED: Counter[tuple[str, int]] = Counter()
SHOP = """
import json, os, signal, sys, time
from pathlib import Path

folder = Path(sys.argv[1])


def point(number):
    if (folder / "deadly").exists() and int((folder / "deadly").read_text()) == -number:
        os.kill(int((folder / "pid").read_text()), signal.SIGKILL)


def act(to):
    with (folder / "effects").open("a") as file:
        file.write(to + "\\n")


def first(of):
    marked = folder / of
    fresh = not marked.exists()
    marked.touch()
    return fresh


def ship(key, fault, to):
    (folder / ("begun " + to)).touch()
    point(1)
    fresh = first("ship " + to)
    if fresh and fault == "mcp refuse":
        raise ValueError("not today")
    act(to)
    point(2)
    if fresh and fault == "mcp cut":
        os._exit(1)
    if fresh and fault == "mcp slow":
        time.sleep(0.5)
    return "shipped" if fresh or fault != "mcp other" else "shipped, but by another way"


def pay(key, to):
    "Once for each key."
    point(3)
    if first("pay " + key):
        act(to)
    point(4)
    return "paid"


def answer(method, params):
    if method == "initialize":
        told = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
        return told | {"serverInfo": {"name": "shop", "version": "1"}}
    if method == "tools/list":
        text = {"type": "string"}
        schemas = {"ship": {"fault": text, "to": text}, "pay": {"to": text}}
        return {"tools": [
            {"name": name, "description": name, "inputSchema": {"type": "object", "properties": each}}
            for name, each in schemas.items()
        ]}
    if method != "tools/call":
        raise LookupError(method)
    key = params["_meta"]["dure/idempotency-key"]
    try:
        said, failed = {"ship": ship, "pay": pay}[params["name"]](key, **params["arguments"]), False
    except ValueError as error:
        said, failed = str(error), True
    return {"content": [{"type": "text", "text": said}], "isError": failed}


for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    try:
        told = {"result": answer(asked["method"], asked.get("params"))}
    except LookupError:
        told = {"error": {"code": -32601, "message": "unknown"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}), flush=True)
"""
"""An MCP server by the standard library alone: hundreds are started."""


def respond(body: dict[str, Any]) -> Any:
    """The model: four calls and an answer; with a fault of its own the first time that it is asked for the third."""
    fault, _, session = str(next(m["content"] for m in body["messages"] if m["role"] == "user")).partition("/")
    done = sum(m["role"] == "tool" for m in body["messages"])
    _ASKED[session, done] += 1
    first = _ASKED[session, done] == 1
    if done < len(PLAN):
        name, to = PLAN[done]
        step = call(name, to=f"{to}-{session}", **{"fault": fault} if name == "ship" else {})
    else:
        step = say("done")
    if done != 2 or not fault.startswith("model"):
        return step
    if fault == "model other":
        return step if first else call("book", to=f"e-{session}")
    faults = {"model refuse": fail(400), "model cut": cut("I"), "model slow": slow(0.5, step)}
    return faults[fault] if first else step


class Points:
    """Kills the process at one of its commits and effects; at those of its MCP server that one does (-1 to -4)."""

    def __init__(self, folder: Path, deadly: int) -> None:
        self.deadly, self.passed = deadly, 0
        (folder / "pid").write_text(str(os.getpid()))
        (folder / "deadly").write_text(str(deadly))

    def pass_one(self) -> None:
        self.passed += 1
        if self.passed == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)


def desk(folder: Path, points: Points, seconds: float) -> Team:
    effects, keys = folder / "effects", folder / "keys"

    def act(to: str) -> str:
        (folder / f"begun {to}").touch()
        points.pass_one()
        time.sleep(seconds)
        with effects.open("a") as file:
            file.write(f"{to}\n")
        points.pass_one()
        return f"done for {to}"

    async def became(key: str) -> Literal["done", "not done"]:
        return "done" if key in keys.read_text().split() else "not done"

    @tool(effect="external")
    def book(to: str) -> str:
        """Book for somebody."""
        return act(to)

    @tool(effect="external", verify=became)
    def note(to: str, context: ToolContext) -> str:
        """Note somebody, under the call's key."""
        points.pass_one()
        # Both or none, as in a database.
        with effects.open("a") as file, keys.open("a") as known:
            file.write(f"{to}\n")
            known.write(f"{context.key}\n")
        points.pass_one()
        return f"noted {to}"

    effects.touch()
    keys.touch()
    agent = Agent(name="clerk", description="x", tools=[book, note, "mcp:shop"], allow=["book", "note", "ship", "pay"])
    return Team(name="desk", kind="solo", description="x", agents=[agent])


async def work(
    model: str, url: str, folder: Path, faults: list[str], at_once: int, deadly: int, ready: int
) -> list[dict[str, Any]]:
    """Work on a run for each of `faults`, so many at once; with 0, on those that were begun. How they ended.
    ready: told when one of them has got further."""
    owner, points = folder.name, Points(folder, deadly)
    write = Database.write

    async def counted(self: Database, query: Any, *args: Any, **kwargs: Any) -> Any:
        points.pass_one()
        result = await write(self, query, *args, **kwargs)
        points.pass_one()
        return result

    (folder / "shop.py").write_text(SHOP)
    server = {"command": sys.executable, "args": ["-S", "-E", str(folder / "shop.py"), str(folder)], "timeout": 2}
    server |= {"effects": {"ship": "external", "pay": "idempotent"}}
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": {"shop": server}}))
    team = desk(folder, points, 0.005 if len(faults) > 1 else 0)
    given: dict[str, Any] = {"data_dir": folder / "data", "embeddings": False, "tool_dialect": "native"}
    async with Dure(
        model_base_url=model, database_url=url, mcp_config=folder / "mcp.json", teams=[team], **given
    ) as dure:
        await dure.mcp.ready(60)
        Database.write = counted  # type: ignore[method-assign]
        dure.runs.listen(lambda event: os.write(ready, b"+\n") if isinstance(event, FURTHER) else None)
        while True:
            runs = await dure.runs.list(owner, limit=1000)
            left = [each for each in runs if each["status"] not in ENDED]
            new = range(len(runs), min(len(faults), len(runs) + at_once - len(left)))
            for number in new:
                await dure.runs.start(owner, Ask(f"{faults[number]}/{owner}.{number}", f"{owner}.{number}", "desk"))
            if not (left or new):
                break
            for each in await dure.runs.approvals(owner):
                done = each["args"]["to"] in (folder / "effects").read_text().split()
                if each["kind"] == "in_doubt":
                    # What it is asked in any case, since MCP results came in, is no question of the kill's.
                    with (folder / "asked").open("a") as file:
                        begun = (folder / f"begun {each['args']['to']}").exists()
                        late = each["args"].get("fault") == "mcp slow"
                        file.write(f"{each['tool']} {begun:d} {done:d} {late:d}\n")
                told = {"action": "answer", "message": "it was done"} if done else {"action": "approve"}
                await dure.runs.decide(owner, each["run_id"], [{"approval_id": each["id"], **told}])
            await asyncio.sleep(0.02)
        found = [await dure.runs.get(owner, each["id"]) for each in runs]
    everything = (folder / "effects").read_text().split()
    return [
        found_of(run, [each for each in everything if each.endswith(f"-{run['session_id']}")])
        | {"points": points.passed}
        for run in found
    ]


def found_of(run: dict[str, Any], done: list[str]) -> dict[str, Any]:
    begun = {e["data"]["call_id"]: e["data"]["args"]["to"] for e in run["events"] if e["kind"] == "tool_started"}
    ended = [e["data"] for e in run["events"] if e["kind"] == "tool_finished"]
    error = run["error"] or {"code": None, "details": {}}
    doubted = {each["args"]["to"]: each["status"] for each in error["details"].get("calls", ())}
    return {
        "status": run["status"],
        "code": error["code"],
        "done": done,
        "told": doubted | {begun[e["call_id"]]: e["status"] for e in ended if e["call_id"] in begun},
        "fault": run["message"].partition("/")[0],
    }


def in_child(
    model: str, url: str, folder: Path, faults: list[str], at_once: int, deadly: int = 0, after: float | None = None
) -> list[dict[str, Any]] | None:
    """What `work` returned in a process of its own; None where that was killed, `after` seconds from when one of its
    runs got further where that is given."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            doing = asyncio.wait_for(work(model, url, folder, faults, at_once, deadly, writer), _LONGEST)
            os.write(writer, json.dumps(asyncio.run(doing)).encode())
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        first = pipe.readline()
        if after is not None:
            time.sleep(after)
            os.kill(child, signal.SIGKILL)
        result = (first + pipe.read()).replace(b"+\n", b"")
    _, ended = os.waitpid(child, 0)
    if os.WIFSIGNALED(ended):
        return None
    lost = {"status": "running", "code": None, "done": [], "told": {}, "points": 0}
    return json.loads(result) if result else [{**lost, "fault": fault} for fault in faults]


def judged(found: dict[str, Any]) -> Counter[str]:
    done, told = Counter(found["done"]), found["told"]
    unfinished = found["status"] not in ENDED
    return Counter(
        lost=unfinished + sum(state == "ok" and to not in done for to, state in told.items()),
        repeated=sum(count - 1 for count in done.values()),
        silent=sum(to not in told for to in done),
        runs=1,
        effects=len(done),
    )


class Tally:
    """What was counted of one store."""

    def __init__(self, store: str) -> None:
        self.store, self.counted, self.kills, self.ends = store, Counter[str](), 0, Counter[str]()
        self.slowest = 0.0

    def add(self, found: list[dict[str, Any]] | None, folder: Path, seconds: float = 0.0) -> None:
        assert found is not None
        for line in (folder / "asked").read_text().splitlines() if (folder / "asked").exists() else ():
            tool, *flags = line.split()
            kind = CLASSES[tool]
            self.counted[f"asked {kind}"] += 1
            for what, flag in zip(("begun", "done", "late"), flags, strict=True):
                self.counted[f"{what} {kind}"] += int(flag)
        self.slowest = max(self.slowest, seconds)
        for each in found:
            judgement = judged(each)
            self.counted += judgement
            self.ends[each["code"] or each["status"]] += 1
            if judgement["lost"] or judgement["repeated"] or judgement["silent"]:
                print(f"  {self.store}: {each}", flush=True)

    def tell(self, what: str) -> None:
        counted = self.counted
        wrong = ", ".join(f"{each} {counted[each]}" for each in ("lost", "repeated", "silent"))
        asked = {each: counted[f"asked {each}"] for each in CLASSES.values()}
        rates = ", ".join(
            f"{each} {20 * n / max(self.kills, 1):.1f} ({n}, begun {counted[f'begun {each}']}, done "
            f"{counted[f'done {each}']}, late {counted[f'late {each}']})"
            for each, n in asked.items()
        )
        rate = 20 * sum(asked.values()) / max(self.kills, 1)
        print(
            f"{self.store}, {what}: {self.kills} kills, {counted['runs']} runs, {counted['effects']} effects: {wrong}; "
            f"asked per 20 kills {rate:.1f}: {rates}; ended {dict(self.ends)}; slowest end {self.slowest:.1f} s",
            flush=True,
        )


def points(tally: Tally, model: str, url: str, home: Path, fault: str, every: int) -> None:
    def once(point: int) -> list[dict[str, Any]]:
        folder = home / f"{fault.replace(' ', '')}{point}"
        folder.mkdir()
        began = time.monotonic()
        found = in_child(model, place(url, folder), folder, [fault], 1, point)
        if found is None:
            tally.kills += 1
            began = time.monotonic()
            found = in_child(model, place(url, folder), folder, [fault], 1)
        tally.add(found, folder, time.monotonic() - began)
        return found or []

    number = once(0)[0]["points"]
    # Another of them for each fault, where not all are asked for.
    for point in [*range(-4, 0), *range(1 + FAULTS.index(fault) % every, number + 1, every)]:
        once(point)


def moments(
    tally: Tally, model: str, url: str, home: Path, kills: int, chance: random.Random, among: Sequence[str]
) -> None:
    """Worlds of some kills each, after which what was begun is gone on with to its end."""
    for number in range(0, kills, _KILLS):
        folder = home / f"m{number}"
        folder.mkdir()
        faults = [chance.choice(among) for _ in range(900)]
        for _ in range(min(_KILLS, kills - number)):
            in_child(model, place(url, folder), folder, faults, AT_ONCE, after=chance.uniform(0.2, 2.5))
            tally.kills += 1
        began = time.monotonic()
        tally.add(in_child(model, place(url, folder), folder, faults, 0), folder, time.monotonic() - began)
        tally.tell("so far")


def place(url: str, folder: Path) -> str:
    return f"sqlite:///{folder / 'dure.db'}" if url.startswith("sqlite") else url


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("way", choices=["points", "moments"])
    parser.add_argument("--kills", type=int, default=20, help="moments at which a process is killed")
    parser.add_argument("--every", type=int, default=1, help="kill at each K-th point")
    parser.add_argument("--only", choices=FAULTS)
    parser.add_argument("--store", choices=["SQLite", "PostgreSQL"])
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    among = [args.only] if args.only else FAULTS
    from durability import databases

    # Once, before forking.
    graph()
    latency = LATENCY if args.way == "moments" else 0
    command = [sys.executable, "-m", "dure.testing", f"{__file__}:respond", "--latency", str(latency)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with (
        tempfile.TemporaryDirectory() as name,
        databases(Path(name)) as urls,
        subprocess.Popen(command, text=True, **pipes) as process,
    ):
        assert process.stdin
        assert process.stdout
        model = process.stdout.readline().strip()
        assert model, "the scripted model did not start"
        for store, url in urls.items():
            if args.store not in (None, store):
                continue
            home, tally = Path(name) / store, Tally(store)
            home.mkdir()
            if args.way == "moments":
                moments(tally, model, url, home, args.kills, random.Random(args.seed), among)
            for fault in among if args.way == "points" else ():
                one = Tally(store)
                points(one, model, url, home, fault, args.every)
                one.tell(fault)
                tally.counted += one.counted
                tally.ends += one.ends
                tally.kills += one.kills
                tally.slowest = max(tally.slowest, one.slowest)
            tally.tell("all")
        process.stdin.close()


if __name__ == "__main__":
    os.environ.pop("DURE_DATABASE_URL", None)
    logging.disable(logging.ERROR)
    main()
