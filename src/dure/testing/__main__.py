"""A scripted server as a process of its own, for benchmarks: prints its URL, serves until stdin ends.

    python -m dure.testing SCRIPT.json [--port 0] [--latency 0.2] [--chunk 8] [--kind openai]
    python -m dure.testing FILE.py:function …

SCRIPT.json: `{"steps": [step, …], "repeat": true}` (see `dure.testing.step_of`); `repeat` begins anew after the
last step. Steps with `when` are looked for first. `FILE.py:function` names a function `respond(body) -> Step`.
`GET /scripted` at the server's root tells requests and tokens so far.
"""

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, get_args

import orjson

from dure.testing.server import Kind, Respond, ScriptedServer
from dure.testing.steps import Step, fail, step_of


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m dure.testing", description="A scripted model server.")
    parser.add_argument("script", help="SCRIPT.json or FILE.py:function")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each reply")
    parser.add_argument("--interval", type=float, default=0.0, help="seconds between streamed pieces")
    parser.add_argument("--chunk", type=int, default=8, help="characters of a streamed piece")
    parser.add_argument("--kind", choices=get_args(Kind), default="openai")
    parser.add_argument("--no-native", action="store_true", help="refuse tools")
    given = parser.parse_args(arguments)
    server = ScriptedServer(
        respond=load(given.script),
        kind=given.kind,
        native=not given.no_native,
        latency=given.latency,
        interval=given.interval,
        chunk=given.chunk,
    )
    try:
        asyncio.run(_serve(server, given.port))
    except KeyboardInterrupt:
        return


async def _serve(server: ScriptedServer, port: int) -> None:
    await server.start(port)
    print(server.url, flush=True)
    await asyncio.to_thread(sys.stdin.buffer.read)
    await server.close()


def load(script: str) -> Respond:
    """The function of `FILE.py:function`, or one that walks through SCRIPT.json."""
    path, _, name = script.rpartition(":")
    if path.endswith(".py"):
        return _function(Path(path), name)
    data = orjson.loads(Path(script).read_bytes())
    return walk([step_of(each) for each in data["steps"]], repeat=bool(data.get("repeat")))


def walk(steps: Sequence[Step], *, repeat: bool) -> Respond:
    """Answers by the steps with `when` wherever they fit, else by the others in order."""
    matched = [step for step in steps if step.needle is not None]
    ordered = [step for step in steps if step.needle is None]
    at = 0

    def respond(body: dict[str, Any]) -> Step:
        nonlocal at
        last = str(body["messages"][-1].get("content") or "")
        for step in matched:
            if step.needle is not None and step.needle in last:
                return step
        if at >= len(ordered):
            if not repeat or not ordered:
                return fail(400, "the script has no step for this request")
            at = 0
        at += 1
        return ordered[at - 1]

    return respond


def _function(path: Path, name: str) -> Respond:
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"cannot load {path}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[[dict[str, Any]], Step] = getattr(module, name)
    return found


if __name__ == "__main__":
    main()
