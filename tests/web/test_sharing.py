"""A conversation on one page: saved, printed, and read by whoever has its link."""

import asyncio
import io
import re

import docx
import httpx
import pytest

from dure import Agent, Team
from dure.testing import ScriptedServer, call, say

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

AGENT = Agent(name="clerk", description="x", tools=["search_knowledge_base"])
TEAM = Team(name="desk", kind="solo", description="x", agents=[AGENT])
KEY = "key-of-kim"


def respond(body):
    if body["messages"][-1]["role"] == "tool":
        return say("**15일**입니다. [1]")
    return call("search_knowledge_base", queries=["연차휴가"])


async def talked(url: str, *messages: str) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=30, headers={"Authorization": f"Bearer {KEY}"}) as client:
        if not (await client.get("/v1/documents")).json()["documents"]:
            await client.post("/v1/documents", files={"file": ("규정.txt", "연차휴가는 1년에 15일이다.".encode())})
            for _ in range(500):
                if (await client.get("/v1/documents")).json()["documents"][0]["status"] == "ready":
                    break
                await asyncio.sleep(0.05)
        for message in messages:
            body = {"message": message, "session_id": "talk", "team": "desk"}
            assert (await client.post("/v1/chat", json=body)).json()["status"] == "completed"


@pytest.mark.parametrize("locale", ["ko-KR", "en-US"])
async def test_a_link_is_read_without_a_key_until_it_ends(serve, visit, locale) -> None:
    korean = locale == "ko-KR"
    begin = "링크로 공유" if korean else "Share by link"
    async with ScriptedServer(respond=respond) as scripted:
        url = await serve(scripted, teams=[TEAM], api_keys=f"kim:{KEY}")
        await talked(url, "연차휴가는?")
        page = await visit(url, locale=locale)
        await page.locator("dialog input[type=password]").fill(KEY)
        await page.locator("dialog button").first.click()
        await page.wait_for_selector(".recent a")
        await page.goto(f"{url}/#/s/talk")
        await page.get_by_role("link", name="공유 · 내보내기" if korean else "Share · export").click()
        await page.get_by_role("button", name=begin).focus()
        await page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog")
        await expect(dialog).to_contain_text("읽을 수 있습니다" if korean else "can read")
        await dialog.get_by_role("button", name=begin).click()
        shown = page.locator(".share input")
        await expect(shown).to_have_value(re.compile(r"#/shared/[\w-]{32}$"))
        link = await shown.input_value()
        await page.reload()
        await expect(shown).to_have_value(link)
        # Somebody else, who has no key and is asked for none; what is said later is not shown yet.
        await talked(url, "그 뒤의 물음은?")
        other = await visit(url, link.removeprefix(url + "/"), locale=locale)
        for _ in range(2):
            await expect(other.locator(".asked")).to_have_text(["연차휴가는?"])
            await expect(other.locator(".md")).to_contain_text("15일입니다.")
            await expect(other.locator(".cited li")).to_contain_text("연차휴가는 1년에 15일이다.")
            await expect(other.locator("dialog, .side, textarea")).to_have_count(0)
            await other.reload()
        await other.locator("button.cite").click()
        await expect(other.locator(".cited li")).to_be_focused()
        await page.get_by_role("button", name="지금까지로 고치기" if korean else "Up to now").click()
        await expect(page.locator(".toast")).to_be_visible()
        await other.reload()
        await expect(other.locator(".asked")).to_have_text(["연차휴가는?", "그 뒤의 물음은?"])
        await page.get_by_role("button", name="공유 끝내기" if korean else "Stop sharing").click()
        await expect(page.get_by_role("button", name=begin)).to_be_visible()
        await other.reload()
        await expect(other.get_by_role("alert")).to_contain_text("공유가 끝났거나" if korean else "no longer shared")


async def test_it_is_saved_and_printed(serve, visit) -> None:
    async with ScriptedServer(respond=respond) as scripted:
        url = await serve(scripted, teams=[TEAM])
        await talked(url, "연차휴가는?")
        page = await visit(url, "#/sessions", color_scheme="dark", timezone_id="Asia/Seoul")
        await page.get_by_role("link", name="읽기 · 공유 · 내보내기").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("연차휴가는?")
        for name, ending in (("Markdown", ".md"), ("Word", ".docx")):
            async with page.expect_download() as saved:
                await page.get_by_role("button", name=name).click()
            download = await saved.value
            assert download.suggested_filename == f"연차휴가는_{ending}"
            data = (await download.path()).read_bytes()
            found = (
                data.decode()
                if ending == ".md"
                else "\n".join(p.text for p in docx.Document(io.BytesIO(data)).paragraphs)
            )
            assert "연차휴가는?" in found
            assert re.search(r"질문 \(\S+ \d\d:\d\d KST\)", found)
            assert "연차휴가는 1년에 15일이다." in found
        # On paper: the conversation alone, light.
        for place in ("#/read/talk", "#/s/talk"):
            await page.goto(f"{url}/{place}")
            await expect(page.locator(".md").first).to_contain_text("15일입니다.")
            await page.emulate_media(media="print")
            for gone in (".side", ".composer", ".reading-acts", ".message-tools"):
                await expect(page.locator(f"{gone}:visible")).to_have_count(0)
            assert await page.evaluate("getComputedStyle(document.body).color") == "rgb(29, 37, 34)"
            assert await page.evaluate("document.documentElement.scrollHeight") >= await page.evaluate(
                "document.querySelector('#view').scrollHeight"
            )
            await page.emulate_media(media="screen")
