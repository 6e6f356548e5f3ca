"""A question that is asked anew, or of another team, takes nothing away: one walks to what stood in its place."""

import asyncio
from typing import Any

import pytest

from dure import Agent, Team
from dure.testing import ScriptedServer, say

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

TEAMS = [
    Team(name=name, kind="solo", description="x", agents=[Agent(name="clerk", description="x")], title=title)
    for name, title in (("desk", "안내 팀"), ("other", "다른 팀"))
]


async def test_what_stood_there_before_is_walked_to(serve, visit) -> None:
    said = [say(f"{each}입니다.") for each in ("하나", "둘", "셋", "넷")]
    async with ScriptedServer(*said) as scripted:
        page = await visit(await serve(scripted, teams=TEAMS))
        box, answers = page.get_by_label("메시지"), page.locator(".md.finished")
        for message, answer in (("첫째", "하나"), ("둘쨰", "둘")):
            await box.fill(message)
            await box.press("Enter")
            await expect(answers.last).to_have_text(f"{answer}입니다.")
        await expect(page.locator(".branches")).to_have_count(0)
        # In another team's words,
        await page.get_by_label("팀", exact=True).select_option("other")
        await page.get_by_role("button", name="고른 팀·모델로 다시 답하기").last.click()
        await expect(answers.last).to_have_text("셋입니다.")
        await expect(page.locator(".answer-foot").last).to_contain_text("다른 팀")
        # and in other words of one's own.
        await page.locator(".question").last.hover()
        await page.locator(".question").last.get_by_label("고쳐서 다시 묻기").click()
        await box.fill("둘째")
        await box.press("Enter")
        await expect(answers.last).to_have_text("넷입니다.")
        for _ in range(2):
            places = page.locator(".branches")
            await expect(places).to_have_count(1)
            await expect(places).to_contain_text("3 / 3")
            await page.get_by_role("button", name="앞서 있던 것").click()
            await expect(answers.last).to_have_text("셋입니다.")
            await expect(page.locator(".answer-foot").last).to_contain_text("다른 팀")
            await page.get_by_role("button", name="앞서 있던 것").click()
            await expect(answers.last).to_have_text("둘입니다.")
            await expect(page.locator(".question .bubble").last).to_have_text("둘쨰")
            await expect(page.get_by_role("button", name="앞서 있던 것")).to_be_disabled()
            # Both steps count, though the second is made before the first is drawn.
            clicked = asyncio.Event()

            async def held(route: Any, *, clicked: asyncio.Event = clicked) -> None:
                await clicked.wait()
                await route.continue_()

            await page.route("**/branch?*", held)
            await page.get_by_role("button", name="다음 것").click()
            await page.get_by_role("button", name="다음 것").click()
            clicked.set()
            await expect(answers.last).to_have_text("넷입니다.")
            await expect(page.locator(".question .bubble").last).to_have_text("둘째")
            await page.unroute("**/branch?*")
            await page.reload()
            await page.wait_for_selector(".md.finished")
        assert "셋입니다" not in str(scripted.requests[-1]["messages"])


async def test_what_followed_comes_along(serve, visit) -> None:
    """An earlier question in other words: what followed waits where it was, and another tab walks along."""
    async with ScriptedServer(respond=lambda body: say(f"{body['messages'][-1]['content']}의 답")) as scripted:
        page = await visit(await serve(scripted, teams=TEAMS))
        box, answers = page.get_by_label("메시지"), page.locator(".md.finished")
        for message in ("첫째", "둘째"):
            await box.fill(message)
            await box.press("Enter")
            await expect(answers.last).to_have_text(f"{message}의 답")
        other = await visit(page.url.split("#")[0].rstrip("/"), "#" + page.url.split("#")[1], context=page.context)
        await page.locator(".question").first.hover()
        await page.locator(".question").first.get_by_label("고쳐서 다시 묻기").click()
        await box.fill("다르게")
        await box.press("Enter")
        await expect(page.locator(".bubble")).to_have_text(["다르게"])
        await expect(answers).to_have_text(["다르게의 답"])
        await expect(other.locator(".bubble")).to_have_text(["다르게"])
        before = page.get_by_role("button", name="앞서 있던 것")
        await before.focus()
        await before.press("Enter")
        for each in (page, other):
            await expect(each.locator(".bubble")).to_have_text(["첫째", "둘째"])
            await expect(each.locator(".md.finished")).to_have_text(["첫째의 답", "둘째의 답"])
        # In its place too: an answer that is asked for once more, of an earlier question.
        await page.get_by_role("button", name="고른 팀·모델로 다시 답하기").first.click()
        await expect(page.locator(".bubble")).to_have_text(["첫째"])
        await expect(page.locator(".branches")).to_contain_text("3 / 3")
        await page.reload()
        await expect(page.locator(".branches")).to_contain_text("3 / 3")
        await expect(page.locator(".bubble")).to_have_text(["첫째"])


async def test_a_refused_edit_leaves_all_as_it_was(serve, visit) -> None:
    async with ScriptedServer(respond=lambda _: say("답")) as scripted:
        page = await visit(await serve(scripted, teams=TEAMS, max_message_chars=100))
        box = page.get_by_label("메시지")
        for message in ("첫째", "둘째"):
            await box.fill(message)
            await box.press("Enter")
            await expect(page.locator(".md.finished").last).to_have_text("답")
            await expect(page.locator(".bubble").last).to_have_text(message)
        await page.locator(".question").first.hover()
        await page.locator(".question").first.get_by_label("고쳐서 다시 묻기").click()
        await box.fill("길" * 200)
        await box.press("Enter")
        await expect(page.locator(".toast")).to_be_visible()
        await expect(box).to_have_value("길" * 200)
        for _ in range(2):
            await expect(page.locator(".bubble")).to_have_text(["첫째", "둘째"])
            await expect(page.locator(".branches")).to_have_count(0)
            await page.reload()


@pytest.mark.parametrize("late", ["teams", "sessions/*/messages*"])
async def test_a_conversation_that_is_opened_has_its_team_whatever_comes_first(serve, visit, late) -> None:
    async with ScriptedServer(say("하나입니다.")) as scripted:
        page = await visit(await serve(scripted, teams=TEAMS), team="other")
        await page.get_by_label("메시지").fill("첫째")
        await page.get_by_label("메시지").press("Enter")
        await expect(page.locator(".md.finished")).to_have_text("하나입니다.")
        await page.evaluate("""localStorage['dure.choices'] = '{"team": "desk"}'""")
        others = asyncio.Event()

        async def hold(route: Any) -> None:
            await others.wait()
            await route.continue_()

        await page.route(f"**/v1/{late}", hold)
        await page.reload(wait_until="commit")
        await page.wait_for_selector("html[data-ready]")
        await page.wait_for_timeout(500)
        others.set()
        await expect(page.locator(".md.finished")).to_have_text("하나입니다.")
        await expect(page.get_by_role("combobox", name="팀")).to_have_value("other")


async def test_a_conversation_goes_on_with_its_team_and_model(serve, visit) -> None:
    """Also where another one was chosen elsewhere meanwhile: what is asked anew is asked of what is shown."""
    said = [say(f"{each}입니다.") for each in ("하나", "둘", "셋")]
    async with ScriptedServer(*said) as scripted:
        models = {"big": {"base_url": scripted.url, "name": "big-1"}}
        page = await visit(await serve(scripted, teams=TEAMS, models=models), team="other")
        box, answers = page.get_by_label("메시지"), page.locator(".md.finished")
        team, model = page.get_by_role("combobox", name="팀"), page.get_by_role("combobox", name="모델")
        await model.select_option("big")
        await box.fill("첫째")
        await box.press("Enter")
        await expect(answers.last).to_have_text("하나입니다.")
        first = page.url
        await page.get_by_role("button", name="새 대화").first.click()
        await team.select_option("desk")
        await model.select_option("")
        await box.fill("둘째")
        await box.press("Enter")
        await expect(answers.last).to_have_text("둘입니다.")
        await page.goto(first)
        await expect(answers.last).to_have_text("하나입니다.")
        await expect(team).to_have_value("other")
        await expect(model).to_have_value("big")
        await page.get_by_role("button", name="고른 팀·모델로 다시 답하기").click()
        await expect(answers.last).to_have_text("셋입니다.")
        await expect(page.locator(".answer-foot").last).to_contain_text("다른 팀")
        assert [each["model"] for each in scripted.requests][::2] == ["big-1", "big-1"]
