"""Asking and answering in a real browser."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import pytest
from fixtures.ports import free_port

from dure import Agent, Dure, Team, tool
from dure.models import ChatClient, Model
from dure.testing import ScriptedServer, Step, call, cut, fail, json, raw, say, served

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

LONG = "\n\n".join(f"{n}번째 문단입니다. 연차휴가와 출장비를 **차례로** 설명합니다." for n in range(1, 31))
ANSWER = "연차휴가는 **15일**입니다.\n\n| 근속 | 일수 |\n|---|---|\n| 1년 | 15 |\n\n수식 $a_1 + b_1$ 은 그대로입니다."


@tool
def lookup(topic: str) -> str:
    """Look a topic up."""
    return f"{topic}: 15일"


def team(*tools: Any) -> Team:
    agent = Agent(name="clerk", description="Looks things up", tools=list(tools), examples=["연차는 며칠이야?"])
    return Team(
        name="desk", kind="solo", description="업무 팀 · Work", agents=[agent], examples=["안내해 줘", "Guide me"]
    )


async def ask(page: Any, message: str) -> None:
    await page.get_by_label("메시지").fill(message)
    await page.get_by_label("메시지").press("Enter")


async def test_an_answer_streams_and_is_rendered(serve, visit) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(call("lookup", topic="연차"), Step(ANSWER, halfway=gate)) as scripted:
        page = await visit(await serve(scripted, teams=[team(lookup)]))
        await ask(page, "연차는 며칠이야?")
        await page.wait_for_selector(".answer.working .md:has-text('연차')")
        gate.set()
        await page.wait_for_selector(".md.finished table")
        assert await page.inner_text(".md strong") == "15일"
        await expect(page.locator(".md span.math msub")).to_have_count(2)
        assert re.fullmatch(r"#/s/s-[0-9a-f]{20}", await page.evaluate("location.hash"))
        assert await page.locator(".recent a").inner_text() != ""
        # Folded until it is opened; then arguments and result are there.
        assert not await page.locator(".activity pre").first.is_visible()
        await page.locator(".activity > summary").click()
        await page.locator(".activity-call > summary").click()
        assert "연차: 15일" in await page.locator(".activity-call pre").last.inner_text()


async def test_the_empty_page_says_what_to_ask(serve, visit) -> None:
    page = await visit(await serve(teams=[team(lookup)]))
    await page.get_by_role("button", name="안내해 줘").click()
    await expect(page.get_by_label("메시지")).to_have_value("안내해 줘")
    assert "Looks things up" in await page.inner_text(".agents")
    assert await page.get_by_label("팀", exact=True).locator("option").all_inner_texts() != []
    page = await visit(page.url.split("#")[0].rstrip("/"), locale="en-US")
    assert await page.locator(".example").first.inner_text() == "Guide me"


async def test_team_level_and_format_are_sent_and_kept(serve, visit) -> None:
    async with ScriptedServer(respond=lambda body: say("네.")) as scripted:
        page = await visit(await serve(scripted))
        await page.get_by_role("combobox", name="팀").select_option("assistant")
        await page.get_by_role("combobox", name="난이도").select_option("hard")
        await page.get_by_role("combobox", name="출력 형식").select_option("json")
        async with page.expect_request("**/v1/chat") as asked:
            await ask(page, "안녕")
        sent = (await asked.value).post_data_json
        assert (sent["team"], sent["level"], sent["output_format"]) == ("assistant", "hard", "json")
        await page.wait_for_selector(".md.finished pre:has-text('\"answer\"')")
        await page.reload()
        await expect(page.get_by_role("combobox", name="난이도")).to_have_value("hard")


async def test_a_reload_goes_on_in_the_middle_of_an_answer(serve, visit) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(Step(LONG, halfway=gate)) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await ask(page, "길게 설명해 줘")
        await page.wait_for_selector(".answer.working :text('3번째')")
        await page.reload()
        await page.wait_for_selector(".answer.working :text('1번째')")
        await expect(page.get_by_label("멈추기")).to_be_visible()
        gate.set()
        await page.wait_for_selector(".md.finished p:has-text('30번째')")
        text = await page.locator(".md").inner_text()
        assert re.findall(r"(\d+)번째", text) == [str(n) for n in range(1, 31)]


async def test_an_answer_that_ended_meanwhile_is_there(serve, visit) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("다 됐습니다.").after(gate)) as scripted:
        url = await serve(scripted, teams=[team()])
        page = await visit(url)
        await ask(page, "해 줘")
        await expect(page).to_have_url(re.compile("#/s/s-"))
        session = await page.evaluate("location.hash")
        await scripted.arrived(1)
        await page.goto("about:blank")
        gate.set()
        page = await visit(url, session, context=page.context)
        await expect(page.locator(".answer p:has-text('다 됐습니다.')")).to_be_visible()


@asynccontextmanager
async def wire(url: str) -> AsyncIterator[tuple[str, Callable[[], None]]]:
    """A way to the server whose connections can be cut."""
    host, port = url.removeprefix("http://").split(":")
    open_ones: set[asyncio.StreamWriter] = set()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # From the moment that it is taken: the end of the test closes what is under way too.
        both = {writer}
        open_ones.add(writer)
        try:
            there, back = await asyncio.open_connection(host, int(port))
            both.add(back)
            open_ones.add(back)
            await asyncio.gather(pump(reader, back), pump(there, writer))
        finally:
            open_ones.difference_update(both)
            for each in both:
                each.close()

    server = await asyncio.start_server(carry, "127.0.0.1", 0)
    try:
        yield (
            f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}",
            lambda: [each.transport.abort() for each in list(open_ones)],
        )
    finally:
        server.close()
        for each in list(open_ones):
            each.transport.abort()


async def test_a_lost_connection_is_taken_up_again(serve, visit) -> None:
    gate = asyncio.Event()
    async with (
        ScriptedServer(Step(LONG, halfway=gate)) as scripted,
        wire(await serve(scripted, teams=[team()])) as (url, cut_off),
    ):
        page = await visit(url)
        await ask(page, "길게 설명해 줘")
        await page.wait_for_selector(".answer.working :text('2번째')")
        async with page.expect_request("**/events") as again:
            cut_off()
        assert int((await again.value).headers["last-event-id"]) > 1
        gate.set()
        await page.wait_for_selector(".md.finished p:has-text('30번째')")
        assert re.findall(r"(\d+)번째", await page.locator(".md").inner_text()) == [str(n) for n in range(1, 31)]
        await page.context.close()


async def test_a_run_goes_on_over_a_restart_of_the_server(visit, tmp_path) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(respond=lambda body: say("다 됐습니다.").after(gate)) as scripted:
        given: Any = {"data_dir": tmp_path, "embeddings": False, "tool_dialect": "native", "port": free_port()}
        given |= {"teams": [team()], "model_base_url": scripted.url}
        async with served(Dure(**given)) as url:
            page = await visit(url)
            await ask(page, "해 줘")
            await scripted.arrived(1)
        await expect(page.locator(".toast")).to_contain_text("연결이 끊겨")
        gate.set()
        async with served(Dure(**given)):
            await expect(page.locator(".md.finished :text('다 됐습니다.')")).to_be_visible()
            await expect(page.locator(".toast", has_text="연결이 끊겨")).to_have_count(0)
            await page.context.close()


async def test_stop(serve, visit) -> None:
    async with ScriptedServer(respond=lambda body: Step(text="시작합니다.", exact=True, stall=60)) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await ask(page, "오래 걸리는 일")
        await page.wait_for_selector(".answer :text('시작합니다')")
        await page.get_by_label("멈추기").press("Enter")
        await page.wait_for_selector(".problem:has-text('멈췄습니다')")
        await expect(page.get_by_label("보내기")).to_be_visible()
        await expect(page.get_by_label("메시지")).to_be_focused()


async def test_what_was_written_before_the_model_server_broke_off_stands_and_can_be_gone_on_with(serve, visit) -> None:
    steps = [cut("첫째, 신청서를 쓴다. "), say("둘째, 승인을 받는다.")]
    async with ScriptedServer(*steps) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await ask(page, "어떻게 신청해?")
        await page.wait_for_selector(".problem.bad:has-text('답이 도중에 끊겼습니다')")
        await expect(page.locator(".answer .md")).to_have_text("첫째, 신청서를 쓴다.")
        await page.reload()
        await expect(page.locator(".answer .md")).to_have_text("첫째, 신청서를 쓴다.")
        await page.get_by_role("button", name="이어서 쓰기").click()
        await page.wait_for_selector(".md.finished :text('둘째, 승인을 받는다.')")
        assert scripted.requests[-1]["messages"][-2]["content"] == "첫째, 신청서를 쓴다."
        # It is nothing that the user said, neither here nor where the conversation is read.
        for place in (page.url, page.url.replace("#/s/", "#/read/")):
            await page.goto(place)
            await page.wait_for_selector(":text('둘째, 승인을 받는다.')")
            await expect(page.get_by_text("끊긴 곳에서 이어서 씀")).to_be_visible()
            await expect(page.locator(".bubble, .asked")).to_have_text(["어떻게 신청해?"])


async def test_two_tabs_on_one_session(serve, visit) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(respond=lambda body: say(LONG).after(gate)) as scripted:
        url = await serve(scripted, teams=[team()])
        one = await visit(url)
        await ask(one, "첫 질문")
        await one.wait_for_selector(".answer.working")
        two = await visit(url, await one.evaluate("location.hash"), context=one.context)
        await two.wait_for_selector(".answer.working")
        gate.set()
        await two.wait_for_selector(".md.finished p:has-text('30번째')")
        await ask(two, "둘째 질문")
        await one.wait_for_selector(".question:has-text('둘째 질문')")
        await one.wait_for_selector(".answer >> nth=1 >> .md p:has-text('30번째')")
        assert await one.locator(".question").count() == 2


async def test_edit_and_ask_again(serve, visit) -> None:
    async with ScriptedServer(say("하나입니다."), say("둘입니다."), say("셋입니다.")) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await ask(page, "첫째")
        await page.wait_for_selector(".md.finished :text('하나입니다.')")
        await ask(page, "둘쨰")
        await page.wait_for_selector(".md.finished :text('둘입니다.')")
        await page.locator(".question").last.hover()
        await page.locator(".question").last.get_by_label("고쳐서 다시 묻기").click()
        await expect(page.get_by_label("메시지")).to_have_value("둘쨰")
        await page.get_by_label("메시지").press("Escape")
        await expect(page.get_by_label("메시지")).to_have_value("")
        await expect(page.locator(".composer-note")).to_be_hidden()
        await page.locator(".question").last.get_by_label("고쳐서 다시 묻기").click()
        await expect(page.locator(".composer-note")).to_contain_text("이 자리에 새로 묻습니다")
        await expect(page.get_by_label("메시지")).to_have_value("둘쨰")
        await ask(page, "둘째")
        await page.wait_for_selector(".md :text('셋입니다.')")
        assert await page.locator(".question .bubble").all_inner_texts() == ["첫째", "둘째"]
        assert "둘쨰" not in str(scripted.requests[-1]["messages"])


async def test_a_new_conversation_begins_empty(serve, visit) -> None:
    async with ScriptedServer(respond=lambda body: say("네.")) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await ask(page, "첫째")
        await page.wait_for_selector(".md.finished")
        first = page.url
        await page.get_by_role("button", name="새 대화").click()
        await expect(page.locator(".example").first).to_be_visible()
        await ask(page, "둘째")
        await page.wait_for_selector(".md.finished")
        assert page.url != first
        assert await page.locator(".bubble").all_inner_texts() == ["둘째"]
        await page.locator(".recent a:has-text('첫째')").click()
        await expect(page.locator(".bubble")).to_have_text("첫째")
        await page.go_back()
        await expect(page.locator(".bubble")).to_have_text("둘째")


async def test_copy(serve, visit) -> None:
    async with ScriptedServer(say("**복사**할 답")) as scripted:
        page = await visit(await serve(scripted, teams=[team()]), permissions=["clipboard-read", "clipboard-write"])
        await ask(page, "복사")
        await page.locator(".answer-foot").get_by_label("복사").click()
        await page.wait_for_selector(".answer-foot .done")
        assert await page.evaluate("navigator.clipboard.readText()") == "**복사**할 답"


async def test_a_failure_is_told_and_asked_again(serve, visit) -> None:
    async with ScriptedServer(respond=lambda body: Step(status=400, body=b"{}")) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await ask(page, "실패할 질문")
        await page.wait_for_selector(".problem.bad")
        await page.reload()
        await page.wait_for_selector(".problem.bad")
        await page.get_by_role("button", name="다시 묻기", exact=True).click()
        await page.wait_for_selector(".question")
        await page.wait_for_selector(".problem.bad")
        await expect(page.locator(".question")).to_have_count(1)


@pytest.mark.parametrize("locale", ["ko-KR", "en-US"])
async def test_what_fails_is_told_to_who_uses_the_page(serve, visit, locale) -> None:
    """What to do, where programs are told of addresses and headers; these stand in the record."""
    page = await visit(await serve(teams=[team()]), locale=locale)
    box = page.locator("textarea")
    await box.fill("연차는?")
    await box.press("Enter")
    told = page.locator(".answer .problem p")
    await expect(told).to_contain_text("다시 물어보세요" if locale == "ko-KR" else "Ask again in a moment")
    for technical in ("127.0.0.1", "Connect", "http"):
        await expect(told).not_to_contain_text(technical)
    await page.locator(".answer-foot a").click()
    await expect(page.locator(".problem.bad")).to_contain_text("127.0.0.1:9/v1: Connection refused")


async def test_a_missing_key_is_no_header_to_people(serve, visit) -> None:
    url = await serve(teams=[team()], api_keys="kim:1")
    page = await visit(url, "#/s/some")
    await expect(page.get_by_role("dialog")).to_be_visible()
    await expect(page.locator(".problem")).to_have_text("API 키가 없거나 맞지 않습니다. 키를 다시 넣어 주세요.")
    async with httpx.AsyncClient() as client:
        assert "Authorization: Bearer" in (await client.get(f"{url}/v1/sessions")).text


async def test_a_model_that_was_asked_in_anothers_place_is_told_with_the_answer(serve, visit) -> None:
    async with ScriptedServer(fail(400, "no"), say("네.")) as scripted:
        fast = {"base_url": scripted.url, "name": "fast-1", "fallbacks": ["next"]}
        models = {"fast": fast, "next": {"base_url": scripted.url, "name": "next-1"}}
        page = await visit(await serve(models=models, model_base_url=None, teams=[team()]))
        await ask(page, "질문")
        for _ in range(2):
            await page.wait_for_selector(".md.finished:has-text('네.')")
            told = page.locator(".answer .told")
            await expect(told).to_have_text("fast-1 모델이 답하지 못해 (400) next-1 모델에 물었습니다.")
            await expect(page.locator(".facts-line")).to_contain_text("· next-1 ·")
            await expect(page.locator(".activity-line")).to_have_text("모델 호출 1회")
            await page.reload()


async def test_an_earlier_question_asked_again_takes_nothing_away(serve, visit) -> None:
    """It is asked in its place, of the team and at the level it was asked of before; a draft stays where it is."""
    bad, fine = Step(status=400, body=b"{}"), say("네.")
    async with ScriptedServer(bad, fine, fine, fine) as scripted:
        url = await serve(scripted, teams=[team(), team().model_copy(update={"name": "other"})])
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            given = {"session_id": "kept", "team": "desk"}
            for more in ({"team": "other", "level": "easy"}, {}, {}):
                await client.post("/v1/chat", json=given | {"message": "같은 질문"} | more)
            page = await visit(url, "#/s/kept")
            await page.get_by_label("메시지").fill("쓰다 만 글")
            async with page.expect_request("**/v1/chat") as asked:
                await page.get_by_role("button", name="다시 묻기", exact=True).click()
            sent = (await asked.value).post_data_json
            assert (sent["message"], sent["team"], sent["level"]) == ("같은 질문", "other", "easy")
            await page.wait_for_selector(".md.finished:has-text('네.')")
            await expect(page.locator(".branches")).to_contain_text("2 / 2")
            await expect(page.get_by_label("메시지")).to_have_value("쓰다 만 글")
            await page.get_by_role("button", name="앞서 있던 것").click()
            await expect(page.locator(".problem.bad")).to_have_count(1)
            await expect(page.locator(".md:has-text('네.')")).to_have_count(2)
            messages = (await client.get("/v1/sessions/kept/messages")).json()["messages"]
            assert [each["role"] for each in messages] == ["user", *["user", "assistant"] * 2]


async def test_nothing_is_asked_again_while_another_answer_is_written(serve, visit) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(Step(status=400, body=b"{}"), say("네.").after(gate)) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await ask(page, "실패할 질문")
        await page.wait_for_selector(".problem.bad")
        await ask(page, "다음 질문")
        await scripted.arrived(2)
        await page.get_by_label("메시지").fill("쓰다 만 글")
        await page.get_by_role("button", name="다시 묻기", exact=True).click()
        await expect(page.locator(".toast")).to_be_visible()
        gate.set()
        await page.wait_for_selector(".md.finished:has-text('네.')")
        await expect(page.get_by_label("메시지")).to_have_value("쓰다 만 글")
        assert await page.locator(".bubble").all_inner_texts() == ["실패할 질문", "다음 질문"]


async def test_enter_while_a_syllable_is_composed_sends_nothing(serve, visit) -> None:
    async with ScriptedServer(respond=lambda body: say("네.")) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        box = page.get_by_label("메시지")
        await box.focus()
        keyboard = await page.context.new_cdp_session(page)
        await keyboard.send("Input.insertText", {"text": "휴가 며"})
        await keyboard.send("Input.imeSetComposition", {"text": "칠", "selectionStart": 1, "selectionEnd": 1})
        pressed = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229, "nativeVirtualKeyCode": 229}
        await keyboard.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **pressed})
        await keyboard.send("Input.dispatchKeyEvent", {"type": "keyUp", **pressed})
        assert await box.input_value() == "휴가 며칠"
        await keyboard.send("Input.insertText", {"text": "칠"})
        assert await box.input_value() == "휴가 며칠"
        await box.press("Shift+Enter")
        await box.press_sequentially("알려줘")
        assert await page.locator(".question").count() == 0
        await box.press("Enter")
        assert await page.locator(".bubble").inner_text() == "휴가 며칠\n알려줘"


async def test_older_messages_come_when_asked_for(serve, visit) -> None:
    async with ScriptedServer(respond=lambda body: say("네.")) as scripted:
        url = await serve(scripted, teams=[team()])
        page = await visit(url)
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            for n in range(23):
                await client.post("/v1/chat", json={"message": f"질문 {n}", "session_id": "long", "team": "desk"})
        await page.goto(f"{url}/#/s/long")
        await page.wait_for_selector(".bubble:has-text('질문 22')")
        assert await page.locator(".bubble").first.inner_text() == "질문 3"
        await page.get_by_role("button", name="이전 대화 더 보기").click()
        await page.wait_for_selector(".bubble:text-is('질문 0')")
        assert await page.locator(".bubble").count() == 23


async def test_in_doubt_who_should_work_one_button_says_it(serve, visit) -> None:
    agents = [
        Agent(name="tables", description="표를 봅니다", examples=["표의 합계를 알려줘", "표의 평균은?"]),
        Agent(name="rules", description="규정을 봅니다", examples=["연차는 며칠이야?", "병가 규정을 알려줘"]),
    ]
    desk = Team(name="desk", kind="router", description="-", agents=agents)
    unsure = json({"wants": "tables", "then": "nothing"})
    async with ScriptedServer(unsure, raw('{"answer": "됐습니다."}')) as scripted:
        model = Model(ChatClient(scripted.url, "scripted"), dialect="schema", small=True)
        page = await visit(await serve(scripted, teams=[desk], model=model))
        await ask(page, "무엇인가 해줘")
        second = page.locator(".choices button").nth(1)
        label = await second.inner_text()
        await second.click()
        await page.wait_for_selector(".md.finished:has-text('됐습니다.')")
        assert label.startswith("2. ")
        assert await page.locator(".bubble").all_inner_texts() == ["무엇인가 해줘", "2"]


async def test_what_came_of_an_answer_is_told_each_time(serve, visit) -> None:
    """Also to those who do not see it: two answers in a row are two, and one that failed is none."""
    async with ScriptedServer(say("네."), say("네."), fail(400, "no")) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await page.evaluate("""() => { window.heard = []; const said = document.querySelector('.unseen[role=status]');
            new MutationObserver(() => said.textContent && heard.push(said.textContent))
                .observe(said, { childList: true, characterData: true, subtree: true }) }""")
        for number in (1, 2, 3):
            await ask(page, f"질문 {number}")
            await page.wait_for_function("number => heard.length >= number", arg=number)
        assert await page.evaluate("heard") == ["답변이 끝났습니다."] * 2 + ["답변을 끝맺지 못했습니다."]


async def test_what_is_too_long_for_the_model_is_said_so_and_not_asked_again(serve, visit) -> None:
    """A long question shows its beginning until all of it is wanted."""
    refusal = "request (76977 tokens) exceeds the available context size (4096 tokens), try increasing it"
    async with ScriptedServer(fail(400, refusal), kind="llama.cpp") as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await page.get_by_label("메시지").fill("긴 글이다.\n" * 200 + "무슨 뜻이야?")
        await page.get_by_label("메시지").press("Enter")
        problem = page.locator(".problem")
        await expect(problem).to_contain_text("긴 글은 문서로 올린 다음")
        await expect(problem.get_by_role("button")).to_have_count(0)
        await expect(page.locator(".bubble")).not_to_contain_text("무슨 뜻이야?")
        await page.get_by_role("button", name="더 보기").click()
        await expect(page.locator(".bubble")).to_contain_text("무슨 뜻이야?")
        await expect(page.locator(".bubble").get_by_role("button")).to_have_count(0)
