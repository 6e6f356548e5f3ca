"""Calls that outlive the process which made them: their servers end them, and how they ended is found afterwards."""

import asyncio
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import mcp.client.client  # noqa: F401, imported once, before forking
import pytest

from dure.errors import DureError
from dure.tooling import ToolContext, ToolResult
from dure.toolsets.mcp import McpServers
from dure.toolsets.mcp.late import _KEPT, left_in
from dure.toolsets.mcp.server import Server

uvloop = pytest.importorskip("uvloop")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")

PLAIN = """
import json, os, sys, time
from pathlib import Path

def book(at, seconds=0, fail=False, size=0):
    Path(at, "begun").write_text(str(os.getpid()))
    time.sleep(seconds)
    Path(at, "done").touch()
    return "booked" + "." * size

for line in sys.stdin:
    asked = json.loads(line)
    match asked.get("method"):
        case "initialize":
            said = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}}}
            said = {"result": said | {"serverInfo": {"name": "rooms", "version": "1"}}}
        case "tools/list":
            said = {"result": {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in ("book", "look")]}}
        case "tools/call" if asked["params"]["arguments"].get("fail"):
            Path(asked["params"]["arguments"]["at"], "begun").write_text(str(os.getpid()))
            said = {"error": {"code": -32000, "message": "no room"}}
        case "tools/call":
            said = {"result": {"content": [{"type": "text", "text": book(**asked["params"]["arguments"])}]}}
        case _:
            said = {"error": {"code": -32601, "message": "unknown"}}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **said}), flush=True)
"""
SDK = """
import os
from pathlib import Path

import anyio
from mcp.server.mcpserver import MCPServer

server = MCPServer("rooms", version="1")

@server.tool()
async def book(at: str, seconds: float = 0) -> str:
    Path(at, "begun").write_text(str(os.getpid()))
    await anyio.sleep(seconds)
    Path(at, "done").touch()
    return "booked"

server.run()
"""


def killed(
    tmp_path: Path, script: str = PLAIN, tool: str = "book", loop: Any = asyncio, heard: bool = False, **given: Any
) -> Server:
    """The server as it is to a process that comes after one which was killed at a call; heard: after it had the
    answer."""
    (tmp_path / "server.py").write_text(script)
    entry = {"command": sys.executable, "args": [str(tmp_path / "server.py")], "timeout": given.pop("timeout", 60)}
    entry |= {"effects": {"look": "read"}}

    def servers() -> McpServers:
        return McpServers({"mcpServers": {"rooms": entry}}, late=tmp_path / "late")

    async def work() -> None:
        async with servers() as those:
            await those.ready()
            with suppress(DureError):
                context = ToolContext("me", run_id="r", call_id="c")
                await those.named("rooms").call(tool, {"at": str(tmp_path), **given}, context)
            (tmp_path / "heard").touch()
            await asyncio.sleep(600)

    child = os.fork()
    if child == 0:
        try:
            loop.run(work())
        finally:
            os._exit(1)
    while not (server_of(tmp_path) and (not heard or (tmp_path / "heard").exists())):
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return servers().named("rooms")


def became(server: Server, key: str = "r.c") -> Any:
    return asyncio.run(server.verify(key))


def server_of(tmp_path: Path) -> str:
    """Its pid, once it is at the call."""
    begun = tmp_path / "begun"
    return begun.read_text() if begun.exists() else ""


def runs(pid: str) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def gone(tmp_path: Path) -> bool:
    """Whether the server ends, within reason."""
    until = time.monotonic() + 30
    while (there := runs(server_of(tmp_path))) and time.monotonic() < until:
        time.sleep(0.02)
    return not there


@pytest.mark.parametrize(("script", "loop"), [(PLAIN, asyncio), (SDK, uvloop)])
def test_a_call_goes_on_and_its_result_is_found(tmp_path: Path, script: str, loop: Any) -> None:
    """Also where the server gives up what it is at when its input ends, as those of the SDK do; and of a large result
    all."""
    size = {} if script == SDK else {"size": 3_000_000}
    server = killed(tmp_path, script, loop=loop, seconds=0.7, **size)
    assert not (tmp_path / "done").exists()
    result = became(server)
    assert isinstance(result, ToolResult)
    assert (result.text.rstrip("."), result.status, len(result.text)) == ("booked", "ok", 6 + size.get("size", 0))
    assert (tmp_path / "done").exists()
    assert gone(tmp_path)
    assert became(server) == result, "it stays known"
    assert became(server, "r.d") == "unknown"


@pytest.mark.parametrize("given", [{}, {"fail": True}])
def test_an_answer_that_came_just_before_is_found_and_once_it_is_old_removed(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    server = killed(tmp_path, heard=True, **given)
    result = became(server)
    assert isinstance(result, ToolResult)
    assert result.is_error == bool(given)
    assert ("no room" if given else "booked") in result.text
    (left,) = (tmp_path / "late").iterdir()
    with left_in(tmp_path / "late", server.config):
        assert left.exists()
    os.utime(left, (0, left.stat().st_mtime - _KEPT))
    with left_in(tmp_path / "late", server.config):
        assert not left.exists()


def test_one_that_hangs_ends_with_its_time(tmp_path: Path) -> None:
    assert became(killed(tmp_path, seconds=600, timeout=0.5)) == "unknown"
    assert gone(tmp_path)


def test_for_one_that_only_looks_nobody_waits(tmp_path: Path) -> None:
    server = killed(tmp_path, tool="look", seconds=600)
    assert gone(tmp_path)
    assert became(server) == "unknown"


async def test_a_process_that_goes_on_leaves_nothing(tmp_path: Path, plain, opened, call) -> None:
    servers = await opened(a=plain())
    assert (await call(servers, "pid"))[0] == "ok"
    assert list((tmp_path / "late").iterdir())
    await servers.close()
    assert not list((tmp_path / "late").iterdir())
