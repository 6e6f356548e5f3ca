"""Conversations: found, renamed, deleted."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from dure import Agent, Team
from dure.storage import stamp
from dure.testing import ScriptedServer, say

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_list_search_rename_delete(serve, visit) -> None:
    team = Team(name="desk", kind="solo", description="x", agents=[Agent(name="clerk", description="x")])
    async with ScriptedServer(respond=lambda body: say("열흘입니다.")) as scripted:
        url = await serve(scripted, teams=[team])
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            for message in ("연차휴가는?", "출장비는?"):
                await client.post("/v1/chat", json={"message": message, "team": "desk"})
        page = await visit(url, "#/sessions")
        rows = page.locator(".page .row")
        await expect(rows).to_have_count(2)
        await page.get_by_role("searchbox").fill("출장")
        await expect(rows).to_have_count(1)
        await page.get_by_label("이름 바꾸기: 출장비는?").click()
        await page.get_by_role("dialog").get_by_role("textbox").fill("출장 <i>규정</i>")
        await page.get_by_role("dialog").get_by_role("button", name="저장").click()
        await expect(rows.get_by_role("link").first).to_have_text("출장 <i>규정</i>")
        await expect(page.locator(".recent")).to_contain_text("출장 <i>규정</i>")
        await page.get_by_label("삭제: 출장").click()
        # Whoever goes back, as on a phone, has put the question away.
        await page.evaluate("location.hash = '#/documents'")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await page.go_back()
        await page.get_by_role("searchbox").fill("출장")
        await expect(rows).to_have_count(1)
        await page.get_by_label("삭제: 출장").click()
        await page.get_by_role("dialog").get_by_role("button", name="삭제").click()
        await expect(rows).to_have_count(0)
        await page.get_by_role("searchbox").fill("")
        await expect(rows).to_have_count(1)
        await rows.get_by_role("link").first.click()
        await expect(page.locator(".bubble")).to_have_text("연차휴가는?")


async def test_who_deletes_by_key_is_asked_and_goes_on_beside_what_is_gone(serve, visit) -> None:
    async with ScriptedServer(respond=lambda body: say("열흘입니다.")) as scripted:
        url = await serve(scripted)
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            for message in ("하나", "둘", "셋"):
                await client.post("/v1/chat", json={"message": message, "team": "assistant"})
        page = await visit(url, "#/sessions")
        rows = page.locator(".page .row")
        await page.get_by_label("삭제: 둘").press("Enter")
        await expect(page.get_by_role("dialog").get_by_role("button", name="취소")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(rows).to_have_count(3)
        await expect(page.get_by_label("삭제: 둘")).to_be_focused()
        await page.keyboard.press("Enter")
        await page.keyboard.press("Shift+Tab")
        await page.keyboard.press("Enter")
        await expect(rows).to_have_count(2)
        await expect(page.get_by_role("link", name="하나", exact=True).last).to_be_focused()
        await page.get_by_label("삭제: 하나").press("Enter")
        await page.get_by_role("dialog").get_by_role("button", name="삭제").press("Enter")
        await expect(rows).to_have_count(1)
        await expect(page.get_by_label("삭제: 셋")).to_be_focused()
        # Without a name it is not named.
        await page.get_by_label("이름 바꾸기: 셋").click()
        await page.get_by_role("dialog").get_by_role("textbox").fill("  ")
        await page.get_by_role("dialog").get_by_role("button", name="저장").click()
        await expect(page.get_by_role("dialog")).to_be_visible()


async def test_in_a_conversation_that_was_deleted_elsewhere_nothing_is_asked(serve, visit) -> None:
    async with ScriptedServer(respond=lambda body: say("열흘입니다.")) as scripted:
        url = await serve(scripted)
        page = await visit(url)
        await page.get_by_label("메시지").fill("첫 질문")
        await page.get_by_label("메시지").press("Enter")
        await page.wait_for_selector(".md.finished")
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            for each in (await client.get("/v1/sessions")).json()["sessions"]:
                await client.delete(f"/v1/sessions/{each['id']}")
            asked = len(scripted.requests)
            await page.get_by_label("메시지").fill("그러면 둘째는?")
            await page.get_by_label("메시지").press("Enter")
            problem = page.locator(".log .problem")
            await expect(problem).to_contain_text("다른 곳에서 지워졌습니다")
            # Nothing stands before it, and the list does not lead there any more.
            await expect(page.locator(".toast")).to_have_count(0)
            await expect(page.locator(".recent a")).to_have_count(0)
            assert len(scripted.requests) == asked
            assert (await client.get("/v1/sessions")).json()["sessions"] == []
        await expect(page.locator(".bubble")).to_have_text(["첫 질문"])
        await problem.get_by_role("button", name="새 대화").click()
        await expect(page.locator(".welcome")).to_be_visible()
        await expect(page.get_by_label("메시지")).to_have_value("그러면 둘째는?")


async def test_what_is_deleted_in_one_tab_is_gone_from_the_lists_of_others(serve, visit) -> None:
    async with ScriptedServer(respond=lambda body: say("열흘입니다.")) as scripted:
        url = await serve(scripted)
        one = await visit(url)
        await one.get_by_label("메시지").fill("첫 질문")
        await one.get_by_label("메시지").press("Enter")
        await one.wait_for_selector(".md.finished")
        two = await visit(url, "#/sessions", context=one.context)
        await expect(two.locator(".page .row")).to_have_count(1)
        await two.get_by_label("삭제: 첫 질문").click()
        await two.get_by_role("dialog").get_by_role("button", name="삭제").click()
        for page in (two, one):
            await expect(page.locator(".recent a")).to_have_count(0)


async def test_an_empty_list_leads_on(serve, visit) -> None:
    """Where nothing was asked yet the lists say so; where nothing fits the words, that."""
    page = await visit(await serve(), "#/runs")
    await expect(page.locator("#view .empty")).to_contain_text("아직 아무것도 묻지 않았습니다")
    await page.get_by_label("질문과 답변에서 찾기").fill("없는 말")
    await expect(page.locator("#view .empty")).to_have_text("맞는 실행이 없습니다.")
    await page.goto(page.url.split("#")[0] + "#/sessions")
    await page.locator("#view .empty a").click()
    await expect(page.locator(".welcome")).to_be_visible()


async def keep(path, rows) -> None:
    """Put conversations into a server's database: their numbers and when they were last used."""
    with closing(sqlite3.connect(path / "data/dure.db")) as database, database:
        values = [("default", f"s-{n}", f"{n}번", stamp(at), stamp(at)) for n, at in rows]
        database.executemany(
            "INSERT INTO sessions (owner, id, title, created_at, updated_at) VALUES (?, ?, ?, ?, ?)", values
        )


@pytest.mark.parametrize(
    ("locale", "pin", "folder", "pinned", "save"),
    [("ko-KR", "고정", "폴더", "고정됨", "저장"), ("en-US", "Pin", "Folder", "Pinned", "Save")],
)
async def test_pins_and_folders_by_keyboard(serve, visit, tmp_path, locale, pin, folder, pinned, save) -> None:
    """Pinned ones stand first, here and beside; folders open and close; a reload shows the same."""
    page = await visit(await serve(), locale=locale)
    await keep(tmp_path, [(n, datetime(2020, 3, n + 1, tzinfo=UTC)) for n in range(4)])
    await page.goto(page.url.split("#")[0] + "#/sessions")
    rows = page.locator("#view .row .row-title")
    await expect(rows).to_have_text(["3번", "2번", "1번", "0번"])
    await page.get_by_label(f"{pin}: 1번").focus()
    await page.keyboard.press("Enter")
    await expect(rows).to_have_text(["1번", "3번", "2번", "0번"])
    await expect(page.get_by_label(f"{pin}: 1번")).to_be_focused()
    await expect(page.get_by_label(f"{pin}: 1번")).to_have_attribute("aria-pressed", "true")
    await expect(page.locator(".group h2").first).to_have_text(pinned)
    await expect(page.locator(".recent li").first).to_contain_text("1번")
    await page.get_by_label(f"{folder}: 2번").focus()
    await page.keyboard.press("Enter")
    await page.keyboard.type("규정 <i>")
    await page.keyboard.press("Enter")
    await expect(rows).to_have_text(["1번", "3번", "0번"])
    summary = page.locator(".folder summary")
    await expect(summary).to_have_text("규정 <i>1")
    await expect(summary).to_be_focused()
    await page.keyboard.press("Enter")
    shown = ["1번", "2번", "3번", "0번"]
    await expect(rows).to_have_text(shown)
    await page.reload()
    await expect(rows).to_have_text(shown)
    # What is looked for may stand in any folder, and says in which.
    await page.get_by_role("searchbox").fill("2번")
    await expect(rows).to_have_text(["2번"])
    await expect(page.locator("#view .row small")).to_contain_text("규정 <i>")
    await page.get_by_label(f"{folder}: 2번").click()
    await page.get_by_role("dialog").get_by_role("combobox").fill("")
    await page.get_by_role("dialog").get_by_role("button", name=save).click()
    await expect(page.locator("#view .row small")).not_to_contain_text("규정")
    await page.get_by_role("searchbox").fill("")
    await expect(page.locator(".folder")).to_have_count(0)
    await expect(rows).to_have_text(["1번", "3번", "2번", "0번"])


async def test_a_thousand_conversations_come_piece_by_piece(serve, visit, tmp_path) -> None:
    """A list is one request of 200; a folder's conversations are asked for when it is opened."""
    page = await visit(await serve())
    await keep(tmp_path, [(n, datetime(2020, 3, 1, tzinfo=UTC) + timedelta(minutes=n)) for n in range(1000)])
    with closing(sqlite3.connect(tmp_path / "data/dure.db")) as database, database:
        database.execute("UPDATE sessions SET folder = '모음' WHERE id IN (SELECT id FROM sessions LIMIT 300)")
    asked: list[str] = []
    page.on("request", lambda each: "/v1/sessions?limit=200" in each.url and asked.append(each.url))
    await page.goto(page.url.split("#")[0] + "#/sessions")
    rows = page.locator("#view .row")
    await expect(rows).to_have_count(200)
    assert len(asked) == 1
    await page.locator(".folder summary").click()
    await expect(rows).to_have_count(400)
    # By key: rows take their own height when they are first seen, and the button moves while it is scrolled to.
    await page.locator(".folder").get_by_role("button", name="더 보기").press("Enter")
    await expect(rows).to_have_count(500)
    for count in (700, 900, 1000):
        await page.get_by_role("button", name="더 보기").last.press("Enter")
        await expect(rows).to_have_count(count)
    assert len(asked) == 6


@pytest.mark.parametrize(
    ("locale", "heads"),
    [
        ("ko-KR", ["오늘", "어제", "지난 7일", "2020년 3월"]),
        ("en-US", ["today", "yesterday", "The last 7 days", "March 2020"]),
    ],
)
async def test_conversations_stand_by_days(serve, visit, tmp_path, locale, heads) -> None:
    page = await visit(await serve(), locale=locale, timezone_id="UTC")
    today = datetime.now(UTC)
    last = [today - timedelta(days=n) for n in (0, 1, 4, 5)] + [datetime(2020, 3, 7, 5, tzinfo=UTC)]
    await keep(tmp_path, enumerate(last))
    await page.goto(page.url.split("#")[0] + "#/sessions")
    await expect(page.locator(".group h2")).to_have_text(heads)
    await expect(page.locator(".page .rows > li")).to_have_count(9)
    # With its last conversation a day's head goes.
    await page.locator(".row", has_text="1번").get_by_role("button").last.click()
    await page.get_by_role("dialog").get_by_role("button").first.click()
    await expect(page.locator(".group:visible h2")).to_have_text([heads[0], *heads[2:]])


async def test_lists_are_read_anew_when_one_goes_on_or_comes_back(serve, visit) -> None:
    """What another tab or program did is seen, also what it did while the server was not to be reached."""
    async with ScriptedServer(respond=lambda body: say("네.")) as scripted:
        url = await serve(scripted)
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:

            async def ask(session: str, message: str) -> None:
                await client.post("/v1/chat", json={"message": message, "session_id": session, "team": "assistant"})

            await ask("s-one", "첫 질문")
            page = await visit(url, team="assistant")
            recent = page.locator(".recent a span")
            await expect(recent).to_have_text(["첫 질문"])
            await expect(page.locator(".mending", has_text="문서")).to_be_visible()
            await ask("s-two", "둘째 질문")
            await page.get_by_role("link", name="실행 기록").click()
            await expect(recent).to_have_text(["둘째 질문", "첫 질문"])
            await client.delete("/v1/sessions/s-one")
            await page.evaluate(RETURNED)
            await expect(recent).to_have_text(["둘째 질문"])
            await page.get_by_role("button", name="새 대화").first.click()
            await expect(page.locator(".mending", has_text="문서")).to_be_visible()
            await client.post("/v1/documents", files={"file": ("규정.txt", "연차는 15일이다.".encode())})
            await page.evaluate(RETURNED)
            await expect(page.locator(".mending", has_text="문서")).to_have_count(0)
            await page.route("**/v1/**", lambda route: route.abort())
            await page.get_by_role("link", name="대화 관리").click()
            await expect(page.locator(".toast")).to_be_visible()
            await page.unroute("**/v1/**")
            # Found out by what is asked every few seconds anyway.
            await expect(page.locator(".talk")).to_contain_text("둘째 질문")


RETURNED = "document.dispatchEvent(new Event('visibilitychange'))"
