"""Supervisor teams over real HTTP: routing, forwarding, composing, wrong names, limits, failures."""

import json as jsonlib
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from dure import Agent, Team, tool
from dure.errors import ModelError
from dure.events import AgentFinished, AgentStarted, Routed, TextDelta
from dure.testing import ScriptedServer, call, calls, html, raw, say

DIALECTS = ["native", "schema", "text"]
RULE = "본인 결혼 휴가는 5일이다."
CLAUSE = "The draft of a joint paper goes to the other party thirty days before it is submitted."


@tool
def lookup(topic: str) -> str:
    """Look a topic up."""
    return f"{topic}: 15일"


def team(**fields: Any) -> Team:
    finder = Agent(name="finder", description="Looks things up", prompt="Find.", tools=[lookup])
    counter = Agent(name="counter", description="Counts", prompt="Count.")
    return Team(name="pair", kind="supervisor", description="Two agents", agents=[finder, counter], **fields)


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_one_agents_answer_is_forwarded_unchanged_in_three_calls(opened, dialect: str) -> None:
    async with ScriptedServer(
        call("finder", task="휴가 일수를 찾기"),
        call("lookup", topic="휴가"),
        say("휴가는 15일입니다.\n\n- 근속 1년 이상"),
    ) as server:
        dure = await opened(server, tool_dialect=dialect, teams=[team()])
        events = [e async for e in dure.stream("휴가 며칠이야?", team="pair")]
        run = (await dure.runs.list("default"))[0]
        worker = str(server.requests[1]["messages"])
    answer = run["answer"]
    assert answer["response"] == "휴가는 15일입니다.\n\n- 근속 1년 이상"
    assert answer["metadata"]["usage"]["model_calls"] == 3
    assert answer["metadata"]["agents"] == ["finder"]
    assert "휴가 일수를 찾기" in worker
    assert "휴가 며칠이야?" in worker
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == answer["response"]
    assert [e.agents for e in events if isinstance(e, Routed)] == [["finder"]]


async def test_document_000s_own_words_delegate(opened) -> None:
    words = "내부 문서 검색이 필요합니다.\n\nDelegate: **finder**\nTask: 휴가 정책 검색"
    async with ScriptedServer(raw(words), say("15일입니다.")) as server:
        dure = await opened(server, tool_dialect="text", teams=[team()])
        answer = await dure.chat("휴가 정책", team="pair")
        assert "휴가 정책 검색" in str(server.requests[1]["messages"])
    assert answer.response == "15일입니다."


async def test_words_before_a_delegation_that_is_cut_off_are_no_answer(opened) -> None:
    cut = '찾아보겠습니다.\n<tool_call>{"name": "finder", "argu'
    async with ScriptedServer(say(cut), call("finder", task="휴가"), say("15일입니다.")) as server:
        dure = await opened(server, teams=[team()])
        answer = await dure.chat("휴가", team="pair")
        assert "(finder)" in str(server.requests[1]["messages"])
    assert answer.response == "15일입니다."


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_small_talk_is_answered_without_agents(opened, dialect: str) -> None:
    async with ScriptedServer(say("안녕하세요, 무엇을 도와드릴까요?")) as server:
        dure = await opened(server, tool_dialect=dialect, teams=[team()])
        answer = await dure.chat("안녕!", team="pair")
    assert answer.response == "안녕하세요, 무엇을 도와드릴까요?"
    assert answer.metadata["agents"] == []


async def test_several_agents_at_once_are_composed(opened) -> None:
    both = calls(("finder", {"task": "찾기"}), ("counter", {"task": "세기"}))
    steps = [both, say("찾은 것: 15일").when("찾기"), say("센 것: 3개").when("세기"), say("15일이고 3개입니다.")]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, teams=[team()])
        events = [e async for e in dure.stream("찾고 세어줘", team="pair")]
        composed = server.requests[3]["messages"]
        run = (await dure.runs.list("default"))[0]
    assert [m["content"] for m in composed if m["role"] == "tool"] == ["찾은 것: 15일", "센 것: 3개"]
    assert run["answer"]["response"] == "15일이고 3개입니다."
    assert sorted(e.agent for e in events if isinstance(e, AgentStarted)) == ["counter", "finder"]
    own = {e.work_id for e in events if isinstance(e, TextDelta) and e.text.startswith(("찾은", "센"))}
    assert "" not in own, "an agent's own words are not the answer"


async def test_work_that_others_build_on_comes_back_to_the_supervisor(opened) -> None:
    steps = [
        call("finder", task="휴가 일수", more=True),
        say("15일"),
        call("counter", task="15일을 시간으로"),
        say("120시간"),
        say("15일, 120시간입니다."),
    ]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, teams=[team()])
        answer = await dure.chat("휴가는 몇 시간이야?", team="pair")
        assert "15일" in str(server.requests[3]["messages"]), "the second agent gets the first one's result"
    assert answer.response == "15일, 120시간입니다."
    assert answer.metadata["agents"] == ["finder", "counter"]


async def test_an_unknown_agent_goes_back_once_and_then_to_the_nearest(opened) -> None:
    async with ScriptedServer(call("findr", task="a"), call("findr", task="a"), say("15일")) as server:
        dure = await opened(server, teams=[team()])
        answer = await dure.chat("휴가", team="pair")
        told = next(m for m in server.requests[1]["messages"] if m["role"] == "tool")
    assert "finder" in told["content"]
    assert answer.metadata["agents"] == ["finder"]
    assert answer.response == "15일"


async def test_an_unknown_agent_near_to_none_ends_in_a_plain_answer(opened) -> None:
    async with ScriptedServer(call("zzzz", task="a"), call("zzzz", task="a"), say("도와드릴 수 없습니다.")) as server:
        dure = await opened(server, teams=[team()])
        answer = await dure.chat("휴가", team="pair")
    assert answer.response == "도와드릴 수 없습니다."


async def test_endless_delegation_is_stopped_with_what_is_known(opened) -> None:
    steps = [
        call("counter", task="1", more=True),
        say("하나"),
        call("counter", task="2", more=True),
        say("둘"),
        say("둘까지"),
    ]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, teams=[team(max_rounds=2)])
        answer = await dure.chat("끝없이 세어줘", team="pair")
    assert answer.status == "stopped"
    assert answer.response.startswith("요청이 너무 복잡합니다")
    assert answer.response.endswith("둘까지")
    assert "Delegate" not in answer.response


async def test_one_failed_agent_of_two_does_not_lose_the_other(opened) -> None:
    both = calls(("finder", {"task": "찾기"}), ("counter", {"task": "세기"}))
    steps = [both, html().when("찾기"), say("3개").when("세기"), say("3개입니다. 찾지는 못했습니다.")]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, teams=[team()])
        events = [e async for e in dure.stream("둘 다", team="pair")]
        run = (await dure.runs.list("default"))[0]
    assert run["answer"]["response"] == "3개입니다. 찾지는 못했습니다."
    assert sorted(e.status for e in events if isinstance(e, AgentFinished)) == ["completed", "failed"]


async def test_the_only_agent_failing_fails_the_run(opened) -> None:
    async with ScriptedServer(call("finder", task="a"), html()) as server:
        dure = await opened(server, teams=[team()])
        with pytest.raises(ModelError):
            await dure.chat("휴가", team="pair")


async def test_earlier_turns_reach_supervisor_and_agent(opened) -> None:
    steps = [say("첫 답"), call("finder", task="이어서"), say("둘째 답")]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, teams=[team()])
        first = await dure.chat("첫 질문", team="pair")
        await dure.chat("그건 왜?", team="pair", session_id=first.metadata["thread_id"])
        for request in server.requests[1:]:
            roles = [m["role"] for m in request["messages"]]
            assert roles[:4] == ["system", "user", "assistant", "user"]
            assert "첫 답" in str(request["messages"])


CLOCK = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("clock")
@server.tool()
def what_time() -> str:
    "The time."
    return "12:00"
server.run()
"""
MAIL = Agent(name="mailer", description="Mail and calendar", prompt="Use the tools.", tools=["mcp"])


async def test_who_has_none_of_its_tools_is_not_offered_and_the_supervisor_knows(opened) -> None:
    finder = Agent(name="finder", description="Looks things up", tools=[lookup], examples=["휴가는 며칠이야?"])
    mailer = MAIL.model_copy(update={"examples": ["김 팀장에게 메일로 보내줘", "오늘 일정 알려줘"]})
    crew = Team(name="pair", kind="supervisor", description="Two agents", agents=[finder, mailer])
    async with ScriptedServer(say("메일이 연결되어 있지 않아 보내지 못합니다.")) as server:
        dure = await opened(server, teams=[crew])
        await dure.chat("김 팀장에게 메일로 보내줘", team="pair")
        (asked,) = server.requests
    told = asked["messages"][0]["content"]
    assert [each["function"]["name"] for each in asked["tools"]] == ["finder"]
    assert "Not connected now: mailer (Mail and calendar)" in told
    assert "-> mailer" not in told, "an example would have it called"
    assert f"Today is {date.today()}." in told


async def test_who_works_with_servers_is_offered_with_what_they_can_do_now(opened, tmp_path: Path) -> None:
    (tmp_path / "clock.py").write_text(CLOCK, "utf-8")
    clock = {"command": sys.executable, "args": [str(tmp_path / "clock.py")]}
    (tmp_path / "mcp.json").write_text(jsonlib.dumps({"mcpServers": {"clock": clock}}), "utf-8")
    crew = Team(name="pair", kind="supervisor", description="x", agents=[*team().agents, MAIL])
    async with ScriptedServer(say("메일이 연결되어 있지 않습니다.")) as server:
        dure = await opened(server, teams=[crew], mcp_config=tmp_path / "mcp.json")
        await dure.chat("김 팀장에게 메일로 보내줘", team="pair")
        offered = {each["function"]["name"]: each["function"]["description"] for each in server.requests[0]["tools"]}
    assert offered["mailer"] == "Mail and calendar. Its tools now: what_time"
    assert offered["counter"] == "Counts"


async def test_the_answer_is_in_the_language_of_the_sentence(opened) -> None:
    async with ScriptedServer(say("15 days.")) as server:
        dure = await opened(server, teams=[team()])
        await dure.chat("Summarize 휴가규정 for me", team="pair")
        (asked,) = server.requests
    assert "Answer in English unless asked otherwise." in asked["messages"][0]["content"]


async def test_an_agent_without_its_tools_is_told_so(opened) -> None:
    alone = Team(name="alone", kind="solo", description="Mail", agents=[MAIL])
    async with ScriptedServer(say("연결된 메일이 없어 보내지 못했습니다.")) as server:
        dure = await opened(server, teams=[alone])
        await dure.chat("메일 보내줘", team="alone")
        (asked,) = server.requests
    assert "None of your tools is connected now" in asked["messages"][0]["content"]


async def test_what_needs_something_not_connected_is_told_below_the_last_agents_answer(opened) -> None:
    crew = Team(name="pair", kind="supervisor", description="x", agents=[team().agents[0], MAIL])
    cannot = "메일은 연결되어 있지 않아 보내지 못합니다."
    steps = [call("finder", task="휴가 일수", cannot=cannot), say("휴가는 15일입니다.")]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, teams=[crew])
        events = [e async for e in dure.stream("휴가 며칠인지 찾아서 팀장에게 메일로 보내줘", team="pair")]
        asked = server.requests
        run = (await dure.runs.list("default"))[0]
    assert "cannot" in asked[0]["tools"][0]["function"]["parameters"]["properties"]
    assert run["answer"]["response"] == f"휴가는 15일입니다.\n\n하지 못한 일: {cannot}"
    assert len(asked) == 2, "no call more than without it"
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == run["answer"]["response"]
    assert not run["answer"]["metadata"].get("checks"), "the lead's own words state nothing that has a source"


@pytest.mark.parametrize("filler", ["없음", "N/A", "none", "", False])
async def test_an_argument_that_is_only_filled_is_told_to_nobody(opened, filler: Any) -> None:
    crew = Team(name="pair", kind="supervisor", description="x", agents=[team().agents[0], MAIL])
    filled = call("finder", task="휴가 일수", cannot=filler)
    async with ScriptedServer(filled, say("휴가는 15일입니다.")) as server:
        dure = await opened(server, teams=[crew])
        answer = await dure.chat("휴가 며칠이야? I need a number", team="pair")
    assert answer.response == "휴가는 15일입니다."


async def test_where_all_is_connected_a_call_has_no_more_than_task_and_more(opened) -> None:
    async with ScriptedServer(call("finder", task="a", cannot="휴가 메일"), say("15일")) as server:
        dure = await opened(server, teams=[team()])
        answer = await dure.chat("휴가", team="pair")
        (first, _) = server.requests
    assert {*first["tools"][0]["function"]["parameters"]["properties"]} == {"task", "more"}
    assert "cannot" not in first["messages"][0]["content"]
    assert answer.response == "15일"


async def shelf_of(opened, server: ScriptedServer, *texts: str, beside: tuple[Agent, ...] = ()) -> Any:
    reader = Agent(name="reader", description="Reads", tools=["search_knowledge_base"], search="search_knowledge_base")
    crew = Team(name="pair", kind="supervisor", description="x", agents=[reader, team().agents[1], *beside])
    dure = await opened(server, teams=[crew])
    for number, text in enumerate(texts):
        document = await dure.knowledge.add("default", f"{number}.txt", text.encode())
        await dure.knowledge.wait("default", [document.id])
    return dure


async def test_the_first_search_has_the_question_in_the_other_language_of_the_documents_too(opened) -> None:
    message, query = "초안은 며칠 전에 보내야 해?", "how many days before submission is the draft sent"
    async with ScriptedServer(call("reader", task=message, query=query), say("30일입니다 [1].")) as server:
        dure = await shelf_of(opened, server, RULE, CLAUSE)
        answer = await dure.chat(message, team="pair")
        worker = str(server.requests[1]["messages"])
    assert [each["args"]["queries"] for each in answer.tool_calls] == [[message, query]]
    assert CLAUSE in worker


async def test_of_what_the_lead_says_is_left_undone_no_source_is_asked_in_its_own_answer_either(opened) -> None:
    cannot, other = (
        "메일 시스템에 연결되어 있지 않아 전자우편을 직접 보낼 수 없습니다",
        "경조사 담당자 이름표는 초록색입니다.",
    )
    for said in ("", other):
        own = f"{cannot.replace('수', '수는')}.\n\n{said}\n\n결혼 휴가는 5일입니다 [1]."
        steps = [call("reader", task="결혼 휴가", more=True, cannot=cannot), say("5일입니다 [1]."), say(own)]
        async with ScriptedServer(*steps) as server:
            dure = await shelf_of(opened, server, RULE, beside=(MAIL,))
            answer = await dure.chat("결혼 휴가가 며칠인지 팀장에게 메일로 보내줘", team="pair")
        assert [each["sentence"] for each in answer.metadata.get("checks", [])] == [each for each in [said] if each]


@pytest.mark.parametrize(
    ("texts", "message", "offered"),
    [
        ([RULE, CLAUSE], "초안은 며칠 전에 보내야 해?", "the question in English, for documents in it"),
        ([CLAUSE], "초안은 며칠 전에 보내야 해?", "the question in English, for documents in it"),
        ([RULE, CLAUSE], "How many days off for a wedding?", "the question in Korean, for documents in it"),
        ([RULE], "초안은 며칠 전에 보내야 해?", ""),
        ([CLAUSE], "How many days before is a draft sent?", ""),
        ([], "초안은 며칠 전에 보내야 해?", ""),
    ],
)
async def test_a_call_takes_it_only_where_documents_are_in_another_language(opened, texts, message, offered) -> None:
    async with ScriptedServer(say("?")) as server:
        dure = await shelf_of(opened, server, *texts)
        await dure.chat(message, team="pair")
        (first,) = server.requests
    reader, counter = (each["function"]["parameters"]["properties"] for each in first["tools"])
    assert {*counter} == {"task", "more"}, "who searches nothing words nothing"
    assert reader.get("query", {}).get("description", "") == offered
