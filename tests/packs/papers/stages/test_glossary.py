"""When a message wants a term added, and when it only speaks of something like it; what a beginner is told of the terms
in an answer."""

from dataclasses import replace

import pytest

from dure import Agent, Team
from dure.packs.papers.library.glossary import Term
from dure.packs.papers.stages.glossary import _ADDS, _is_open
from dure.testing import ScriptedServer, json, say

DROPOUT = Term(term_ko="드롭아웃", term_en="dropout", aliases=["드랍아웃"], easy_ko="x", easy_en="x")
TEAM = Team(
    name="desk",
    kind="router",
    description="x",
    agents=[
        Agent(name="clerk", description="answers", method="general"),
        Agent(name="terms", description="explains", method="glossary"),
    ],
)


@pytest.mark.parametrize(
    ("answer", "is_open"),
    [
        ("드롭아웃을 쓰면 됩니다.", True),
        ("Use dropout here.", True),
        ("드랍아웃이 좋습니다.", True),
        ("아무것도 쓰지 않습니다.", False),
        ("드롭아웃이란 뉴런을 무작위로 끄는 일을 말합니다.", False),
        ("드롭아웃은 뉴런을 끄는 방법입니다.", False),
        ("**드롭아웃** (dropout)\n\n뉴런을 끕니다.", False),
        ("Dropout is a way to switch units off.", False),
    ],
)
def test_a_term_is_open_until_the_answer_says_what_it_is(answer: str, is_open: bool) -> None:
    assert _is_open(answer, DROPOUT, "ko") is is_open


def test_a_definition_in_the_other_language_explains_nothing() -> None:
    assert not _is_open("드롭아웃을 쓰면 됩니다.", replace(DROPOUT, easy_ko=""), "ko")


@pytest.mark.parametrize(("level", "more"), [("easy", True), ("hard", False), (None, False)])
async def test_beginners_alone_are_told_in_plain_words(opened, level, more) -> None:
    said = "과적합에는 드롭아웃을 씁니다. `attention`은 코드입니다."
    needs = json({"agents": ["clerk"], "effect": False, "request": ""})
    async with ScriptedServer(needs, say(said)) as server:
        dure = await opened(server, teams=[TEAM])
        answer = await dure.chat("왜 안 될까?", team="desk", level=level)
        assert answer.response.startswith(said)
        assert ("**쉬운 말로 풀면**" in answer.response) is more
        if more:
            assert "- **과적합**: " in answer.response
            assert "- **드롭아웃**: " in answer.response
            assert "어텐션" not in answer.response
            events = (await dure.runs.get("default", answer.metadata["run_id"]))["events"]
            spoken = "".join(each["data"]["text"] for each in events if each["kind"] == "text")
            assert spoken == answer.response
        else:
            assert answer.response == said


async def test_a_term_is_added_where_the_model_says_that_something_is_to_be_changed(opened) -> None:
    terms = TEAM.agents[1].model_copy(update={"tools": ["lookup_term", "add_term"]})
    needs = json({"agents": ["terms"], "effect": True, "request": ""})
    entry = json({"term_ko": "조사 생략", "easy_ko": "조사를 빼고 말하는 것"})
    async with ScriptedServer(needs, entry) as server:
        dure = await opened(server, teams=[TEAM.model_copy(update={"agents": [TEAM.agents[0], terms]})])
        answer = await dure.chat("조사 생략도 낱말 모음에 올려줘", team="desk")
        [asked] = answer.approvals
        assert asked["tool"] == "add_term"
        run_id, args = answer.metadata["run_id"], asked["args"] | {"term_ko": "조사 빼기", "aliases": ["생략"]}
        edit = {"approval_id": asked["id"], "action": "edit", "args": args}
        await dure.runs.decide("default", run_id, [edit])
        done = await dure.runs.answer("default", run_id)
    assert done.response == "'조사 빼기'를 용어집에 추가했습니다."


@pytest.mark.parametrize("wish", ["다시: 별칭은 빼고", ""])
async def test_a_term_that_is_declined_with_a_wish_is_written_again_as_wished(opened, wish: str) -> None:
    terms = TEAM.agents[1].model_copy(update={"tools": ["lookup_term", "add_term"]})
    needs = json({"agents": ["terms"], "effect": True, "request": ""})
    entry = {"term_ko": "조사 생략", "easy_ko": "조사를 빼고 말하는 것"}
    written = [json(entry | {"aliases": ["생략"]}), *([json(entry)] if wish else [])]
    async with ScriptedServer(needs, *written) as server:
        dure = await opened(server, teams=[TEAM.model_copy(update={"agents": [TEAM.agents[0], terms]})])
        first = await dure.chat("조사 생략도 낱말 모음에 올려줘", team="desk")
        run_id, [asked] = first.metadata["run_id"], first.approvals
        no = {"approval_id": asked["id"], "action": "reject", "message": wish}
        await dure.runs.decide("default", run_id, [no])
        answer = await dure.runs.answer("default", run_id)
        if not wish:
            assert answer.response == "사람이 거절해서 실행하지 않았습니다."
            return
        [again] = answer.approvals
        assert (asked["args"]["aliases"], again["args"].get("aliases")) == (["생략"], None)
        assert wish in server.requests[-1]["messages"][-1]["content"]
        await dure.runs.decide("default", run_id, [{"approval_id": again["id"], "action": "approve"}])
        done = await dure.runs.answer("default", run_id)
    assert done.response == "'조사 생략'을 용어집에 추가했습니다."


@pytest.mark.parametrize(
    ("message", "adds"),
    [
        ("용어집에 추가해줘", True),
        ("이 말을 용어집에 새로 등록해 주세요", True),
        ("용어집에 넣어줘", True),
        ("용어집에 '온길'을 추가해줘. 뜻은 전자결재 시스템이야.", True),
        ("용어집에 그래프 풀링을 등록해 주세요", True),
        ("용어집에 '배치 정규화' 넣어줘. 층의 입력을 고르게 맞추는 방법이야.", True),
        ("용어집에 없는 말을 추가로 설명해줘", False),
        ("사전에 추가해줘", True),
        ("add it to the glossary", True),
        ("please put this word in my glossary", True),
        ("사전 등록 연구가 뭐야?", False),
        ("사전에 등록된 실험이란?", False),
        ("사전 추가 학습이 뭐야?", False),
        ("용어집이 뭐야?", False),
    ],
)
def test_who_wants_a_term_added_says_so(message: str, adds: bool) -> None:
    assert (_ADDS.search(message) is not None) == adds


async def test_a_term_that_is_a_part_of_the_one_asked_about_is_not_what_is_saved(opened) -> None:
    """Its definition was saved as that of the other, and nobody was asked."""
    needs = json({"agents": ["glossary", "save_file"], "effect": True, "request": ""})
    message = "어텐션 헤드 뜻 설명한 다음 파일로 남겨줘"
    async with ScriptedServer(needs, json({"terms": []}), say("어텐션을 나누어 하는 한 갈래입니다.")) as server:
        answer = await (await opened(server)).chat(message, team="papers")
    assert answer.response.startswith("어텐션을 나누어 하는 한 갈래입니다.\n\n용어집에 없는 말이라")
    names = server.requests[1]["response_format"]["json_schema"]["schema"]["properties"]["terms"]["items"]["enum"]
    assert names == ["어텐션"]
    async with ScriptedServer(needs, json({"terms": ["어텐션"]})) as server:
        answer = await (await opened(server)).chat(message.replace(" 헤드", ""), team="papers")
    assert answer.response.startswith("**어텐션**")
