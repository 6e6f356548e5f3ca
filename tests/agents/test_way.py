"""The way a run works with its model: chosen from the model, or by name, ours or anybody's."""

import pytest

from dure import Agent, Dure, Team, tool
from dure.agents import WAYS, Outcome, Way
from dure.errors import SettingsError
from dure.models import ChatClient, Model
from dure.sources import Passage
from dure.testing import ScriptedServer, call, say
from dure.tooling import ToolResult

LEAVE = "경조휴가는 본인 결혼 5일, 자녀 결혼 2일이다."


@tool
def find(queries: list[str]) -> ToolResult:
    """Find passages."""
    return ToolResult("", [Passage("d", "취업규칙", 1, 0, len(LEAVE), LEAVE, score=0.9)], data={"evidence": 0.8})


RULES = Agent(name="rules", description="x", tools=[find], search="find")
DESK = Team(name="desk", kind="solo", description="x", agents=[RULES])


@pytest.mark.parametrize(
    ("small", "way", "guided"),
    [(False, "auto", False), (True, "auto", True), (False, "guided", True), (True, "direct", False)],
)
async def test_it_suits_the_model_unless_it_is_named(opened, small: bool, way: str, guided: bool) -> None:
    steps = [say("yes")] if guided else [call("find", queries=["결혼 휴가"])]
    async with ScriptedServer(*steps, say("본인 결혼은 5일이다 [1].")) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="native", small=small)
        dure = await opened(model=model, way=way, teams=[DESK])
        answer = await dure.chat("본인 결혼 휴가는 며칠인가요?", team="desk")
        assert [("tools" in request) for request in server.requests] == ([not guided] * 2)
        await model.close()
    # A model that calls by itself is shown at once what the message finds.
    assert [each["name"] for each in answer.tool_calls] == ["find"] * (1 if guided else 2)
    assert [each["title"] for each in answer.citations] == ["취업규칙"]


async def test_one_of_ones_own(opened, monkeypatch) -> None:
    class Parrot(Way):
        async def begin(self, job, task):
            return Outcome("completed", task["content"].upper())

    monkeypatch.setitem(WAYS._known, "parrot", Parrot())
    async with ScriptedServer() as server:
        dure = await opened(server, way="parrot", teams=[DESK])
        assert (await dure.chat("hello", team="desk")).response == "HELLO"


@pytest.mark.parametrize(
    ("setting", "known"),
    [("way", "auto, direct, guided"), ("tool_dialect", "auto, native, schema, text"), ("engine", "in_process")],
)
def test_a_name_that_is_not_there_lists_those_that_are(setting: str, known: str) -> None:
    with pytest.raises(SettingsError, match=f"DURE_{setting.upper()}.*{known}") as caught:
        Dure(**{setting: "sideways"})
    assert known in caught.value.message("ko")
