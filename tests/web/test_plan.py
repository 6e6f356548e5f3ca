"""The planner's steps as a graph, live; as a list on a phone."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from dure import Agent, Team, tool
from dure.testing import ScriptedServer, Step, call, json, say

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

NAMES = ("search", "data", "code")


def step(number: int, agent: str, *needs: int) -> dict[str, Any]:
    fields = {"requires_approval": False, "estimated_time": "1분"}
    return {"step": number, "agent": agent, "task": f"{agent}의 일", "depends_on": list(needs)} | fields


def team() -> Team:
    agents = [Agent(name=name, description=name, prompt=f"You are {name}.") for name in NAMES]
    return Team(name="desk", kind="planner", description="x", agents=agents, prompt="You lead.")


def respond(steps: list[dict[str, Any]], work: Callable[[str], Step]) -> Any:
    """A model that plans `steps`; `work` gives what a worker says, by its system text."""

    def reply(body: dict[str, Any]) -> Step:
        first = str(body["messages"][0]["content"])
        schema = str(body.get("response_format") or "") + first
        if "category" in schema:
            return json({"category": "data", "description": "정리", "key_entities": [], "complexity": "medium"})
        return json({"steps": steps}) if "depends_on" in schema else work(first)

    return reply


async def test_a_step_of_a_persons_and_what_it_asks_are_called_by_words(serve, visit) -> None:
    plan = [step(1, "search"), step(2, "hitl", 1), step(3, "code", 2)]
    async with ScriptedServer(respond=respond(plan, lambda system: say("찾았습니다."))) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await page.get_by_label("메시지").fill("찾고, 나한테 물어본 다음 코드를 짜 줘")
        await page.get_by_label("메시지").press("Enter")
        asked = page.locator(".approval")
        await expect(asked.get_by_role("heading").first).to_contain_text("hitl의 일")
        await expect(asked.get_by_role("term")).to_have_text("결과")
        person = page.locator(".plan-step").nth(1)
        await expect(person).to_contain_text("사람")
        await asked.get_by_role("button", name="승인").click()
        await expect(person).to_have_attribute("data-status", "done")
        await expect(person.locator(".took")).to_be_empty()


@pytest.mark.parametrize("width", [1200, 360])
async def test_steps_live(serve, visit, width) -> None:
    gate = asyncio.Event()

    def work(system: str) -> Step:
        return say("코드입니다.").after(gate) if "You are code." in system else say("찾았습니다.")

    # The last step needs both others.
    plan = [step(1, "search"), step(2, "data"), step(3, "code", 1, 2)]
    async with ScriptedServer(respond=respond(plan, work)) as scripted:
        page = await visit(await serve(scripted, teams=[team()]), viewport={"width": width, "height": 800})
        await page.get_by_label("메시지").fill("정리해 줘")
        await page.get_by_label("메시지").press("Enter")
        steps = page.locator(".plan-step")
        await expect(steps).to_have_count(3)
        await expect(page.locator(".plan-step[data-status=done]")).to_have_count(2)
        await expect(steps.nth(2)).to_have_attribute("data-status", "working")
        boxes = [await steps.nth(n).bounding_box() for n in range(3)]
        if width > 700:
            assert boxes[0]["x"] == boxes[1]["x"] < boxes[2]["x"]
            await expect(page.locator(".plan-edge.reached")).to_have_count(2)
        else:
            assert boxes[0]["x"] == boxes[2]["x"]
            assert boxes[0]["y"] < boxes[1]["y"] < boxes[2]["y"]
            await expect(steps.nth(2)).to_contain_text("1, 2단계 다음")
            assert await page.evaluate("document.documentElement.scrollWidth") <= width
        gate.set()
        await expect(page.locator(".plan-step[data-status=done]")).to_have_count(3)
        await expect(page.locator(".plan-count")).to_contain_text("3단계 중 3단계 끝")
        await page.wait_for_selector(".md.finished:visible")
        # What each worker said stands with its work, not in the answer; whoever works has one colour, here and there.
        await page.locator(".activity > summary").click()
        colour = "(found) => found.map((each) => [each.textContent.split(' ')[0], getComputedStyle(each).color])"
        planned = dict(await page.locator(".plan-step strong").evaluate_all(colour))
        await expect(page.locator(".activity-agent > summary > strong")).to_have_count(3)
        worked = dict(await page.locator(".activity-agent > summary > strong").evaluate_all(colour))
        assert worked == planned
        assert len(set(planned.values())) == len(planned) > 1
        said = page.locator(".activity-agent:has-text('code') details:has-text('한 말')")
        await said.locator("summary").click()
        await expect(said).to_contain_text("코드입니다.")


async def test_a_step_for_a_person_shows_what_is_to_be_looked_at(serve, visit) -> None:
    def work(system: str) -> Step:
        draft = "**초안** [1]\n\n| 대책 | 담당 |\n| --- | --- |\n| 검토 | 김도현 |"
        return say(draft if "You are search." in system else "끝.")

    plan = [step(1, "search"), step(2, "user", 1), step(3, "code", 2)]
    async with ScriptedServer(respond=respond(plan, work)) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await page.get_by_label("메시지").fill("정리해 줘")
        await page.get_by_label("메시지").press("Enter")
        card = page.locator(".approval")
        seen = card.locator(".md")
        await expect(seen.locator("td")).to_have_text(["검토", "김도현"])
        await expect(seen.locator("p")).to_have_text("초안 1")
        # Whoever decides has no sources to be led to yet.
        await expect(seen.locator("button")).to_have_count(0)
        # What is asked is answered, not changed.
        await expect(card.get_by_role("heading").first).to_contain_text("user의 일")
        await expect(card.get_by_role("textbox")).to_have_count(1)
        await expect(card.locator(".actions button.primary")).to_have_text("답변 보내기")
        await card.get_by_role("button", name="답변 보내기").click()
        await expect(card.get_by_role("alert").last).to_have_text("답변을 적어 주세요.")
        await card.get_by_label("답변", exact=True).fill("좋아요")
        await card.get_by_role("button", name="답변 보내기").click()
        await page.wait_for_selector(".answer > .md.finished")
        assert "좋아요" in str(scripted.requests[-1]["messages"])
        await card.locator("summary").click()
        await expect(seen.locator("td")).to_have_text(["검토", "김도현"])


async def test_work_is_told_in_the_reader_s_language(serve, visit) -> None:
    """What an agent was given to do without the word for models, and why its loop ended, live and in the run's view."""

    @tool
    def look(word: str) -> str:
        """Look a word up."""
        return "nothing"

    steps = [step(1, "search"), step(2, "data", 1)]
    planned = respond(steps, lambda system: call("look", word="x"))

    def answered(body: dict[str, Any]) -> Step:
        reply = planned(body)
        return say("없습니다.") if not body.get("tools") and "look" in str(reply) else reply

    agents = [Agent(name=name, description="x", prompt=f"You are {name}.", tools=[look]) for name in NAMES[:2]]
    desk = Team(name="desk", kind="planner", description="x", agents=agents, prompt="You lead.")
    async with ScriptedServer(respond=answered) as scripted:
        page = await visit(await serve(scripted, teams=[desk]))
        await page.get_by_label("메시지").fill("매출을 찾아서 적어 줘")
        await page.get_by_label("메시지").press("Enter")
        await page.wait_for_selector(".md.finished")
        await page.locator(".activity > summary").click()
        work = page.locator(".activity")
        await expect(work.locator(".task").first).to_have_text("search의 일")
        await expect(work.locator(".note", has_text="모델이 같은 호출을 되풀이함").first).to_be_visible()
        assert "Task:" not in await work.inner_text()
        await page.get_by_role("link", name="과정 보기").click()
        await expect(page.get_by_text("모델이 같은 호출을 되풀이함").first).to_be_visible()
        assert "repeated_call" not in await page.locator("#view").inner_text()


async def test_a_step_that_waits_or_was_left_off_is_not_at_work(serve, visit) -> None:
    @tool(effect="external")
    def send(to: str) -> str:
        """Send it."""
        return "sent"

    plan = [step(1, "search"), step(2, "data", 1)]
    gate = asyncio.Event()

    def work(system: str) -> Step:
        return call("send", to="kim") if "You are data." in system else say("찾았습니다.")

    agents = [Agent(name=name, description="x", prompt=f"You are {name}.", tools=[send]) for name in NAMES[:2]]
    desk = Team(name="desk", kind="planner", description="x", agents=agents, prompt="You lead.")
    replies = [respond(plan, work)]
    async with ScriptedServer(respond=lambda body: replies[-1](body)) as scripted:
        page = await visit(await serve(scripted, teams=[desk]))
        await page.get_by_label("메시지").fill("매출을 보내 줘")
        await page.get_by_label("메시지").press("Enter")
        await page.wait_for_selector(".answer .approval")
        for _ in range(2):
            await expect(page.locator(".plan-step .mark")).to_have_text(["끝남", "기다림"])
            await page.reload()
            await page.wait_for_selector(".answer .approval")
        replies.append(respond(plan, lambda system: say("늦은 답").after(gate)))
        await page.goto(page.url.split("#")[0] + "#/")
        await page.get_by_label("메시지").fill("매출을 다시 찾아 줘")
        await page.get_by_label("메시지").press("Enter")
        await expect(page.locator(".plan-step .mark").first).to_have_text("작업 중")
        await page.get_by_role("button", name="멈추기").click()
        await expect(page.locator(".plan-step .mark").first).to_have_text("멈춤")
    gate.set()


async def test_a_step_that_was_changed_is_named_as_it_is_done(serve, visit) -> None:
    """Its whole task is in sight before; meanwhile the box below asks for no decision any more."""
    gate = asyncio.Event()

    def work(system: str) -> Step:
        return say("찾았습니다.").after(gate)

    task = "가격표에서 LED 화면과 무대 모듈의 하루 대여료를 찾아 하루치 비용을 셈하기. " * 4
    plan = [step(1, "search") | {"task": task.strip(), "requires_approval": True}, step(2, "code", 1)]
    async with ScriptedServer(respond=respond(plan, work)) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        box = page.get_by_label("메시지")
        await box.fill("정리해 줘")
        await box.press("Enter")
        card = page.locator(".approval")
        await expect(box).to_have_attribute("placeholder", "결정을 기다리고 있습니다.")
        field = card.get_by_role("textbox").first
        assert await field.evaluate("(each) => each.scrollHeight <= each.clientHeight")
        await field.fill("이틀치 비용을 셈하기")
        await card.get_by_role("button", name="고친 내용으로 승인").click()
        await expect(card.get_by_role("heading")).to_have_text("이틀치 비용을 셈하기")
        await expect(page.locator(".plan-step[data-status=working]")).to_have_count(1)
        await expect(box).not_to_have_attribute("placeholder", "결정을 기다리고 있습니다.")
        gate.set()
        await page.wait_for_selector(".md.finished:visible")
        await page.reload()
        await page.wait_for_selector(".md.finished:visible")
        await expect(card.get_by_role("heading")).to_have_text("이틀치 비용을 셈하기")
