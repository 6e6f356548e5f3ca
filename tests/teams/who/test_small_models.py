"""The short way of small models: routing by examples and evidence, one call for the answer, refusal by rule."""

import json
from typing import Any

import pytest

from dure import Dure, Team
from dure.agents.prompts import NOT_FOUND, QUOTED
from dure.events import Routed, ToolFinished
from dure.models import ChatClient, Model
from dure.runs.answer import AnswerRecord
from dure.testing import ScriptedServer, Step, raw
from dure.testing import json as as_json

POLICY = "연차휴가는 근속 1년 이상은 15일을 부여한다. 병가는 연 30일까지 쓸 수 있다. 경조휴가는 본인 결혼 5일이다."


@pytest.fixture
async def small(tmp_path):
    """Open a Dure whose model counts as small, with the policy among its documents."""
    opened = []

    async def open_one(server: ScriptedServer, embeddings: bool = True) -> Dure:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        dure = Dure(model=model, data_dir=tmp_path, embeddings=embeddings)
        opened.append(dure)
        await dure.__aenter__()
        document = await dure.knowledge.add("default", "인사규정.txt", POLICY.encode())
        await dure.knowledge.wait("default", [document.id], embedded=embeddings)
        return dure

    yield open_one
    for dure in opened:
        await dure.__aexit__(None, None, None)


STATED = raw("yes")


async def test_the_newcomers_question_costs_two_calls(small) -> None:
    async with ScriptedServer(STATED, raw("연차휴가는 근속 1년 이상은 15일을 부여합니다.")) as server:
        dure = await small(server)
        events = [e async for e in dure.stream("회사 휴가 정책 알려줘", team="workplace")]
        answer = await dure.runs.answer("default", events[0].run_id)
        request = server.requests[1]
    assert answer.metadata["usage"]["model_calls"] == 2
    assert answer.response == "연차휴가는 근속 1년 이상은 15일을 부여합니다 [1]." or answer.response.endswith("[1]")
    assert answer.citations[0]["quote"] == "연차휴가는 근속 1년 이상은 15일을 부여한다."
    assert [(e.agents, e.how) for e in events if isinstance(e, Routed)] == [(["rag_agent"], "examples")]
    assert [e.name for e in events if isinstance(e, ToolFinished)] == ["search_knowledge_base"]
    assert POLICY.split(".")[0] in request["messages"][-1]["content"], "the documents stand in the user's turn"


@pytest.mark.parametrize("said", ["병가는 60일입니다.", "병가를 쓸 수 있습니다.", ""])
async def test_what_cannot_be_right_is_replaced_by_the_sentences(small, said: str) -> None:
    async with ScriptedServer(STATED, raw(said)) as server:
        dure = await small(server)
        answer = await dure.chat("병가는 연 며칠까지 쓸 수 있나요?", team="workplace")
    assert "60" not in answer.response
    assert answer.response.startswith(QUOTED["ko"])
    assert "병가는 연 30일까지 쓸 수 있다." in answer.response
    assert "병가는 연 30일까지 쓸 수 있다." in [c["quote"] for c in answer.citations]


@pytest.mark.parametrize(
    ("message", "agents"),
    [
        ("주문내역에서 취소된 주문은 몇 건이야?", ["internal_agent"]),
        ("주문 내역에서 4월 주문 빼면 몇 건이야?", ["internal_agent"]),
        ("4월에 취소된 건 몇 개지", ["internal_agent"]),
        ("A17 주문은 언제 한 거야?", ["internal_agent"]),
        ("병가는 연 며칠까지 쓸 수 있나요?", ["rag_agent"]),
    ],
)
async def test_a_question_that_names_a_table_or_a_value_in_it_is_for_who_counts_rows(
    small, message: str, agents: list[str]
) -> None:
    async with ScriptedServer(respond=lambda body: raw("{}")) as server:
        dure = await small(server)
        rows = "\n".join(f"A{n},2026-0{n % 9 + 1}-02,{'취소' if n % 3 else '완료'}" for n in range(20))
        orders = await dure.knowledge.add("default", "주문내역.csv", f"주문번호,주문일,상태\n{rows}\n".encode())
        await dure.knowledge.wait("default", [orders.id], embedded=True)
        chosen = await dure.route(message, "workplace", [])
    assert chosen["agents"] == agents


async def test_what_the_documents_do_not_hold_is_refused(small) -> None:
    async with ScriptedServer(raw("no")) as server:
        dure = await small(server)
        rag = dure.teams["workplace"].agent("rag_agent")
        only = Team(name="rag", kind="solo", description="Documents", agents=[rag])
        async with Dure(model=dure.model, data_dir=dure.settings.data_dir, teams=[only]) as other:
            answer = await other.chat("대한민국의 수도는 어디야?", team="rag")
    assert answer.response == NOT_FOUND["ko"]
    assert not answer.citations


@pytest.fixture
async def lookers(small):
    """Team `workplace`: who counts rows, of which there are none, who searches, who has no tools now, who saves."""

    def respond(body: dict[str, Any]) -> Step:
        asked = str(body["messages"][-1]["content"])
        if "response_format" in body:
            wants = "external_agent" if {"캘린더", "지라에"} & set(asked.split()) else "rag_agent"
            return as_json({"wants": wants, "then": "nothing"})
        if asked.endswith("yes or no"):
            return raw("yes" if "병가" in asked.partition("Question:")[2] else "no")
        return raw("병가는 연 30일까지 쓸 수 있습니다.")

    async def ask(message: str) -> tuple[Routed, AnswerRecord]:
        async with ScriptedServer(respond=respond) as server:
            dure = await small(server)
            team = dure.teams["workplace"]
            agents = [team.agent(name) for name in ("internal_agent", "rag_agent", "external_agent", "file")]
            only = Team(name="own", kind="supervisor", description="-", agents=agents)
            async with Dure(model=dure.model, data_dir=dure.settings.data_dir, teams=[only]) as other:
                events = [e async for e in other.stream(message, team="own")]
                answer = await other.runs.answer("default", events[0].run_id)
        return next(e for e in events if isinstance(e, Routed)), answer

    return ask


async def test_whoever_searches_is_asked_where_no_table_has_it(lookers) -> None:
    chosen, answer = await lookers("평균 병가 일수를 계산해줘")
    assert chosen.agents == ["internal_agent"]
    assert "30일" in answer.response
    assert answer.metadata["agents"] == ["internal_agent", "rag_agent"]


@pytest.mark.parametrize(
    ("message", "said"),
    [("몇 개인지 병가 좀 봐줘", "30일"), ("좀 봐줘", "찾지 못했")],
)
async def test_in_doubt_those_are_tried_who_only_look_something_up(lookers, message: str, said: str) -> None:
    chosen, answer = await lookers(message)
    assert (chosen.how, sorted(chosen.agents)) == ("tried", ["internal_agent", "rag_agent"])
    assert said in answer.response
    assert not answer.metadata.get("choices")


@pytest.mark.parametrize(("message", "said"), [("캘린더 말고 병가 며칠", "30일"), ("지라에 며칠", "할 수 없습니다")])
async def test_who_looks_something_up_is_tried_before_one_without_tools_says_so(
    lookers, message: str, said: str
) -> None:
    chosen, answer = await lookers(message)
    assert chosen.agents[-1] == "external_agent"
    assert said in answer.response


async def test_small_talk_is_told_from_questions(small) -> None:
    async with ScriptedServer(raw("안녕하세요!")) as server:
        dure = await small(server)
        answer = await dure.chat("안녕하세요", team="workplace")
        assert server.requests[0]["messages"][0]["content"].endswith("Answer in Korean.")
    assert answer.response == "안녕하세요!"
    assert answer.metadata["agents"] == []


async def test_without_embeddings_words_and_the_model_choose(small) -> None:
    steps = [
        as_json({"wants": "internal_agent", "then": "nothing"}),
        as_json({"tool": "calculate", "args": {"expression": "2+3"}}),
    ]
    async with ScriptedServer(*steps, raw(json.dumps({"answer": "5입니다."}))) as server:
        dure = await small(server, embeddings=False)
        answer = await dure.chat("12 곱하기 34를 계산해줘", team="workplace")
        slots = server.requests[0]["response_format"]["json_schema"]["schema"]["properties"]
    assert slots["then"]["enum"][0] == "nothing"
    assert "internal_agent" in slots["wants"]["enum"]
    assert answer.response == "5입니다."
    assert answer.metadata["agents"] == ["internal_agent"]


async def test_without_its_embeddings_endpoint_words_choose(opened, unused_tcp_port) -> None:
    gone = {"embeddings": True, "embeddings_base_url": f"http://127.0.0.1:{unused_tcp_port}/v1", "embeddings_name": "x"}
    async with ScriptedServer(raw("안녕하세요!")) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        dure = await opened(model=model, **gone)
        events = [e async for e in dure.stream("안녕하세요", team="workplace")]
        answer = await dure.runs.answer("default", events[0].run_id)
    assert [(e.agents, e.how) for e in events if isinstance(e, Routed)] == [([], "examples")]
    assert answer.response == "안녕하세요!"


async def test_without_its_embeddings_endpoint_it_is_told_where_to_look(opened, unused_tcp_port) -> None:
    gone = {"embeddings": True, "embeddings_base_url": f"http://127.0.0.1:{unused_tcp_port}/v1", "embeddings_name": "x"}
    async with ScriptedServer(STATED, raw("병가는 60일입니다.")) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        dure = await opened(model=model, **gone)
        document = await dure.knowledge.add("default", "인사규정.txt", POLICY.encode())
        await dure.knowledge.wait("default", [document.id])
        answer = await dure.chat("병가는 연 며칠까지 쓸 수 있어?", team="workplace")
    assert answer.status == "completed"
    assert "60" not in answer.response
    assert answer.response.startswith(QUOTED["ko"])
    assert "병가는 연 30일까지 쓸 수 있다." in answer.response
