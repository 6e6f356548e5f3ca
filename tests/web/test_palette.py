"""Ctrl+K finds conversations, documents and commands; who looks elsewhere is told when an answer is there."""

import asyncio
import re

import httpx
import pytest

from dure import Agent, Team
from dure.testing import ScriptedServer, say

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

DESK = Team(name="desk", kind="solo", description="x", agents=[Agent(name="clerk", description="x")])
# A page that is not looked at, as far as it can tell.
HIDE = """() => { Object.defineProperty(document, "hidden", {configurable: true, get: () => window.away});
  window.look = (away) => { window.away = away; document.dispatchEvent(new Event("visibilitychange")) } }"""


async def test_what_is_looked_for_is_found_by_keys_alone(serve, visit) -> None:
    async with ScriptedServer(say("열흘입니다.")) as scripted:
        url = await serve(scripted, teams=[DESK])
        async with httpx.AsyncClient(base_url=url, timeout=30) as client:
            await client.post("/v1/documents", files={"file": ("여비 규정.txt", "출장비는 하루 5만원이다.".encode())})
            while (await client.get("/v1/documents")).json()["documents"][0]["status"] != "ready":
                pass
            await client.post("/v1/chat", json={"message": "휴가는 며칠?", "session_id": "one", "team": "desk"})
        page = await visit(url)
        await page.keyboard.press("Control+k")
        box = page.get_by_role("combobox", name="찾기")
        await expect(box).to_be_focused()
        # An empty box offers commands and the last conversations.
        await expect(page.get_by_role("option", name="휴가는 며칠?")).to_be_visible()
        await box.fill("휴가")
        await expect(page.locator(".palette-row")).to_have_count(1)
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(f"{url}/#/s/one")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await page.keyboard.press("Control+k")
        await box.fill("여비")
        await expect(page.locator(".palette-row")).to_have_count(1)
        await page.keyboard.press("Enter")
        await expect(page.locator("#panel .source-text")).to_contain_text("하루 5만원")
        await page.keyboard.press("Control+k")
        await box.fill("대")
        await expect(page.locator(".palette-row").first).to_have_attribute("aria-selected", "true")
        await page.keyboard.press("ArrowDown")
        await expect(page.locator(".palette-row").first).to_have_attribute("aria-selected", "false")
        await box.fill("실행")
        await expect(page.locator(".palette-row")).to_have_count(1)
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(re.compile("#/runs"))
        await page.keyboard.press("Control+k")
        await box.fill("없는 것")
        await expect(page.get_by_text("찾지 못했습니다.")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_what_is_typed_at_once_is_looked_for(serve, visit) -> None:
    """Though what looks for it is on its way still; where it cannot come, that is said."""
    page = await visit(await serve())
    message = page.get_by_role("textbox", name="메시지")
    await expect(message).to_be_focused()
    await page.route("**/views/palette.js", lambda route: route.abort())
    await page.keyboard.press("Control+k")
    await expect(page.locator(".toast")).to_have_text("서버에 연결할 수 없습니다.")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(message).to_be_focused()
    await page.reload()
    await expect(message).to_be_focused()
    held: asyncio.Queue = asyncio.Queue()
    await page.unroute("**/views/palette.js")
    await page.route("**/views/palette.js", held.put)
    await page.keyboard.press("Control+k")
    await page.keyboard.type("실행")
    route = await held.get()
    box = page.get_by_role("combobox", name="찾기")
    await expect(box).to_have_value("실행")
    await route.continue_()
    await expect(page.locator(".palette-row")).to_have_count(1)
    await page.keyboard.type(" 기록")
    await expect(box).to_have_value("실행 기록")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("#/runs"))
    await page.go_back()
    await expect(message).to_have_value("")


async def test_conversations_that_come_late_are_offered_all_the_same(serve, visit) -> None:
    async with ScriptedServer(say("열흘입니다.")) as scripted:
        url = await serve(scripted, teams=[DESK])
        async with httpx.AsyncClient(base_url=url, timeout=30) as client:
            await client.post("/v1/chat", json={"message": "휴가는 며칠?", "session_id": "one", "team": "desk"})
        page = await visit(url)
        # The page's own list is on its way still when the box is opened.
        held = []
        await page.route(re.compile(r"/v1/sessions(?!.*limit=8\b)"), lambda route: held.append(route))
        await page.reload()
        await expect(page.get_by_role("textbox", name="메시지")).to_be_visible()
        await page.keyboard.press("Control+k")
        await expect(page.get_by_role("option", name="휴가는 며칠?")).to_be_visible()
        for route in held:
            await route.continue_()


async def test_who_looks_elsewhere_is_told(serve, visit) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("열흘입니다.").after(gate)) as scripted:
        page = await visit(await serve(scripted, teams=[DESK]), permissions=["notifications"])
        await page.evaluate(HIDE)
        script = (
            "() => { window.told = []; window.Notification = class { constructor(title, {body}) { told.push(body) } }"
        )
        await page.evaluate(
            f"{script}; Notification.permission = 'granted'; Notification.requestPermission = async () => 'granted' }}"
        )
        await page.get_by_role("button", name="답이 오면 알리기").click()
        await expect(page.get_by_role("button", name="답이 오면 알리기")).to_have_attribute("aria-pressed", "true")
        await page.get_by_label("메시지").fill("휴가는?")
        await page.get_by_label("메시지").press("Enter")
        await page.evaluate("look(true)")
        gate.set()
        await expect(page).to_have_title(re.compile("^● "))
        assert await page.evaluate("told") == ["답변이 끝났습니다."]
        await page.evaluate("look(false)")
        await expect(page).to_have_title(re.compile("^[^●]"))


async def test_going_back_leaves_it(serve, visit) -> None:
    async with ScriptedServer() as scripted:
        page = await visit(await serve(scripted, teams=[DESK]))
        await page.get_by_role("link", name="문서", exact=True).click()
        await page.keyboard.press("Control+k")
        await expect(page.get_by_role("dialog")).to_have_count(1)
        await page.go_back()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page.get_by_label("메시지")).to_be_visible()


async def test_who_closes_it_goes_on_writing(serve, visit) -> None:
    async with ScriptedServer() as scripted:
        page = await visit(await serve(scripted, teams=[DESK]))
        box = page.get_by_label("메시지")
        await expect(box).to_be_focused()
        await page.keyboard.press("Control+k")
        await expect(page.get_by_role("combobox", name="찾기")).to_be_focused()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(box).to_be_focused()
        await page.keyboard.type("write on")
        await expect(box).to_have_value("write on")
