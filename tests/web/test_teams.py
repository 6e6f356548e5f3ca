"""Teams are made in the page: a form over the file, a trial and an evaluation beside it; schedules likewise."""

import re
import tomllib
from typing import Any

import httpx
import pytest

from dure import Agent, Team
from dure.testing import ScriptedServer, Step, say

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

HARD = {
    "name": "a",
    "prompt": 'eins\n"zwei" \\n ["""] \\ \t\u007f \U0001f600\n',
    "examples": ["가 \\ 나", '"'],
    "result": {"type": "object", "properties": {"금 액": {"type": "number", "minimum": 0.5}}, "none": None},
    "max_rounds": 4,
    "agents": [{"name": "b", "allow": [], "changes": True}, {"name": "c", "prompt": "하나\n\n셋"}],
    "pipelines": [{"agents": ["b", "c"], "examples": ["둘 다"]}],
}


def team() -> Team:
    return Team(name="desk", kind="solo", description="x", agents=[Agent(name="clerk", description="x")])


async def test_a_form_becomes_the_same_toml(serve, visit) -> None:
    page = await visit(await serve(teams=[team()]))
    text = await page.evaluate("(team) => import('./static/js/toml.js').then(({ tomlOf }) => tomlOf(team))", HARD)
    del HARD["result"]["none"]
    assert tomllib.loads(text) == HARD


async def test_a_team_is_made_tried_evaluated_changed_and_deleted(serve, visit) -> None:
    def respond(body: dict[str, Any]) -> Step:
        return say("출처에서." if "Look it up." in str(body["messages"][0]) else "그냥 압니다.")

    async with ScriptedServer(respond=respond) as scripted:
        url = await serve(scripted, teams=[team()])
        page = await visit(url, "#/start/teams")
        await page.get_by_role("link", name="새 팀").click()
        await page.get_by_label("부르는 이름").first.fill("안내 팀 · Guides")
        await page.get_by_label("이름", exact=False).nth(1).fill("9 wrong")
        await page.get_by_label("무엇을 하는 팀인지").fill("안내하는 팀")
        await page.get_by_label("예로 보여 줄 질문").fill("휴가는?\n출장은?")
        agent = page.locator("fieldset")
        await agent.get_by_label("부르는 이름").fill("안내 담당 · Guide")
        await agent.locator("input").nth(1).fill("guide")
        await agent.get_by_label("할 수 있는 일").fill("찾아서 안내함")
        await agent.get_by_label("어떻게 일하는지").fill('Look it up.\n"Always".')
        await agent.get_by_label("이 담당에게 올 질문").fill("병가는?")
        await agent.locator("summary").click()
        await agent.get_by_role("checkbox", name="문서 검색").check()
        await page.get_by_role("button", name="저장").click()
        named = page.locator(".form > .field").nth(1)
        await expect(named.get_by_role("alert")).to_contain_text("로마자로 시작하고")
        await expect(named.locator("input")).to_have_attribute("aria-invalid", "true")
        await expect(named.locator("input")).to_be_focused()
        await named.locator("input").fill("guides")
        await page.get_by_role("button", name="저장").click()
        await expect(page.get_by_role("heading", name="안내 팀")).to_be_visible()
        async with httpx.AsyncClient(base_url=url) as client:
            written = tomllib.loads((await client.get("/v1/teams/guides")).json()["toml"])
        assert written["agents"][0] == {
            "name": "guide",
            "title": "안내 담당 · Guide",
            "description": "찾아서 안내함",
            "prompt": 'Look it up.\n"Always".',
            "tools": ["search_knowledge_base"],
            "examples": ["병가는?"],
        }
        await page.get_by_role("button", name="휴가는?").click()
        await page.get_by_role("button", name="묻기", exact=True).click()
        await expect(page.locator(".answer .md.finished")).to_have_text("출처에서.")
        await page.get_by_role("button", name="예 3개 묻기").click()
        await expect(page.get_by_text("담당의 예 1개 중 1개가 맞는 담당에게 갔습니다.")).to_be_visible()
        await expect(page.locator("tbody tr")).to_have_count(3)
        await expect(page.locator("tbody tr").last).to_contain_text("안내 담당")
        # In words, as the file has them: what is wrong is told by its line.
        await page.get_by_role("button", name="팀 파일").click()
        file = page.get_by_label("팀 파일 (TOML)")
        text = await file.input_value()
        await file.fill(text.replace('kind = "solo"', 'kind = "nobody"'))
        await page.get_by_role("button", name="저장").click()
        await expect(page.get_by_role("alert")).to_contain_text("guides.toml")
        await file.fill("# 우리 팀\n" + text.replace("Look it up.", "Guess."))
        await page.get_by_role("button", name="양식").click()
        await expect(agent.get_by_label("어떻게 일하는지")).to_have_value('Guess.\n"Always".')
        await page.get_by_role("button", name="저장").click()
        await expect(page.locator(".toast").last).to_contain_text("저장했습니다")
        await page.get_by_role("button", name="예 3개 묻기").click()
        await page.get_by_role("link", name="지난번과 비교").last.click()
        await expect(page.locator(".changes ins")).to_have_text("그냥 압니다.")
        await page.goto(f"{url}/#/start/teams/guides")
        await page.get_by_role("button", name="삭제").click()
        await page.get_by_role("dialog").get_by_role("button", name="삭제").click()
        await expect(page.locator(".row").first).to_be_visible()
        await expect(page.get_by_role("link", name="안내 팀")).to_have_count(0)


async def test_one_of_ours_is_copied(serve, visit) -> None:
    async with ScriptedServer(respond=lambda _: say("네.")) as scripted:
        page = await visit(await serve(scripted), "#/start/teams/assistant", team="assistant")
        await expect(page.get_by_text("새 이름으로 베낀 것을 고칩니다")).to_be_visible()
        copied = page.url.replace("assistant", "assistant-2")  # taken before the click, which may be done at once
        await page.get_by_role("button", name="저장").click()
        await expect(page).to_have_url(copied)
        await expect(page.get_by_role("heading", name="assistant-2")).to_be_visible()


async def test_a_schedule_is_made_asked_paused_and_deleted(serve, visit) -> None:
    async with ScriptedServer(respond=lambda _: say("없습니다.")) as scripted:
        page = await visit(await serve(scripted, teams=[team()]), "#/start/schedules")
        await page.get_by_role("button", name="새 예약").click()
        await page.get_by_label("물을 것").fill("오늘 바뀐 규정은?")
        await page.get_by_label("언제").select_option("")
        await page.get_by_role("textbox", name="크론").fill("never")
        await page.get_by_label("팀").last.select_option("desk")
        await page.get_by_label("시간대").fill("Asia/Tokio")
        await page.get_by_label("이름").fill("달마다")
        await page.get_by_role("button", name="저장").click()
        # Said at its field, where one goes on; what was typed stays.
        zone, line = page.get_by_label("시간대"), page.get_by_role("textbox", name="크론")
        await expect(zone).to_be_focused()
        await expect(zone).to_have_value("Asia/Tokio")
        await zone.fill("Asia/Tokyo")
        await page.get_by_role("button", name="저장").click()
        await expect(line).to_be_focused()
        await expect(line).to_have_attribute("aria-invalid", "true")
        await expect(page.locator(".field", has=line).get_by_role("alert")).to_have_text(re.compile("^'never'"))
        for field, value in ((line, "never"), (zone, "Asia/Tokyo"), (page.get_by_label("이름"), "달마다")):
            await expect(field).to_have_value(value)
        await expect(page.get_by_label("팀").last).to_have_value("desk")
        await line.fill("30 8 1 * *")
        await page.get_by_role("button", name="저장").click()
        row = page.locator(".row", has_text="달마다")
        await expect(row).to_contain_text("다음:")
        await row.get_by_role("button", name="지금 묻기").click()
        await expect(row).to_contain_text("지난번:")
        await row.get_by_role("button", name="멈춰 두기").click()
        await expect(row).to_contain_text("멈춰 둠")
        await row.get_by_role("button", name="고치기").click()
        await page.get_by_label("언제").select_option("0 9 * * *")
        await page.get_by_role("button", name="저장").click()
        await expect(row).to_contain_text("날마다 오전 9시")
        await expect(row).to_contain_text("완료")
        await row.get_by_role("button", name="삭제").click()
        await page.get_by_role("dialog").get_by_role("button", name="삭제").click()
        await expect(page.locator(".empty")).to_be_visible()


async def test_a_schedule_without_a_team_is_shown_and_keeps_none(serve, visit) -> None:
    url = await serve(teams=[team()])
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        await client.post("/v1/schedules", json={"cron": "@daily", "message": "안녕?", "name": "날마다"})
        page = await visit(url, "#/start/schedules")
        row = page.locator(".row", has_text="날마다")
        await row.get_by_role("button", name="고치기").click()
        await page.get_by_label("이름").fill("아침마다")
        await page.get_by_role("button", name="저장").click()
        await expect(page.locator(".row", has_text="아침마다")).to_be_visible()
        (kept,) = (await client.get("/v1/schedules")).json()["schedules"]
    assert kept["team"] is None
