"""The doors before judges that others wrote: packages of npm, in the folder that DURE_TEST_NODE_MODULES names."""

import asyncio
import json
import os
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest

from dure.testing import ScriptedServer, say

pytestmark = [pytest.mark.node, pytest.mark.slow]
Serve = Callable[..., Awaitable[httpx.AsyncClient]]
MODULES = Path(os.environ.get("DURE_TEST_NODE_MODULES", "node_modules"))


async def node(script: str, *args: str) -> tuple[int, str]:
    """Run a program of a package. Returns its exit code and what it printed."""
    if shutil.which("node") is None or not (MODULES / script).exists():
        pytest.skip(f"needs node, and {script} in the folder DURE_TEST_NODE_MODULES names")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec("node", str(MODULES / script), *args, stdout=pipe, stderr=pipe)
    out, errors = await process.communicate()
    return process.returncode or 0, (out or errors).decode()


async def test_compatcanary(serve: Serve) -> None:
    """All that a model's server does but what a team does not: to call tools of the client's, and forms of its own."""
    async with ScriptedServer(*[say("CANARY_OK")] * 2) as scripted:
        client = await serve(scripted)
        where = "--base-url", f"{client.base_url}/v1", "--model", "assistant", "--api-key", "none"
        _, printed = await node("compatcanary/src/cli.js", "scan", *where, "--profile", "chat", "--format", "json")
    found = {each["id"]: each["status"] for each in json.loads(printed)["results"]}
    refused = {"chat.tool_call": "fail", "chat.structured_output": "fail"}
    assert found == dict.fromkeys(["models.list", "chat.basic", "chat.streaming"], "pass") | refused


# The others call tools, resources and prompts of a test server by their names.
SCENARIOS = "server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "server-sse-multiple-streams"


@pytest.mark.parametrize("scenario", [*SCENARIOS, "dns-rebinding-protection"])
async def test_mcp_conformance(serve: Serve, scenario: str) -> None:
    client = await serve()
    await client.post("/v1/documents", files={"file": ("규정.txt", "연차휴가는 15일이다.".encode())})
    program = "@modelcontextprotocol/conformance/dist/index.js"
    code, printed = await node(program, "server", "--url", f"{client.base_url}/mcp", "--scenario", scenario)
    assert code == 0, printed
