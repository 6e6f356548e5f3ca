"""Work that goes on side by side."""

import asyncio

import pytest

from dure import Agent, Team
from dure.errors import ModelUnavailable
from dure.models import ChatClient, Model
from dure.teams.give import side_by_side
from dure.testing import ScriptedServer


async def test_what_all_give_in_their_order() -> None:
    gate = asyncio.Event()

    async def late() -> str:
        await gate.wait()
        return "late"

    async def early() -> str:
        gate.set()
        return "early"

    assert await side_by_side([late(), early()]) == ["late", "early"]


async def test_an_error_comes_out_as_it_is_and_ends_the_others() -> None:
    ended: list[str] = []

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("endless")

    async def failing() -> None:
        await asyncio.sleep(0)
        raise ModelUnavailable

    with pytest.raises(ModelUnavailable):
        await side_by_side([endless(), failing()])
    assert ended == ["endless"]


async def test_without_its_tools_an_agent_of_a_small_model_tells_of_nothing_done(opened) -> None:
    asked = ["팀에 메일을 보내줘", "메일로 알려줘", "답장을 보내줘"]
    mails = Agent(name="mails", title="메일 담당 · Mail", description="mail", tools=["mcp"], examples=asked)
    sums = Agent(name="sums", description="sums", examples=["이 표의 합계", "2 더하기 3", "평균을 구해줘"])
    team = Team(name="own", kind="supervisor", description="-", agents=[mails, sums])
    async with ScriptedServer() as server:
        dure = await opened(model=Model(ChatClient(server.url, "scripted"), dialect="schema", small=True), teams=[team])
        answer = await dure.chat(asked[0], team="own")
        requests = len(server.requests)
    assert requests == 0
    assert answer.agents == ("mails",)
    assert answer.response.startswith("할 수 없습니다. 메일 담당에게 필요한 도구가 지금 연결되어 있지 않습니다.")
