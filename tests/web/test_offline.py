"""The page installs, and reads the last conversations without its server, unless a key was used."""

import json
from pathlib import Path
from typing import Any

import pytest

from dure import Agent, Dure, Team
from dure.testing import ScriptedServer, say, served

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

STATIC = Path(__file__).parents[2] / "src/dure/web/static"
DESK = Team(name="desk", kind="solo", description="x", agents=[Agent(name="clerk", description="x")])
KEPT = """async (name) => (await (await caches.open(name)).keys()).map((each) => new URL(each.url).pathname)"""


def opened(folder: Path, scripted: ScriptedServer, **more: Any) -> Dure:
    given: dict[str, Any] = {"data_dir": folder, "embeddings": False, "tool_dialect": "native", "port": 0}
    return Dure(**given, model_base_url=scripted.url, teams=[DESK], **more)


async def until(page: Any, condition: str) -> None:
    """Until the page says so; its policy allows no `wait_for_function`."""
    await page.evaluate(f"async () => {{ while (!({condition})) await new Promise(requestAnimationFrame) }}")


async def asked(page: Any) -> None:
    await page.get_by_label("메시지").fill("휴가는?")
    await page.get_by_label("메시지").press("Enter")
    await page.wait_for_selector(".md.finished :text('열흘')")


async def test_what_was_read_is_read_without_the_server(visit, tmp_path) -> None:
    async with ScriptedServer(say("**열흘**입니다.")) as scripted:
        async with served(opened(tmp_path, scripted)) as url:
            page = await visit(url, service_workers="allow")
            await asked(page)
            # From here on the worker is there: what is read is kept.
            await until(page, "navigator.serviceWorker.controller")
            await page.reload()
            await page.wait_for_selector(".answer-foot .facts-line:has-text('토큰')")
            session = (await page.evaluate("location.hash")).rpartition("/")[2]
            await until(page, f"(await ({KEPT})('dure-data')).some((each) => each.endsWith('/events'))")
            await until(page, f"(await ({KEPT})('dure-page')).some((each) => each.endsWith('/main.js'))")
        await page.reload()
        await page.wait_for_selector(".md.finished strong:has-text('열흘')")
        await expect(page.locator(".toast").first).to_contain_text("이 브라우저에 남은 대화")
        await expect(page.locator(".recent a")).to_have_attribute("href", f"#/s/{session}")
        await page.context.close()


async def test_all_that_the_page_loaded_is_kept(serve, visit) -> None:
    """Also what was on its way when the worker came: the Korean face."""
    page = await visit(await serve(), service_workers="allow")
    loaded = "performance.getEntriesByType('resource').map((each) => new URL(each.name).pathname)"
    await until(page, f"{loaded}.filter((each) => each.endsWith('.woff2')).length === 2")
    await until(page, "navigator.serviceWorker.controller")
    files = f"{loaded}.filter((each) => /static.[0-9a-f]{{12}}/.test(each))"
    await until(page, f"((kept) => {files}.every((each) => kept.includes(each)))(await ({KEPT})('dure-page'))")
    assert len(await page.evaluate(files)) > 5


async def test_with_a_key_nothing_is_kept(visit, tmp_path) -> None:
    async with (
        ScriptedServer(say("열흘입니다.")) as scripted,
        served(opened(tmp_path, scripted, api_keys="kim:secret")) as url,
    ):
        page = await visit(url, service_workers="allow")
        await page.get_by_role("dialog").get_by_role("textbox").fill("secret")
        await page.get_by_role("dialog").get_by_role("textbox").press("Enter")
        await page.wait_for_selector(".example, .team")
        await asked(page)
        await until(page, "navigator.serviceWorker.controller")
        await page.reload()
        await page.wait_for_selector(".md.finished")
        assert await page.evaluate(KEPT, "dure-data") == []
        await page.context.close()


async def test_it_installs(serve, visit, whole) -> None:
    page = await visit(await serve(), context=await whole.new_context(service_workers="block"))
    wire = await page.context.new_cdp_session(page)
    manifest = await wire.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert json.loads(manifest["data"])["name"] == "Dure"
    address = await page.evaluate(
        "(given) => new URL(JSON.parse(given[1]).start_url, given[0]).pathname", [manifest["url"], manifest["data"]]
    )
    assert address == "/"
    # Nothing but that a test's browser keeps nothing.
    errors = (await wire.send("Page.getInstallabilityErrors"))["installabilityErrors"]
    assert [each["errorId"] for each in errors] == ["in-incognito"]
