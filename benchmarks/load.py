"""What many who ask at once wait for: `python benchmarks/load.py [--store SQLite|PostgreSQL] [--sessions 200] …`.

Starts the model (scripted, which answers after 200 ms), the servers (`dure serve`), on PostgreSQL the workers
(`dure worker`) too, each a process of its own, and asks with `dure load`. Prints its figures and the CPU that an answer
took, of servers and workers and of PostgreSQL. `--think`: seconds between an answer and a session's next question.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from dure.cli.load import measured
from dure.testing import say

LATENCY = 0.2
TICK = os.sysconf("SC_CLK_TCK")


def respond(body: dict[str, Any]) -> Any:
    return say("안녕하세요. 무엇을 도와드릴까요?")


def started(stack: ExitStack, *command: str, **env: str) -> subprocess.Popen[str]:
    given = {**os.environ, **env}
    process = subprocess.Popen(
        [sys.executable, "-m", *command], env=given, stdin=-1, stdout=-1, stderr=subprocess.PIPE, text=True
    )

    def end() -> None:
        process.terminate()
        process.communicate()

    stack.callback(end)
    return process


def address(serving: subprocess.Popen[str]) -> str:
    """Where a server listens, as it says itself."""
    return next(line.split()[-1] for line in serving.stderr or () if "://127" in line)


def cpu(wanted: Callable[[int, int, str], bool]) -> float:
    """Seconds of CPU of the processes that are wanted by number, parent's number and command line."""
    found = 0.0
    for each in Path("/proc").iterdir():
        try:
            if each.name.isdigit():
                fields = (each / "stat").read_text().rpartition(")")[2].split()
                if wanted(int(each.name), int(fields[1]), (each / "cmdline").read_text()):
                    found += sum(map(int, fields[11:13])) / TICK
        except OSError:
            continue
    return found


def store(folder: str) -> Callable[[int, int, str], bool]:
    """The PostgreSQL server whose files are there, and its children."""
    server = next((each for each in Path("/proc").glob("[0-9]*") if folder in (each / "cmdline").read_text()), None)
    return lambda number, parent, _: server is not None and int(server.name) in (number, parent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", choices=["SQLite", "PostgreSQL"], default="SQLite")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--think", type=float, default=0.0)
    parser.add_argument("--seconds", type=float, default=15.0)
    args = parser.parse_args()
    # Not above: the model is a function of this file in a process whose path has no benchmarks.
    from durability import databases, fresh

    with tempfile.TemporaryDirectory(prefix="dure-load-") as name, ExitStack() as stack:
        home = Path(name)
        urls = {"SQLite": f"sqlite:///{home / 'dure.db'}"}
        if args.store != "SQLite":
            urls = stack.enter_context(databases(home))
        model = started(stack, "dure.testing", f"{__file__}:respond", "--latency", str(LATENCY))
        env = {
            "DURE_MODEL_BASE_URL": model.stdout.readline().strip(),  # type: ignore[union-attr]
            "DURE_DATABASE_URL": asyncio.run(fresh(urls[args.store], 1)),
            "DURE_DATA_DIR": name,
            "DURE_EMBEDDINGS": "0",
            "DURE_TOOL_DIALECT": "native",
            "DURE_MAX_RUNS": str(max(2 * args.sessions, 256)),
            "LC_ALL": "C.UTF-8",
        }
        asked = ["--no-work"] if args.workers else []
        servers = []
        kinds = [("serve", "--port", "0", *asked)] * args.servers + [("worker", "--queues", "runs")] * args.workers
        ours = [started(stack, "dure", *each, **env) for each in kinds]
        servers = [address(each) for each in ours[: args.servers]]
        for each in ours[args.servers :]:
            each.stderr.readline()  # type: ignore[union-attr]
        numbers = {each.pid for each in ours}
        parts = {"cpu_ms_an_answer": lambda number, *_: number in numbers, "cpu_ms_of_the_store": store("dure-pg-")}
        before = {name: cpu(wanted) for name, wanted in parts.items()}
        hello = {"message": "안녕", "team": "assistant"}
        found = asyncio.run(measured(servers, hello, args.sessions, args.seconds, args.think, LATENCY))
        # All that was asked before the figures were taken costs too.
        share = args.seconds / (args.seconds + args.think + 4 * found["alone_ms"] / 1000)
        for key, wanted in parts.items():
            found[key] = round((cpu(wanted) - before[key]) * share * 1000 / max(found["answers"], 1), 1)
        found["load_average"] = round(os.getloadavg()[0])
    print(f"{args.store}, {args.sessions} sessions, {args.servers} servers, {args.workers} workers")
    for key, value in found.items():
        print(f"  {key:<22}{value}")


if __name__ == "__main__":
    main()
