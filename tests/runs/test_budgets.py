"""Budgets of owners for a day: refused before, stopped on the way, counted in all processes, shown."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import sqlalchemy as sa

from dure import Dure, findings
from dure.errors import OverBudget
from dure.testing import ScriptedServer, call, say

Opened = Callable[..., Awaitable[Dure]]
Serve = Callable[..., Awaitable[Any]]


async def budget_of(dure: Dure, owner: str) -> list[findings.Finding]:
    return [each async for each in findings.all_of(dure, owner) if each.id == "budget"]


async def test_who_has_spent_the_day_is_refused_and_others_are_not(serve: Serve) -> None:
    async with ScriptedServer(say("하나."), say("둘."), say("셋.")) as scripted:
        budgets = {"kim": {"tokens": 1}, "*": {"tokens": 1_000_000}}
        client = await serve(scripted, api_keys="kim:1,lee:2", budgets=budgets)
        ask = {"message": "안녕?", "team": "assistant"}
        kim, lee = ({"Authorization": f"Bearer {key}", "Accept-Language": "en"} for key in "12")
        assert (await client.post("/v1/chat", json=ask, headers=kim)).status_code == 200
        refused = await client.post("/v1/chat", json=ask, headers=kim)
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "over_budget")
        assert refused.json()["error"]["message"].startswith("Today's budget is spent: ")
        assert int(refused.headers["Retry-After"]) > 0
        assert len((await client.get("/v1/runs", headers=kim)).json()["runs"]) == 1
        for _ in range(2):
            assert (await client.post("/v1/chat", json=ask, headers=lee)).status_code == 200
        found = (await client.get("/v1/status", headers=kim)).json()["findings"]
        assert [(each["state"], each["detail"][-10:]) for each in found if each["id"] == "budget"] == [
            ("warning", "/ 1 tokens")
        ]
        in_korean = {**kim, "Accept-Language": "ko"}
        assert "/ 1 토큰" in (await client.post("/v1/chat", json=ask, headers=in_korean)).json()["error"]["message"]
        found = (await client.get("/v1/status", headers=in_korean)).json()["findings"]
        assert [each["detail"][-6:] for each in found if each["id"] == "budget"] == ["/ 1 토큰"]


async def test_a_run_that_comes_over_its_budget_stops_with_what_it_has(opened: Opened) -> None:
    async with ScriptedServer(call("calculate", expression="2*21")) as server:
        dure = await opened(server, budgets={"*": {"tokens": 1}})
        answer = await dure.chat("2 곱하기 21은?", team="assistant")
    assert (answer.status, answer.metadata["reason"]) == ("stopped", "over_budget")
    assert "오늘의 예산을 다 썼습니다" in answer.response
    assert [each["name"] for each in answer.tool_calls] == ["calculate"]


async def test_money_is_counted_by_the_prices_and_over_restarts(opened: Opened, database_url: str) -> None:
    async with ScriptedServer(say("하나."), say("둘."), say("셋.")) as server:
        settings: dict[str, Any] = {
            "budgets": {"*": {"money": 0.000_001}},
            "currency": "KRW",
            "database_url": database_url,
        }
        dure = await opened(server, prices={"other": [1000.0, 1000.0]}, **settings)
        # A model without a price costs nothing that is known.
        for _ in range(2):
            await dure.chat("안녕?", team="assistant")
        await dure.__aexit__()
        dure = await opened(server, prices={"scripted": [1000.0, 1000.0]}, **settings)
        with pytest.raises(OverBudget, match="KRW"):
            await dure.chat("안녕?", team="assistant")
        (found,) = await budget_of(dure, "default")
        assert found.state == "warning"

        # What was used yesterday counts no more.
        before = "UPDATE run_events SET at = '2020-01-01T00:00:00Z'"
        await dure.database.write(lambda connection: connection.execute(sa.text(before)))
        await dure.__aexit__()
        dure = await opened(server, prices={"scripted": [1000.0, 1000.0]}, **settings)
        assert (await dure.chat("안녕?", team="assistant")).status == "completed"


async def test_without_a_budget_nothing_is_counted(opened: Opened) -> None:
    async with ScriptedServer(say("하나.")) as server:
        dure = await opened(server, budgets={"lee": {"tokens": 0}})
        assert (await dure.chat("안녕?", team="assistant")).status == "completed"
        assert await budget_of(dure, "default") == []
        with pytest.raises(OverBudget):
            await dure.chat("안녕?", team="assistant", owner="lee")
