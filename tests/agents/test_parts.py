"""Messages that ask several things: each is searched and answered by itself."""

from typing import Any

import orjson
import pytest

from dure import Agent, Team, tool
from dure.models import ChatClient, Model
from dure.sources import Passage
from dure.testing import ScriptedServer, say
from dure.tooling import ToolResult

TONER = "프린터 K3의 토너는 4개월마다 간다."
PRICE = "이름: 토너 | 쓰이는 제품: K3 | 소비자가(원): 68000"
FIRST, SECOND = "K3 토너는 얼마마다 갈아야 해?", "K3 토너 값은 소비자가로 얼마야?"
MESSAGE = "K3 토너는 얼마마다 갈아야 하고 토너 값은 소비자가로 얼마야?"


@tool
def of_two_files(queries: list[str]) -> ToolResult:
    """Find passages."""
    found = [
        Passage(name, name, 1, 0, len(text), text, score=0.9)
        for name, text in (("사용설명서", TONER), ("가격표", PRICE))
        if name == "가격표" or "갈" in queries[0]
    ]
    return ToolResult("", found, data={"evidence": 0.95})


def parts(*questions: str) -> Any:
    return say(orjson.dumps({"questions": questions}).decode())


async def asked(opened, server, message: str = MESSAGE):
    agent = Agent(name="rules", description="x", tools=[of_two_files], search=of_two_files.name)
    model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
    dure = await opened(model=model, teams=[Team(name="desk", kind="solo", description="x", agents=[agent])])
    answer = await dure.chat(message, team="desk")
    await model.close()
    return answer


# The model says a figure that nothing shown has, or tells of one of the two.
@pytest.mark.parametrize("whole", ["K3 토너는 42000원입니다.", "K3 토너는 4개월마다 갑니다."])
async def test_what_is_not_answered_whole_is_answered_thing_by_thing(opened, whole) -> None:
    each = say("K3의 토너는 4개월마다 간다."), say("K3 토너 소비자가는 68000원입니다.")
    async with ScriptedServer(say(whole), parts(FIRST, SECOND), *each) as server:
        answer = await asked(opened, server)
        assert FIRST in server.requests[2]["messages"][-1]["content"]
    first, second = answer.response.split(f"**{SECOND}**")
    assert first.startswith(f"**{FIRST}**")
    assert "4개월" in first
    assert "68000" in second
    assert {each["title"] for each in answer.citations} == {"사용설명서", "가격표"}


async def test_of_what_is_found_in_part_it_is_said(opened) -> None:
    each = say("K3의 토너는 4개월마다 간다."), say("K3 토너 소비자가는 42000원입니다.")
    async with ScriptedServer(say("42000원입니다."), parts(FIRST, SECOND), *each) as server:
        answer = await asked(opened, server)
    assert "4개월" in answer.response
    assert "(물어보신 2가지 가운데 1가지만 찾았습니다.)" in answer.response


@pytest.mark.parametrize(
    "said",
    [
        [MESSAGE],
        # A sentence that leads to the question, and what the message does not say.
        ["K3 토너는 얼마마다 갈아야 합니다.", SECOND],
        [FIRST, "K9 토너 값은 소비자가로 얼마야?"],
        [FIRST, "사내 주차장은 어디에 있습니까?"],
    ],
)
async def test_what_are_no_two_questions_of_the_message_is_one(opened, said) -> None:
    async with ScriptedServer(say("42000원입니다."), parts(*said)) as server:
        answer = await asked(opened, server)
    assert answer.response.startswith("질문의 답인지는 확인하지 못했습니다")


async def test_a_part_that_names_nothing_is_asked_of_what_the_message_names_and_was_answered(opened) -> None:
    told = say("68000"), say("K3의 토너는 4개월마다 간다.")
    async with ScriptedServer(say("42000원입니다."), parts(SECOND, "언제 갈아?"), *told) as server:
        await asked(opened, server)
        # Of a row what its question does not say.
        assert "언제 갈아? (K3, 68000)" in server.requests[3]["messages"][-1]["content"]


async def test_where_all_is_told_nothing_more_is_asked(opened) -> None:
    async with ScriptedServer(say("4개월마다 갈고 값은 68000원입니다.")) as server:
        answer = await asked(opened, server, "K3 토너 값은 소비자가로 얼마야?")
    assert "68000" in answer.response
