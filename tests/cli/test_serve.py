"""`dure serve` as a process."""

import asyncio
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from dure.cli.serve import page_of
from dure.testing import ScriptedServer, say

Command = Callable[..., Awaitable[Any]]


@asynccontextmanager
async def serving(environment: dict[str, str], *args: str) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """The server's URL and its process."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "from dure.cli import main; main()",
        "serve",
        *args,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
    )
    assert process.stderr is not None
    try:
        line = (await asyncio.wait_for(process.stderr.readline(), 40)).decode()
        found = re.search(r"http://\S+", line)
        assert found, line
        yield found[0], process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_it_serves_until_told_to_end(environment: dict[str, str], number: signal.Signals) -> None:
    async with (
        ScriptedServer(say("안녕하세요.")) as server,
        serving(environment | {"DURE_MODEL_BASE_URL": server.url}, "--port", "0") as (url, process),
        httpx.AsyncClient(base_url=url, timeout=20) as client,
    ):
        reply = await client.post("/v1/chat", json={"message": "안녕", "team": "assistant"})
        assert reply.json()["response"] == "안녕하세요."
        assert "server" not in reply.headers
        process.send_signal(number)
        assert process.stderr is not None
        told = (await process.stderr.read()).decode()
        assert await process.wait() == 0
        assert "127.0.0.1" in told
        assert "Traceback" not in told


async def test_it_opens_the_page_when_asked_to(environment: dict[str, str], tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    browser = tmp_path / "browser.py"
    browser.write_text(f"import pathlib, sys\npathlib.Path({str(asked)!r}).write_text(sys.argv[1])\n")
    opening = environment | {"BROWSER": f"{sys.executable} {browser} %s"}
    async with serving(opening, "--port", "0", "--open") as (url, process):
        assert process.stderr is not None
        told = (await asyncio.wait_for(process.stderr.readline(), 20)).decode()
        assert told.strip() == f"Open in a browser: {url}/"
        async with asyncio.timeout(20):
            while not (asked.exists() and asked.read_text()):  # noqa: ASYNC110, another process writes it
                await asyncio.sleep(0.02)
        assert asked.read_text() == f"{url}/"
        async with httpx.AsyncClient() as client:
            page = await client.get(asked.read_text())
        assert page.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("http://127.0.0.1:8321", "http://127.0.0.1:8321/"),
        ("http://0.0.0.0:8321", "http://localhost:8321/"),
        ("http://[::]:8321", "http://localhost:8321/"),
        ("http://[::1]:8321", "http://[::1]:8321/"),
    ],
)
def test_where_the_page_is_found(url: str, page: str) -> None:
    assert page_of(url) == page


async def test_answers_under_way_go_on_at_the_next_start(environment: dict[str, str], dure: Command) -> None:
    gate = asyncio.Event()
    async with (
        ScriptedServer(say("…").after(gate), say("이어서 답함")) as server,
        serving(environment | {"DURE_MODEL_BASE_URL": server.url}, "--port", "0") as (url, process),
        httpx.AsyncClient(base_url=url, timeout=20) as client,
    ):
        asking = asyncio.create_task(client.post("/v1/chat", json={"message": "안녕", "team": "assistant"}))
        await server.arrived()
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 20) == 0
        await asyncio.gather(asking, return_exceptions=True)
        (run,) = (await dure("runs", "list", "--json")).json["runs"]
        assert run["status"] == "queued"
        async with (
            serving(environment | {"DURE_MODEL_BASE_URL": server.url}, "--port", "0") as (url, _),
            httpx.AsyncClient(base_url=url, timeout=20) as again,
        ):
            await again.get(f"/v1/runs/{run['id']}/events")
            ended = (await again.get(f"/v1/runs/{run['id']}")).json()
    assert (ended["status"], ended["answer"]["response"]) == ("completed", "이어서 답함")


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
async def test_without_keys_it_refuses_to_be_open_to_others(dure: Command, host: str) -> None:
    ended = await dure("serve", "--host", host, "--port", "0")
    assert ended.code == 2
    assert "DURE_API_KEYS" in ended.err


async def test_what_stops_it_is_told_in_a_sentence(dure: Command, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = await dure("serve", "--port", port)
        assert ended.code == 1
        assert port in ended.err
    (tmp_path / "teams").mkdir()
    (tmp_path / "teams" / "wrong.toml").write_text('name = "x"\nkind = "nothing"\n')
    ended = await dure("serve", "--port", "0", DURE_TEAMS_DIR=str(tmp_path / "teams"))
    assert ended.code == 2
    assert "wrong.toml" in ended.err
    (tmp_path / "mcp.json").write_text("{")
    ended = await dure("serve", "--port", "0", DURE_MCP_CONFIG=str(tmp_path / "mcp.json"))
    assert ended.code == 2
    assert "mcp.json" in ended.err
    assert "Error" in ended.err
    assert len(ended.err.splitlines()) < 4
