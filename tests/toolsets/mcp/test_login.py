"""OAuth 2.1 at an MCP server over HTTP, against a real server and a real authorization server."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import orjson
import pytest
from fixtures.authority import Authority

from dure.errors import Forbidden, NotFound
from dure.messages import ToolCall
from dure.storage import Database
from dure.storage.vault import Vault
from dure.tooling import ToolContext, ToolResult
from dure.toolsets import run_call
from dure.toolsets.mcp import McpServers, server
from dure.toolsets.mcp.failures import McpError

Until = Callable[..., Awaitable[None]]
Open = Callable[..., Awaitable[McpServers]]
BACK = "http://127.0.0.1:4711/callback"


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncIterator[Vault]:
    database = await Database.open(f"sqlite:///{tmp_path / 'dure.db'}")
    yield Vault(database, None, tmp_path / "secret.key")
    await database.close()


@pytest.fixture
async def guarded(authority: Authority, vault: Vault, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Open]:
    """`servers = await guarded()`: the server that wants a login, as another process would meet it."""
    monkeypatch.setattr(server, "RETRY", 0.05)
    monkeypatch.setattr(server, "LONGEST_RETRY", 0.2)
    async with AsyncExitStack() as stack:

        async def open_one(**more: Any) -> McpServers:
            entries = {"mcpServers": {"wiki": {"url": authority.url, **more}}}
            servers = McpServers(entries, vault=vault)
            await stack.enter_async_context(servers)
            assert await servers.ready(30)
            return servers

        yield open_one


async def agreed(address: str) -> dict[str, str]:
    """What a browser brings back from the authorization server."""
    async with httpx.AsyncClient() as browser:
        reply = await browser.get(address)
    assert reply.status_code == 302, reply.text
    assert reply.headers["location"].startswith(BACK)
    return dict(parse_qsl(urlsplit(reply.headers["location"]).query))


async def logged_in(servers: McpServers, until: Until) -> None:
    await servers.logged_in(await agreed(await servers.login("wiki", BACK)))
    await until(lambda: servers.status()[0]["state"] == "ready")


async def echo(servers: McpServers) -> ToolResult:
    return await run_call(servers.tools(), ToolCall("echo_token", {"text": "hello"}), ToolContext("me", language="en"))


async def test_a_person_logs_in_and_tools_come(guarded: Open, authority: Authority, until: Until) -> None:
    servers = await guarded()
    (status,) = servers.status()
    assert (status["state"], status["error"], status["tools"]) == ("login", None, [])
    assert not authority.clients, "nothing is registered before somebody wants to log in"
    address = await servers.login("wiki", BACK)
    asked = dict(parse_qsl(urlsplit(address).query))
    assert (asked["code_challenge_method"], asked["redirect_uri"]) == ("S256", BACK)
    assert asked["resource"] == authority.url
    assert await servers.logged_in(await agreed(address)) == "wiki"
    await until(lambda: servers.status()[0]["state"] == "ready")
    assert (await echo(servers)).text == "hello ***"
    # Another process, and one that was started anew, need no login.
    again = await guarded()
    assert again.status()[0]["state"] == "ready"
    assert len(authority.clients) == 1


async def logged_in_meanwhile(servers: McpServers, authority: Authority, until: Until) -> None:
    """Somebody logs in while a session that began without a login waits for its answer."""
    back = await agreed(await servers.login("wiki", BACK))
    authority.answers.clear()
    await until(lambda: authority.waiting)
    await servers.logged_in(back)
    authority.answers.set()


async def test_a_session_that_began_before_the_login_says_nothing(
    guarded: Open, authority: Authority, until: Until
) -> None:
    """It may be refused after somebody logged in: who looks then must not read that a login is wanted."""
    servers = await guarded()
    await logged_in_meanwhile(servers, authority, until)
    states = {"connecting"}
    while "ready" not in states:
        await asyncio.sleep(0)
        states.add(servers.status()[0]["state"])
    assert states == {"connecting", "ready"}
    assert not servers.status()[0]["login"]


async def test_a_session_that_began_before_the_login_is_begun_anew(
    guarded: Open, authority: Authority, until: Until
) -> None:
    """What it is refused says nothing, so it may not stay: this one was let in without, and found the login later."""
    authority.opens = True
    servers = await guarded()
    await logged_in_meanwhile(servers, authority, until)
    await until(lambda: servers.status()[0]["state"] == "ready")
    authority.access.clear()
    authority.refresh.clear()
    assert "`dure mcp login wiki`" in (await echo(servers)).text


async def test_tokens_are_refreshed(guarded: Open, authority: Authority, vault: Vault, until: Until) -> None:
    first = await guarded()
    await logged_in(first, until)
    # An hour later, in a process that was started anew: when tokens end and where they are refreshed is kept.
    kept = orjson.loads(await vault.get("mcp wiki") or b"")
    await vault.put("mcp wiki", orjson.dumps(kept | {"expires": 1.0}))
    other = await guarded()
    assert other.status()[0]["state"] == "ready"
    assert authority.refreshed == 1
    # Refused before their time, in the middle of a session.
    authority.access.clear()
    assert (await echo(other)).text == "hello ***"
    assert authority.refreshed == 2
    # The first process takes what the other one got.
    assert (await echo(first)).text == "hello ***"
    assert authority.refreshed == 2
    # Both at once: a refresh token is good for one of them.
    authority.access.clear()
    found = await asyncio.gather(echo(first), echo(other))
    assert [each.text for each in found] == ["hello ***"] * 2


async def test_calls_side_by_side_refresh_once(guarded: Open, authority: Authority, until: Until) -> None:
    servers = await guarded()
    await logged_in(servers, until)
    authority.access.clear()
    found = await asyncio.gather(*(echo(servers) for _ in range(8)))
    assert [each.text for each in found] == ["hello ***"] * 8
    assert authority.refreshed == 1


async def test_a_revoked_login_is_asked_for_again(guarded: Open, authority: Authority, until: Until) -> None:
    servers = await guarded()
    await logged_in(servers, until)
    tools = servers.tools()
    authority.access.clear()
    authority.refresh.clear()
    result = await run_call(tools, ToolCall("echo_token", {"text": "x"}), ToolContext("me", language="en"))
    assert "`dure mcp login wiki`" in result.text
    await until(lambda: servers.status()[0]["state"] == "login")
    assert servers.tools() == {}
    await logged_in(servers, until)
    assert (await echo(servers)).text == "hello ***"


async def test_a_wrong_state_ends_nothing(guarded: Open, authority: Authority, until: Until) -> None:
    servers = await guarded()
    with pytest.raises(Forbidden):
        await servers.logged_in({"state": "", "code": "x"})
    right = await agreed(await servers.login("wiki", BACK, "browser"))
    for back, whose in (({**right, "state": "other"}, "browser"), (right, ""), (right, "another")):
        with pytest.raises(Forbidden):
            await servers.logged_in(back, whose)
    await servers.logged_in(right, "browser")
    with pytest.raises(Forbidden):
        await servers.logged_in(right, "browser")
    await until(lambda: servers.status()[0]["state"] == "ready")


async def test_who_ends_what_nobody_began_leaves_nothing_behind(guarded: Open, vault: Vault) -> None:
    servers = await guarded()
    for whose in ("-", "none", ""):
        with pytest.raises(Forbidden):
            await servers.logged_in({"state": "x", "code": "y"}, whose)
    assert await vault.names("") == []


async def test_a_person_may_say_no(guarded: Open, authority: Authority, until: Until) -> None:
    servers, authority.consent = await guarded(), False
    with pytest.raises(McpError, match="access_denied the person said no"):
        await servers.logged_in(await agreed(await servers.login("wiki", BACK)))
    (status,) = servers.status()
    assert (status["state"], status["error"]) == ("login", "access_denied the person said no")
    authority.consent = True
    await logged_in(servers, until)
    assert servers.status()[0]["error"] is None


async def test_another_issuer_is_refused(guarded: Open, authority: Authority) -> None:
    """The answer of another authorization server than the one that was asked (RFC 9207)."""
    servers = await guarded()
    right = await agreed(await servers.login("wiki", BACK))
    with pytest.raises(McpError):
        await servers.logged_in(right | {"iss": "http://evil.example"})
    assert authority.access == {}


async def test_what_is_kept_is_sealed(
    guarded: Open, authority: Authority, vault: Vault, until: Until, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await logged_in(await guarded(), until)
    written = b"".join(path.read_bytes() for path in tmp_path.glob("dure.db*"))  # noqa: ASYNC240
    for secret in authority.issued:
        assert secret.encode() not in written
        assert secret not in caplog.text


async def test_tokens_go_to_the_address_they_are_for(
    guarded: Open, authority: Authority, vault: Vault, until: Until
) -> None:
    await logged_in(await guarded(), until)
    moved = await guarded(url=authority.url + "?other")
    assert moved.status()[0]["state"] == "login"


async def test_a_client_that_was_registered_by_hand(guarded: Open, authority: Authority, until: Until) -> None:
    servers = await guarded(oauth={"clientId": "known"})
    address = await servers.login("wiki", BACK)
    assert dict(parse_qsl(urlsplit(address).query))["client_id"] == "known"
    assert authority.clients == {}


async def test_a_server_that_asks_late(guarded: Open, authority: Authority, until: Until) -> None:
    authority.opens = True
    servers = await guarded()
    assert servers.status()[0]["state"] == "login"
    await logged_in(servers, until)
    assert "echo_token" in servers.tools()


async def test_a_login_that_only_calls_ask_for(guarded: Open, authority: Authority, until: Until) -> None:
    authority.opens = authority.lists = True
    servers = await guarded()
    assert (servers.status()[0]["state"], servers.status()[0]["login"]) == ("ready", False)
    result = await echo(servers)
    assert "dure mcp login wiki" in result.text
    assert servers.status()[0]["login"]
    await until(lambda: servers.status()[0]["state"] == "ready")
    await logged_in(servers, until)
    assert "hello ***" in (await echo(servers)).text
    assert not servers.status()[0]["login"]


async def test_a_login_comes_back_to_another_process(guarded: Open, authority: Authority, until: Until) -> None:
    here, there = await guarded(), await guarded()
    back = await agreed(await here.login("wiki", BACK, "cookie"))
    for given, whose in ((back, "another"), (back | {"state": "other"}, "cookie")):
        with pytest.raises(Forbidden):
            await there.logged_in(given, whose)
    assert await there.logged_in(back, "cookie") == "wiki"
    for each in (here, there):
        await until(lambda each=each: each.status()[0]["state"] == "ready")
        assert "hello ***" in (await echo(each)).text


async def test_why_a_login_failed_is_told_to_another_process(guarded: Open, authority: Authority) -> None:
    here, there = await guarded(), await guarded()
    authority.consent = False
    back = await agreed(await here.login("wiki", BACK, "cookie"))
    with pytest.raises(McpError, match="the person said no"):
        await there.logged_in(back, "cookie")


async def test_who_has_a_key_is_not_asked(guarded: Open, authority: Authority) -> None:
    servers = await guarded(headers={"Authorization": "Bearer wrong"})
    assert servers.status()[0]["state"] == "failed"
    for name in ("wiki", "none"):
        with pytest.raises(NotFound):
            await servers.login(name, BACK)
