"""The key of a server that wants one: in the tab, or kept on the device where one asks for that."""

import pytest

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

KEEP = {"ko-KR": "이 기기에 보관", "en-US": "Keep it on this device"}
FORGET = {"ko-KR": "키 지우기", "en-US": "Forget the key"}


async def given(page, key: str, keep: str = "") -> None:
    """The key is typed; `keep`: the label of the box that is ticked."""
    dialog = page.get_by_role("dialog")
    await dialog.locator("input[type=password]").fill(key)
    if keep:
        await dialog.get_by_label(keep, exact=True).check()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.locator("html[data-ready] textarea")).to_be_visible()


async def test_it_is_gone_with_its_tab(serve, visit) -> None:
    url = await serve(api_keys="kim:1")
    page = await visit(url)
    await expect(page.get_by_role("dialog").get_by_role("checkbox")).not_to_be_checked()
    await given(page, "1")
    await page.reload()
    await page.wait_for_selector("html[data-ready]")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert await page.evaluate("Object.values(localStorage).includes('1')") is False
    other = await visit(url, context=page.context)
    await expect(other.get_by_role("dialog")).to_be_visible()


@pytest.mark.parametrize("locale", [*KEEP])
async def test_kept_it_is_asked_once_and_forgotten_everywhere(serve, visit, locale) -> None:
    url = await serve(api_keys="kim:1,lee:2")
    page = await visit(url, locale=locale)
    waiting = await visit(url, context=page.context)
    await expect(waiting.get_by_role("dialog")).to_be_visible()
    await given(page, "1", KEEP[locale])
    # What asked goes on, and a new tab asks for nothing.
    await expect(waiting.get_by_role("dialog")).to_have_count(0)
    other = await visit(url, "#/start/settings", context=page.context)
    forget = other.get_by_role("button", name=FORGET[locale])
    await expect(forget).to_be_visible()
    await expect(other.get_by_role("dialog")).to_have_count(0)
    await forget.click()
    for each in (other, page, waiting):
        await expect(each.get_by_role("dialog")).to_be_visible()
        assert await each.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('dure.key'))") == []


async def test_a_tab_with_a_key_of_its_own_stays_with_it(serve, visit) -> None:
    url = await serve(api_keys="kim:1,lee:2")
    page = await visit(url)
    await given(page, "2")
    other = await visit(url, context=page.context)
    await given(other, "1", KEEP["ko-KR"])
    await page.reload()
    await page.wait_for_selector("html[data-ready]")
    headers = await page.evaluate("sessionStorage['dure.key']")
    assert headers == "2"
    await other.goto(f"{url}/#/start/settings")
    await other.get_by_role("button", name=FORGET["ko-KR"]).click()
    await expect(other.get_by_role("dialog")).to_be_visible()
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_a_kept_key_that_is_no_longer_taken_goes(serve, visit) -> None:
    url = await serve(api_keys="kim:1")
    page = await visit(url)
    await page.evaluate("localStorage[`dure.key ${location.pathname}`] = 'old'")
    await page.reload()
    await expect(page.get_by_role("dialog")).to_contain_text("맞지 않습니다")
    await given(page, "1")
    assert await page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('dure.key'))") == []
