"""A person connects an MCP server from the page: over HTTP, as a browser does it."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest
from fixtures.authority import Authority

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
ADMIN = {"Authorization": "Bearer key-of-admin", "Accept-Language": "en"}
KIM = {"Authorization": "Bearer key-of-kim"}


@pytest.fixture
def config(authority: Authority, tmp_path: Path) -> Path:
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"wiki": {"url": authority.url}}}))
    return path


async def at(client: httpx.AsyncClient, state: str) -> dict[str, object]:
    """The server's status, once it is in a state."""
    async with asyncio.timeout(30):
        while True:
            (found,) = (await client.get("/v1/tools", headers=ADMIN)).json()["mcp_servers"]
            if found["state"] == state:
                return dict(found)
            await asyncio.sleep(0.02)


async def test_connected_from_the_page(serve: Serve, authority: Authority, config: Path) -> None:
    client = await serve(mcp_config=config, api_keys=["boss:admin:key-of-admin", "kim:key-of-kim"])
    await at(client, "login")
    found = (await client.get("/v1/status", headers=ADMIN)).json()["findings"]
    (told,) = [each for each in found if each["id"] == "mcp:wiki"]
    assert told["state"] == "warning"
    assert "someone has to log in" in told["detail"]
    assert "dure mcp login wiki" in told["mend"]
    assert (await client.post("/v1/tools/wiki/login", headers=KIM)).status_code == 403
    assert (await client.post("/v1/tools/none/login", headers=ADMIN)).status_code == 404

    begun = await client.post("/v1/tools/wiki/login", headers=ADMIN)
    cookie = begun.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    async with httpx.AsyncClient() as browser:
        back = (await browser.get(begun.json()["url"])).headers["location"]
        # Another browser than the one in which it began, and an address that was made up.
        stranger = await browser.get(back)
    assert (stranger.status_code, stranger.json()["error"]["code"]) == (403, "forbidden")
    assert (await client.get("/v1/tools/callback?state=x&code=y")).status_code == 403
    assert not authority.access
    done = await client.get(back)
    assert (done.status_code, done.headers["location"]) == (303, f"{client.base_url}/#/start/tools")
    await at(client, "ready")
    tools = (await client.get("/v1/tools", headers=KIM)).json()["tools"]
    assert "echo_token" in [each["name"] for each in tools], "for all owners, as the server's sessions are"
    assert (await client.get(back)).status_code == 403, "what came back is good for one time"


async def test_a_person_who_says_no_is_led_back(serve: Serve, authority: Authority, config: Path) -> None:
    authority.consent = False
    client = await serve(mcp_config=config)
    await at(client, "login")
    address = (await client.post("/v1/tools/wiki/login")).json()["url"]
    back = (await client.get(address)).headers["location"]
    assert (await client.get(back)).status_code == 303
    assert (await at(client, "login"))["error"] == "access_denied the person said no"
