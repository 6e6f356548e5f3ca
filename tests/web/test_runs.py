"""Finding out why an answer was bad: the list of runs, one as a timeline, two side by side."""

import re

import pytest

from dure import Agent, Team, tool
from dure.testing import ScriptedServer, call, say
from dure.tooling import File, ToolResult

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")


@tool
def chart(topic: str) -> ToolResult:
    """Draw a chart."""
    return ToolResult(f"{topic} 그림", files=[File("그림 <b>.svg", b"<svg/>", "image/svg+xml")])


@tool(effect="external")
def send(to: str) -> str:
    """Send it."""
    return "sent"


def team() -> Team:
    agent = Agent(name="clerk", description="x", prompt="You are the clerk.", tools=[chart, send])
    return Team(name="desk", kind="solo", description="x", agents=[agent])


async def asked(page, message: str) -> None:
    await page.goto(f"{page.url.split('#')[0]}#/")
    await page.get_by_label("메시지").fill(message)
    await page.get_by_label("메시지").press("Enter")
    await page.wait_for_selector(".md.finished:visible, .approval")


async def test_one_run_from_question_to_answer(serve, visit) -> None:
    script = call("chart", topic="매출"), call("send", to="kim"), say("다 했습니다.")
    async with ScriptedServer(*script, model="gpt-x") as scripted:
        page = await visit(await serve(scripted, teams=[team()], prices={"gpt-x": (1000, 2000)}))
        await asked(page, "매출을 그려 보내 줘")
        await page.get_by_role("button", name="승인", exact=True).click()
        await page.wait_for_selector(".md.finished :text('다 했습니다.')")
        async with page.expect_download() as saved:
            await page.locator(".answer .file-chip").click()
        assert "그림" in (await saved.value).suggested_filename
        await page.get_by_role("link", name="과정 보기").click()
        names = page.locator(".entry-name")
        await expect(names.first).to_contain_text("모델 호출")
        texts = await names.all_inner_texts()
        assert [t for t in texts if "도구" in t] == ["도구 chart", "도구 send"]
        assert "사람을 기다림" in texts
        await page.locator(".entry > summary").first.click()
        await expect(page.locator(".prompt").first).to_contain_text("You are the clerk.")
        await expect(page.locator(".entry").first.locator(".entry-facts")).to_contain_text(re.compile("토큰.*USD"))
        await page.locator(".entry:has-text('도구 chart') > summary").click()
        await expect(page.locator(".entry:has-text('도구 chart') pre").last).to_contain_text("매출 그림")
        await page.locator(".entry:has-text('사람을 기다림') > summary").click()
        await expect(page.locator(".decided")).to_contain_text("결정: 승인함")
        await page.get_by_role("button", name="4점").click()
        await page.get_by_role("textbox", name="의견").fill("좋음")
        await page.locator(".rating").get_by_role("button", name="저장").click()
        await expect(page.locator(".toast")).to_contain_text("평가를 저장했습니다")


async def test_runs_are_listed_filtered_and_compared(serve, visit) -> None:
    async with ScriptedServer(say("열흘입니다. 끝."), say("보름입니다. 끝."), call("send", to="kim")) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        for message in ("휴가는?", "다시, 휴가는?", "보내 줘"):
            await asked(page, message)
        await page.goto(f"{page.url.split('#')[0]}#/runs")
        rows = page.locator(".row")
        await expect(rows).to_have_count(3)
        await page.get_by_role("combobox", name="상태").select_option("waiting")
        await expect(rows).to_have_count(1)
        await expect(page).to_have_url(re.compile("status=waiting"))
        await page.reload()
        await expect(rows).to_have_count(1)
        await page.get_by_role("combobox", name="상태").select_option("")
        await page.get_by_role("searchbox", name="질문과 답변에서 찾기").fill("휴가")
        await expect(rows).to_have_count(2)
        for row in (1, 0):
            await rows.nth(row).get_by_role("checkbox").check()
        await page.get_by_role("button", name="고른 둘 비교").click()
        await expect(page.locator("tr.differs").filter(has_text="질문")).to_contain_text("다시, 휴가는?")
        await expect(page.locator(".changes del")).to_have_text("열흘입니다.")
        await expect(page.locator(".changes ins")).to_have_text("보름입니다.")
        await expect(page.locator(".change[data-mark='=']")).to_have_text("끝.")


async def test_a_run_is_done_once_more_of_another_team_and_compared(serve, visit) -> None:
    """In its conversation it is another answer to the same question; people and tools have their names."""
    script = (call("chart", topic="매출"), say("열흘입니다. 끝."), say("보름입니다. 끝."))
    other = Agent(name="clerk", title="둘째 담당 · Second", description="x")
    second = Team(name="second", title="둘째 팀 · Second", kind="solo", description="x", agents=[other])
    first = team().model_copy(update={"title": "첫째 팀 · First"})
    async with ScriptedServer(*script) as scripted:
        page = await visit(await serve(scripted, teams=[first, second]))
        await asked(page, "휴가는?")
        conversation = page.url
        await page.get_by_role("link", name="과정 보기").click()
        await page.get_by_role("combobox", name="팀").select_option("second")
        await page.get_by_role("button", name="다시 실행").click()
        await expect(page.locator("tr.differs").filter(has_text="팀").locator("td")).to_have_text(
            ["첫째 팀", "둘째 팀"]
        )
        await expect(page.locator("tr", has_text="도구").locator("td").first).to_have_text("chart · 매출")
        await expect(page.locator(".changes ins")).to_have_text("보름입니다.")
        await page.goto(conversation)
        await expect(page.locator(".branches")).to_contain_text("2")
        await expect(page.locator(".md.finished")).to_contain_text("보름")
