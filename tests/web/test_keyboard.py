"""Whoever has no mouse: each step of a conversation by keys alone; where one is can be seen, and is never lost."""

from typing import Any

import pytest

from dure import Agent, Team, tool
from dure.testing import ScriptedServer, call, say

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

STOP = """() => {
  const at = document.activeElement, style = getComputedStyle(at);
  const name = (at.getAttribute('aria-label') || at.placeholder || at.textContent || '').trim();
  const seen = style.outlineStyle !== 'none' || style.boxShadow !== 'none' || at.matches('textarea, input');
  return { name, seen, nowhere: at === document.body, tag: at.tagName };
}"""


@tool(effect="external")
def send_mail(to: str) -> str:
    """Send a mail."""
    return "sent"


async def go_to(page: Any, name: str, *, back: bool = False) -> None:
    """By the tabulator to what has this name. Everywhere on the way it can be seen where one is."""
    for _ in range(120):
        await page.keyboard.press("Shift+Tab" if back else "Tab")
        stop = await page.evaluate(STOP)
        # Past the end one is at the browser's own buttons.
        assert stop["seen"] or stop["nowhere"], stop
        if stop["name"] == name:
            return
    raise AssertionError(f"{name} is not reached")


async def somewhere(page: Any) -> None:
    """What one was at may have gone; one is not thrown back to the page's beginning."""
    stay = "async () => { for (let n = 0; n < 10; n += 1) await new Promise(requestAnimationFrame) }"
    await page.evaluate(stay)
    assert not (await page.evaluate(STOP))["nowhere"]


async def test_a_conversation_without_a_mouse(serve, visit) -> None:
    agent = Agent(name="clerk", description="x", tools=[send_mail])
    desk = Team(name="desk", kind="solo", description="x", agents=[agent])
    script = (call("send_mail", to="kim"), say("보냈습니다."), say("다른 답입니다."))
    async with ScriptedServer(*script) as scripted:
        page = await visit(await serve(scripted, teams=[desk]))
        box = page.get_by_label("메시지")
        await expect(box).to_be_focused()
        await page.keyboard.type("메일 보내 줘")
        await page.keyboard.press("Enter")
        await expect(page.locator(".approval").get_by_role("button", name="승인", exact=True)).to_be_visible()
        await go_to(page, "승인", back=True)
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".md.finished :text('보냈습니다.')")
        await somewhere(page)

        await go_to(page, "작업", back=True)
        await page.keyboard.press("Enter")
        await expect(page.locator("#panel")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.locator("#panel")).to_be_hidden()
        assert (await page.evaluate(STOP))["name"] == "작업"

        await go_to(page, "고쳐서 다시 묻기", back=True)
        await page.keyboard.press("Enter")
        await expect(box).to_be_focused()
        await page.keyboard.type(" 다시")
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".md.finished :text('다른 답입니다.')")
        await somewhere(page)

        await page.keyboard.press("Control+k")
        await expect(page.get_by_role("dialog")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_be_hidden()
        await somewhere(page)
