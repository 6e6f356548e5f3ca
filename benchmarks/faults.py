"""What runs survive when the model or an MCP server fails too: `python benchmarks/faults.py [--kills N] [--only F]`.

For each fault (of the model: refuse, cut, slow, other answer on retry; of an MCP tool: the same; none) N processes are
killed with SIGKILL at a random commit or effect of a run with three effects, two by a tool of ours and one by an MCP
server; a second process takes the run over. A "person" who is asked looks at what was really done. Counted, on SQLite:

lost      a run that did not end, or an effect that its record tells as done and that was not
repeated  an effect that was done twice
silent    an effect that was done and that the record of the ended run does not tell
asked     questions to people about calls in doubt
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
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import mcp.client.stdio  # noqa: F401, imported once, before forking

from dure import Agent, Dure, Team, tool
from dure.agents.loop import graph
from dure.events import ENDED
from dure.runs import Ask
from dure.storage import Database
from dure.testing import call, cut, fail, say, slow

OWNER = "default"
KINDS = ("refuse", "cut", "slow", "other")
FAULTS = ("none", *(f"model {kind}" for kind in KINDS), *(f"mcp {kind}" for kind in KINDS))
_ASKED: Counter[tuple[str, int]] = Counter()
SHOP = """
import os, sys, time
from pathlib import Path
from mcp.server.mcpserver import MCPServer

server = MCPServer("shop")

@server.tool()
def ship(to: str) -> str:
    '''Ship to somebody.'''
    effects, fault = Path(sys.argv[1]), sys.argv[2]
    first = not effects.with_suffix(".shipped").exists()
    effects.with_suffix(".shipped").touch()
    if first and fault == "mcp refuse":
        raise ValueError("not today")
    with effects.open("a") as file:
        file.write(to + "\\n")
    if first and fault == "mcp cut":
        os._exit(1)
    if first and fault == "mcp slow":
        time.sleep(0.5)
    return "shipped" if first or fault != "mcp other" else "shipped, but by another way"

server.run()
"""


def respond(body: dict[str, Any]) -> Any:
    """The model: three calls and an answer; with a fault of its own the first time that it is asked for the third."""
    fault, _, session = str(next(m["content"] for m in body["messages"] if m["role"] == "user")).partition("/")
    done = sum(m["role"] == "tool" for m in body["messages"])
    _ASKED[session, done] += 1
    first = _ASKED[session, done] == 1
    plan = (("book", "a"), ("ship", "b"), ("book", "c"))
    step = call(plan[done][0], to=f"{plan[done][1]}-{session}") if done < 3 else say("done")
    if done != 2 or not fault.startswith("model"):
        return step
    if fault == "model other":
        return step if first else call("book", to=f"d-{session}")
    faults = {"model refuse": fail(400), "model cut": cut("I"), "model slow": slow(0.5, step)}
    return faults[fault] if first else step


class Points:
    """Kills the process at one of its commits and effects."""

    def __init__(self, deadly: int) -> None:
        self.deadly, self.passed = deadly, 0

    def pass_one(self) -> None:
        self.passed += 1
        if self.passed == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)


async def work(model: str, folder: Path, fault: str, points: Points) -> dict[str, Any]:
    effects = folder / "effects"
    effects.touch()

    @tool(effect="external")
    def book(to: str) -> str:
        """Book for somebody."""
        points.pass_one()
        with effects.open("a") as file:
            file.write(f"{to}\n")
        points.pass_one()
        return f"booked for {to}"

    write = Database.write

    async def counted(self: Database, query: Any, *args: Any, **kwargs: Any) -> Any:
        points.pass_one()
        result = await write(self, query, *args, **kwargs)
        points.pass_one()
        return result

    (folder / "shop.py").write_text(SHOP)
    server = {"command": sys.executable, "args": [str(folder / "shop.py"), str(effects), fault]}
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": {"shop": server | {"effects": {"ship": "external"}}}}))
    agent = Agent(name="clerk", description="x", tools=[book, "mcp:shop"], allow=["book", "ship"])
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    given: dict[str, Any] = {"data_dir": folder / "data", "embeddings": False, "tool_dialect": "native"}
    asked: list[str] = []
    async with Dure(model_base_url=model, mcp_config=folder / "mcp.json", teams=[team], **given) as dure:
        Database.write = counted  # type: ignore[method-assign]
        found = await dure.runs.list(OWNER)
        message = f"{fault}/{folder.name}"
        run_id = found[0]["id"] if found else (await dure.runs.start(OWNER, Ask(message, None, "desk"))).id
        while (run := await dure.runs.get(OWNER, run_id))["status"] not in ENDED:
            for each in run["approvals"]:
                # What it is asked in any case is no question of the fault's.
                asked += [each["kind"]] if each["kind"] == "in_doubt" else []
                done = each["args"]["to"] in effects.read_text().split()
                told = {"action": "answer", "message": "it was done"} if done else {"action": "approve"}
                await dure.runs.decide(OWNER, run_id, [{"approval_id": each["id"], **told}])
            await asyncio.sleep(0.02)
    ended = [e["data"] for e in run["events"] if e["kind"] == "tool_finished"]
    begun = {e["data"]["call_id"]: e["data"]["args"]["to"] for e in run["events"] if e["kind"] == "tool_started"}
    return {
        "status": run["status"],
        "code": (run["error"] or {}).get("code"),
        "done": effects.read_text().split(),
        "told": {begun[e["call_id"]]: e["status"] for e in ended if e["call_id"] in begun},
        "asked": asked,
        "points": points.passed,
    }


def in_child(model: str, folder: Path, fault: str, deadly: int) -> dict[str, Any] | None:
    """What `work` returned in a process of its own; None where that was killed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            result = asyncio.run(asyncio.wait_for(work(model, folder, fault, Points(deadly)), 120))
            os.write(writer, json.dumps(result).encode())
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        result = pipe.read()
    _, ended = os.waitpid(child, 0)
    if os.WIFSIGNALED(ended):
        return None
    return (
        json.loads(result)
        if result
        else {"status": "running", "code": None, "done": [], "told": {}, "asked": [], "points": 0}
    )


def judged(found: dict[str, Any]) -> Counter[str]:
    done, told = Counter(found["done"]), found["told"]
    unfinished = found["status"] not in ENDED
    return Counter(
        lost=unfinished + sum(state == "ok" and to not in done for to, state in told.items()),
        repeated=sum(count - 1 for count in done.values()),
        silent=sum(to not in told for to in done) if found["code"] != "diverged" else 0,
        asked=len(found["asked"]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20, help="processes killed for each fault")
    parser.add_argument("--only", choices=FAULTS)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    # Once, before forking.
    graph()
    chance, whole = random.Random(args.seed), Counter[str]()
    command = [sys.executable, "-m", "dure.testing", f"{__file__}:respond"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with (
        tempfile.TemporaryDirectory() as name,
        subprocess.Popen(command, text=True, **pipes) as process,
    ):
        assert process.stdin
        assert process.stdout
        model = process.stdout.readline().strip()
        for number, fault in enumerate([args.only] if args.only else FAULTS):
            kills, points, counted = 0, 1, Counter[str]()
            ends: Counter[str] = Counter()
            for kill in range(args.kills + 1):
                folder = Path(name) / f"{number}-{kill}"
                folder.mkdir()
                # The first is left alone, to know how many points there are.
                found = in_child(model, folder, fault, chance.randint(1, points) if kill else 0)
                if found is None:
                    kills += 1
                    found = in_child(model, folder, fault, 0)
                assert found is not None
                if not kill:
                    points = found["points"] or 1
                counted += judged(found)
                ends[found["code"] or found["status"]] += 1
                if counted["lost"] or counted["repeated"] or counted["silent"]:
                    print(f"  {fault}: {found}", flush=True)
            whole += counted + Counter(kills=kills)
            said = ", ".join(f"{what} {counted[what]}" for what in ("lost", "repeated", "silent", "asked"))
            print(f"{fault}: {kills} kills at {points} points: {said}; ended {dict(ends)}", flush=True)
        process.stdin.close()
    said = ", ".join(f"{what} {whole[what]}" for what in ("lost", "repeated", "silent"))
    rate = 20 * whole["asked"] / max(whole["kills"], 1)
    print(f"all: {whole['kills']} kills: {said}, {rate:.1f} questions per 20 kills")


if __name__ == "__main__":
    os.environ.pop("DURE_DATABASE_URL", None)
    logging.disable(logging.ERROR)
    main()
