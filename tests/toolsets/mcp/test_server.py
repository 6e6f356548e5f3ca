"""A server that does not answer: who waits for it, for how long, and what is told of it."""

import asyncio
import logging
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from dure import Agent, Dure, Team, findings
from dure.messages import json_bytes
from dure.testing import ScriptedServer, say
from dure.toolsets.mcp import McpServers, server

Begun = Callable[..., Any]


def hangs(*lines: str, then: str = "sys.stdin.read()", **more: Any) -> dict[str, Any]:
    """The entry of a server that writes these lines and answers nothing."""
    wrote = "".join(f"print({line!r}, flush=True); " for line in lines)
    return {"command": sys.executable, "args": ["-c", f"import sys; {wrote}{then}"], **more}


@pytest.fixture
async def begun(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Begun]:
    """Start servers that runs wait so many seconds for; they are not waited for here."""
    async with AsyncExitStack() as stack:

        async def begin(patience: float, **entries: Any) -> McpServers:
            monkeypatch.setattr(server, "PATIENCE", patience)
            return await stack.enter_async_context(McpServers({"mcpServers": entries}))

        yield begin


async def took(servers: McpServers, wanted: Callable[[str], bool]) -> float:
    began = time.monotonic()
    await servers.wait_for(wanted)
    return time.monotonic() - began


async def test_those_that_nobody_wants_are_not_waited_for(begun: Begun, plain: Callable[..., Any]) -> None:
    servers = await begun(300, silent=hangs(), plain=plain())
    async with asyncio.timeout(120):
        await servers.wait_for(lambda name: False)
        assert servers.tools() == {}
        await servers.wait_for(lambda name: name == "plain")
        assert "pid" in servers.tools()
        await servers.wait_for(lambda name: "pid" not in servers.tools())
    assert servers.named("silent").state == "connecting"


async def test_a_tool_that_one_of_them_brings_is_not_waited_for_at_the_others(
    begun: Begun, plain: Callable[..., Any]
) -> None:
    servers = await begun(300, silent=hangs(), plain=plain())
    async with asyncio.timeout(120):
        await servers.wait_for(lambda name: "pid" not in servers.tools())
    assert servers.named("silent").state == "connecting"


async def test_one_that_hangs_is_waited_for_briefly_and_once(begun: Begun) -> None:
    servers = await begun(0.4, silent=hangs())
    assert 0.3 < await took(servers, lambda name: True) < 30
    assert await took(servers, lambda name: True) < 0.2
    assert not await servers.ready(0.01), "whoever asks for it waits on"


async def test_one_that_hangs_is_told_with_what_it_said(
    begun: Begun, until: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    """A line that is no message of the protocol, on the output that messages come on or beside it, without keys."""
    env = {"API_KEY": "canary-of-the-key"}
    bad = hangs("now reading canary-of-the-key", '{"id": 1}', env=env)
    beside = hangs(then="print('no 설정', file=sys.stderr, flush=True); sys.stdin.read()")
    caplog.set_level(logging.INFO)
    servers = await begun(0.1, bad=bad, beside=beside, wordy=hangs("now reading canary-of-the-key", env=env))
    await servers.wait_for(lambda name: True)
    said = {"bad": "{'id': 1}", "beside": "no 설정", "wordy": "now reading ***"}
    await until(lambda: all(text in str(servers.named(name).amiss) for name, text in said.items()))
    for each in servers.status():
        state, told, *mend = findings._mcp(each)
        assert (state, len(mend)) == ("warning", 1)
        assert told.startswith("connecting: no answer for ")
        assert said[each["name"]] in told
        assert "답이 없습니다" in told.said("ko")
    assert "canary" not in caplog.text
    assert "Traceback" not in caplog.text


async def test_one_that_has_only_just_begun_is_no_fault(begun: Begun) -> None:
    (status,) = (await begun(300, silent=hangs())).status()
    assert findings._mcp(status)[:2] == ("ok", "connecting")


async def test_a_line_among_the_messages_costs_nothing(opened: Any, odd: Any, call: Any) -> None:
    servers = await opened(odd=odd())
    assert (await call(servers, "noise", lines=3))[1].text == "loud"
    assert servers.status()[0]["error"] is None


@pytest.mark.parametrize(
    ("tools", "hung"), [(["calculate"], False), (["mcp:plain"], False), (["pid"], False), (["mcp:silent"], True)]
)
async def test_a_run_waits_for_the_servers_that_its_agents_name(
    tools: list[str], hung: bool, plain: Callable[..., Any], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "PATIENCE", 1.0 if hung else 300.0)
    config = tmp_path / "mcp.json"
    config.write_bytes(json_bytes({"mcpServers": {"silent": hangs(), "plain": plain()}}))
    desk = Team(name="desk", kind="solo", description="d", agents=[Agent(name="a", description="d", tools=tools)])
    async with ScriptedServer(respond=lambda body: say("hello")) as scripted:
        given = {
            "model_base_url": scripted.url,
            "mcp_config": config,
            "data_dir": tmp_path / "data",
            "tool_dialect": "native",
        }
        async with Dure(teams=[desk], embeddings=False, **given) as dure, asyncio.timeout(120):
            answer = await dure.chat("hi", team="desk")
            offered = [each["function"]["name"] for each in scripted.requests[-1].get("tools", ())]
            assert dure.mcp.named("silent").state == "connecting"
    assert answer.response == "hello"
    if tools != ["mcp:silent"]:
        assert {"calculate": "calculate", "mcp:plain": "pid", "pid": "pid"}[tools[0]] in offered
