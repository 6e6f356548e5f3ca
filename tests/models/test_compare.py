"""Comparing dialects: what counts as done."""

import pytest

from dure.dialects import Reply
from dure.messages import ToolCall
from dure.models import ChatClient, Model
from dure.models.compare import TASKS, Score, compare, recommended
from dure.testing import ScriptedServer, say

WEATHER, _, LENGTH, MEETING, THANKS = TASKS


def no_schema(body):
    return "response_format of type json_schema is not supported" if "response_format" in body else None


def reply(*calls: ToolCall, content: str = "") -> Reply:
    return Reply(content=content, tool_calls=list(calls))


@pytest.mark.parametrize(
    ("task", "given", "done"),
    [
        (WEATHER, reply(ToolCall("get_weather", {"city": "Seoul"})), True),
        (WEATHER, reply(ToolCall("get_weather", {"city": "서울특별시"})), True),
        (WEATHER, reply(ToolCall("get_weather", {"city": "부산"})), False),
        (WEATHER, reply(ToolCall("get_weather", {"city": "서울"}, error="no")), False),
        (WEATHER, reply(content="맑습니다"), False),
        (WEATHER, reply(*[ToolCall("get_weather", {"city": "서울"})] * 2), False),
        (LENGTH, reply(ToolCall("convert_length", {"value": 12.5, "unit": "km"})), True),
        (LENGTH, reply(ToolCall("convert_length", {"value": "12.5", "unit": "km"})), False),
        (MEETING, reply(ToolCall("create_meeting", {"attendees": ["김하늘", "이도윤"], "hour": 15})), True),
        (MEETING, reply(ToolCall("create_meeting", {"attendees": ["김하늘"], "hour": 15})), False),
        (THANKS, reply(content="천만에요"), True),
        (THANKS, reply(), False),
        (THANKS, reply(ToolCall("get_weather", {"city": "x"})), False),
    ],
)
def test_done(task, given, done) -> None:
    assert task.done_by(given) is done


def test_the_first_of_equals_is_recommended() -> None:
    assert recommended([Score("native", 4), Score("schema", 5), Score("text", 5)]) == "schema"


async def test_a_server_that_refuses_everything_is_a_score_of_nothing() -> None:
    async with ScriptedServer(
        respond=lambda body: say("hm"),
        native=False,
        refuses=no_schema,
    ) as server:
        model = Model(ChatClient(server.url, "scripted"))
        scores = {s.dialect: s async for s in compare(model)}
        await model.close()
    assert scores["native"].error
    assert scores["schema"].error
    assert (scores["text"].done, scores["text"].error) == (1, None)
