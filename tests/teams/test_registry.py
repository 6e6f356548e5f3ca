"""Who would work on a message, without letting anybody."""

from typing import Any

import pytest

from dure.errors import InvalidInput, ModelRefused, UnknownTeam
from dure.models import Model
from dure.models.client import ChatClient
from dure.testing import ScriptedServer, calls, fail, json, say


async def test_a_supervisor_chooses_by_its_model(opened: Any) -> None:
    several = calls(("rag_agent", {"task": "a"}), ("external_agent", {"task": "b"}))
    async with ScriptedServer(several, say("안녕하세요."), fail(400, "no")) as server:
        dure = await opened(server)
        found = await dure.route("휴가 정책과 날씨", "workplace")
        assert (found["agents"], found["how"]) == (["rag_agent", "external_agent"], "model")
        assert found["seconds"] > 0
        assert (await dure.route("안녕", "workplace"))["agents"] == []
        with pytest.raises(ModelRefused):
            await dure.route("휴가", "workplace")
        assert await dure.runs.list("default") == []


async def test_a_small_model_chooses_under_a_schema(opened: Any) -> None:
    async with ScriptedServer(
        json({"wants": "rag_agent", "then": "nothing"}), json({"wants": "direct", "then": "nothing"})
    ) as server:
        dure = await opened(model=Model(ChatClient(server.url, "m"), dialect="schema", small=True))
        assert (await dure.route("휴가 정책", "workplace"))["agents"] == ["rag_agent"]
        assert (await dure.route("안녕", "workplace"))["agents"] == []


async def test_the_one_agent_of_a_team(opened: Any) -> None:
    dure = await opened()
    found = await dure.route("안녕", "assistant")
    assert (found["agents"], found["how"], found["scores"]) == (["assistant"], "rule", {})


async def test_who_cannot_be_asked(opened: Any) -> None:
    dure = await opened()
    with pytest.raises(UnknownTeam):
        await dure.route("안녕", "nobody")
    with pytest.raises(InvalidInput):
        await dure.route(" ", "workplace")
