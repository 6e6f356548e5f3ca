"""Teams and tools change while runs wait: a run goes on under its own definition, or that it cannot is said first."""

from typing import Any

import pytest
import sqlalchemy as sa
from fixtures.journals import OWNER, put, read, teams

from dure import Agent, Dure, Team, tool
from dure.errors import Conflict, Diverged
from dure.runs import Ask
from dure.teams import data_of, team_of
from dure.testing import ScriptedServer, call, say


def respond(body: dict[str, Any]) -> Any:
    return say("보냈습니다.") if body["messages"][-1]["role"] == "tool" else call("send_mail", to="kim")


async def waiting(dure: Dure) -> str:
    run = await dure.runs.start(OWNER, Ask("김에게 보내 줘", "s", "desk"))
    assert (await dure.runs.answer(OWNER, run.id)).status == "waiting"
    return run.id


async def decide(dure: Dure, run_id: str, action: str, **more: str) -> Any:
    (asked,) = await dure.runs.approvals(OWNER, run_id)
    await dure.runs.decide(OWNER, run_id, [{"approval_id": asked["id"], "action": action, **more}])
    return await dure.runs.answer(OWNER, run_id)


async def test_it_goes_on_under_the_definition_it_began_with(opened, database_url: str) -> None:
    effects: list[str] = []
    async with ScriptedServer(respond=respond) as server:
        before = await opened(server, database_url=database_url, teams=teams(effects, prompt="You are old."))
        run_id = await waiting(before)
        await before.runs.close()
        after = await opened(server, database_url=database_url, teams=teams(effects, prompt="You are new."))
        answer = await decide(after, run_id, "approve")
        first = server.requests[-1]["messages"][0]["content"]
        await after.chat("또", team="desk")
        second = server.requests[-1]["messages"][0]["content"]
    assert (answer.response, effects) == ("보냈습니다.", ["kim"])
    assert ("You are old." in first, "You are new." in second) == (True, True)


@pytest.mark.parametrize("change", ["gone", "other arguments", "no team"])
async def test_a_call_that_cannot_run_as_asked_is_refused_before_it_is_decided(opened, change: str) -> None:
    @tool(effect="external", name="send_mail")
    def other(address: str) -> str:
        """Send a mail."""
        raise AssertionError("not what was asked about")

    effects: list[str] = []
    given = [] if change == "no team" else teams(effects, tools=[other] if change == "other arguments" else [])
    async with ScriptedServer(respond=respond) as server:
        before = await opened(server, teams=teams(effects))
        run_id = await waiting(before)
        await before.runs.close()
        after = await opened(server, teams=given)
        with pytest.raises(Conflict, match="send_mail"):
            await decide(after, run_id, "approve")
        assert len(await after.runs.approvals(OWNER, run_id)) == 1, "it can still be decided"
        answer = await decide(after, run_id, "reject", message="내용이 틀렸어요")
    assert (answer.status, effects) == ("completed", [])
    assert [c["status"] for c in answer.tool_calls] == ["declined"]
    assert "내용이 틀렸어요" in server.requests[-1]["messages"][-1]["content"]


@pytest.mark.parametrize("lost", ["model", "kind", "definition"])
async def test_what_is_refused_ends_as_refused_where_nobody_can_go_on(opened, lost: str) -> None:
    """As where a team and what it needs were taken out of the settings."""
    mine = teams([], model="mine")
    async with ScriptedServer(respond=respond) as server:
        before = await opened(server, teams=mine, models={"mine": {"base_url": server.url, "name": "scripted"}})
        run_id = await waiting(before)
        await before.runs.close()
        changes = {"kind": "data = replace(data, 'solo', 'gone')", "definition": "hash = 'gone'"}
        if lost != "model":
            with before.database.engine.begin() as connection:
                connection.execute(sa.text(f"UPDATE definitions SET {changes[lost]}"))
        after = await opened(server, teams=[])
        answer = await decide(after, run_id, "reject", message="틀렸어요")
    assert answer.status == "cancelled"
    assert answer.response.startswith("- send_mail: 사람이 거절해서 실행하지 않았습니다. 이유: 틀렸어요\n\n'")
    assert len(server.requests) == 1


async def test_what_was_allowed_and_cannot_run_any_more_is_not_left_out_in_silence(opened) -> None:
    effects: list[str] = []
    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, teams=teams(effects))
        run_id = await waiting(dure)
        journal = await read(dure, run_id)
        journal["run"] |= {"status": "queued", "id": "r-again", "session_id": "s2"}
        journal["approvals"][0] |= {"id": "p-again", "run_id": "r-again", "status": "approved"}
        journal["approvals"][0]["decision"] = {"action": "approve", "message": ""}
        await dure.runs.close()
        await put(dure.database, journal)
        after = await opened(server, teams=teams(effects, tools=[]))
        with pytest.raises(Diverged, match="send_mail c1"):
            await after.runs.answer(OWNER, "r-again")
    assert effects == []


def test_a_team_is_made_again_of_what_is_kept_of_it() -> None:
    for team in teams([], prompt="x", tools=["mcp", "search_documents"]):
        hash, data = data_of(team)
        assert team_of(data, team) == team
        assert data_of(team_of(data, None))[0] == hash
        assert data_of(team.model_copy(update={"prompt": "y"}))[0] != hash
    agent = Agent(name="a", description="x")
    assert data_of(Team(name="t", kind="solo", description="x", agents=[agent]))[1]["agents"][0]["tools"] == []
