"""`web_search` in a conversation: what is searched for is understood without it."""

from typing import Any

import pytest

from dure import tool
from dure.models import ChatClient, Model
from dure.sources import Passage
from dure.testing import ScriptedServer, fail, json, raw
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


@pytest.mark.parametrize(
    ("written", "queries"),
    [
        (json({"queries": ["두레소프트 최근 뉴스"]}), ["두레소프트 최근 뉴스"]),
        (json({"queries": [" ", 1]}), [SECOND]),
        (json([]), [SECOND]),
        (raw("no JSON"), [SECOND]),
        (fail(400, "no"), [SECOND]),
    ],
)
async def test_a_follow_up_is_searched_with_names(opened, make_scholar, searched, written, queries) -> None:
    web_search, asked = searched

    scholar = make_scholar("새 모델을 냈습니다 [1].")

    def respond(body: dict[str, Any]) -> Any:
        step = scholar(body)
        return written if scholar.asked[-1] == "queries" else step

    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, tools=[web_search])
        await dure.chat(FIRST, team="papers", session_id="s")
        answer = await dure.chat(SECOND, team="papers", session_id="s")
    assert asked == [[FIRST], queries]
    assert answer.citations[0]["url"] == "https://example.com/news"


async def test_a_small_model_searches_with_the_message(opened, searched) -> None:
    web_search, asked = searched
    async with ScriptedServer(respond=lambda body: json({"tools": "web_search"})) as server:
        dure = await opened(
            model=Model(ChatClient(server.url, "scripted"), dialect="schema", small=True), tools=[web_search]
        )
        for message in (FIRST, SECOND):
            await dure.chat(message, team="papers", session_id="s")
    assert asked == [[FIRST], [SECOND]]
