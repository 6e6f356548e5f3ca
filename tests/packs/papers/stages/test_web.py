"""`web_search` in a conversation: what is searched for is understood without it."""

from typing import Any

import pytest

from dure import tool
from dure.errors import ToolInputError
from dure.models import ChatClient, Model
from dure.sources import Passage
from dure.testing import ScriptedServer, json, say
from dure.tooling import ToolResult

FIRST, SECOND = "두레소프트의 최신 소식을 웹에서 검색해줘", "그 회사의 최근 뉴스도 웹에서 검색해줘"


@pytest.fixture
def searched():
    """A web search, and what was searched for."""
    asked: list[list[str]] = []

    @tool
    def web_search(queries: list[str]) -> ToolResult:
        """Search the web."""
        asked.append(queries)
        text = "두레소프트가 새 모델을 냈다."
        return ToolResult("", [Passage("search:1", "소식", None, 0, len(text), text, url="https://example.com/news")])

    return web_search, asked


async def test_a_follow_up_is_searched_as_the_router_rewrites_it(opened, searched) -> None:
    web_search, asked = searched
    alone = "두레소프트의 최근 뉴스를 웹에서 검색해줘"

    def respond(body: dict[str, Any]) -> Any:
        message = body["messages"][-1]["content"]
        form = {"agents": ["web_search"], "effect": False, "request": alone if message == SECOND else message}
        return json(form) if body.get("response_format") else say("새 모델을 냈습니다 [1].")

    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, tools=[web_search])
        await dure.chat(FIRST, team="papers", session_id="s")
        answer = await dure.chat(SECOND, team="papers", session_id="s")
    assert asked == [[FIRST], [alone]]
    assert answer.citations[0]["url"] == "https://example.com/news"


async def test_whoever_needs_nothing_of_a_search_that_fails_works_all_the_same(opened) -> None:
    @tool
    def web_search(queries: list[str]) -> str:
        """Search the web."""
        raise ToolInputError(ko="연결할 수 없습니다.", en="no connection")

    told: list[str] = []

    def respond(body: dict[str, Any]) -> Any:
        if body.get("response_format"):
            return json({"agents": ["web_search", "general"], "effect": False, "request": ""})
        told.append(body["messages"][-1]["content"])
        return say("비빔밥은 어떠세요?")

    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, tools=[web_search])
        answer = await dure.chat("오늘 서울 날씨 어때? 그리고 점심 뭐 먹지", team="papers")
    assert answer.response == "웹 검색을 할 수 없습니다: 연결할 수 없습니다.\n\n비빔밥은 어떠세요?"
    assert "(Told already: 웹 검색을 할 수 없습니다" in told[0]


async def test_a_small_model_searches_with_the_message(opened, searched) -> None:
    web_search, asked = searched
    async with ScriptedServer(respond=lambda body: json({"tools": "web_search"})) as server:
        dure = await opened(
            model=Model(ChatClient(server.url, "scripted"), dialect="schema", small=True), tools=[web_search]
        )
        for message in (FIRST, SECOND):
            await dure.chat(message, team="papers", session_id="s")
    assert asked == [[FIRST], [SECOND]]
