"""Searching the library: as many as asked for, filters that were misread, searches that fail."""

from typing import Any

import pytest

from dure import tool
from dure.models import ChatClient, Model
from dure.sources import Passage
from dure.testing import ScriptedServer
from dure.tooling import Tool, ToolContext, ToolResult


@tool
def web_search(queries: list[str]) -> ToolResult:
    """Search the web."""
    return ToolResult("", [Passage("search:1", "News", None, 0, 4, "News", url="https://example.com")])


def searches(answer: Any) -> list[tuple[dict[str, Any], str]]:
    return [(call["args"], call["status"]) for call in answer.tool_calls if call["name"] == "search_papers"]


@pytest.mark.parametrize(
    ("message", "count"),
    [("어텐션 논문 10편 찾아줘", 10), ("Find three papers on attention", 3), ("어텐션 논문 찾아줘", 5)],
)
async def test_as_many_as_are_asked_for(opened, make_scholar, ask, message: str, count: int) -> None:
    scholar = make_scholar()
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server, tools=[web_search])
        await ask(dure, message)
        small = await opened(
            data_dir=dure.settings.data_dir.parent / "small",
            model=Model(ChatClient(server.url, "scripted"), dialect="schema", small=True),
        )
        listed, _ = await ask(small, message)
    assert f"\n{count}. **" in scholar.given[-1]
    assert f"\n{count + 1}. **" not in scholar.given[-1]
    assert f"\n{count}. **" in listed.response
    assert f"\n{count + 1}. **" not in listed.response


async def test_what_is_no_year_is_left_out(opened, make_scholar, ask) -> None:
    async with ScriptedServer(respond=make_scholar(year_from=17)) as server:
        dure = await opened(server, tools=[web_search])
        answer, _ = await ask(dure, "17년 이후 트랜스포머 논문 찾아줘")
    assert searches(answer) == [({"queries": ["attention is all you need"]}, "ok")]


async def test_a_wrong_argument_leaves_the_words_of_the_message(opened, make_scholar, ask) -> None:
    async with ScriptedServer(respond=make_scholar(venue="V" * 10, year_from=2017)) as server:

        async def strict(args: dict[str, Any], context: ToolContext) -> ToolResult:
            if "venue" in args:
                return ToolResult("no such venue", is_error=True)
            return ToolResult("", data={"papers": [{"id": "x", "title": "Found"}], "evidence": 1.0})

        dure = await opened(server, tools=[Tool("search_papers", "-", {"type": "object"}, strict)])
        answer, _ = await ask(dure, "2017년 이후 트랜스포머 논문 찾아줘")
    assert [args for args, _ in searches(answer)][-1] == {"queries": ["트랜스포머 논문 찾아줘"], "year_from": 2017}
    assert answer.response == "답입니다."


async def test_a_search_that_fails_is_told_as_such(opened, make_scholar, ask) -> None:
    async def broken(args: dict[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult("the shelf fell over", is_error=True)

    async with ScriptedServer(respond=make_scholar()) as server:
        dure = await opened(server, tools=[web_search, Tool("search_papers", "-", {"type": "object"}, broken)])
        answer, _ = await ask(dure, "어텐션 논문 찾아줘")
    assert answer.response.startswith("논문 목록을 검색하지 못했습니다: the shelf fell over 대신 웹에서")


async def test_a_name_that_keeps_everything_out_is_left_out_and_said(opened, make_scholar, ask) -> None:
    async with ScriptedServer(respond=make_scholar(author="Google")) as server:
        dure = await opened(server, tools=[web_search])
        answer, _ = await ask(dure, "Find papers by Google on attention")
        assert answer.response.startswith("No paper fits this condition (Google), so it was left out of the search.")
        assert [args.get("author") for args, _ in searches(answer)] == ["Google", None]
        small = await opened(
            data_dir=dure.settings.data_dir.parent / "small",
            model=Model(ChatClient(server.url, "scripted"), dialect="schema", small=True),
        )
        listed, _ = await ask(small, "Find papers by Google on attention")
    assert listed.response.startswith("No paper fits this condition (Google)")
    assert "\n1. **" in listed.response


@pytest.mark.parametrize(
    "message", ["Find a survey of Reinforcement Learning papers", "Find papers on applications of Transformers"]
)
async def test_topics_are_no_authors_to_a_small_model(opened, make_scholar, ask, message: str) -> None:
    async with ScriptedServer(respond=make_scholar()) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        dure = await opened(model=model, tools=[web_search])
        answer, _ = await ask(dure, message)
    assert searches(answer) == [({"queries": [message]}, "ok")]
    assert answer.metadata["agents"] == ["search_paper"]


async def test_filters_alone_list_what_fits(opened, make_scholar, ask) -> None:
    async with ScriptedServer(respond=make_scholar()) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        dure = await opened(model=model, tools=[web_search])
        answer, _ = await ask(dure, "2019년 NeurIPS 논문 보여줘")
    assert searches(answer) == [({"queries": [], "year_from": 2019, "year_to": 2019, "venue": "NeurIPS"}, "ok")]
    assert "(2019, NeurIPS)" in answer.response


@pytest.mark.parametrize(
    ("message", "agents"),
    [
        ("2019년 이후 김치 발효 논문 찾아줘", ["search_paper", "web_search"]),
        ("Find papers on kimchi fermentation since 2015", ["search_paper", "web_search"]),
        ("2018년 이후 언어 모델 논문 찾아줘", ["search_paper"]),
        ("Find papers on object detection since 2015", ["search_paper"]),
        ("NeurIPS에 실린 어텐션 논문 찾아줘", ["search_paper"]),
    ],
)
@pytest.mark.parametrize("small", [True, False])
async def test_papers_of_the_years_asked_for_have_to_fit_the_topic_too(
    opened, make_scholar, ask, message: str, agents: list[str], small: bool
) -> None:
    topic = "kimchi fermentation" if "web_search" in agents else "language models, object detection, attention"
    async with ScriptedServer(respond=make_scholar(queries=[topic], year_from=2015)) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=small)
        dure = await opened(model=model, tools=[web_search])
        answer, _ = await ask(dure, message)
    assert answer.metadata["agents"] == agents


async def test_words_of_the_model_for_filters_alone_keep_nothing_out(opened, make_scholar, ask) -> None:
    async with ScriptedServer(
        respond=make_scholar(queries=["papers of that year"], year_from=2019, year_to=2019)
    ) as server:
        dure = await opened(server, tools=[web_search])
        answer, _ = await ask(dure, "2019년 논문 찾아줘")
    assert answer.metadata["agents"] == ["search_paper"]
