"""Deciding in a real browser: on the card in the conversation, and in the list of everything that waits."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from dure import Agent, Dure, Team, tool
from dure.testing import ScriptedServer, Step, call, calls, json, say, served
from dure.tooling import ToolContext

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

MAIL = {"to": "kim", "copies": 2, "urgent": False, "how": "post", "extra": {"a": [1]}}


class Desk:
    """A team with a tool that asks first, and what it did."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

        async def send_mail(
            to: str,
            copies: int = 1,
            urgent: bool = False,
            how: Literal["post", "fax"] = "post",
            extra: dict | None = None,
        ) -> str:
            """Send a mail."""
            self.sent.append({"to": to, "copies": copies, "urgent": urgent, "how": how, "extra": extra})
            return "sent"

        agent = Agent(name="clerk", description="x", tools=[tool(effect="external")(send_mail)])
        self.team = Team(name="desk", kind="solo", description="x", agents=[agent])


async def ask(page: Any, message: str = "보내 줘") -> Any:
    """Ask, and the card that comes of it."""
    await page.get_by_label("메시지").fill(message)
    await page.get_by_label("메시지").press("Enter")
    return page.locator(".answer .approval").first


async def test_approve(serve, visit) -> None:
    desk = Desk()
    async with ScriptedServer(call("send_mail", **MAIL), say("보냈습니다.")) as scripted:
        page = await visit(await serve(scripted, teams=[desk.team]))
        # Chromium without a window has no badge of its own.
        await page.evaluate("navigator.setAppBadge = async (n) => { window.badge = n }")
        card = await ask(page)
        await expect(card).to_contain_text("send_mail")
        await expect(page).to_have_title(re.compile(r"^\(1\) "))
        assert await page.evaluate("window.badge") == 1
        assert desk.sent == []
        await card.get_by_role("button", name="승인", exact=True).click()
        await page.wait_for_selector(".md.finished :text('보냈습니다.')")
        await expect(page).to_have_title(re.compile("^[^(]"))
        assert await page.evaluate("window.badge") == 0
    assert desk.sent == [MAIL]


async def test_edit_in_a_form_made_from_the_schema(serve, visit) -> None:
    desk = Desk()
    async with ScriptedServer(call("send_mail", **MAIL), say("보냈습니다.")) as scripted:
        page = await visit(await serve(scripted, teams=[desk.team]))
        card = await ask(page)
        await card.get_by_label("받는 사람").fill("lee")
        await card.get_by_label("copies").fill("many")
        await card.get_by_label("urgent").check()
        await card.get_by_label("how").select_option("fax")
        await card.get_by_label("extra").fill('{"a": ')
        await card.get_by_role("button", name="고친 내용으로 승인").click()
        await expect(card.get_by_role("alert").filter(has_text="숫자를")).to_be_visible()
        await expect(card.get_by_role("alert").filter(has_text="JSON")).to_be_visible()
        await expect(card.get_by_label("copies")).to_be_focused()
        assert desk.sent == []
        await card.get_by_label("copies").fill("3")
        await card.get_by_label("extra").fill('{"a": [2, 3]}')
        await card.get_by_role("button", name="고친 내용으로 승인").click()
        await page.wait_for_selector(".md.finished :text('보냈습니다.')")
    assert desk.sent == [{"to": "lee", "copies": 3, "urgent": True, "how": "fax", "extra": {"a": [2, 3]}}]


async def test_reject_with_a_reason(serve, visit) -> None:
    desk = Desk()
    async with ScriptedServer(call("send_mail", **MAIL), say("보내지 않았습니다.")) as scripted:
        page = await visit(await serve(scripted, teams=[desk.team]))
        card = await ask(page)
        await card.get_by_role("button", name="거절").click()
        await card.get_by_label("거절하는 이유").fill("아직 이릅니다")
        await card.get_by_role("button", name="거절하기").click()
        await page.wait_for_selector(".md.finished :text('보내지 않았습니다.')")
        assert "아직 이릅니다" in str(scripted.requests[-1]["messages"])
    assert desk.sent == []


async def test_all_that_waits_is_listed_also_after_a_restart(visit, tmp_path) -> None:
    desk = Desk()
    two = calls(("send_mail", MAIL), ("send_mail", MAIL | {"to": "lee"}))
    async with ScriptedServer(two, say("둘 다 했습니다.")) as scripted:
        given: Any = {"data_dir": tmp_path, "embeddings": False, "tool_dialect": "native", "port": 0}
        given |= {"teams": [desk.team], "model_base_url": scripted.url}
        async with served(Dure(**given)) as url:
            page = await visit(url)
            await ask(page)
            await expect(page.locator(".approval")).to_have_count(2)
            await page.context.close()
        async with served(Dure(**given)) as url:
            page = await visit(url, "#/waiting")
            await expect(page.locator(".approval")).to_have_count(2)
            await expect(page).to_have_title(re.compile(r"^\(2\) "))
            await page.locator(".approval").first.get_by_role("button", name="승인", exact=True).click()
            await expect(page).to_have_title(re.compile(r"^\(1\) "))
            await page.get_by_role("link", name="대화로 가기").last.click()
            await expect(page.locator(".answer .approval.settled")).to_have_count(1)
            card = page.locator(".answer .approval:not(.settled)")
            await expect(card).to_have_count(1)
            await card.get_by_role("button", name="거절").click()
            await card.get_by_role("button", name="거절하기").click()
            await page.wait_for_selector(".md.finished :text('둘 다 했습니다.')")
            await page.context.close()
    assert [each["to"] for each in desk.sent] == ["kim"]


async def test_what_was_decided_elsewhere_is_told(serve, visit) -> None:
    desk = Desk()
    async with ScriptedServer(call("send_mail", **MAIL), say("보냈습니다.")) as scripted:
        url = await serve(scripted, teams=[desk.team])
        one = await visit(url)
        card = await ask(one)
        await expect(card).to_be_visible()
        other = await visit(url, "#/waiting")
        await other.get_by_role("button", name="승인", exact=True).click()
        await card.get_by_role("button", name="승인", exact=True).click()
        await one.wait_for_selector(".md.finished :text('보냈습니다.')")
    assert desk.sent == [MAIL]


async def test_what_cannot_be_approved_now_says_so_and_stays_editable(serve, visit) -> None:
    desk = Desk()
    async with ScriptedServer(call("send_mail", **MAIL)) as scripted:
        page = await visit(await serve(scripted, teams=[desk.team]))
        await expect(await ask(page)).to_be_visible()
        # A server that knows the same run, and whose tool is away.
        away = Team(name="desk", kind="solo", description="x", agents=[Agent(name="clerk", description="x")])
        page = await visit(await serve(scripted, teams=[away]), "#/waiting")
        card = page.locator(".approval")
        await card.get_by_label("받는 사람").fill("lee")
        await card.get_by_role("button", name="고친 내용으로 승인").click()
        await expect(card.get_by_role("alert").filter(has_text="send_mail 도구가 없거나")).to_be_visible()
        await expect(card.get_by_label("받는 사람")).to_have_value("lee")
        await expect(card.get_by_role("button", name="고친 내용으로 승인")).to_be_enabled()
    assert desk.sent == []


async def test_several_are_decided_at_once(serve, visit) -> None:
    """Each as its own form has it; what was not chosen goes on waiting."""
    desk = Desk()
    mails = [("send_mail", MAIL | {"to": each}) for each in ("kim", "lee", "park")]
    async with ScriptedServer(calls(*mails), say("했습니다.")) as scripted:
        url = await serve(scripted, teams=[desk.team])
        page = await visit(url)
        await ask(page)
        await expect(page.locator(".approval")).to_have_count(3)
        await page.get_by_role("link", name="승인 대기").click()
        await expect(page.get_by_role("button", name="고른 것 승인")).to_be_disabled()
        await expect(page.get_by_role("button", name="고른 것 거절")).to_be_disabled()
        chosen = page.get_by_role("checkbox", name=re.compile("^고르기: .*실행할까요"))
        await chosen.nth(0).check()
        await chosen.nth(1).check()
        await page.locator(".approval").nth(1).get_by_label("받는 사람").fill("choi")
        await page.get_by_role("button", name="고른 2건 승인").click()
        await expect(page.locator(".approval.settled")).to_have_count(2)
        await expect(page).to_have_title(re.compile(r"^\(1\) "))
        await page.locator(".approval:not(.settled)").get_by_role("button", name="거절").click()
        await page.locator(".approval:not(.settled)").get_by_role("button", name="거절하기").click()
        await expect(page.locator(".approval.settled")).to_have_count(3)
        await page.get_by_role("link", name="대화로 가기").first.click()
        await page.wait_for_selector(".md.finished :text('했습니다.')")
    assert sorted(each["to"] for each in desk.sent) == ["choi", "kim"]


@pytest.mark.parametrize("locale", ["ko-KR", "en-US"])
async def test_a_mail_looks_like_one_before_and_after(serve, visit, locale) -> None:
    """Its list as chips, names in the reader's language; approved as it is it was not changed."""
    sent: list[dict[str, Any]] = []

    @tool(effect="external")
    async def post(
        to: list[str],
        subject: str,
        body: str,
        room: Annotated[str, Field(title="회의실 · Meeting room")] = "",
        quiet_hours: bool = False,
    ) -> str:
        """Post a mail."""
        sent.append({"to": to, "subject": subject, "body": body, "room": room})
        return "sent"

    agent = Agent(name="clerk", title="메일 담당 · Mail clerk", description="x", tools=[post])
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    mail = {"body": "첫 줄\n둘째 줄", "subject": "보고", "to": ["kim@example.com", "lee@example.com"], "room": "두레방"}
    korean = locale == "ko-KR"
    approve, room, heads = (
        ("승인", "회의실", ["받는 사람", "제목"]) if korean else ("Approve", "Meeting room", ["To", "Subject"])
    )
    async with ScriptedServer(call("post", **mail), say("보냈습니다.")) as scripted:
        page = await visit(await serve(scripted, teams=[team]), locale=locale)
        await page.locator(".composer textarea").fill("보내 줘")
        await page.locator(".composer textarea").press("Enter")
        card = page.locator(".answer .approval")
        await expect(card.locator(".mail .field > label")).to_have_text([*heads, "본문" if korean else "Body"])
        await expect(card.locator(".mail .chip")).to_have_text(["kim@example.com", "lee@example.com"])
        await expect(card.get_by_label(room, exact=True)).to_have_value("두레방")
        assert "*" not in await card.inner_text()
        await card.get_by_role("button", name=approve, exact=True).click()
        for _ in range(2):
            await page.wait_for_selector(".md.finished :text('보냈습니다.')")
            await expect(card.locator(".mark")).to_have_text("승인함" if korean else "Approved")
            await card.locator("summary").click()
            await expect(card.locator(".mail > .facts dt")).to_have_text([*heads, room])
            await expect(card.locator(".mail .chip")).to_have_count(2)
            await expect(card.locator(".mail-body")).to_have_text(mail["body"])
            await page.reload()
    assert sent == [mail]


async def test_a_list_is_changed_by_its_chips(serve, visit) -> None:
    """With the keyboard alone: one is taken out, one added, one typed without Enter."""
    given: list[list[str]] = []

    @tool(effect="external")
    async def invite(people: list[str]) -> str:
        """Invite people."""
        given.append(people)
        return "done"

    team = Team(
        name="desk", kind="solo", description="x", agents=[Agent(name="clerk", description="x", tools=[invite])]
    )
    async with ScriptedServer(call("invite", people=["kim", "lee"]), say("했습니다.")) as scripted:
        page = await visit(await serve(scripted, teams=[team]))
        card = await ask(page)
        box = card.get_by_label("people", exact=True).last
        await box.press("Backspace")
        await expect(card.locator(".chip")).to_have_text(["kim"])
        await box.press_sequentially("park,choi")
        await card.get_by_role("button", name="고친 내용으로 승인").press("Enter")
        await page.wait_for_selector(".md.finished :text('했습니다.')")
    assert given == [["kim", "park", "choi"]]


SEAT = {
    "type": "object",
    "properties": {
        "row": {"type": "integer", "minimum": 1, "maximum": 30, "description": "from the front"},
        "class": {"oneOf": [{"const": "a", "title": "Comfort"}, {"const": "b", "title": "Plain"}]},
        "meals": {
            "type": "array",
            "items": {"anyOf": [{"const": "m", "title": "Lunch"}, {"const": "n", "title": "Tea"}]},
        },
        "window": {"type": "boolean", "default": True},
    },
    "required": ["row", "class"],
}


async def test_a_question_with_a_form_is_answered_and_a_link_is_only_shown(serve, visit) -> None:
    """What a tool, or an MCP server that it calls, asks in the middle of a call."""
    got: list[Any] = []

    async def book(context: ToolContext) -> str:
        got.append(context.run.ask("seat", "Which seat?", "answer", "reject", schema=SEAT).args)
        said = context.run.ask("pay", "Pay there", "approve", "reject", args={"url": "https://pay.example/x?n=1"})
        return said.action

    agent = Agent(name="clerk", description="x", tools=[tool(book)])
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    async with ScriptedServer(call("book"), say("예약했습니다.")) as scripted:
        page = await visit(await serve(scripted, teams=[team]))
        card = await ask(page)
        await expect(card).to_contain_text("Which seat?")
        await card.get_by_role("button", name="답변 보내기").click()
        await expect(card.get_by_label("row")).to_be_focused()
        await card.get_by_label("row").fill("7")
        await card.get_by_label("class").select_option("Comfort")
        await card.get_by_label("meals").select_option(["Lunch", "Tea"])
        await expect(card.get_by_label("window")).to_be_checked()
        await card.get_by_role("button", name="답변 보내기").click()
        link = page.locator(".approval:not(.settled)").get_by_role("link")
        await expect(link).to_have_attribute("href", "https://pay.example/x?n=1")
        await expect(link).to_have_attribute("rel", "noopener noreferrer")
        await page.locator(".approval:not(.settled)").get_by_role("button", name="승인", exact=True).click()
        await page.wait_for_selector(".md.finished :text('예약했습니다.')")
    assert got[-1] == {"row": 7, "class": "a", "meals": ["m", "n"], "window": True}


async def test_what_may_leave_is_told_on_the_card(serve, visit) -> None:
    def look_up(query: str) -> str:
        """Search the web."""
        return "없음"

    def salaries() -> str:
        """The user's table."""
        return "김철수 5,000만원"

    out = replace(tool(look_up), outgoing={"query": "query"})
    agent = Agent(name="clerk", description="x", tools=[out, tool(untrusted=True)(salaries)])
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    async with ScriptedServer(call("salaries"), call("look_up", query="김철수 5,000만원")) as scripted:
        page = await visit(await serve(scripted, teams=[team]))
        warned = "읽은 내용이 밖으로 나갈 수 있습니다"
        await expect(await ask(page)).to_contain_text(warned)
        await page.get_by_role("link", name="승인 대기").click()
        await expect(page.locator(".approval")).to_contain_text(warned)
        await page.reload()
        await expect(page.locator(".approval")).to_contain_text(warned)


async def test_of_a_card_that_is_taller_than_the_window_one_sees_the_question_first(serve, visit) -> None:
    """What is needed is not emptied: that is said at its field."""

    @tool(effect="external")
    def note(first: str, second: str, third: str, fourth: str, fifth: str, sixth: str, why: str = "") -> str:
        """Note it."""
        return "noted"

    given = {key: key for key in ("first", "second", "third", "fourth", "fifth", "sixth", "why")}
    team = Team(name="desk", kind="solo", description="x", agents=[Agent(name="clerk", description="x", tools=[note])])
    async with ScriptedServer(call("note", **given), say("적었습니다.\n\n" * 40)) as scripted:
        page = await visit(await serve(scripted, teams=[team]), viewport={"width": 1000, "height": 600})
        for _ in range(2):
            card = page.locator(".answer .approval")
            if not await card.count():
                card = await ask(page, "적어 줘")
            await expect(card.get_by_role("heading").first).to_be_in_viewport()
            await expect(card.get_by_role("button", name="승인", exact=True)).not_to_be_in_viewport()
            await page.reload()
            await page.wait_for_selector(".answer .approval .form")
        await card.get_by_label("first").fill(" ")
        await card.get_by_label("why").fill("")
        await card.get_by_role("button", name="고친 내용으로 승인").click()
        await expect(card.locator(".field-error").first).to_have_text("꼭 필요한 값입니다.")
        await expect(card.get_by_label("first")).to_be_focused()
        await card.get_by_label("first").fill("one")
        await card.get_by_role("button", name="고친 내용으로 승인").click()
        await page.wait_for_selector(".md.finished")
        await expect(page.locator(".answer-foot")).to_be_in_viewport()


def planned() -> tuple[Team, Callable[[dict[str, Any]], Step]]:
    """A team that plans to ask the person first, and its model; "메일" is sent by a tool that asks."""

    async def send_mail(to: str) -> str:
        """Send a mail."""
        return "sent"

    agents = [
        Agent(name="clerk", description="clerk", prompt="You are clerk.", tools=[tool(effect="external")(send_mail)])
    ]
    fields = {"requires_approval": False, "estimated_time": "1분"}
    steps = [
        {"step": 1, "agent": "hitl", "task": "회사 이름을 알려 주세요", "depends_on": [], **fields},
        {"step": 2, "agent": "clerk", "task": "계약서 쓰기", "depends_on": [1], **fields},
    ]

    def reply(body: dict[str, Any]) -> Step:
        first = str(body["messages"][0]["content"])
        schema = str(body.get("response_format") or "") + first
        mail = "메일" in str(body["messages"])
        if "category" in schema:
            return json({"category": "clerk", "description": "계약"})
        if "depends_on" in schema:
            return json({"steps": [steps[1] | {"step": 1, "depends_on": []}] if mail else steps})
        if mail and body["messages"][-1]["role"] != "tool":
            return call("send_mail", to="kim")
        return say("계약서입니다.")

    return Team(name="desk", kind="planner", description="x", agents=agents, prompt="You lead."), reply


async def test_a_question_is_text_and_wants_an_answer(serve, visit) -> None:
    team, reply = planned()
    async with ScriptedServer(respond=reply) as scripted:
        page = await visit(await serve(scripted, teams=[team]))
        card = await ask(page, "계약서를 써 줘")
        await expect(card).to_contain_text("회사 이름을 알려 주세요")
        await expect(card.get_by_label("할 일")).to_have_count(0)
        await expect(card.get_by_role("button", name="승인")).to_have_count(0)
        box = card.get_by_label("답변 (꼭 필요합니다)")
        await expect(box).to_have_attribute("aria-required", "true")
        send = card.get_by_role("button", name="답변 보내기")
        await expect(send).to_have_class(re.compile("primary"))
        await send.click()
        await expect(box).to_be_focused()
        await expect(box).to_have_attribute("aria-invalid", "true")
        await expect(card.get_by_role("alert")).to_have_text("답변을 적어 주세요.")
        await box.fill("바람결")
        await expect(box).to_have_attribute("aria-invalid", "false")
        await send.click()
        await page.wait_for_selector(".md.finished :text('계약서입니다.')")
        await expect(page.locator(".approval.settled")).to_contain_text("바람결")
    assert any("바람결" in str(each["messages"]) for each in scripted.requests)


async def test_what_wants_an_answer_is_not_decided_with_others(serve, visit) -> None:
    team, reply = planned()
    async with ScriptedServer(respond=reply) as scripted:
        url = await serve(scripted, teams=[team])
        for message in ("계약서를 써 줘", "메일 하나 보내 줘", "메일 둘 보내 줘"):
            await ask(page := await visit(url), message)
            await expect(page.locator(".approval")).to_be_visible()
        await page.get_by_role("link", name="승인 대기").click()
        await expect(page.locator(".approval")).to_have_count(3)
        question = page.locator(".waiting-entry", has_text="회사 이름을")
        await expect(question).to_contain_text("하나씩 답하는 질문입니다.")
        await expect(question.get_by_role("checkbox")).to_have_count(0)
        await page.get_by_label("모두 고르기 (2)").check()
        await page.get_by_role("button", name="고른 2건 승인").click()
        await expect(page.locator(".approval.settled")).to_have_count(2)
        await expect(question.locator(".approval:not(.settled)")).to_have_count(1)


async def test_what_is_typed_below_a_question_is_its_answer(serve, visit) -> None:
    team, reply = planned()
    async with ScriptedServer(respond=reply) as scripted:
        page = await visit(await serve(scripted, teams=[team]))
        card = await ask(page, "계약서를 써 줘")
        await expect(card).to_be_visible()
        box = page.get_by_label("메시지")
        await expect(box).to_have_attribute("placeholder", "위의 질문에 답해 주세요")
        await box.fill("바람결 연구소")
        await box.press("Enter")
        await page.wait_for_selector(".md.finished :text('계약서입니다.')")
        await expect(page.locator(".approval.settled")).to_contain_text("바람결 연구소")
        await expect(box).to_have_value("")
        await expect(page.locator(".question")).to_have_count(1)
    assert any("바람결 연구소" in str(each["messages"]) for each in scripted.requests)


async def test_what_is_typed_below_what_is_no_question_stays_and_leads_there(serve, visit) -> None:
    team, reply = planned()
    async with ScriptedServer(respond=reply) as scripted:
        page = await visit(await serve(scripted, teams=[team]))
        card = await ask(page, "메일 보내 줘")
        await expect(card).to_be_visible()
        box = page.get_by_label("메시지")
        await box.fill("다른 질문")
        await box.press("Enter")
        await expect(page.locator(".toast")).to_contain_text("실행할까요?’ 먼저 결정해 주세요")
        await expect(page.locator(".toast")).not_to_contain_text("r-")
        await expect(card).to_be_focused()
        await expect(box).to_have_value("다른 질문")
        await expect(page.locator(".question")).to_have_count(1)


async def test_what_was_decided_stands_folded_before_the_answer(serve, visit) -> None:
    """A line each, with what was decided; opened it tells all. So also after a reload."""
    desk = Desk()
    mails = [("send_mail", MAIL | {"to": each}) for each in ("kim", "lee")]
    async with ScriptedServer(calls(*mails), say("둘 다 했습니다.")) as scripted:
        page = await visit(await serve(scripted, teams=[desk.team]))
        await ask(page)
        cards = page.locator(".answer .approval")
        await expect(cards).to_have_count(2)
        await cards.first.get_by_role("button", name="승인", exact=True).click()
        await expect(page.locator(".answer .approval.settled")).to_have_count(1)
        await expect(cards.last.get_by_role("button", name="승인", exact=True)).to_be_visible()
        await cards.last.get_by_role("button", name="거절").click()
        await cards.last.get_by_label("거절하는 이유").fill("아직 이릅니다")
        await cards.last.get_by_role("button", name="거절하기").click()
        for _ in range(2):
            await page.wait_for_selector(".md.finished :text('둘 다 했습니다.')")
            await expect(page.locator(".answer .approvals ~ .md.finished")).to_have_count(1)
            await expect(cards.locator("summary .mark")).to_have_text(["승인함", "거절함"])
            for at in range(2):
                assert (await cards.nth(at).bounding_box())["height"] < 60
            await expect(cards.last.locator("blockquote")).not_to_be_visible()
            await cards.last.locator("summary").click()
            await expect(cards.last.locator("blockquote")).to_have_text("아직 이릅니다")
            await expect(cards.last.locator("dd", has_text="lee")).to_be_visible()
            await page.reload()
