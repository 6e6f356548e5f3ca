"""Teams are written over HTTP: checked with the others, used at once, kept in the folder of one's own."""

from typing import Any

from dure import Agent, Team
from dure.testing import ScriptedServer, say

FILE = """# Ours.
name = "helpers"
kind = "solo"
description = "Helps"

[[agents]]
name = "helper"
description = "Helps"
prompt = "You help."
tools = ["search_knowledge_base", "nothing_known"]
"""
GIVEN = Team(name="given", kind="solo", description="x", agents=[Agent(name="clerk", description="x")])


async def test_a_team_is_written_asked_changed_and_deleted(serve: Any, tmp_path: Any) -> None:
    async with ScriptedServer(say("하나."), say("둘.")) as scripted:
        client = await serve(scripted, teams=[GIVEN])
        tried = await client.put("/v1/teams/helpers", json={"toml": FILE, "dry": True})
        assert (tried.status_code, tried.json()["definition"]["agents"][0]["prompt"]) == (200, "You help.")
        assert (await client.get("/v1/teams/helpers")).status_code == 404
        assert list(tmp_path.rglob("helpers.toml*")) == []
        written = (await client.put("/v1/teams/helpers", json={"toml": FILE})).json()
        assert written["unknown_tools"] == ["nothing_known (helpers/helper)"]
        assert (await client.get("/v1/teams/helpers")).json() == written
        assert written["toml"] == FILE
        assert [path.name for path in tmp_path.rglob("helpers.toml*")] == ["helpers.toml"]
        for prompt in ("You help.", "You help more."):
            await client.put("/v1/teams/helpers", json={"toml": FILE.replace("You help.", prompt)})
            await client.post("/v1/chat", json={"message": "도와줘", "team": "helpers"})
            assert prompt in str(scripted.requests[-1]["messages"][0])
        gone = await client.put("/v1/teams/helpers", json={"toml": ""})
        assert (gone.status_code, gone.json()) == (200, None)
        assert "helpers" not in str((await client.get("/v1/teams")).json())
        assert list(tmp_path.rglob("helpers.toml*")) == []


async def test_what_is_wrong_is_told_by_line_and_nothing_changes(serve: Any, tmp_path: Any) -> None:
    client = await serve(teams=[GIVEN])
    before = (await client.get("/v1/teams")).json()
    for name, text, code in (
        ("helpers", FILE.replace("solo", "nonsense"), "team_file"),
        ("helpers", FILE + "[[agents", "team_file"),
        ("others", FILE, "invalid_input"),
        ("given", FILE.replace("helpers", "given"), "invalid_input"),
        ("..%2Fx", FILE, "not_found"),
        ("9x", FILE, "invalid_input"),
    ):
        refused = (await client.put(f"/v1/teams/{name}", json={"toml": text})).json()["error"]
        assert refused["code"] == code, refused
        if code == "team_file":
            assert refused["details"]["file"] == "helpers.toml"
            assert refused["details"]["line"] in (3, 11)
    assert (await client.get("/v1/teams")).json() == before
    assert list(tmp_path.rglob("*.toml*")) == []


async def test_what_was_written_is_there_when_dure_begins(serve: Any) -> None:
    client = await serve()
    assert (await client.put("/v1/teams/helpers", json={"toml": FILE})).status_code == 200
    again = await serve()
    assert (await again.get("/v1/teams/helpers")).json()["toml"] == FILE
