"""Calls that outlive the process which made them: their servers end them, and how they ended is found afterwards."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from dure.tooling import ToolResult
from dure.toolsets.mcp import McpServers
from dure.toolsets.mcp.late import _KEPT, left_in

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
CALLER = """
import asyncio, json, sys
from pathlib import Path
from dure.tooling import ToolContext
from dure.toolsets.mcp import McpServers

async def main():
    entry, folder, tool, args = map(json.loads, sys.argv[1:])
    async with McpServers({"mcpServers": {"rooms": entry}}, late=Path(folder)) as servers:
        await servers.ready()
        context = ToolContext("me", run_id="r", call_id="c")
        try:
            print((await servers.named("rooms").call(tool, args, context)).text, flush=True)
        except Exception as error:
            print(error, flush=True)
        await asyncio.sleep(600)

LOOP(main())
"""


async def killed(
    tmp_path: Path,
    script: str = PLAIN,
    tool: str = "book",
    loop: str = "asyncio.run",
    heard: bool = False,
    **given: Any,
) -> McpServers:
    """The servers of a process that comes after one which was killed at a call; heard: after it had the answer."""
    (tmp_path / "server.py").write_text(script)
    entry = {"command": sys.executable, "args": [str(tmp_path / "server.py")], "timeout": given.pop("timeout", 60)}
    entry |= {"effects": {"look": "read"}}
    args = {"at": str(tmp_path), **given}
    told = [json.dumps(each) for each in (entry, str(tmp_path / "late"), tool, args)]
    code = CALLER.replace("LOOP", loop).replace("import asyncio,", "import uvloop, asyncio,", loop != "asyncio.run")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        code,
        *told,
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout
    if heard:
        assert await process.stdout.readline()
    while not server_of(tmp_path):  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    process.kill()
    await process.wait()
    return McpServers({"mcpServers": {"rooms": entry}}, late=tmp_path / "late")


def server_of(tmp_path: Path) -> str:
    """Its pid, once it is at the call."""
    begun = tmp_path / "begun"
    return begun.read_text() if begun.exists() else ""


def runs(pid: str) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


async def gone(tmp_path: Path) -> None:
    """Wait until the server has ended."""
    async with asyncio.timeout(20):
        while runs(server_of(tmp_path)):  # noqa: ASYNC110
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("loop", ["asyncio.run", "uvloop.run"])
@pytest.mark.parametrize("script", [PLAIN, SDK])
async def test_a_call_goes_on_and_its_result_is_found(tmp_path: Path, script: str, loop: str) -> None:
    """Also where the server gives up what it is at when its input ends, as those of the SDK do."""
    servers = await killed(tmp_path, script, loop=loop, seconds=1)
    assert not (tmp_path / "done").exists()
    result = await servers.named("rooms").verify("r.c")
    assert isinstance(result, ToolResult)
    assert (result.text, result.status) == ("booked", "ok")
    assert (tmp_path / "done").exists()
    await gone(tmp_path)
    assert await servers.named("rooms").verify("r.c") == result, "it stays known"
    assert await servers.named("rooms").verify("r.d") == "unknown"


async def test_a_large_result_is_whole(tmp_path: Path) -> None:
    servers = await killed(tmp_path, seconds=0.5, size=3_000_000)
    result = await servers.named("rooms").verify("r.c")
    assert isinstance(result, ToolResult)
    assert len(result.text) == 3_000_006


@pytest.mark.parametrize("given", [{}, {"fail": True}])
async def test_an_answer_that_came_just_before_is_found(tmp_path: Path, given: dict[str, Any]) -> None:
    servers = await killed(tmp_path, heard=True, **given)
    result = await servers.named("rooms").verify("r.c")
    assert isinstance(result, ToolResult)
    assert result.is_error == bool(given)
    assert ("no room" if given else "booked") in result.text


async def test_one_that_hangs_ends_with_its_time(tmp_path: Path) -> None:
    servers = await killed(tmp_path, seconds=600, timeout=0.5)
    assert await servers.named("rooms").verify("r.c") == "unknown"
    await gone(tmp_path)


async def test_for_one_that_only_looks_nobody_waits(tmp_path: Path) -> None:
    servers = await killed(tmp_path, tool="look", seconds=600)
    await gone(tmp_path)
    assert await servers.named("rooms").verify("r.c") == "unknown"


async def test_what_is_old_is_removed(tmp_path: Path) -> None:
    servers = await killed(tmp_path, heard=True)
    await servers.named("rooms").verify("r.c")
    (left,) = (tmp_path / "late").iterdir()
    config = servers.named("rooms").config
    with left_in(tmp_path / "late", config):
        assert left.exists()
    os.utime(left, (0, left.stat().st_mtime - _KEPT))
    with left_in(tmp_path / "late", config):
        assert not left.exists()


async def test_a_process_that_goes_on_leaves_nothing(tmp_path: Path, plain, opened, call) -> None:
    servers = await opened(a=plain())
    assert (await call(servers, "pid"))[0] == "ok"
    assert list((tmp_path / "late").iterdir())
    await servers.close()
    assert not list((tmp_path / "late").iterdir())
