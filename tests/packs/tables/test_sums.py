"""Sums asked of the small model's assistant: of the message's own numbers, or none."""

import orjson
import pytest

from dure import Dure
from dure.models import ChatClient, Model
from dure.testing import ScriptedServer, say


async def asked(opened, server, message: str, *texts: str):
    model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
    dure: Dure = await opened(model=model)
    for number, text in enumerate(texts):
        document = await dure.knowledge.add("default", f"{number}.txt", text.encode())
        await dure.knowledge.wait("default", [document.id])
    answer = await dure.chat(message, team="assistant")
    await model.close()
    return answer


def worded(expression: str):
    return say(orjson.dumps({"expression": expression}).decode())


@pytest.mark.parametrize(
    ("message", "expression", "told"),
    [
        ("(1250 + 830) × 12는 얼마야?", "(1250 + 830) * 12", "= 24960"),
        ("What is 15% of 2,340,000?", "15% of 2340000", "= 351000"),
        ("What is 15% of 2,340,000?", "2340000 * 0.15", "= 351000"),
        ("2만 원에서 15% 깎으면?", "20000 * 0.85", "= 17000"),
        ("3억 5천만 원의 12%는?", "350000000 * 12%", "= 42000000"),
        ("80명 중 12명이면 몇 퍼센트야?", "12 / 80 * 100", "= 15"),
    ],
)
async def test_a_sum_of_the_messages_numbers_is_done_in_one_question(opened, message, expression, told) -> None:
    async with ScriptedServer(worded(expression)) as server:
        answer = await asked(opened, server, message)
        assert len(server.requests) == 1
    assert answer.response.endswith(told)
    assert [each["name"] for each in answer.tool_calls] == ["calculate"]


@pytest.mark.parametrize("expression", ["10000 * 0.05", "3 * 30000", "3 + 3", "", "3 *", "round(3)"])
async def test_no_number_is_made_up_or_left_out(opened, expression: str) -> None:
    async with ScriptedServer(worded(expression)) as server:
        answer = await asked(opened, server, "연체료가 3일에 5천 원이면 하루에 얼마야?")
    assert "calculate" not in {each["name"] for each in answer.tool_calls}
    assert not set("0123456789") & set(answer.response)


async def test_one_number_is_no_sum_and_what_documents_tell_of_is_read_there(opened) -> None:
    text = "연체료는 하루에 200원이다. 3권까지 5일 동안 빌린다."
    async with ScriptedServer(say("yes"), say("연체료는 하루에 200원입니다.")) as server:
        answer = await asked(opened, server, "3권을 5일 동안 빌리면 연체료는 하루에 얼마야?", text)
    assert "200원" in answer.response
    assert "calculate" not in {each["name"] for each in answer.tool_calls}
    async with ScriptedServer(say("no")) as server:
        answer = await asked(opened, server, "지각 3번이면 어떻게 돼?", text)
    assert not set("0123456789") & set(answer.response)


@pytest.mark.parametrize("texts", [(), ("연체료는 하루에 200원이다.",)], ids=["no documents", "documents"])
async def test_what_asks_for_nothing_gets_a_plain_reply(opened, texts) -> None:
    nothing, reply = say('{"asks": "nothing"}'), "별말씀을요, 또 오세요!"
    async with ScriptedServer(nothing, say(reply)) as server:
        answer = await asked(opened, server, "덕분에 한숨 돌렸네, 내일 또 봐", *texts)
    assert answer.response == reply
    assert not answer.citations
    # A figure would be made up.
    async with ScriptedServer(nothing, say("연체료는 300원입니다.")) as server:
        answer = await asked(opened, server, "덕분에 한숨 돌렸네, 내일 또 봐", *texts)
    assert "문서에서" in answer.response


async def test_what_asks_for_something_that_the_documents_lack_is_not_talked_about(opened) -> None:
    async with ScriptedServer(say('{"asks": "something"}')) as server:
        answer = await asked(opened, server, "주차장 이용 시간")
        assert len(server.requests) == 1
    assert "문서에서" in answer.response
