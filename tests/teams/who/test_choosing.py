"""Who works, over real HTTP: a model that can decide is never overruled; a small one's team asks in doubt."""

import json as jsonlib
from typing import Any

import pytest

from dure import Agent, Dure, Team, tool
from dure.events import Routed
from dure.models import ChatClient, Model
from dure.sources import Passage
from dure.teams.who.chances import Chances
from dure.teams.who.choosing import _asked_for
from dure.teams.who.question import _label
from dure.testing import ScriptedServer, call, json, raw, say
from dure.tooling import Tool, ToolResult

SURE = ["이 표의 합계를 알려줘", "표의 평균을 알려줘", "표에서 최댓값을 알려줘", "표의 합계가 얼마야?"]
OTHER = ["연차는 며칠이야?", "병가 규정을 알려줘", "출장 규정이 뭐야?", "복지 제도를 알려줘"]


def team(kind: str, **more: Any) -> Team:
    agents = [
        Agent(name="tables", description="tables and sums", examples=SURE),
        Agent(name="rules", description="the company's rules", examples=OTHER),
        *more.pop("agents", []),
    ]
    return Team(name="own", kind=kind, description="-", agents=agents, **more)


async def routed(dure: Dure, message: str, **options: Any) -> tuple[Routed, Any]:
    events = [e async for e in dure.stream(message, team="own", **options)]
    answer = await dure.runs.answer("default", events[0].run_id)
    return next(e for e in events if isinstance(e, Routed)), answer


async def test_examples_never_overrule_the_model_of_a_router(opened) -> None:
    needs = json({"agents": ["rules"], "effect": False, "request": ""})
    async with ScriptedServer(needs, say("규정입니다.")) as server:
        dure = await opened(server, teams=[team("router")])
        chosen, answer = await routed(dure, SURE[0])
        prompt = server.requests[0]["messages"][0]["content"]
    assert (chosen.agents, chosen.how) == (["rules"], "model")
    assert f"{SURE[0]} -> tables" in prompt, "the nearest examples are hints"
    assert answer.metadata["usage"]["model_calls"] == 2


async def test_examples_never_overrule_the_model_of_a_supervisor(opened) -> None:
    async with ScriptedServer(call("rules", task="규정 찾기"), say("규정입니다.")) as server:
        dure = await opened(server, teams=[team("supervisor")])
        chosen, answer = await routed(dure, SURE[0])
        prompt = server.requests[0]["messages"][0]["content"]
    assert (chosen.agents, chosen.how) == (["rules"], "model")
    assert f"{SURE[0]} -> tables" in prompt, "the nearest examples are hints"
    assert answer.metadata["usage"]["model_calls"] == 2


async def test_examples_never_overrule_the_model_of_a_planner(opened) -> None:
    intent = {"category": "rules", "description": "-", "key_entities": [], "complexity": "low"}
    step = {"step": 1, "agent": "rules", "task": "규정 찾기", "depends_on": [], "requires_approval": False}
    plan = json({"steps": [{**step, "estimated_time": "1분"}]})
    async with ScriptedServer(json(intent), plan, say("규정입니다.")) as server:
        dure = await opened(server, teams=[team("planner")])
        answer = await dure.chat(SURE[0], team="own")
        prompt = server.requests[0]["messages"][0]["content"]
    assert f"{SURE[0]} -> tables" in prompt, "the nearest examples are hints"
    assert answer.metadata["agents"] == ["rules"]
    assert answer.metadata["usage"]["model_calls"] == 3


async def test_a_follow_up_is_rewritten_by_the_model_that_decides(opened) -> None:
    first = json({"agents": ["rules"], "effect": False, "request": "unused"})
    needs = json({"agents": ["rules"], "effect": False, "request": "병가는 며칠이야?"})
    async with ScriptedServer(first, say("15일입니다."), needs, say("30일입니다.")) as server:
        dure = await opened(server, teams=[team("router")])
        alone, _ = await routed(dure, "연차는 며칠이야?", session_id="s")
        chosen, _ = await routed(dure, "병가는?", session_id="s")
        asked = server.requests[2]["messages"]
        worked = server.requests[3]["messages"][-1]["content"]
    assert (alone.request, chosen.request) == ("", "병가는 며칠이야?")
    assert [m["content"] for m in asked[1:]] == ["연차는 며칠이야?", "15일입니다.", "병가는?"]
    assert "병가는 며칠이야?" in worked


async def test_what_nobody_asked_to_be_saved_is_not(opened) -> None:
    saver = Agent(name="saver", description="saves files", changes=True, examples=["저장해줘", "파일로 저장해줘"])
    needs = json({"agents": ["rules", "saver"], "effect": False, "request": ""})
    async with ScriptedServer(needs, say("규정입니다.")) as server:
        dure = await opened(server, teams=[team("router", agents=[saver])])
        chosen, _ = await routed(dure, OTHER[0])
    assert chosen.agents == ["rules"]


@pytest.fixture
def small(opened):
    async def open_one(server: ScriptedServer, *teams: Team, **more: Any) -> Dure:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        return await opened(model=model, teams=teams, **more)

    return open_one


@pytest.mark.parametrize("kind", ["router", "supervisor"])
@pytest.mark.parametrize("pick", ["2", "2번", "2번이요", "두 번째: {name}", "{name}"])
async def test_in_doubt_the_person_is_asked_and_may_pick(small, kind: str, pick: str) -> None:
    unsure = json({"wants": "tables", "then": "nothing"})
    async with ScriptedServer(unsure, raw(jsonlib.dumps({"answer": "됐습니다."}))) as server:
        dure = await small(server, team(kind))
        asked, question = await routed(dure, "무엇인가 해줘", session_id="s")
        choices = question.metadata["choices"]
        name = choices[1]["agents"][0]
        chosen, answer = await routed(dure, pick.format(name=name), session_id="s")
        worked = server.requests[-1]["messages"][-1]["content"]
    assert (asked.agents, asked.how) == ([], "person")
    assert [each["number"] for each in choices] == [*range(1, len(choices) + 1)]
    assert all(f"{each['number']}. {each['text']}" in question.response for each in choices)
    assert (chosen.agents, chosen.how, chosen.request) == ([name], "person", "무엇인가 해줘")
    assert "무엇인가 해줘" in worked
    assert answer.response == "됐습니다."


@pytest.mark.parametrize(
    ("message", "shown", "pick"),
    [
        ("무엇인가 해줘", "자료 담당: 표를 셉니다 (tables)", "자료 담당"),
        ("do something", "Tables: tables and sums (tables)", "tables"),
    ],
)
async def test_the_question_tells_what_people_call_those_who_work(small, message: str, shown: str, pick: str) -> None:
    titled = {"title": "자료 담당 · Tables", "description": "표를 셉니다 · tables and sums"}
    own = team("router")
    own = own.model_copy(
        update={"agents": [each.model_copy(update=titled) if each.name == "tables" else each for each in own.agents]}
    )
    unsure = json({"wants": "tables", "then": "nothing"})
    async with ScriptedServer(unsure, raw(jsonlib.dumps({"answer": "됐습니다."}))) as server:
        dure = await small(server, own)
        _, question = await routed(dure, message, session_id="s")
        asked = server.requests[0]["messages"][0]["content"]
        chosen, _ = await routed(dure, pick, session_id="s")
    assert shown in question.response
    assert [each["text"] for each in question.metadata["choices"] if each["agents"] == ["tables"]] == [
        shown.removesuffix(" (tables)")
    ]
    assert "tables: tables and sums" in asked, "a model reads the English"
    assert (chosen.agents, chosen.request) == (["tables"], message)


async def test_whoever_can_do_nothing_now_is_none_to_choose(small) -> None:
    served = Agent(
        name="mails", title="메일 담당 · Mail", description="mail", tools=["mcp"], examples=["무엇이든 해줘"]
    )
    unsure = json({"wants": "tables", "then": "nothing"})
    async with ScriptedServer(unsure) as server:
        dure = await small(server, team("router", agents=[served]))
        _, question = await routed(dure, "무엇인가 해줘", session_id="s")
        wanted = server.requests[0]["response_format"]["json_schema"]["schema"]["properties"]["wants"]["enum"]
    assert "mails" in wanted, "it was among the likely ones"
    offered = [each["agents"] for each in question.metadata["choices"]]
    assert offered
    assert ["mails"] not in offered


@tool(name="web_search")
def look(queries: list[str]) -> ToolResult:
    """Look something up."""
    if "없는" in queries[0]:
        return ToolResult("연결할 수 없습니다.", is_error=True)
    text = "병가는 30일이다."
    return ToolResult("", [Passage("n:1", "소식", None, 0, len(text), text, url="https://example.com/news")])


@pytest.mark.parametrize(
    ("message", "told"), [("무엇인가 해줘", ["병가는 30일이다."]), ("없는 무엇인가 해줘", ["(news)", "(rules)"])]
)
async def test_who_only_looks_something_up_does_before_the_person_is_asked(small, message: str, told: str) -> None:
    news = Agent(name="news", method="web_search", description="news", tools=["web_search"], examples=[message])
    rules = Agent(name="rules", description="the company's rules", examples=OTHER)
    own = Team(name="own", kind="router", description="-", agents=[news, rules])
    unsure = json({"wants": "rules", "then": "nothing"})
    steps = {True: unsure, False: raw("병가는 30일이다.")}
    async with ScriptedServer(respond=lambda body: steps["response_format" in body]) as server:
        dure = await small(server, own, tools=[look])
        chosen, answer = await routed(dure, message)
    assert (chosen.agents, chosen.how) == (["news"], "tried")
    assert all(each in answer.response for each in told), answer.response
    assert bool(answer.metadata.get("choices")) == ("(rules)" in told)


async def test_another_message_after_the_question_is_one_of_its_own(small) -> None:
    unsure = json({"wants": "tables", "then": "nothing"})
    alone = json({"about": "", "alone": True})
    async with ScriptedServer(unsure, alone, raw(jsonlib.dumps({"answer": "됐습니다."}))) as server:
        dure = await small(server, team("router"))
        await routed(dure, "무엇인가 해줘", session_id="s")
        chosen, _ = await routed(dure, SURE[0], session_id="s")
    assert (chosen.agents, chosen.request) == (["tables"], "")


async def test_several_agents_work_one_after_another_with_a_small_model(small) -> None:
    both = [f"{rule} 그리고 {table}" for rule, table in zip(OTHER, SURE, strict=True)]
    pipeline = {"agents": ["rules", "tables"], "examples": both}
    steps = [raw(jsonlib.dumps({"answer": text})) for text in ("연차는 15일입니다.", "합계는 42입니다.")]
    async with ScriptedServer(*steps) as server:
        dure = await small(server, team("supervisor", pipelines=[pipeline]))
        chosen, answer = await routed(dure, both[1])
        second = server.requests[1]["messages"][-1]["content"]
    assert (chosen.agents, chosen.how) == (["rules", "tables"], "examples")
    assert answer.response == "연차는 15일입니다.\n\n합계는 42입니다."
    assert "Result of rules: 연차는 15일입니다." in second


def test_effects_need_words() -> None:
    likely = Chances({("rules", "saver"): 0.6, ("rules",): 0.4}, [], {"rules"}, None)  # type: ignore[arg-type]
    assert _asked_for(likely, {"saver"}) == {("rules",): 1.0}
    likely.in_words.add("saver")
    assert next(iter(_asked_for(likely, {"saver"}))) == ("rules", "saver")


@pytest.mark.parametrize(("odds", "agents"), [(0.0, ["tables"]), (12.0, ["rules"])])
async def test_what_was_found_speaks_for_its_agent_as_the_tool_says(opened, odds: float, agents: list[str]) -> None:
    async def look(args: dict[str, Any], context: Any) -> ToolResult:
        return ToolResult("", data={"evidence": 0.1, "odds": odds})

    tool = Tool("look", "Looks.", {"type": "object", "properties": {"queries": {"type": "array"}}}, look)
    own = team("router")
    own = own.model_copy(update={"agents": [own.agents[0], own.agents[1].model_copy(update={"search": "look"})]})
    async with ScriptedServer(raw(jsonlib.dumps({"answer": "됐습니다."}))) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        dure = await opened(model=model, teams=[own], tools=[tool])
        chosen, _ = await routed(dure, SURE[0])
    assert (chosen.agents, chosen.how) == (agents, "evidence" if odds else "examples")


def test_the_person_is_asked_in_their_own_language() -> None:
    papers = Dure().teams["papers"]
    korean, english = (_label(papers, ("text2sql", "save_file"), each) for each in ("ko", "en"))
    assert korean.startswith("통계 담당 → 저장 담당: 보관함의 논문을 세고 순위, 평균, 분포를 냅니다; 마지막 답이나")
    assert english.startswith("Statistics → Files: counts, rankings, averages")
    assert english.endswith("docx)")
    assert "; saves" in english
