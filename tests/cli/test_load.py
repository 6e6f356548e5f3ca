"""`dure load`: asks for real, and tells what came of it."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from dure.testing import ScriptedServer, say

Command = Callable[..., Awaitable[Any]]
Serve = Callable[..., Awaitable[httpx.AsyncClient]]


async def test_many_sessions_ask_and_are_counted(dure: Command, serve: Serve) -> None:
    async with ScriptedServer(respond=lambda body: say("답")) as scripted:
        client = await serve(scripted, api_keys=["kim:secret-of-kim"])
        how = ("--url", str(client.base_url), "--sessions", "4", "--seconds", "1", "--json")
        told = (await dure("load", *how, DURE_LOAD_KEY="secret-of-kim")).json
        assert told["failed"] == {}
        assert told["answers"] > 0
        assert told["answers_a_second"] == told["answers"]
        assert told["healthz_ms"]["p99"] >= told["healthz_ms"]["p50"]
        headers = {"Authorization": "Bearer secret-of-kim"}
        sessions = (await client.get("/v1/sessions", headers=headers)).json()["sessions"]
        assert len(sessions) == 5, "four, and the one that asked alone"
        refused = await dure("load", *how)
        assert (refused.code, "401" in refused.out) == (2, True)


async def test_where_nothing_answers(dure: Command) -> None:
    ended = await dure("load", "--url", "http://127.0.0.1:9", "--seconds", "1")
    assert (ended.code, "does not answer" in ended.err) == (2, True)
