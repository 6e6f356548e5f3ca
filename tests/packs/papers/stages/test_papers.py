"""Searching the library: as many as asked for, filters that were misread, searches that fail."""

import re
from datetime import date
from typing import Any

import pytest

from dure import Dure, Team, tool
from dure.models import ChatClient, Model
from dure.packs.papers.record import PaperRecord
from dure.sources import Passage
from dure.testing import ScriptedServer, json, say
from dure.tooling import Tool, ToolContext, ToolResult


@tool
def web_search(queries: list[str]) -> ToolResult:
    """Search the web."""
    return ToolResult("", [Passage("search:1", "News", None, 0, 4, "News", url="https://example.com")])


def searches(answer: Any) -> list[tuple[dict[str, Any], str]]:
    return [(call["args"], call["status"]) for call in answer.tool_calls if call["name"] == "search_papers"]


@pytest.mark.parametrize(
    ("message", "count"),
    [("어텐션 논문 10편 찾아줘", 10), ("Find three papers on object detection", 3), ("어텐션 논문 찾아줘", 5)],
)
async def test_as_many_as_are_asked_for(opened, make_scholar, ask, message: str, count: int) -> None:
    scholar = make_scholar(papers=count if count != 5 else 0)
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
    assert ("5편만 보입니다. 더 있을 수 있으니" in listed.response) == (count == 5)


async def test_a_model_that_is_able_says_how_many_are_wanted(opened, make_scholar, ask) -> None:
    scholar = make_scholar(papers=20)
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server, tools=[web_search])
        await ask(dure, "어텐션 논문 있는 대로 다 찾아줘")
    assert "\n20. **" in scholar.given[-1]


async def test_a_condition_that_the_message_does_not_hold_is_left_out(opened, make_scholar, ask) -> None:
    made_up = ["year 2017-", "author Hinton", "venue ICLR"]
    async with ScriptedServer(respond=make_scholar(conditions=made_up)) as server:
        dure = await opened(server, tools=[web_search])
        answer, _ = await ask(dure, "ICLR에 실린 트랜스포머 논문 찾아줘")
    assert searches(answer) == [({"queries": ["attention is all you need"], "venue": "ICLR"}, "ok")]


async def test_a_topic_that_the_message_does_not_hold_is_left_out_by_a_small_model(opened, make_scholar, ask) -> None:
    async with ScriptedServer(respond=make_scholar()) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        dure = await opened(model=model, tools=[web_search])
        answer, _ = await ask(dure, "언어 모델 논문 찾아줘")
    assert searches(answer) == [({"queries": ["언어 모델 논문 찾아줘"]}, "ok")]


async def test_the_topic_is_that_of_its_two_languages_which_the_message_has(opened, make_scholar, ask) -> None:
    given = {"topic": "image segmentation", "translated": "이미지 분할"}
    async with ScriptedServer(respond=make_scholar(**given)) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        dure = await opened(model=model, tools=[web_search])
        answer, _ = await ask(dure, "이미지 분할 논문 찾아줘")
    assert searches(answer) == [({"queries": ["이미지 분할", "image segmentation"]}, "ok")]


async def test_an_able_model_searches_in_other_words_too(opened, make_scholar, ask) -> None:
    given = {"topic": "양서류 울음", "translated": "amphibian calls"}
    for small in (False, True):
        synonyms = {} if small else {"synonyms": "anuran chorus"}
        scholar = make_scholar(**given, **synonyms)
        async with ScriptedServer(respond=scholar) as server:
            model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=small)
            answer, _ = await ask(await opened(model=model, tools=[web_search]), "양서류 울음 논문 찾아줘")
            asked = next(r for r in server.requests if "conditions" in str(r.get("response_format")))
        assert ("\nsynonyms: " in str(asked["messages"][0]["content"])) == (not small)
        assert searches(answer)[0][0]["queries"] == [*given.values(), *synonyms.values()]


@pytest.mark.parametrize(
    ("message", "filters"),
    [
        ("2018년 이후에 나온 트랜스포머 논문", {"year_from": 2018}),
        ("2015년부터 2018년 사이 트랜스포머 논문", {"year_from": 2015, "year_to": 2018}),
        ("2015~2018 트랜스포머 논문", {"year_from": 2015, "year_to": 2018}),
        ("2017년도 트랜스포머 논문", {"year_from": 2017, "year_to": 2017}),
        ("2010년 이전 트랜스포머 논문", {"year_to": 2009}),
        ("2010년까지 나온 트랜스포머 논문", {"year_to": 2010}),
        ("1980년대나 90년대에 나온 논문", {"year_from": 1980, "year_to": 1999}),
        ("최근 3년 트랜스포머 논문", {"year_from": date.today().year - 3}),
        ("transformer papers published after 2017", {"year_from": 2018}),
        ("transformer papers between 2014 and 2016", {"year_from": 2014, "year_to": 2016}),
        ("transformer papers from the last 5 years", {"year_from": date.today().year - 5}),
        ("트랜스포머 논문 2020편 찾아줘", {}),
        ("Llama 2 논문 찾아줘", {}),
        ("Hinton의 트랜스포머 논문 찾아줘", {"author": "Hinton"}),
        ("transformer papers by geoffrey hinton", {"author": "geoffrey hinton"}),
        ("Jürgen Schmidhuber 트랜스포머 논문 찾아줘", {"author": "Jürgen Schmidhuber"}),
        ("네이처에 실린 논문 찾아줘", {"venue": "Nature"}),
        ("Find a survey of Reinforcement Learning papers", {}),
    ],
)
async def test_conditions_are_what_stands_in_the_message(opened, make_scholar, message: str, filters: Any) -> None:
    async with ScriptedServer(respond=make_scholar()) as server:
        searcher = Dure().teams["papers"].agent("search_paper").model_copy(update={"fallback": None})
        team = Team(name="searching", kind="router", description="-", agents=[searcher])
        dure = await opened(server, tools=[web_search], teams=[team])
        answer = await dure.chat(message, team="searching")
    assert {name: value for name, value in searches(answer)[0][0].items() if name not in ("queries", "k")} == filters


async def test_a_wrong_argument_leaves_the_message(opened, make_scholar, ask) -> None:
    async with ScriptedServer(respond=make_scholar()) as server:

        async def strict(args: dict[str, Any], context: ToolContext) -> ToolResult:
            if "venue" in args:
                return ToolResult("no such venue", is_error=True)
            return ToolResult("", data={"papers": [{"id": "x", "title": "Found"}], "evidence": 1.0})

        dure = await opened(server, tools=[Tool("search_papers", "-", {"type": "object"}, strict)])
        answer, _ = await ask(dure, "NeurIPS 어텐션 논문 찾아줘")
    assert [args for args, _ in searches(answer)][-1] == {"queries": ["NeurIPS 어텐션 논문 찾아줘"]}
    assert answer.response == "답입니다."


async def test_a_search_that_fails_is_told_as_such(opened, make_scholar, ask) -> None:
    async def broken(args: dict[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult("the shelf fell over", is_error=True)

    async with ScriptedServer(respond=make_scholar()) as server:
        dure = await opened(server, tools=[web_search, Tool("search_papers", "-", {"type": "object"}, broken)])
        answer, _ = await ask(dure, "어텐션 논문 찾아줘")
    assert answer.response.startswith("논문 목록을 검색하지 못했습니다: the shelf fell over 대신 웹에서")


async def test_conditions_that_keep_everything_out_are_left_out_and_said(opened, make_scholar, ask) -> None:
    message = "Find papers by Kaiming He at NAACL on attention"
    said = "No paper fits this condition (Kaiming He, NAACL)"
    async with ScriptedServer(respond=make_scholar(topic="attention")) as server:
        dure = await opened(server, tools=[web_search])
        answer, _ = await ask(dure, message)
        assert answer.response.startswith(f"{said}, so it was left out of the search.")
        assert [args.get("author") for args, _ in searches(answer)] == ["Kaiming He", None]
        small = await opened(
            data_dir=dure.settings.data_dir.parent / "small",
            model=Model(ChatClient(server.url, "scripted"), dialect="schema", small=True),
        )
        listed, _ = await ask(small, message)
    assert listed.response.startswith(said)
    assert "\n1. **" in listed.response


async def test_a_topic_that_is_a_field_lists_the_field(opened, make_scholar, ask) -> None:
    async with ScriptedServer(respond=make_scholar(topic="비전 분야 논문")) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        dure = await opened(model=model, tools=[web_search])
        answer, _ = await ask(dure, "비전 분야 논문 8편 보여줘")
    assert searches(answer) == [({"queries": [], "field": "vision", "k": 8}, "ok")]


async def test_filters_alone_list_what_fits(opened, make_scholar, ask) -> None:
    async with ScriptedServer(respond=make_scholar(topic="")) as server:
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
    topics = ("김치 발효", "kimchi fermentation", "언어 모델", "object detection", "어텐션")
    topic = next(each for each in topics if each in message)
    async with ScriptedServer(respond=make_scholar(topic=topic)) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=small)
        dure = await opened(model=model, tools=[web_search])
        answer, _ = await ask(dure, message)
    assert answer.metadata["agents"] == agents


async def test_what_conditions_alone_find_can_be_cited(opened, make_scholar, ask) -> None:
    scholar = make_scholar("It is by Lewis [2].", topic="", conditions=["author Lewis"])
    async with ScriptedServer(respond=scholar) as server:
        answer, _ = await ask(await opened(server), "Find papers by Lewis")
    assert searches(answer) == [({"queries": [], "author": "Lewis"}, "ok")]
    assert scholar.given[-1].count(" [2]") == 1, "the list numbers its papers"
    second = scholar.given[-1].split("\n2. **")[1].partition("**")[0]
    assert [each["title"] for each in answer.citations] == [second]


async def test_what_a_card_tells_is_shown_to_the_model_once(opened, make_scholar, ask) -> None:
    scholar = make_scholar("BERT fits [1].", topic="language model pre-training")
    async with ScriptedServer(respond=scholar) as server:
        await ask(await opened(server), "Find papers on language model pre-training")
    _, _, shown = scholar.given[-1].partition("Papers:")
    passages, _, listed = shown.partition("\n1. **")
    items = [line for line in f"1. **{listed}".splitlines() if line.strip()]
    assert "[1] " in passages
    assert items
    assert all("**" in line or "http" in line for line in items), "titles and links alone"
    assert all("[" in line for line in items if "**" in line)


async def test_a_list_from_the_record_is_marked_nowhere_and_cites_what_it_says(opened, make_scholar, make_pdf) -> None:
    """Not another sentence of the full text, where that was found."""
    told = ["We asked 90 recruits.", "Frobnication of shins eased pain for 45 of them."]
    lines = [(11, f"Frobnication of shins was asked of every runner in club {n}, and of 38 women.") for n in range(9)]
    pages = [[(22, "Steps per Minute"), (11, "Ada Lovelace")], [(12, "4 Limits"), *lines]]
    scholar = make_scholar(topic="frobnication of shins")
    scholar.needs = ["search_paper", "save_file"]
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        papers = dure.packs["papers"].papers
        records = [
            PaperRecord(
                title="Steps per Minute", authors=["Ada Lovelace"], year=2019, abstract="Pain ends a season of 20."
            ),
            PaperRecord(title="Shins", authors=["Nkem Abara"], year=2015, abstract=" ".join(told)),
        ]
        await papers.add("default", records, "test")
        paper = await papers.attach("default", "steps.pdf", make_pdf(pages))
        await papers.wait("default", [paper.id])
        answer = await dure.chat("Find papers on frobnication of shins and save them as csv", team="papers")
    assert "Pain ends a season of 20." in answer.response
    assert " ".join(told) in answer.response
    cited = {each.title: each.quote for each in answer.citations}
    assert (cited.get("Steps per Minute"), cited["Shins"]) == (None, told[0])
    assert not answer.metadata.get("checks")


async def test_where_no_paper_that_was_found_fits_none_is_handed_on(opened, make_scholar, ask) -> None:
    """All of them were summed up and saved."""
    scholar = make_scholar(topic="object detection")
    scholar.fit, scholar.means = [], {"of": "found"}
    async with ScriptedServer(respond=scholar) as server:
        answer, agents = await ask(await opened(server), "물체 탐지 논문 찾아서 요약하고 md로 저장해줘")
    assert agents == ["search_paper", "summarize", "save_file"]
    assert {call["name"] for call in answer.tool_calls}.isdisjoint(("read_paper", "save_file"))
    assert scholar.tasks == []
    assert answer.response.startswith("논문 목록에 맞는 논문이 없습니다(가까운 순서로 본 논문: ")
    assert answer.response.count(" / ") == 4
    assert "Object Detection" in answer.response
    assert not answer.metadata.get("checks")


@pytest.mark.parametrize("fit", [5, 2])
async def test_that_there_may_be_more_is_said_below_where_all_that_was_found_is_told(opened, ask, fit: int) -> None:
    """It stood above an answer that left some of them out: "shown are the 5 that fit best"."""
    more = "가장 잘 맞는 5편만 보입니다."

    def told(body: dict[str, Any]) -> Any:
        if "conditions" in str(body.get("response_format")):
            return json({"conditions": [], "topic": "물체 탐지", "translated": "object detection", "papers": 0})
        if "agents" in str(body.get("response_format")):
            return json({"agents": ["search_paper"], "effect": False, "request": ""})
        items = re.findall(r"^\d\. \*\*(.+?)\*\*[^[]*(\[\d+\])", body["messages"][-1]["content"], re.MULTILINE)
        lines = [
            f"- {title}: 맞습니다 {mark}." if n < fit else f"- {title}: 뺐습니다."
            for n, (title, mark) in enumerate(items)
        ]
        return say("\n".join(lines))

    async with ScriptedServer(respond=told) as server:
        answer, _ = await ask(await opened(server), "물체 탐지 논문 찾아줘")
    assert answer.response.count("맞습니다 [") == fit
    assert (more in answer.response) == (fit == 5)
    assert more not in answer.response.partition("맞습니다 [")[0]
    assert more not in str(server.requests[-1]["messages"])
    assert not any(more in each["sentence"] for each in answer.metadata.get("checks", ()))
