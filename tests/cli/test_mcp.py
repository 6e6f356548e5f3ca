"""`dure mcp login`, with a browser that is ours."""

import json
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from fixtures.authority import Authority


@pytest.fixture
def config(authority: Authority, tmp_path: Path) -> str:
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"wiki": {"url": authority.url}}}))
    return str(path)


async def test_login(
    started: Callable[..., Awaitable[Any]], dure: Callable[..., Awaitable[Any]], authority: Authority, config: str
) -> None:
    process = await started("mcp", "login", "wiki", stdout=PIPE, stderr=PIPE, env={"DURE_MCP_CONFIG": config})
    address = (await process.stdout.readline()).decode().strip()
    async with httpx.AsyncClient(timeout=30) as browser:
        back = (await browser.get(address)).headers["location"]
        assert back.startswith("http://127.0.0.1:")
        wrong = await browser.get(back.replace("state=", "state=x"))
        assert (wrong.status_code, process.returncode) == (403, None)
        assert (await browser.get(back)).text == "Connected.\n"
    out, errors = await process.communicate()
    assert (process.returncode, out.decode()) == (0, "wiki: connected.\n")
    for secret in authority.issued:
        assert secret not in f"{out!r}{errors!r}"
    told = await dure("tools", DURE_MCP_CONFIG=config)
    assert told.out.splitlines()[:2] == ["wiki  ready", "  echo_token"]


async def test_login_refused(started: Callable[..., Awaitable[Any]], authority: Authority, config: str) -> None:
    authority.consent = False
    process = await started("mcp", "login", "wiki", stdout=PIPE, stderr=PIPE, env={"DURE_MCP_CONFIG": config})
    address = (await process.stdout.readline()).decode().strip()
    async with httpx.AsyncClient(timeout=30) as browser:
        assert "access_denied" in (await browser.get((await browser.get(address)).headers["location"])).text
    _, errors = await process.communicate()
    assert process.returncode == 1
    assert "access_denied" in errors.decode()


async def test_without_servers_the_setting_that_names_them_is_told(dure: Callable[..., Awaitable[Any]]) -> None:
    told = await dure("tools")
    assert (told.code, told.out, "DURE_MCP_CONFIG" in told.err) == (0, "", True)
