"""Planner teams over real HTTP: every transition from intent to answer, with what people decide in between."""

import asyncio
import json as jsonlib
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dure import Agent, Dure, Team, tool
from dure.errors import InvalidInput, ModelError, ToolInputError
from dure.events import AgentFinished, AgentStarted, Planned, RunWaiting, StepChanged, TextDelta, ToolStarted
from dure.models import ChatClient, Model
from dure.sources import Passage
from dure.testing import ScriptedServer, call, html, json, raw, say
from dure.tooling import File, ToolResult

ME = "default"


@tool
def lookup(topic: str) -> ToolResult:
    """Look a topic up."""
    text = f"{topic}의 시장 규모는 3조 원입니다."
    return ToolResult("", [Passage("web:1", "시장 보고서", None, 0, len(text), text, url="https://example.com/a")])


@tool
def save_chart(name: str) -> ToolResult:
    """Draw a chart."""
    return ToolResult("drawn", files=[File(name, b"<svg/>", "image/svg+xml")])


class Mail:
    """A tool with effects, and what it did."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.tool = tool(effect="external", name="send_mail")(self._send)

    async def _send(self, to: str) -> str:
        """Send a mail."""
        self.sent.append(to)
        return f"sent to {to}"


REPORT_SCHEMA = jsonlib.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text("utf-8"))


def team(mail: Mail | None = None, **fields: Any) -> Team:
    agents = [
        Agent(name="search", description="Searches", prompt="You are search.", tools=[lookup]),
        Agent(name="data", description="Tables, charts", prompt="You are data.", tools=[save_chart]),
        Agent(name="code", description="Code", prompt="You are code.", tools=[mail.tool] if mail else [], **fields),
    ]
    return Team(name="office", kind="planner", description="x", agents=agents, direct=["안녕"], prompt="You lead.")


def intent(category: str = "data", description: str = "매출 정리") -> dict[str, Any]:
    return {"category": category, "description": description, "key_entities": [], "complexity": "medium"}


def step(number: int, agent: str, task: str, *needs: int, approval: bool = False) -> dict[str, Any]:
    return {
        "step": number,
        "agent": agent,
        "task": task,
        "depends_on": list(needs),
        "requires_approval": approval,
        "estimated_time": "1분",
    }


def plan(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"steps": list(steps)}


def purpose(body: dict[str, Any]) -> str:
    """What a request is for: intent, plan, mend, compose, talk, or an agent's name."""
    first = str(body["messages"][0]["content"])
    # In words, where the server does not do JSON Schemas.
    schema = str(body.get("response_format") or "") + first
    if "category" in schema:
        return "intent"
    if "depends_on" in schema:
        return "mend" if "Plan the rest anew" in first else "plan"
    for name in ("search", "data", "code"):
        if f"You are {name}." in first:
            return name
    return "compose" if "Put the results" in first else "talk"


def last(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


class Script:
    """Replies by purpose; a list is used up from its front, its last one stays."""

    def __init__(self, **replies: Any) -> None:
        self.replies = {"intent": json(intent())} | replies
        self.seen: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, body: dict[str, Any]) -> Any:
        what = purpose(body)
        self.seen.append((what, body))
        reply = self.replies[what]
        if isinstance(reply, list):
            reply = reply.pop(0) if len(reply) > 1 else reply[0]
        return reply(body) if callable(reply) else reply

    def count(self, what: str) -> int:
        return sum(1 for each, _ in self.seen if each == what)

    def texts(self, what: str) -> list[str]:
        return ["\n".join(str(m["content"]) for m in body["messages"]) for each, body in self.seen if each == what]


async def events_of(dure: Dure, run_id: str) -> list[Any]:
    return [e async for _, e in dure.runs.events(ME, run_id)]


async def ask(opened: Callable, script: Script, given: Team | None = None, message: str = "매출을 정리해줘", **options):
    async with ScriptedServer(respond=script) as server:
        dure = await opened(server, teams=[given or team()])
        answer = await dure.chat(message, team="office", **options)
        return answer, await events_of(dure, answer.metadata["run_id"])


def changes(events: list[Any]) -> list[tuple[int, str]]:
    return [(e.step, e.status) for e in events if isinstance(e, StepChanged)]


# Intent and plan


async def test_a_plan_of_one_step_is_answered_by_its_agent(opened) -> None:
    script = Script(plan=json(plan(step(1, "data", "합계"))), data=say("합계는 3입니다."))
    answer, events = await ask(opened, script)
    assert (answer.response, answer.status) == ("합계는 3입니다.", "completed")
    assert [w for w, _ in script.seen] == ["intent", "plan", "data"], "nothing to put together"
    (planned,) = [e.plan for e in events if isinstance(e, Planned)]
    assert planned["total_steps"] == 1
    assert planned["steps"][0] == step(1, "data", "합계") | {"status": "waiting", "seconds": None}
    assert changes(events) == [(1, "working"), (1, "done")]
    assert answer.metadata["agents"] == ["data"]
    assert "".join(e.text for e in events if isinstance(e, TextDelta) and not e.work_id) == answer.response


async def test_no_step_is_planned_for_who_has_none_of_its_tools(opened) -> None:
    mailer = Agent(name="mailer", description="Mail", prompt="You are mailer.", tools=["mcp"])
    given = team().model_copy(update={"agents": [*team().agents, mailer]})
    script = Script(plan=json(plan(step(1, "data", "합계"))), data=say("합계는 3입니다."))
    await ask(opened, script, given)
    _, body = script.seen[1]
    assert "Not connected now: mailer (Mail)." in body["messages"][0]["content"]
    assert "- mailer:" not in body["messages"][0]["content"]
    assert '"mailer"' not in jsonlib.dumps(body.get("response_format"))


async def test_small_talk_is_answered_at_once(opened) -> None:
    script = Script(intent=json(intent("general")), talk=say("안녕하세요!"))
    answer, events = await ask(opened, script, message="안녕")
    assert answer.response == "안녕하세요!"
    assert [w for w, _ in script.seen] == ["intent", "talk"]
    assert f"Today is {date.today()}." in script.seen[1][1]["messages"][0]["content"]
    assert not [e for e in events if isinstance(e, Planned)]


async def test_independent_steps_run_side_by_side_and_are_put_together(opened) -> None:
    arrived, all_there = 0, asyncio.Event()

    def worker(body):
        nonlocal arrived
        arrived += 1
        if arrived == 4:
            all_there.set()
        return say(f"결과 {last(body)[6:7]}").after(all_there)

    steps = [step(n, "data", f"{n}번 일") for n in (1, 2, 3, 4)]
    script = Script(plan=json(plan(*steps)), data=worker, compose=say("모두 했습니다."))
    async with asyncio.timeout(60):
        answer, events = await ask(opened, script)
    assert answer.response == "모두 했습니다."
    kinds = [type(e) for e in events if isinstance(e, AgentStarted | AgentFinished)]
    assert kinds == [AgentStarted] * 4 + [AgentFinished] * 4
    (composed,) = script.texts("compose")
    assert all(f"결과 {n}" in composed for n in (1, 2, 3, 4))


async def test_results_are_handed_to_the_steps_that_need_them(opened) -> None:
    script = Script(
        plan=json(plan(step(1, "search", "찾기"), step(2, "data", "세기", 1), step(3, "code", "그리기"))),
        search=say("찾은 것: 사과"),
        data=say("하나"),
        code=say("그림"),
        compose=say("끝"),
    )
    _, events = await ask(opened, script)
    assert "찾은 것: 사과" in script.texts("data")[0]
    assert "매출을 정리해줘" in script.texts("data")[0]
    assert "사과" not in script.texts("code")[0]
    assert changes(events)[-1] == (2, "done")


async def test_who_plans_knows_the_day(opened) -> None:
    script = Script(plan=json(plan(step(1, "data", "세기"))), data=say("하나"))
    await ask(opened, script)
    assert f"Today is {date.today()}." in script.texts("plan")[0]


async def test_a_result_whose_last_call_failed_is_handed_on_as_such(opened) -> None:
    @tool
    def compute(code: str) -> str:
        """Run code."""
        raise ToolInputError(ko="'get'이 없습니다", en="no 'get'")

    agents = [*team().agents[:2], Agent(name="code", description="Code", prompt="You are code.", tools=[compute])]
    steps = [step(1, "data", "세기"), step(2, "code", "차이 계산", 1)]
    script = Script(
        plan=json(plan(*steps)),
        data=say("하나"),
        code=[call("compute", code="max(d, key=d.get)"), say("3,050입니다.")],
        compose=say("끝"),
    )
    await ask(opened, script, team().model_copy(update={"agents": agents}))
    (told,) = script.texts("compose")
    assert "3,050입니다.\n(The last call of compute failed: nothing above comes from it.)" in told
    assert told.count("The last call of") == 1


async def test_bad_json_for_the_intent_is_asked_for_once_more(opened) -> None:
    wrong = json({"category": "cooking"})
    script = Script(intent=[wrong, json(intent())], plan=json(plan(step(1, "data", "합계"))), data=say("3"))
    answer, _ = await ask(opened, script)
    assert answer.response == "3"
    assert "category must be one of search, data, code, general." in script.texts("intent")[1], "those of its agents"


async def test_without_an_intent_it_is_guessed_and_small_talk_only_where_it_is_plain(opened) -> None:
    script = Script(intent=json({"category": 7}), plan=json({"steps": []}), search=say("찾음"), talk=say("네!"))
    answer, events = await ask(opened, script)
    assert answer.response == "찾음"
    assert (script.count("intent"), script.count("plan")) == (2, 2)
    assert [e.plan["steps"][0]["task"] for e in events if isinstance(e, Planned)] == ["매출을 정리해줘"]
    answer, _ = await ask(opened, script, message="안녕!")
    assert answer.response == "네!"


async def test_what_is_no_json_at_all_counts_as_a_wrong_reply(opened) -> None:
    script = Script(intent=raw("hm"), plan=raw("hm"), search=say("찾음"))
    answer, _ = await ask(opened, script)
    assert answer.response == "찾음"


async def test_a_wrong_plan_goes_back_once_with_what_is_wrong(opened) -> None:
    wrong = plan(step(1, "cook", "a", 1), step(2, "data", "b", 9))
    script = Script(plan=[json(wrong), json(plan(step(1, "data", "합계")))], data=say("3"))
    answer, _ = await ask(opened, script)
    assert answer.response == "3"
    told = script.texts("plan")[1]
    assert "no agent 'cook'" in told
    assert "Step 1 depends on itself" in told
    assert "Step 2 depends on step 9" in told


async def test_a_plan_that_stays_wrong_is_reduced_to_what_is_sound(opened) -> None:
    wrong = plan(step(1, "zzzz", "a"), step(2, "dta", "세기", 3), step(3, "search", "찾기", 2), step(4, "data", " "))
    script = Script(plan=json(wrong), data=say("하나"), search=say("사과"), compose=say("끝"))
    answer, events = await ask(opened, script)
    assert answer.response == "끝"
    assert script.count("plan") == 2
    (planned,) = [e.plan for e in events if isinstance(e, Planned)]
    assert [(s["step"], s["agent"], s["depends_on"]) for s in planned["steps"]] == [(1, "data", []), (2, "search", [1])]


async def test_too_many_steps_are_cut(opened) -> None:
    many = plan(*(step(n, "data", f"{n}") for n in range(1, 30)))
    script = Script(plan=json(many), data=say("x"), compose=say("끝"))
    await ask(opened, script)
    assert script.count("data") == 12


def small_one(opened: Callable, server: ScriptedServer, **more: Any) -> Any:
    """The office with a small model; its agents have examples, by which its choice is checked."""
    examples = {
        "search": ["뉴스 찾아줘", "Search news"],
        "data": ["합계 구해줘", "Sum it"],
        "code": ["코드 짜줘", "Run code"],
    }
    agents = [Agent(name=name, description=name, examples=each) for name, each in examples.items()]
    own = Team(name="office", kind="planner", description="x", agents=agents, direct=["안녕", "Hi"])
    return opened(model=Model(ChatClient(server.url, "scripted"), dialect="schema", small=True), teams=[own], **more)


@pytest.mark.parametrize(
    ("message", "filled", "steps"),
    [
        ("창고, 사무실 합계 구해줘", {"wants": "data", "then": "nothing", "ask_me": "no"}, [("data", [], "")]),
        (
            "합계 구하고 나한테 물어본 다음 코드 짜줘",
            {"wants": "data", "then": "code", "first": "합계 구하고", "second": "코드 짜 줘", "ask_me": "between"},
            [("data", [], "합계 구하고 나한테 물어본 다음"), ("hitl", [1], ""), ("code", [1, 2], "코드 짜줘")],
        ),
        (
            "실행하기 전에 나한테 물어보고 코드 짜줘",
            {"wants": "code", "then": "nothing", "ask_me": "before"},
            [("hitl", [], ""), ("code", [1], "")],
        ),
        (
            "코드 짜줘. 다 되면 확인받아줘",
            {"wants": "code", "then": "nothing", "ask_me": "after"},
            [("code", [], ""), ("hitl", [1], "")],
        ),
        # No word of it speaks of being asked.
        ("합계 구해줘", {"wants": "data", "then": "nothing", "ask_me": "before"}, [("data", [], "")]),
        # The second piece stands nowhere in it.
        (
            "합계 구하고 코드 짜줘",
            {"wants": "data", "then": "code", "first": "평균을 내고", "second": "그림을 그려줘", "ask_me": "maybe"},
            [("data", [], ""), ("code", [1], "")],
        ),
    ],
)
async def test_a_small_model_fills_in_the_steps(opened, message, filled, steps) -> None:
    """What it says the pieces are has to stand in the message."""

    def respond(body: dict[str, Any]) -> Any:
        return json(filled) if "anyOf" in str(body.get("response_format")) else raw('{"answer": "됐습니다."}')

    async with ScriptedServer(respond=respond) as server:
        dure = await small_one(opened, server)
        events = [e async for e in dure.stream(message, team="office")]
    planned = next(e for e in events if isinstance(e, Planned)).plan["steps"]
    assert [(s["agent"], s["depends_on"], s["task"]) for s in planned] == [(a, d, t or message) for a, d, t in steps]


async def test_in_doubt_a_small_models_office_asks_and_the_pick_is_planned(opened) -> None:
    unsure = json({"wants": "code", "then": "nothing", "ask_me": "no"})
    async with ScriptedServer(unsure, raw('{"answer": "됐습니다."}')) as server:
        dure = await small_one(opened, server)
        question = await dure.chat("무엇인가 부탁해", team="office", session_id="s")
        answer = await dure.chat("code", team="office", session_id="s")
    assert ["code"] in [each["agents"] for each in question.metadata["choices"]]
    assert (answer.response, answer.metadata["agents"]) == ("됐습니다.", ["code"])


async def test_a_model_that_fails_at_the_intent_or_the_plan_fails_the_run(opened) -> None:
    for script in (Script(intent=html()), Script(plan=html())):
        with pytest.raises(ModelError):
            await ask(opened, script)


# Failures


@tool(name="lookup")
def away(topic: str) -> ToolResult:
    """Look a topic up."""
    return ToolResult("no connection", is_error=True)


@pytest.mark.parametrize("mended", [False, True])
async def test_nothing_is_built_on_a_step_whose_calls_all_failed(opened, mended: bool) -> None:
    searches = [call("lookup", topic="환율"), say("환율을 찾지 못했습니다.")]
    another = plan(step(3, "code", "환율을 달리 구하기")) if mended else plan()
    script = Script(
        plan=json(plan(step(1, "search", "환율"), step(2, "data", "곱하기", 1))),
        search=searches,
        mend=json(another),
        code=say("환율은 1,400원입니다."),
        compose=say("환율은 1,400원입니다."),
    )
    office = team()
    agents = [each.model_copy(update={"tools": [away]}) if each.name == "search" else each for each in office.agents]
    answer, events = await ask(opened, script, office.model_copy(update={"agents": agents}))
    assert changes(events)[:2] == [(1, "working"), (1, "failed")]
    assert script.count("data") == 0, "it would build on words alone"
    assert "환율을 찾지 못했습니다." in answer.response, "why not"
    assert ("1,400원" in answer.response) == mended
    assert "Why not: 실패했습니다: 환율을 찾지 못했습니다." in script.texts("mend")[0]


async def test_a_step_that_nothing_is_built_on_says_itself_that_its_calls_failed(opened) -> None:
    script = Script(
        plan=json(plan(step(1, "search", "환율"))), search=[call("lookup", topic="환율"), say("찾지 못했습니다.")]
    )
    office = team()
    agents = [each.model_copy(update={"tools": [away]}) if each.name == "search" else each for each in office.agents]
    answer, events = await ask(opened, script, office.model_copy(update={"agents": agents}))
    assert (answer.response, changes(events)) == ("찾지 못했습니다.", [(1, "working"), (1, "done")])


@tool
def find(queries: list[str]) -> ToolResult:
    """Find passages."""
    rule = "노트북은 3년마다 교체한다."
    return ToolResult("", [Passage("d", "자산 규정", None, 0, len(rule), rule)], data={"evidence": 0.4})


@pytest.mark.parametrize(
    ("found", "asked"),
    [
        ("노트북 구매 한도는 찾지 못했습니다. 자료를 올려 주세요.", False),
        ("I could not find a limit in the documents.", False),
        ("구매 한도는 찾지 못했습니다. 노트북은 3년마다 교체합니다.", True),
        ("한도는 정해져 있지 않습니다 [1].", True),
        ("The laptop is replaced every three years.", True),
    ],
)
async def test_nobody_is_asked_about_a_step_that_builds_on_what_was_not_found(opened, found: str, asked: bool) -> None:
    script = Script(
        plan=json(plan(step(1, "search", "구매 한도"), step(2, "data", "구매 제안서 저장", 1, approval=True))),
        search=say(found),
        mend=json(plan()),
        compose=say(found),
    )
    office = team()
    searcher = {"tools": [find], "search": "find"}
    agents = [each.model_copy(update=searcher) if each.name == "search" else each for each in office.agents]
    answer, events = await ask(opened, script, office.model_copy(update={"agents": agents}))
    assert (answer.status == "waiting") is asked
    assert changes(events)[:3] == [(1, "working"), (1, "done"), *([] if asked else [(2, "skipped")])]
    if not asked:
        assert "Why not: 1단계에서 찾은 것이 없습니다." in script.texts("mend")[0]
        assert found in answer.response
        assert "구매 제안서 저장" in answer.response, "what was not done"


async def test_a_failed_step_is_tried_once_more(opened) -> None:
    script = Script(plan=json(plan(step(1, "data", "합계"))), data=[html(), say("3")])
    answer, events = await ask(opened, script)
    assert answer.response == "3"
    assert changes(events) == [(1, "working"), (1, "waiting"), (1, "working"), (1, "done")]
    assert [e.status for e in events if isinstance(e, AgentFinished)] == ["failed", "completed"]
    assert len({e.work_id for e in events if isinstance(e, AgentStarted)}) == 2


async def test_what_fails_twice_has_the_plan_mended(opened) -> None:
    script = Script(
        plan=json(plan(step(1, "search", "찾기"), step(2, "data", "세기"), step(3, "code", "그리기", 1, 2))),
        search=html(),
        data=say("둘"),
        code=say("그림: 둘"),
        mend=json(plan(step(4, "code", "다르게 그리기", 2))),
        compose=say("둘까지 그렸습니다."),
    )
    answer, events = await ask(opened, script)
    assert answer.response.startswith("둘까지 그렸습니다.")
    assert "하지 못한 일:\n- 찾기 (search): 실패했습니다" in answer.response
    assert "그리기 (code)" not in answer.response, "the step that was planned anew is not missing"
    assert script.count("search") == 2
    assert "둘" in script.texts("mend")[0]
    second = [e.plan for e in events if isinstance(e, Planned)][1]
    assert [(s["step"], s["status"]) for s in second["steps"]] == [(1, "failed"), (2, "done"), (4, "waiting")]
    assert "Result of step 2:\n둘" in script.texts("code")[0]


async def test_where_mending_fails_the_answer_says_what_is_missing(opened) -> None:
    script = Script(
        plan=json(plan(step(1, "search", "찾기"), step(2, "data", "세기"), step(3, "code", "그리기", 1))),
        search=html(),
        data=say("둘"),
        mend=html(),
        compose=say("둘입니다."),
    )
    answer, events = await ask(opened, script)
    assert answer.status == "completed"
    assert answer.response.startswith("둘입니다.")
    assert "- 찾기 (search): 실패했습니다" in answer.response
    assert "- 그리기 (code): 1단계의 결과가 없어" in answer.response
    assert (3, "skipped") in changes(events)
    assert script.count("mend") == 1


async def test_where_everything_fails_the_run_fails_with_the_models_error(opened) -> None:
    script = Script(plan=json(plan(step(1, "search", "찾기"))), search=html(), mend=html())
    with pytest.raises(ModelError):
        await ask(opened, script)
    assert (script.count("search"), script.count("mend")) == (2, 1)


async def test_endless_mending_is_impossible(opened) -> None:
    again = json(plan(step(9, "search", "또 찾기")))
    script = Script(plan=json(plan(step(1, "search", "찾기"))), search=html(), mend=again)
    with pytest.raises(ModelError):
        await ask(opened, script)
    assert (script.count("search"), script.count("mend")) == (4, 1)


async def test_a_failed_composition_leaves_the_results(opened) -> None:
    script = Script(
        plan=json(plan(step(1, "search", "찾기"), step(2, "data", "세기"))),
        search=say("사과"),
        data=say("하나"),
        compose=html(),
    )
    answer, _ = await ask(opened, script)
    assert answer.response == "사과\n\n하나"


async def test_a_second_try_goes_on_from_where_the_first_broke_off(opened) -> None:
    mail = Mail()
    code = [call("send_mail", to="kim"), html(), say("김 님께 보냈습니다.")]
    script = Script(plan=json(plan(step(1, "code", "보내기"))), code=code)
    answer, events = await ask(opened, script, team(mail, allow=["send_mail"]))
    assert mail.sent == ["kim"]
    assert answer.response == "김 님께 보냈습니다."
    assert changes(events) == [(1, "working"), (1, "waiting"), (1, "working"), (1, "done")]
    failed, again = (body["messages"] for what, body in script.seen[-2:] if what == "code")
    assert again == failed, "with the call and its result"
    assert again[-1]["content"].endswith("sent to kim")


async def test_a_second_try_that_calls_again_has_no_effect_twice(opened) -> None:
    mail, send = Mail(), call("send_mail", to="kim")
    script = Script(plan=json(plan(step(1, "code", "보내기"))), code=[send, html(), send, say("보냈습니다.")])
    answer, _ = await ask(opened, script, team(mail, allow=["send_mail"]))
    assert mail.sent == ["kim"]
    assert answer.response == "보냈습니다."


async def test_who_mends_the_plan_is_told_what_a_failed_step_had_done(opened) -> None:
    mail = Mail()
    steps = plan(step(1, "code", "보내기"), step(2, "data", "세기"))
    script = Script(
        plan=json(steps),
        code=[call("send_mail", to="kim"), html()],
        data=say("하나"),
        mend=json(plan()),
        compose=say("끝"),
    )
    answer, _ = await ask(opened, script, team(mail, allow=["send_mail"]))
    assert mail.sent == ["kim"]
    assert script.count("code") == 3
    assert "보내기 (code): 실패" in answer.response
    assert 'not to be done again: send_mail {"to":"kim"}: ok' in script.texts("mend")[0]


async def test_a_file_is_made_once_though_the_step_is_tried_again_and_the_run_played_again(opened) -> None:
    mail = Mail()
    script = Script(
        plan=json(plan(step(1, "data", "그리기"), step(2, "code", "보내기", 1))),
        data=[call("save_chart", name="a.svg"), html(), say("a.svg")],
        code=lambda body: say("끝") if body["messages"][-1]["role"] == "tool" else call("send_mail", to="kim"),
        compose=say("그려서 보냈습니다."),
    )
    answer, events = await decided(opened, script, {"action": "approve"}, mail=mail)
    assert answer.status == "completed"
    assert mail.sent == ["kim"]
    assert script.count("data") == 3, "nothing is asked again"
    assert [e.name for e in events if isinstance(e, ToolStarted)] == ["save_chart", "send_mail"]


# People


async def waiting(opened, server, mail=None, **settings):
    dure = await opened(server, teams=[team(mail)], **settings)
    answer = await dure.chat("매출을 정리해줘", team="office")
    assert answer.status == "waiting"
    return dure, answer, answer.metadata["run_id"]


def decision(answer, action: str, number: int = 0, **fields):
    return {"approval_id": answer.approvals[number]["id"], "action": action, **fields}


async def decided(opened, script, *decisions, mail=None, **settings):
    """The final answer after the decisions on the approvals asked first, and all events."""
    async with ScriptedServer(respond=script) as server:
        dure, answer, run_id = await waiting(opened, server, mail, **settings)
        script.first = answer
        given = [decision(answer, d.pop("action"), n, **d) for n, d in enumerate(decisions)]
        await dure.runs.decide(ME, run_id, given)
        done = await dure.runs.answer(ME, run_id)
        return done, await events_of(dure, run_id)


async def test_all_approvals_are_asked_together_once_what_needs_nobody_is_done(opened) -> None:
    steps = plan(
        step(1, "data", "세기", approval=True),
        step(2, "search", "찾기"),
        step(3, "hitl", "기간을 알려주세요"),
        step(4, "code", "그리기", 1, approval=True),
        step(5, "data", "더하기", 2),
    )
    script = Script(plan=json(steps), search=say("사과"), data=say("하나"))
    async with ScriptedServer(respond=script) as server:
        dure, answer, run_id = await waiting(opened, server)
        events = await events_of(dure, run_id)
    assert [(a["kind"], a["agent"], a["args"]) for a in answer.approvals] == [
        ("step", "data", {"task": "세기"}),
        ("step", "hitl", {"task": "기간을 알려주세요"}),
    ]
    assert [a["actions"] for a in answer.approvals] == [
        ["approve", "edit", "reject"],
        ["answer", "reject"],
    ]
    assert "세기" in answer.approvals[0]["title"]
    assert [w for w, _ in script.seen] == ["intent", "plan", "search", "data"]
    assert "더하기" in script.texts("data")[0]
    assert isinstance(events[-1], RunWaiting)


async def test_a_step_that_fails_while_others_wait_is_mended_once_they_are_decided(opened) -> None:
    steps = plan(step(1, "data", "세기", approval=True), step(2, "search", "찾기"))
    script = Script(
        plan=json(steps), data=say("하나"), search=html(), mend=json(plan(step(3, "code", "그리기"))), code=say("둘")
    )
    script.replies["compose"] = say("끝")
    answer, _ = await decided(opened, script, {"action": "approve"})
    assert answer.response.startswith("끝")
    assert (script.count("search"), script.count("mend"), script.count("data")) == (2, 1, 1)
    assert "하나" in script.texts("mend")[0]


async def test_approve(opened) -> None:
    script = Script(plan=json(plan(step(1, "data", "세기", approval=True))), data=say("하나"))
    answer, events = await decided(opened, script, {"action": "approve"})
    assert answer.response == "하나"
    assert [w for w, _ in script.seen] == ["intent", "plan", "data"]
    assert changes(events) == [(1, "working"), (1, "done")]
    assert len([e for e in events if isinstance(e, Planned)]) == 1


async def test_edit_changes_the_task(opened) -> None:
    script = Script(plan=json(plan(step(1, "data", "세기", approval=True))), data=[html(), say("둘")])
    answer, events = await decided(opened, script, {"action": "edit", "args": {"task": "두 배로 세기"}})
    assert answer.response == "둘"
    assert "두 배로 세기" in script.texts("data")[0]
    assert script.count("data") == 2, "tried again without asking again"
    assert [e.plan["steps"][0]["task"] for e in events if isinstance(e, Planned)] == ["세기", "두 배로 세기"]


async def test_answer_becomes_the_steps_result(opened) -> None:
    steps = plan(step(1, "hitl", "기간을 알려주세요"), step(2, "data", "세기", 1))
    script = Script(plan=json(steps), data=say("하나"))
    answer, events = await decided(opened, script, {"action": "answer", "message": "3분기"})
    assert answer.response == "하나"
    assert "Result of step 1:\n3분기" in script.texts("data")[0]
    assert "3분기\n(The person said so, asked: 기간을 알려주세요)" in script.texts("data")[0]
    assert changes(events)[0] == (1, "done")


async def test_a_question_is_not_approved_but_answered(opened) -> None:
    steps = plan(step(1, "hitl", "기간을 알려주세요"), step(2, "data", "세기", 1))
    script = Script(plan=json(steps), data=say("하나"))
    async with ScriptedServer(respond=script) as server:
        dure, answer, run_id = await waiting(opened, server)
        for given, said in (
            ({"action": "approve"}, "'approve' is no answer to \"1단계에서"),
            ({"action": "edit", "args": {"task": "3분기"}}, "'edit' is no answer"),
            ({"action": "answer", "message": " "}, "an answer needs one"),
        ):
            with pytest.raises(InvalidInput, match=said):
                await dure.runs.decide(ME, run_id, [decision(answer, given.pop("action"), **given)])
        assert (await dure.runs.get(ME, run_id))["status"] == "waiting"
        await dure.runs.decide(ME, run_id, [decision(answer, "answer", message="3분기")])
        assert (await dure.runs.answer(ME, run_id)).response == "하나"


async def test_what_a_person_is_shown_may_be_approved_or_answered(opened) -> None:
    steps = plan(step(1, "data", "초안"), step(2, "hitl", "초안 확인", 1))
    script = Script(plan=json(steps), data=say("초안입니다"))
    async with ScriptedServer(respond=script) as server:
        _, answer, _ = await waiting(opened, server)
    assert answer.approvals[0]["actions"] == ["approve", "edit", "reject", "answer"]


async def test_the_figures_of_an_answer_may_be_told_without_a_source(opened) -> None:
    def searcher(body):
        return say("3조 원입니다. [1]") if body["messages"][-1]["role"] == "tool" else call("lookup", topic="전지")

    steps = plan(step(1, "search", "찾기"), step(2, "hitl", "매출을 알려주세요", 1), step(3, "data", "견주기", 1, 2))
    compared = say("전지의 시장 규모는 3조 원입니다 [1]. 매출은 4,850만 달러입니다.")
    for said, missing in (("4,850만 달러", []), ("좋았다", ["4,850만", "USD"])):
        script = Script(plan=json(steps), search=searcher, data=compared, compose=compared)
        answer, _ = await decided(opened, script, {"action": "answer", "message": said})
        found = [name for each in answer.metadata.get("checks") or [] for name in each["missing"]]
        assert found == missing


@pytest.mark.parametrize(
    ("given", "known"),
    [
        ({"action": "reject", "message": "한 대는 4,850만 달러야"}, True),
        ({"action": "edit", "args": {"task": "한 대 4,850만 달러로 쓰기"}}, True),
        ({"action": "approve", "message": "4,850만 달러로"}, True),
        ({"action": "reject", "message": "값을 넣어 줘"}, False),
    ],
)
async def test_what_is_said_with_any_decision_may_be_told_without_a_source(opened, given, known: bool) -> None:
    def searcher(body):
        return say("3조 원입니다. [1]") if body["messages"][-1]["role"] == "tool" else call("lookup", topic="전지")

    written = say("전지의 시장 규모는 3조 원입니다 [1]. 한 대의 값은 4,850만 달러입니다.")
    script = Script(
        plan=json(plan(step(1, "search", "찾기"), step(2, "data", "쓰기", 1, approval=True))),
        search=searcher,
        mend=json(plan(step(3, "data", "그 값으로 쓰기", 1))),
        data=written,
        compose=written,
    )
    answer, _ = await decided(opened, script, given)
    found = [name for each in answer.metadata.get("checks") or [] for name in each["missing"]]
    assert found == ([] if known else ["4,850만", "USD"])


async def test_an_answer_that_no_step_builds_on_is_worked_on(opened) -> None:
    steps = plan(step(1, "data", "계약서 초안"), step(2, "hitl", "확인", 1))
    script = Script(
        plan=json(steps),
        data=lambda body: say("5년으로 고쳤습니다" if "기간은 5년" in last(body) else "기간을 알려 주세요"),
        mend=json(plan(step(3, "data", "기간을 넣어 다시", 1, 2))),
        compose=say("5년으로 고친 초안입니다"),
    )
    answer, _ = await decided(opened, script, {"action": "answer", "message": "기간은 5년"})
    assert "기간은 5년" in script.texts("mend")[0]
    assert (script.count("data"), answer.response) == (2, "5년으로 고친 초안입니다")


async def test_who_approves_a_draft_is_shown_it(opened) -> None:
    steps = plan(step(1, "data", "초안"), step(2, "hitl", "초안 확인", 1), step(3, "code", "마무리", 2))
    script = Script(plan=json(steps), data=say("초안입니다"), code=say("끝"), compose=say("모두 끝"))
    answer, _ = await decided(opened, script, {"action": "edit", "args": {"task": "제목만 바꾸세요"}})
    assert script.first.approvals[0]["args"] == {"task": "초안 확인", "results": {"1": "초안입니다"}}
    assert "제목만 바꾸세요" in script.texts("code")[0]
    assert script.count("data") == 1
    assert answer.response == "모두 끝"


async def test_who_works_after_an_approval_is_given_what_was_approved(opened) -> None:
    steps = plan(step(1, "data", "합계"), step(2, "hitl", "합계 확인", 1), step(3, "code", "요약 저장", 2))
    script = Script(plan=json(steps), data=say("합계는 12입니다"), code=say("끝"), compose=say("모두 끝"))
    await decided(opened, script, {"action": "approve"})
    told = script.texts("code")[0]
    assert "Result of step 1:\n합계는 12입니다" in told
    assert told.index("Result of step 1") < told.index("Result of step 2")


async def test_who_is_asked_about_a_step_is_shown_what_it_builds_on(opened) -> None:
    steps = plan(step(1, "data", "30대를 세기"), step(2, "code", "그만큼 보내기", 1, approval=True))
    script = Script(plan=json(steps), data=say("30대는 12명입니다"), code=say("끝"), compose=say("모두 끝"))
    await decided(opened, script, {"action": "approve"})
    assert script.first.approvals[0]["args"] == {"task": "그만큼 보내기", "results": {"1": "30대는 12명입니다"}}
    assert script.first.response.endswith("2단계를 진행할까요? (code) 그만큼 보내기\n  > 30대는 12명입니다")


async def test_a_text_to_be_agreed_to_is_there_before_anybody_is_asked(opened) -> None:
    memo = "주문 메모: 시트 1,800장을 378,000원에 주문합니다."
    steps = plan(step(1, "data", "주문 메모 쓰기"), step(2, "code", "메모를 파일로 저장", 1, approval=True))
    script = Script(plan=json(steps), data=say(memo), code=say("저장했습니다"), compose=say("끝"))
    await decided(opened, script, {"action": "approve"})
    assert "a text that they are to see is written in a step before" in script.texts("plan")[0]
    assert script.first.approvals[0]["args"]["results"] == {"1": memo}
    assert memo in script.texts("code")[0], "what was seen is what is saved"


async def test_a_person_who_is_asked_reads_all_that_was_found(opened) -> None:
    steps = plan(step(1, "search", "만료일 찾기"), step(2, "hitl", "갱신할지 정해 주세요", 1))
    found = "계약은 12월 31일에 끝납니다 [1].\n\n" + "자동 갱신 조항이 있습니다. " * 100 + "끝."
    script = Script(plan=json(steps), search=say(found), compose=say("끝"))
    await decided(opened, script, {"action": "approve"})
    *_, question, first, _, second = script.first.response.split("\n")
    assert question == "- 2단계에서 확인이 필요합니다: 갱신할지 정해 주세요"
    assert first == "  > 계약은 12월 31일에 끝납니다."
    assert second == "  > " + "자동 갱신 조항이 있습니다. " * 100 + "끝."


async def test_a_table_that_is_asked_about_is_read_row_by_row(opened) -> None:
    steps = plan(step(1, "data", "합계"), step(2, "search", "조항"), step(3, "code", "저장", 1, 2, approval=True))
    table = "남은 금액입니다 [1].\n\n| 항목 | 금액 |\n| --- | --- |\n| 회의비 | 240 |"
    long = "| 번호 |\n| --- |\n" + "| 123456789 |\n" * 2000
    found = {"data": say(table), "search": say(long)}
    script = Script(plan=json(steps), **found, code=say("끝"), compose=say("끝"))
    await decided(opened, script, {"action": "approve"})
    shown = "  > 남은 금액입니다.\n  >\n  > | 항목 | 금액 |\n  > | --- | --- |\n  > | 회의비 | 240 |\n\n  > | 번호 |\n"
    assert f"진행할까요? (code) 저장\n{shown}" in script.first.response
    *_, row, blank, left = script.first.response.split("\n")
    assert (row, blank) == ("  > | 123456789 |", "  >")
    assert left.startswith("  > …")


async def test_reject_has_the_plan_mended_and_what_was_refused_does_not_come_back(opened) -> None:
    steps = plan(step(1, "data", "세기"), step(2, "code", "외부로 전송", approval=True), step(3, "data", "정리", 2))
    mended = plan(step(4, "code", "외부로  전송!"), step(5, "data", "파일로 저장", 1), step(6, "data", "x", 4))
    script = Script(
        plan=json(steps),
        data=lambda body: say("저장함" if "파일로 저장" in last(body) else "하나"),
        mend=json(mended),
        compose=say("저장했습니다."),
    )
    answer, events = await decided(opened, script, {"action": "reject"})
    assert script.count("code") == 0
    assert script.count("data") == 2
    assert answer.response == "저장했습니다.\n\n하지 못한 일:\n- 외부로 전송 (code): 사람이 거절했습니다."
    final = [e.plan for e in events if isinstance(e, Planned)][-1]
    assert [(s["step"], s["task"]) for s in final["steps"]] == [(1, "세기"), (2, "외부로 전송"), (5, "파일로 저장")]


@pytest.mark.parametrize("action", ["approve", "reject"])
async def test_what_was_refused_with_a_wish_is_asked_about_again_where_it_is_still_wanted(opened, action: str) -> None:
    steps = plan(step(1, "data", "제안서 쓰기"), step(2, "code", "docx로 저장", 1, approval=True))
    script = Script(
        plan=json(steps),
        data=say("제안서"),
        mend=json(plan(step(3, "data", "41유로로 다시 쓰기", 1), step(4, "code", "docx로 저장", 3))),
        code=say("저장됨"),
        compose=say("끝"),
    )
    async with ScriptedServer(respond=script) as server:
        dure, answer, run_id = await waiting(opened, server)
        await dure.runs.decide(ME, run_id, [decision(answer, **reject("한 대는 41유로야. 저장은 그 다음에."))])
        again = await dure.runs.answer(ME, run_id)
        assert [a["args"]["task"] for a in again.approvals] == ["docx로 저장"]
        await dure.runs.decide(ME, run_id, [decision(again, action)])
        done = await dure.runs.answer(ME, run_id)
    assert (script.count("code"), script.count("mend")) == (int(action == "approve"), 1), "never without end"
    assert ("docx로 저장 (code): 사람이 거절했습니다." in done.response) == (action == "reject")


WISH = "저장하지 말고 공지문만 보여줘"


@pytest.mark.parametrize("said", ["", "메일에 기한을 넣어줘"])
async def test_a_draft_that_a_person_wants_changed_is_shown_as_it_is_then(opened, said: str) -> None:
    steps = plan(step(1, "data", "초안"), step(2, "code", "저장", 1, approval=True))
    again = plan(step(3, "data", "기한을 넣은 초안", 1), step(4, "code", "새로 저장", 3, approval=True))
    script = Script(
        plan=json(steps),
        data=lambda body: say("기한은 12일" if "기한을 넣은" in last(body) else "기한 없음"),
        mend=json(again),
    )
    async with ScriptedServer(respond=script) as server:
        dure = await opened(server, teams=[team()])
        waiting = await dure.chat("메일 초안을 써서 저장해줘", team="office")
        await dure.runs.decide(ME, waiting.run_id, [{"approval_id": waiting.approvals[0]["id"], **reject(said)}])
        second = await dure.runs.answer(ME, waiting.run_id)
    assert second.approvals[0]["args"]["results"] == {"3": "기한은 12일"}
    assert ("wants changed" in script.texts("mend")[0]) == bool(said)


def reject(message: str) -> dict[str, Any]:
    return {"action": "reject", "message": message}


async def test_what_a_person_says_with_a_reject_holds_for_later_steps_and_the_answer(opened) -> None:
    steps = plan(
        step(1, "search", "규정 찾기"), step(2, "code", "공지문 저장", 1, approval=True), step(3, "data", "세기")
    )
    script = Script(
        plan=json(steps),
        search=say("사과"),
        data=lambda body: say("공지문" if "공지문 쓰기" in last(body) else "하나"),
        mend=json(plan(step(4, "data", "공지문 쓰기", 1))),
        compose=say("공지문입니다."),
    )
    answer, _ = await decided(opened, script, {"action": "reject", "message": WISH})
    assert answer.response.startswith("공지문입니다.")
    (before, after), (composed,) = script.texts("data"), script.texts("compose")
    assert WISH in after
    assert WISH in composed
    assert WISH not in before, "it was worked on before that was said"


async def test_what_is_said_with_the_only_steps_reject_is_answered(opened) -> None:
    script = Script(
        plan=json(plan(step(1, "data", "공지문 저장", approval=True))), mend=json(plan()), compose=say("공지문입니다.")
    )
    answer, _ = await decided(opened, script, {"action": "reject", "message": WISH})
    assert answer.response == "공지문입니다."
    assert WISH in script.texts("compose")[0]


async def test_what_is_said_with_an_approval_holds_for_its_step_and_what_builds_on_it(opened) -> None:
    steps = plan(step(1, "search", "찾기"), step(2, "code", "쓰기", 1, approval=True), step(3, "data", "줄이기", 2))
    script = Script(plan=json(steps), search=say("사과"), code=say("글"), data=say("짧은 글"), compose=say("끝"))
    answer, _ = await decided(opened, script, {"action": "approve", "message": "존댓말로 써줘"})
    assert answer.response == "끝"
    assert [script.count(each) for each in ("search", "code", "data")] == [1, 1, 1]
    for what in ("code", "data", "compose"):
        assert "존댓말로 써줘" in script.texts(what)[0]
    assert "존댓말로 써줘" not in script.texts("search")[0]


async def test_a_second_reject_ends_with_what_can_be_done(opened) -> None:
    steps = plan(step(1, "code", "전송", approval=True), step(2, "data", "세기"))
    script = Script(
        plan=json(steps),
        mend=json(plan(step(3, "code", "다른 전송", approval=True), step(4, "search", "찾기", 3))),
        data=say("하나"),
        compose=say("하나입니다."),
    )
    async with ScriptedServer(respond=script) as server:
        dure, answer, run_id = await waiting(opened, server)
        await dure.runs.decide(ME, run_id, [decision(answer, "reject")])
        second = await dure.runs.answer(ME, run_id)
        assert second.approvals[0]["args"] == {"task": "다른 전송"}
        await dure.runs.decide(ME, run_id, [decision(second, "reject")])
        done = await dure.runs.answer(ME, run_id)
    assert script.count("mend") == 1
    assert script.count("data") == 1
    assert done.response.startswith("하나입니다.")
    for task in ("전송 (code)", "다른 전송 (code)", "찾기 (search): 3단계의 결과가 없어"):
        assert task in done.response


async def test_nothing_left_to_do_is_said(opened) -> None:
    script = Script(plan=json(plan(step(1, "data", "세기", approval=True))), mend=json(plan()))
    answer, _ = await decided(opened, script, {"action": "reject"})
    assert answer.status == "completed"
    assert answer.response == "요청하신 일을 진행하지 못했습니다.\n\n하지 못한 일:\n- 세기 (data): 사람이 거절했습니다."


async def test_expire_counts_as_no(opened) -> None:
    script = Script(plan=json(plan(step(1, "data", "세기", approval=True))), mend=json(plan()))
    async with ScriptedServer(respond=script) as server:
        dure, _, run_id = await waiting(opened, server, approval_hours=1e-6)
        async with asyncio.timeout(60):
            while (await dure.runs.get(ME, run_id))["status"] == "waiting":
                await dure.runs._watch.look()
        done = await dure.runs.answer(ME, run_id)
    assert "정해진 시간 안에" in done.response
    assert script.count("data") == 0


async def test_a_tool_inside_a_step_asks_and_the_others_are_done_meanwhile(opened) -> None:
    mail = Mail()

    def coder(body):
        return say("보냈음") if body["messages"][-1]["role"] == "tool" else call("send_mail", to="kim")

    needs = (step(3, "search", "찾기", 1), step(4, "data", "더하기", 2))
    steps = plan(step(1, "code", "보내기"), step(2, "data", "세기"), *needs)
    script = Script(plan=json(steps), code=coder, data=say("하나"), search=say("사과"), compose=say("끝"))
    async with ScriptedServer(respond=script) as server:
        dure, answer, run_id = await waiting(opened, server, mail)
        before = await events_of(dure, run_id)
        assert changes(before)[-1] == (4, "done")
        assert [e.agent for e in before if isinstance(e, AgentFinished)] == ["data", "data"]
        assert mail.sent == []
        await dure.runs.decide(ME, run_id, [decision(answer, "approve")])
        done = await dure.runs.answer(ME, run_id)
        events = await events_of(dure, run_id)
    assert mail.sent == ["kim"]
    assert done.response == "끝"
    assert (script.count("data"), script.count("plan"), script.count("code")) == (2, 1, 2)
    assert [c for c in changes(events) if c[0] == 1] == [(1, "working"), (1, "done")]
    assert "보냈음" in script.texts("search")[0]


async def test_after_a_restart_another_process_goes_on(opened, tmp_path) -> None:
    steps = plan(step(1, "search", "찾기"), step(2, "data", "차트", 1), step(3, "code", "전송", 2, approval=True))

    def searcher(body):
        return say("3조 원입니다. [1]") if body["messages"][-1]["role"] == "tool" else call("lookup", topic="전지")

    def charter(body):
        return say("차트") if body["messages"][-1]["role"] == "tool" else call("save_chart", name="market.svg")

    script = Script(
        plan=json(steps),
        search=searcher,
        data=charter,
        code=say("전송함"),
        compose=say("시장 규모는 3조 원입니다. [1]"),
    )
    async with ScriptedServer(respond=script) as server:
        settings = {"model_base_url": server.url, "data_dir": tmp_path / "d", "embeddings": False}
        settings |= {"tool_dialect": "native", "teams": [team()]}
        async with Dure(**settings) as dure:
            answer = await dure.chat("시장을 조사해줘", team="office", output_format="json")
            assert answer.status == "waiting"
        run_id = answer.metadata["run_id"]
        async with Dure(**settings) as dure:
            await dure.runs.decide(ME, run_id, [decision(answer, "approve")])
            done = await dure.runs.answer(ME, run_id)
            events = await events_of(dure, run_id)
    report = jsonlib.loads(done.response)
    assert [w for w, _ in script.seen] == ["intent", "plan", "search", "search", "data", "data", "code", "compose"]
    assert [s["url"] for s in report["sources"]] == ["https://example.com/a"]
    assert [a["name"] for a in report["artefacts"]] == ["market.svg"]
    measured = {e.step: e.seconds for e in events if isinstance(e, StepChanged) and e.status == "done"}
    assert {s["step"]: s["seconds"] for s in report["steps"]} == measured
    assert changes(events) == [(n, s) for n in (1, 2, 3) for s in ("working", "done")]


# Formats


@pytest.mark.parametrize("output_format", ["chat", "markdown", "json"])
async def test_sources_and_files_reach_the_answer_in_every_format(opened, output_format: str) -> None:
    def searcher(body):
        return say("3조 원입니다. [1]") if body["messages"][-1]["role"] == "tool" else call("lookup", topic="전지")

    def charter(body):
        return say("그렸습니다.") if body["messages"][-1]["role"] == "tool" else call("save_chart", name="market.svg")

    script = Script(
        plan=json(plan(step(1, "search", "찾기"), step(2, "data", "차트", 1))),
        search=searcher,
        data=charter,
        compose=say("전지의 시장 규모는 3조 원입니다. [1]"),
    )
    answer, events = await ask(opened, script, output_format=output_format)
    assert "[1]" in answer.response
    assert answer.citations[0]["quote"] == "전지의 시장 규모는 3조 원입니다."
    assert "market.svg" in answer.response
    assert answer.metadata["artifacts"][0]["name"] == "market.svg"
    assert "".join(e.text for e in events if isinstance(e, TextDelta) and not e.work_id) == answer.response
    if output_format == "json":
        report = jsonlib.loads(answer.response)
        Draft202012Validator(REPORT_SCHEMA).validate(report)
        assert [s["status"] for s in report["steps"]] == ["done", "done"]
        assert report["sources"][0]["url"] == "https://example.com/a"
    if output_format == "markdown":
        assert answer.response.startswith("# 매출 정리\n\n전지의")
        assert "[시장 보고서](https://example.com/a)" in answer.response
        assert f"[market.svg](/v1/runs/{answer.metadata['run_id']}/artifacts/" in answer.response


@pytest.mark.parametrize("output_format", ["chat", "markdown", "json"])
@pytest.mark.parametrize("steps", [1, 2])
async def test_the_numbers_of_an_answer_are_those_of_its_sources(opened, output_format: str, steps: int) -> None:
    """A figure of the question's own leads the second sentence to one passage, or the first to another."""
    texts = ["전지의 시장 규모는 3조 원입니다.", "부품의 시장 규모는 3조 원이며 예산은 5조 원입니다."]

    @tool
    def find(topic: str) -> ToolResult:
        """Find."""
        return ToolResult("", [Passage(f"web:{n}", "보고서", None, 0, len(t), t) for n, t in enumerate(texts)])

    def searcher(body):
        return said if body["messages"][-1]["role"] == "tool" else call("find", topic="전지")

    said = say("전지의 시장 규모는 예산 5조 원보다 작은 3조 원입니다 [1]. 부품의 시장 규모도 3조 원입니다 [2].")
    crew = team().model_copy(
        update={"agents": [team().agents[0].model_copy(update={"tools": [find]}), team().agents[1]]}
    )
    written = plan(step(1, "search", "찾기"), step(2, "data", "세기"))["steps"][:steps]
    script = Script(plan=json({"steps": written}), search=searcher, data=say("끝"), compose=said)
    message = "예산 5조 원으로 전지 시장에 들어갈 수 있어?"
    answer, events = await ask(opened, script, crew, message, output_format=output_format)
    assert [(c["marker"], c["quote"]) for c in answer.citations] == [(1, texts[0]), (2, texts[1])]
    shown = jsonlib.loads(answer.response)["summary"] if output_format == "json" else answer.response
    assert "작은 3조 원입니다 [1]. 부품의 시장 규모도 3조 원입니다 [2]." in shown
    assert "".join(e.text for e in events if isinstance(e, TextDelta) and not e.work_id) == answer.response


async def test_small_talk_as_json_is_valid_too(opened) -> None:
    script = Script(intent=json(intent("general")), talk=say("안녕하세요!\n\n\x1e\n\n무엇을 할까요?"))
    answer, _ = await ask(opened, script, message="안녕", output_format="json")
    report = jsonlib.loads(answer.response)
    Draft202012Validator(REPORT_SCHEMA).validate(report)
    assert report["summary"].split() == ["안녕하세요!", "무엇을", "할까요?"]


async def test_a_failure_is_not_asked_for_again_when_the_run_goes_on(opened) -> None:
    steps = plan(step(1, "data", "세기"), step(2, "search", "찾기", 1, approval=True))
    script = Script(plan=json(steps), data=[html(), say("하나"), say("둘")], search=say("사과"), compose=say("끝"))
    answer, _ = await decided(opened, script, {"action": "approve"})
    assert answer.response == "끝"
    assert script.count("data") == 2
    assert "Result of step 1:\n하나" in script.texts("search")[0]


async def test_a_second_agent_that_the_examples_rule_out_gets_no_step(opened) -> None:
    filled = {"wants": "data", "then": "search", "first": "합계", "second": "구해줘", "ask_me": "no"}
    async with ScriptedServer(json(filled), raw('{"answer": "됐습니다."}')) as server:
        dure = await small_one(opened, server)
        events = [e async for e in dure.stream("합계 구해줘", team="office")]
    planned = next(e for e in events if isinstance(e, Planned)).plan["steps"]
    assert [(s["agent"], s["task"]) for s in planned] == [("data", "합계 구해줘")]


async def test_a_step_is_searched_for_with_its_own_words_too(opened) -> None:
    asked: list[list[str]] = []

    @tool
    def find(queries: list[str]) -> ToolResult:
        """Find passages."""
        asked.append(queries)
        return ToolResult("", [Passage("d", "규정", None, 0, 7, "한도는 없다.")], data={"evidence": 0.9})

    rules = Agent(name="search", description="Searches", prompt="You are search.", tools=[find], search="find")
    crew = Team(name="office", kind="planner", description="x", agents=[rules], prompt="You lead.")
    steps = plan(step(1, "search", "숙박 한도를 찾는다"), step(2, "search", "재택 일수를 찾는다", 1))
    script = [json(intent("search")), json(steps), say("없다."), say("없다."), say("없다.")]
    async with ScriptedServer(*script) as server:
        dure = await opened(server, teams=[crew])
        await dure.chat("여비와 재택 한도를 정리해줘", team="office")
    message = "여비와 재택 한도를 정리해줘"
    assert asked == [[message, "숙박 한도를 찾는다"], [message, "재택 일수를 찾는다"]]


@pytest.mark.parametrize("output_format", ["chat", "markdown", "json"])
async def test_what_nobody_did_is_told_below_the_answer(opened, output_format: str) -> None:
    steps = plan(step(1, "search", "매출을 찾아 보낸다"))
    script = [json(intent("search")), json(steps), say("팀장님께 보냈습니다.")]
    async with ScriptedServer(*script, claims=[1]) as server:
        dure = await opened(server, teams=[team()])
        answer = await dure.chat("매출을 찾아 팀장에게 보내줘", team="office", output_format=output_format)
    shown = jsonlib.loads(answer.response)["summary"] if output_format == "json" else answer.response
    assert "팀장님께 보냈습니다.\n\n실행하지 않은 일입니다: “팀장님께 보냈습니다.”" in shown


async def test_a_step_is_searched_for_in_the_other_language_of_the_documents_too(opened: Callable) -> None:
    message, query = "잔금은 언제까지 내야 해?", "when is the balance due"
    reader = Agent(name="reader", description="Reads", tools=["search_knowledge_base"], search="search_knowledge_base")
    office = Team(name="office", kind="planner", description="x", agents=[reader], prompt="You lead.")
    asked = step(1, "reader", "잔금 지급 기한을 찾기") | {"query": query}
    async with ScriptedServer(json(intent("reader")), json(plan(asked)), say("30일입니다 [1].")) as server:
        dure = await opened(server, teams=[office])
        for name, text in {"규칙.txt": "연차는 십오일이다.", "lease.txt": "The balance is due in 30 days."}.items():
            document = await dure.knowledge.add(ME, name, text.encode())
            await dure.knowledge.wait(ME, [document.id])
        answer = await dure.chat(message, team="office")
        events = [each async for _, each in dure.runs.events(ME, answer.run_id)]
        planned, worker = server.requests[1:3]
    assert "the question in English, for documents in it" in str(planned)
    assert [each["args"]["queries"] for each in answer.tool_calls] == [[message, asked["task"], query]]
    assert "The balance is due" in str(worker["messages"])
    [shown] = [each for each in events if isinstance(each, Planned)]
    assert "query" not in shown.plan["steps"][0], "what people are shown stays as it was"
