"""The first start: what the server found, and the API key of a tab."""

import sqlite3
from contextlib import closing

import pytest

from dure.testing import ScriptedServer, say

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_what_the_server_found(serve, visit) -> None:
    async with ScriptedServer(respond=lambda body: say("네.")) as scripted:
        page = await visit(await serve(scripted), "#/start")
        await expect(page.locator(".finding[data-state=ok]").first).to_be_visible()
        assert await page.locator(".finding").count() >= 3


async def test_what_is_amiss_comes_with_its_mend(serve, visit) -> None:
    page = await visit(await serve(), "#/start")
    await expect(page.locator(".finding[data-state=failed] .mend").first).not_to_be_empty()


async def test_tools_have_names_of_the_pages_language(serve, visit) -> None:
    """The last of a list too, and where some lack a library."""
    page = await visit(await serve())
    found = {"id": "tools", "part": "도구", "state": "warning", "mend": ""}
    found["detail"] = "lookup_term, add_term; 라이브러리가 없음: run_python (pydantic_monty)"
    await page.route("**/v1/status", lambda route: route.fulfill(json={"findings": [found]}))
    await page.get_by_role("link", name="상태", exact=True).click()
    told = page.locator(".finding p")
    await expect(told).to_contain_text("용어 추가; 라이브러리가 없음: ")
    await expect(told).not_to_contain_text("_term")


async def test_the_key_is_asked_for_and_kept_in_the_tab(serve, visit) -> None:
    page = await visit(await serve(api_keys="kim:key-of-kim"))
    dialog = page.get_by_role("dialog", name="API 키 입력")
    for wrong in ("wrong", "열쇠"):
        await dialog.get_by_label("API 키").fill(wrong)
        await dialog.get_by_role("button", name="사용하기").click()
        await expect(dialog.get_by_role("alert")).to_have_text("이 키는 맞지 않습니다.")
        await page.reload()
    await dialog.get_by_label("API 키").fill("key-of-kim")
    await dialog.get_by_role("button", name="사용하기").click()
    await expect(page.locator(".team-tab").first).to_be_visible()
    await page.reload()
    await expect(page.locator(".team-tab").first).to_be_visible()
    assert "key-of-kim" not in await page.evaluate("JSON.stringify(localStorage) + document.cookie + location")
    other = await visit(page.url.split("#")[0].rstrip("/"), context=page.context)
    await expect(other.get_by_role("dialog", name="API 키 입력")).to_be_visible()


async def test_language_and_theme_are_switched_and_kept(serve, visit) -> None:
    page = await visit(await serve())
    await page.get_by_role("button", name="English").click()
    await expect(page.get_by_role("link", name="Documents", exact=True)).to_be_visible()
    await page.get_by_role("button", name="Light or dark").click()
    assert await page.evaluate("document.documentElement.dataset.theme") == "dark"
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("lang", "en")
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")


@pytest.mark.parametrize("locale", ["ko-KR", "en-US"])
async def test_settings_are_kept_and_a_model_is_tried(serve, visit, locale) -> None:
    korean = locale == "ko-KR"
    async with ScriptedServer(respond=lambda body: say("네.")) as scripted:
        page = await visit(await serve(scripted), "#/start", locale=locale, color_scheme="dark")
        await page.get_by_role("button", name="설정" if korean else "Settings").click()
        html = page.locator("html")
        await page.get_by_label("밝게" if korean else "Light", exact=True).check()
        for _ in range(2):
            await expect(html).to_have_attribute("data-theme", "light")
            await expect(page.get_by_label("밝게" if korean else "Light", exact=True)).to_be_checked()
            await page.reload()
        await page.get_by_label("시스템과 같게" if korean else "As the system").check()
        await expect(html).to_have_attribute("data-theme", "dark")
        card = page.get_by_role("group", name="지금 모델" if korean else "The model now")
        await card.locator("[name=base_url]").fill(scripted.url)
        await card.locator("[name=base_url]").press("Enter")
        await expect(card.locator("pre")).to_contain_text(scripted.url)
        await page.get_by_label("English" if korean else "한국어").click()
        await expect(html).to_have_attribute("lang", "en" if korean else "ko")
        await expect(page.get_by_label("English" if korean else "한국어")).to_be_checked()


@pytest.mark.parametrize("locale", ["ko-KR", "en-US"])
async def test_old_conversations_go_after_one_was_told_how_many(serve, visit, tmp_path, locale) -> None:
    korean = locale == "ko-KR"
    page = await visit(await serve(retention_days=1000), "#/start/settings", locale=locale)
    with closing(sqlite3.connect(tmp_path / "data/dure.db")) as database, database:
        values = [
            ("default", f"s-{n}", f"지난 {n}", at, at) for n, at in enumerate(("2026-01-01", "2026-01-02", "2999"))
        ]
        database.executemany(
            "INSERT INTO sessions (owner, id, title, created_at, updated_at) VALUES (?, ?, ?, ?, ?)", values
        )
    days = page.get_by_label("대화를 두는 날수" if korean else "Days for which conversations are kept")
    save, cancel = ("저장", "취소") if korean else ("Save", "Cancel")
    await expect(page.locator("#retention-about")).to_contain_text("1,000")
    for sure in (False, True):
        await days.fill("30")
        await days.press("Enter")
        dialog = page.get_by_role("dialog")
        await expect(dialog).to_contain_text("대화 2개가" if korean else "that is 2")
        await dialog.get_by_role("button", name=save if sure else cancel).click()
    await expect(page.locator(".toast")).to_contain_text("2개를 지웠습니다" if korean else "deleted: 2")
    await page.reload()
    await expect(days).to_have_value("30")
    await page.goto(page.url.replace("#/start/settings", "#/sessions"))
    await expect(page.locator(".page .row")).to_have_count(1)
    await expect(page.locator(".page .row")).to_contain_text("지난 2")


async def test_of_the_view_that_one_leaves_nothing_stays(serve, visit) -> None:
    page = await visit(await serve())
    await page.wait_for_selector(".welcome")
    for _ in range(2):
        await page.get_by_role("link", name="상태", exact=True).click()
        await expect(page.locator("#view > *")).to_have_count(1)
        await expect(page.locator("#view .findings")).to_have_count(1)
        await page.get_by_role("link", name="대화", exact=True).click()
        await page.wait_for_selector(".welcome")
        await expect(page.locator("#view > *")).to_have_count(1)
