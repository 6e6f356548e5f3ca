"""Asking: files that come with a question, drafts, and the next question while one is answered."""

import asyncio
import re
from typing import Any

import pytest

from dure import Agent, Team
from dure.testing import ScriptedServer, call, say

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

FILES = """() => { const data = new DataTransfer();
data.items.add(new File(['연차휴가는 1년에 15일이다.'], '규정.txt')); return data }"""

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR42mP4z8AARwzEcQCukw/xOF6MEQAAAABJRU5ErkJggg=="
PICTURE = f"""() => {{ const data = new DataTransfer(), bytes = Uint8Array.from(atob('{PNG}'), (c) => c.charCodeAt(0));
data.items.add(new File([bytes], 'dot.png', {{ type: 'image/png' }})); return data }}"""


def team() -> Team:
    agent = Agent(name="clerk", description="x", tools=["search_knowledge_base"])
    return Team(name="desk", kind="solo", description="x", agents=[agent])


@pytest.mark.parametrize("how", ["drop", "paste", "choose"])
async def test_a_question_waits_until_its_files_can_be_searched(serve, visit, how: str) -> None:
    steps = call("search_knowledge_base", queries=["연차휴가"]), say("연차휴가는 1년에 15일입니다. [1]")
    async with ScriptedServer(*steps) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        if how == "choose":
            async with page.expect_file_chooser() as chooser:
                await page.get_by_label("파일 붙이기").click()
            given: Any = {"name": "규정.txt", "mimeType": "text/plain", "buffer": "연차휴가는 1년에 15일이다.".encode()}
            await (await chooser.value).set_files(given)
        else:
            data = await page.evaluate_handle(FILES)
            make = "new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})"
            if how == "paste":
                make = "new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true})"
            await page.evaluate(f"(data) => document.querySelector('.composer textarea').dispatchEvent({make})", data)
        await page.get_by_label("메시지").fill("연차휴가는 며칠이야?")
        await page.get_by_label("메시지").press("Enter")
        await page.wait_for_selector(".answer button.cite")
        await expect(page.locator(".attached")).to_have_count(0)
        # "The attached file" says nothing to a team: it is named, as one that is chosen after `@` is.
        await expect(page.locator(".log .file-chip")).to_have_text(["규정"])
        await expect(page.locator(".question .bubble")).not_to_contain_text("규정")
        assert '연차휴가는 며칠이야?\n\n"규정"' in str(scripted.requests[0]["messages"][1]["content"])


async def test_a_damaged_picture_is_named_before_it_is_sent(serve, visit) -> None:
    page = await visit(await serve(None, teams=[team()]))
    data = await page.evaluate_handle(PICTURE.replace("[bytes]", "[bytes.slice(0, 20)]"))
    make = "new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})"
    await page.evaluate(f"(data) => document.querySelector('.composer textarea').dispatchEvent({make})", data)
    chip = page.locator(".attached .file-chip")
    await expect(chip).to_contain_text("dot.png")
    await expect(chip).to_contain_text("손상된 그림입니다.")


@pytest.mark.parametrize("how", ["drop", "paste"])
async def test_a_picture_goes_with_the_question_and_stands_above_it(serve, visit, how: str) -> None:
    async with ScriptedServer(say("빨간 점."), say("더 빨간 점.")) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        data = await page.evaluate_handle(PICTURE)
        make = "new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})"
        if how == "paste":
            make = "new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true})"
        await page.evaluate(f"(data) => document.querySelector('.composer textarea').dispatchEvent({make})", data)
        await expect(page.locator(".attached img")).to_be_visible()
        await page.get_by_label("메시지").fill("무슨 그림이야?")
        await page.get_by_label("메시지").press("Enter")
        await page.wait_for_selector(".md.finished")
        await expect(page.locator(".attached")).to_have_count(0)
        for _ in range(2):
            shown = page.get_by_alt_text("붙인 그림")
            await expect(shown).to_be_visible()
            assert await shown.evaluate("(image) => image.naturalWidth") == 4
            await page.reload()
        assert len([part for part in parts(scripted.requests[0]) if part["type"] == "image_url"]) == 1
        await page.locator(".answer").hover()
        await page.get_by_role("button", name="고른 팀·모델로 다시 답하기").click()
        await page.wait_for_selector(".md.finished:has-text('더 빨간 점.')")
        assert parts(scripted.requests[1]) == parts(scripted.requests[0])


def parts(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Of the last message."""
    return body["messages"][-1]["content"]


async def test_a_file_that_cannot_be_read_says_why_and_holds_its_question_back(serve, visit) -> None:
    async with ScriptedServer(respond=lambda body: say("네.")) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await _fails_to_read(page)
        box = page.get_by_label("메시지")
        await box.fill("이 파일을 요약해줘")
        await box.press("Enter")
        await expect(page.get_by_role("alert").filter(has_text="떼어 내면")).to_be_visible()
        await expect(box).to_have_value("이 파일을 요약해줘")
        await page.get_by_label("규정.exe 떼기").click()
        await expect(page.locator(".attached")).to_have_count(0)
        assert not scripted.requests
        await box.press("Enter")
        await page.wait_for_selector(".md.finished")


async def _fails_to_read(page) -> None:
    data = await page.evaluate_handle(FILES.replace("연차휴가는 1년에 15일이다.", "MZ\\0\\1\\2").replace("txt", "exe"))
    await page.dispatch_event(".log", "drop", {"dataTransfer": data})
    await expect(page.locator(".attached .mark")).to_have_text("실패")
    await expect(page.locator(".attached .error-text")).not_to_be_empty()


async def test_what_is_written_is_kept_for_each_conversation(serve, visit) -> None:
    async with ScriptedServer(respond=lambda body: say("네.")) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        box = page.get_by_label("메시지")
        await box.fill("첫째")
        await box.press("Enter")
        await page.wait_for_selector(".md.finished")
        await box.fill("쓰다 만 글")
        await page.get_by_role("button", name="새 대화").click()
        await expect(box).to_have_value("")
        await box.fill("다른 글")
        await page.locator(".recent a").first.click()
        await expect(box).to_have_value("쓰다 만 글")
        await page.reload()
        await expect(box).to_have_value("쓰다 만 글")
        await box.press("Enter")
        # A page that goes before the server has answered gives the question back: nobody knows that it arrived.
        await expect(page.locator(".md.finished")).to_have_count(2)
        await page.reload()
        await expect(page.locator(".md.finished")).to_have_count(2)
        await expect(box).to_have_value("")


@pytest.mark.parametrize("refused", [False, True])
async def test_what_is_asked_before_the_conversation_is_read_stands_behind_it(serve, visit, refused) -> None:
    fetched, read = asyncio.Event(), asyncio.Event()

    async def late(route) -> None:
        answered = await route.fetch()
        fetched.set()
        await read.wait()
        await route.fulfill(response=answered)

    async with ScriptedServer(respond=lambda body: say("네.")) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        box = page.get_by_label("메시지")
        await box.fill("첫째")
        await box.press("Enter")
        await page.wait_for_selector(".md.finished")
        await page.route(re.compile(r"/messages\b"), late)
        if refused:
            await page.route("**/v1/chat", lambda route: route.fulfill(status=503, json={"error": {"message": "x"}}))
        await page.reload()
        await fetched.wait()
        await box.fill("둘째")
        await box.press("Enter")
        await expect(page.locator(".bubble" if not refused else ".toast")).to_have_count(1)
        read.set()
        await expect(page.locator(".bubble")).to_have_text(["첫째"] if refused else ["첫째", "둘째"])
        await expect(page.locator(".md.finished")).to_have_count(2 - refused)
        await expect(box).to_have_value("둘째" if refused else "")


async def test_the_next_question_waits_for_its_turn(serve, visit) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("하나.").after(gate), say("둘.")) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        box = page.get_by_label("메시지")
        for message in ("첫째", "둘째"):
            await box.fill(message)
            await box.press("Enter")
        await expect(page.locator(".composer-note:visible")).to_contain_text("다음 질문: 둘째")
        await expect(page.locator(".bubble")).to_have_count(1)
        gate.set()
        await page.wait_for_selector(".md.finished:has-text('둘.')")
        assert await page.locator(".bubble").all_inner_texts() == ["첫째", "둘째"]


async def test_a_stop_gives_the_next_question_back(serve, visit) -> None:
    async with ScriptedServer(say("하나.").after(asyncio.Event())) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        box = page.get_by_label("메시지")
        for message in ("첫째", "둘째"):
            await box.fill(message)
            await box.press("Enter")
        await page.get_by_label("멈추기").click()
        await page.wait_for_selector(".problem:has-text('멈췄습니다')")
        await expect(box).to_have_value("둘째")
        await expect(page).to_have_url(re.compile("#/s/s-"))
        await expect(page.locator(".bubble")).to_have_count(1)


async def test_a_stop_counts_before_the_server_has_answered(serve, visit) -> None:
    held = asyncio.Event()

    async def late(route) -> None:
        await held.wait()
        await route.continue_()

    gate = asyncio.Event()
    async with ScriptedServer(respond=lambda _: say("하나.").after(gate)) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await page.route("**/v1/chat", late)
        await page.get_by_label("메시지").fill("첫째")
        await page.get_by_label("메시지").press("Enter")
        await page.get_by_label("멈추기").click()
        held.set()
        await expect(page.locator(".problem")).to_contain_text("멈췄습니다")


async def test_a_team_and_a_document_are_named_after_an_at(serve, visit) -> None:
    other = team().model_copy(update={"name": "other", "title": "다른 팀"})
    async with ScriptedServer(say("네.")) as scripted:
        page = await visit(await serve(scripted, teams=[team(), other]), "#/documents")
        file = {"name": "여비 규정.txt", "mimeType": "text/plain", "buffer": "출장비는 하루 5만원이다.".encode()}
        await page.locator("input[type=file]").set_input_files(file)
        await expect(page.locator(".row .mark")).to_have_text("준비됨")
        await page.goto(page.url.replace("documents", ""))
        box, offered = page.get_by_label("메시지"), page.locator(".mentions .palette-row")
        # An address is no mention, and what nobody is called changes nothing.
        await box.press_sequentially("kim@example")
        await expect(offered).to_have_count(0)
        await box.fill("")
        await box.press_sequentially("@여비")
        await expect(offered).to_have_count(1)
        await box.press("Enter")
        await expect(box).to_have_value('"여비 규정"')
        await box.press_sequentially("을 알려 줘 @다른")
        await expect(offered).to_have_count(1)
        await box.press("Tab")
        await expect(page.get_by_role("combobox", name="팀", exact=True)).to_have_value("other")
        await expect(box).to_have_value('"여비 규정"을 알려 줘 ')
        await box.press_sequentially("@없음")
        await expect(offered).to_have_count(0)
        async with page.expect_request("**/v1/chat") as asked:
            await box.press("Enter")
        sent = (await asked.value).post_data_json
        assert (sent["team"], sent["message"]) == ("other", '"여비 규정"을 알려 줘 @없음')
        await page.wait_for_selector(".md.finished")


@pytest.mark.parametrize("locale", ["ko-KR", "en-US"])
async def test_a_question_is_saved_and_asked_again_by_a_slash(serve, visit, locale) -> None:
    korean = locale == "ko-KR"
    box_name, save, listed = (
        ("메시지", "질문 저장하기", "저장한 질문과 예")
        if korean
        else ("Message", "Save this question", "Saved questions and examples")
    )
    examples = ["부산 지점의 매출은?", "How much did Busan sell?"]
    desk = team().model_copy(update={"examples": examples})
    async with ScriptedServer(respond=lambda body: say("네.")) as scripted:
        url = await serve(scripted, teams=[desk])
        page = await visit(url, locale=locale)
        box = page.get_by_label(box_name, exact=True)
        await box.fill("지난주 회의록을\n세 줄로 줄여 줘")
        await box.press("Enter")
        await page.wait_for_selector(".md.finished")
        await page.locator(".question").hover()
        await page.get_by_role("button", name=save).click()
        await page.reload()
        await box.press_sequentially("/")
        rows = page.get_by_role("listbox", name=listed).get_by_role("option")
        # Of the team's examples those in the page's language.
        await expect(rows).to_have_text([re.compile("회의록"), re.compile("부산" if korean else "Busan")])
        listed_at, line_at = [
            await each.bounding_box() for each in (page.locator(".mentions"), page.locator(".composer-line"))
        ]
        assert abs(listed_at["x"] - line_at["x"]) <= 2
        assert abs(listed_at["width"] - line_at["width"]) <= 4
        await box.press_sequentially("회의")
        await expect(rows).to_have_count(1)
        await box.press("Enter")
        await expect(box).to_have_value("지난주 회의록을\n세 줄로 줄여 줘")
        await expect(rows).to_have_count(0)
        # Not in the middle of what is written.
        await box.fill("")
        await box.press_sequentially("1/2 인가요")
        await expect(rows).to_have_count(0)
        await page.goto(f"{url}/#/start/settings")
        await page.get_by_role("button", name=re.compile("회의록")).click()
        await expect(page.get_by_role("button", name=re.compile("회의록"))).to_have_count(0)
        assert await page.evaluate("localStorage['dure.prompts']") == "[]"
