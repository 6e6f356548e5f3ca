"""A scripted server as a process of its own, for benchmarks: prints its URL, serves until stdin ends.

    python -m dure.testing FILE.py:function [--port 0] [--latency 0.2] [--chunk 8]

The function is a `respond(body) -> Step`. `GET /scripted` at the server's root tells requests and tokens so far.
"""

import argparse
import asyncio
import runpy
import sys
from contextlib import suppress

from dure.testing.server import ScriptedServer


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m dure.testing", description="A scripted model server.")
    parser.add_argument("script", help="FILE.py:function")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each reply")
    parser.add_argument("--chunk", type=int, default=8, help="characters of a streamed piece")
    given = parser.parse_args()
    path, _, name = given.script.rpartition(":")
    respond = runpy.run_path(path)[name]
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(ScriptedServer(respond=respond, latency=given.latency, chunk=given.chunk), given.port))


async def _serve(server: ScriptedServer, port: int) -> None:
    await server.start(port)
    print(server.url, flush=True)
    await asyncio.to_thread(sys.stdin.buffer.read)
    await server.close()


if __name__ == "__main__":
    main()
