"""Shelves in the browser: made by whoever manages, filled by editors, read by readers; keys of three owners."""

import pytest

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

KEYS = "boss:admin:key-of-boss,kim:key-of-kim,lee:key-of-lee"


def words(korean: bool) -> dict[str, str]:
    if korean:
        named = {"name": "서가 이름", "first": "첫 사람", "make": "만들기", "member": "사람", "role": "할 수 있는 일"}
        return named | {"add": "넣기", "all": "모두", "reads": "읽기", "changes": "고치기", "off": "모두 빼기"}
    named = {"name": "Name of the shelf", "first": "First member", "make": "Make it", "member": "Member"}
    named |= {"role": "What the member may do", "add": "Add", "all": "Everybody", "reads": "reads"}
    return named | {"changes": "changes", "off": "Take Everybody off"}


@pytest.mark.parametrize("locale", ["ko-KR", "en-US"])
async def test_a_shelf_from_its_making_to_its_end(serve, visit, locale) -> None:
    say = words(locale == "ko-KR")
    url = await serve(api_keys=KEYS)

    async def enter(key: str, place: str):
        page = await visit(url, locale=locale)
        await page.evaluate(f"sessionStorage['dure.key'] = '{key}'")
        await page.goto(f"{url}/{place}")
        await page.reload()
        return page

    boss = await enter("key-of-boss", "#/shelves")
    new = boss.locator("form.shelf")
    await new.get_by_label(say["name"]).fill("인사 규정")
    await new.get_by_label(say["first"]).fill("kim")
    await new.get_by_label(say["role"]).select_option(say["changes"])
    await new.get_by_role("button", name=say["make"]).click()
    shelf = boss.get_by_role("region", name="인사 규정")
    await expect(shelf.locator(".row")).to_have_count(1)
    await shelf.get_by_label(say["member"], exact=True).fill("*")
    await shelf.get_by_role("button", name=say["add"], exact=True).click()
    await expect(shelf.locator(".row", has_text=say["all"])).to_be_visible()
    await expect(boss.locator(".chips-line")).to_contain_text("lee")

    kim = await enter("key-of-kim", "#/documents")
    await kim.locator(".shelf-choice select").select_option("인사 규정")
    given = {"name": "출장.txt", "mimeType": "text/plain", "buffer": "출장비는 하루 5만 원이다.".encode()}
    await kim.locator("input[type=file]").set_input_files(given)
    await expect(kim.locator(".row", has_text="출장.txt")).to_contain_text("인사 규정")

    lee = await enter("key-of-lee", "#/documents")
    theirs = lee.locator(".row", has_text="출장.txt")
    await expect(theirs).to_contain_text("인사 규정")
    # A reader has nowhere to put files, and takes nothing away.
    await expect(lee.locator(".shelf-choice select")).to_have_count(0)
    await expect(theirs.get_by_role("button", name="출장.txt")).to_have_count(2)
    await lee.goto(f"{url}/#/shelves")
    mine = lee.get_by_role("region", name="인사 규정")
    await expect(mine).to_contain_text(say["reads"])
    await expect(mine.locator("input, select")).to_have_count(0)
    await expect(lee.locator("form.shelf")).to_have_count(0)

    await shelf.get_by_role("button", name=say["off"]).click()
    await expect(shelf.locator(".row")).to_have_count(1)
    await lee.goto(f"{url}/#/documents")
    await expect(lee.locator(".empty")).to_be_visible()
    # The last member goes with the shelf alone.
    await shelf.locator(".row").get_by_role("button").click()
    await expect(boss.locator(".toast.bad")).not_to_be_empty()
    await shelf.locator(".row-title").get_by_role("button").click()
    await expect(boss.get_by_role("dialog")).to_contain_text("1")
    await boss.get_by_role("dialog").get_by_role("button").first.click()
    await expect(shelf).to_have_count(0)
