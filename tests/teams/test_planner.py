"""Planner teams over real HTTP: every transition from intent to answer, with what people decide in between."""

import asyncio
import json as jsonlib
from collections.abc import Callable
from typing import Any

import pytest

from dure import Agent, Dure, Team, tool
from dure.errors import ModelError
from dure.events import AgentFinished, AgentStarted, Planned, RunWaiting, StepChanged, TextDelta
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
    schema = (body.get("response_format") or {}).get("json_schema", {}).get("schema", {})
    if "category" in schema.get("properties", {}):
        return "intent"
    if "steps" in schema.get("properties", {}):
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


async def test_small_talk_is_answered_at_once(opened) -> None:
    script = Script(intent=json(intent("general")), talk=say("안녕하세요!"))
    answer, events = await ask(opened, script, message="안녕")
    assert answer.response == "안녕하세요!"
    assert [w for w, _ in script.seen] == ["intent", "talk"]
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
    async with asyncio.timeout(20):
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
