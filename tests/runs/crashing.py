"""Kills a process at every commit and every effect of a run in turn, and lets another go on.

Run by `test_recovery.py`: `python crashing.py MODEL_URL DATABASE_URL FOLDER [verified]`, `verified` where the tool can
tell what became of a call. For each point a forked child works on
a question until it is killed there; a second child, never killed, takes the run over. What is printed, a JSON line a
point, tells how the run ended and what the tool really did. First comes a run that nothing happens to, in the process
that forks: what it imported and built is there in each child.
"""

import asyncio
import gc
import itertools
import json
import os
import signal
import sys
import traceback
from collections import Counter
from pathlib import Path
from typing import Any, Literal

from dure import Agent, Dure, Team, tool
from dure.events import ENDED
from dure.runs import Ask
from dure.storage import Database
from dure.tooling import ToolContext

OWNER = "default"
WRITE = Database.write


class Points:
    """Counts the commits and the effects of a process and kills it at one of them, such as `("effect", 2)`: no cleaning
    up, no last words. Apart, since how many commits there are is a matter of time."""

    def __init__(self, deadly: tuple[str, int] | None = None) -> None:
        self.deadly, self.passed = deadly, Counter[str]()

    def pass_one(self, kind: str) -> None:
        self.passed[kind] += 1
        if (kind, self.passed[kind]) == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)


def desk(effects: Path, points: Points) -> Team:
    keys = effects.with_suffix(".keys")

    async def became(key: str) -> Literal["done", "not done"]:
        return "done" if keys.exists() and key in keys.read_text().split() else "not done"

    @tool(effect="external", verify=became if "verified" in sys.argv else None)
    def send_mail(to: str, context: ToolContext) -> str:
        """Send a mail."""
        effects.with_suffix(".begun").touch()
        points.pass_one("effect")
        with effects.open("a") as file, keys.open("a") as known:
            file.write(f"{to}\n")
            known.write(f"{context.key}\n")
        points.pass_one("effect")
        return f"sent to {to}"

    @tool
    def look_up(name: str) -> str:
        """Look up an address."""
        return f"{name}@example.org"

    agent = Agent(name="clerk", description="x", tools=[send_mail, look_up])
    return Team(name="desk", kind="solo", description="x", agents=[agent])


async def work(model: str, database: str, folder: Path, session: str, points: Points) -> dict[str, Any]:
    effects = folder / f"{session}.effects"

    async def counted(self: Database, query: Any, *args: Any, **kwargs: Any) -> Any:
        points.pass_one("commit")
        result = await WRITE(self, query, *args, **kwargs)
        points.pass_one("commit")
        return result

    settings = {"data_dir": folder / session, "embeddings": False, "tool_dialect": "native"}
    async with Dure(model_base_url=model, database_url=database, teams=[desk(effects, points)], **settings) as dure:
        Database.write = counted  # type: ignore[method-assign]
        begun = effects.with_suffix(".begun").exists()
        found = await dure.runs.list(OWNER, session_id=session)
        if found:
            run_id = found[0]["id"]
        else:
            run_id = (await dure.runs.start(OWNER, Ask("김과 이에게 보내 줘", session, "desk"))).id
        doubts = 0
        while (await dure.runs.answer(OWNER, run_id)).status not in ENDED:
            sent = effects.read_text().split() if effects.exists() else []
            for asked in await dure.runs.approvals(OWNER, run_id):
                decision = {"approval_id": asked["id"], "action": "approve"}
                if asked["kind"] == "in_doubt":
                    doubts += 1
                    # What a person would do: look into the mailbox.
                    if asked["args"]["to"] in sent:
                        decision |= {"action": "answer", "message": f"sent to {asked['args']['to']}"}
                await dure.runs.decide(OWNER, run_id, [decision])
        answer = await dure.runs.answer(OWNER, run_id)
        said = [(m["role"], m["content"]) for m in await dure.runs.sessions.messages(OWNER, session)]
        left = await dure.runs.approvals(OWNER)
    return {
        "status": answer.status,
        "response": answer.response,
        "calls": answer.tool_calls,
        "messages": said,
        "effects": effects.read_text().split(),
        "left": len(left),
        "model_calls": answer.metadata["usage"]["model_calls"],
        "doubts": doubts,
        "begun": begun,
    }


def in_child(model: str, database: str, folder: Path, session: str, points: Points) -> dict[str, Any] | None:
    """What `work` returned in a process of its own; None when that was killed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            result = asyncio.run(work(model, database, folder, session, points))
            os.write(writer, json.dumps(result).encode())
            status = 0
        except Exception:
            # Nobody else would tell of it.
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        result = pipe.read()
    _, ended = os.waitpid(child, 0)
    if os.WIFSIGNALED(ended) and os.WTERMSIG(ended) == signal.SIGKILL:
        return None
    assert os.WEXITSTATUS(ended) == 0, f"the child failed in {session}"
    return json.loads(result)


def main() -> None:
    model, database, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    whole = asyncio.run(work(model, database, folder, "whole", Points()))
    print(json.dumps(whole), flush=True)
    # Looked through in no child: each would copy what it touches.
    gc.freeze()
    for kind in ("commit", "effect"):
        for point in itertools.count(1):
            session = f"{kind}-{point}"
            result = in_child(model, database, folder, session, Points((kind, point)))
            killed = result is None
            result = result or in_child(model, database, folder, session, Points())
            print(json.dumps({"kind": kind, "point": point, "killed": killed, **(result or {})}), flush=True)
            if not killed:
                break


if __name__ == "__main__":
    main()
