"""An answer is the same live and after a reload: its tree is compared node by node after each step."""

from typing import Any

import httpx
import pytest
from page_still import still

from dure import Agent, Team, tool
from dure.sources import Passage
from dure.testing import ScriptedServer, Step, call, calls, cut, json, say
from dure.tooling import File, ToolResult

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

RULE = "연차휴가는 1년에 15일이고, 병가는 60일까지 준다."
TREE = """() => {
  const attributes = (node) => [...node.attributes].map((each) => `${each.name}=${each.value}`).sort();
  const tree = (node) => node.nodeType === 3 ? node.data
    : [node.localName, attributes(node), [...node.childNodes].map(tree)];
  return [...document.querySelectorAll(".log > *")].map(tree);
}"""


@tool
def chart(topic: str) -> ToolResult:
    """Draw a chart."""
    return ToolResult(f"{topic} 그림", files=[File("그림.svg", b"<svg/>", "image/svg+xml")])


@tool(effect="external")
def send_mail(to: str, copies: int = 1) -> str:
    """Send a mail."""
    return "sent"


async def ask(page: Any, message: str) -> None:
    await page.get_by_label("메시지").fill(message)
    await page.get_by_label("메시지").press("Enter")


async def same_after_reload(page: Any, *there: str) -> None:
    """That what is shown, with all of `there` in it, is shown again after a reload."""
    live = await stood(page, *there)
    await page.reload()
    assert await stood(page, *there) == live


async def stood(page: Any, *there: str) -> Any:
    """The tree, once all of `there` is in it and nothing of it is on its way."""
    for selector in (*there, ".log:not(:has(.working, .skeleton))"):
        await expect(page.locator(selector).first).to_be_visible()
    await still(page)
    return await page.evaluate(TREE)


def solo(*tools: Any) -> Team:
    agent = Agent(name="clerk", description="x", tools=list(tools))
    return Team(name="desk", kind="solo", description="x", agents=[agent])


async def test_files_figures_and_settled_approvals(serve, visit) -> None:
    mails = calls(("send_mail", {"to": "kim"}), ("send_mail", {"to": "lee"}))
    script = call("chart", topic="매출"), mails, say("**다** 했습니다.\n\n- 하나\n- 둘")
    async with ScriptedServer(*script, model="gpt-x") as scripted:
        page = await visit(await serve(scripted, teams=[solo(chart, send_mail)]))
        await ask(page, "매출을 그려 보내 줘")
        await expect(page.locator(".approval")).to_have_count(2)
        await same_after_reload(page, ".activity", ".file-chip", ".approval .form")
        await page.locator(".approval").first.get_by_label("받는 사람").fill("park")
        await page.get_by_role("button", name="고친 내용으로 승인").click()
        await expect(page.locator(".approval.settled")).to_have_count(1)
        card = page.locator(".approval").last
        await card.get_by_role("button", name="거절").click()
        await card.get_by_label("거절하는 이유").fill("아직 이릅니다")
        await card.get_by_role("button", name="거절하기").click()
        await page.wait_for_selector(".md.finished li")
        await same_after_reload(page, ".activity", ".file-chip", ".approval.settled >> nth=1", ".md.finished li")
        cards = page.locator(".approval.settled")
        await expect(cards.first).to_contain_text("고쳐서 승인함")
        await cards.first.locator("summary").click()
        await expect(cards.first).to_contain_text("park")
        await expect(cards.last).to_contain_text("아직 이릅니다")
        await expect(page.locator(".facts-line")).to_contain_text("gpt-x")
        await expect(page.locator(".facts-line")).to_contain_text("토큰")


async def test_sources(serve, visit) -> None:
    steps = call("search_knowledge_base", queries=["연차휴가"]), say("연차휴가는 1년에 15일입니다. [1]")
    async with ScriptedServer(*steps) as scripted:
        url = await serve(scripted, teams=[solo("search_knowledge_base")])
        async with httpx.AsyncClient(base_url=url, timeout=30) as client:
            await client.post("/v1/documents", files={"file": ("규정.txt", "연차휴가는 1년에 15일이다.".encode())})
            while (await client.get("/v1/documents")).json()["documents"][0]["status"] != "ready":
                pass
        page = await visit(url)
        await ask(page, "연차휴가는 며칠이야?")
        await page.wait_for_selector(".md.finished")
        await same_after_reload(page, "button.cite", ".source-chip")


async def test_a_plan(serve, visit) -> None:
    steps = [
        {
            "step": n,
            "agent": agent,
            "task": f"{agent}의 일",
            "depends_on": needs,
            "requires_approval": False,
            "estimated_time": "1분",
        }
        for n, (agent, needs) in enumerate((("search", []), ("data", [1])), 1)
    ]

    def respond(body: dict[str, Any]) -> Step:
        first = str(body["messages"][0]["content"])
        schema = str(body.get("response_format") or "") + first
        if "category" in schema:
            return json({"category": "data", "description": "정리", "key_entities": [], "complexity": "medium"})
        return json({"steps": steps}) if "depends_on" in schema else say("찾았습니다.")

    agents = [Agent(name=name, description=name, prompt=f"You are {name}.") for name in ("search", "data")]
    team = Team(name="desk", kind="planner", description="x", agents=agents, prompt="You lead.")
    async with ScriptedServer(respond=respond) as scripted:
        page = await visit(await serve(scripted, teams=[team]))
        await ask(page, "정리해 줘")
        await expect(page.locator(".plan-step[data-status=done]")).to_have_count(2)
        await page.wait_for_selector(".answer-foot")
        await same_after_reload(page, ".plan-step[data-status=done] >> nth=1", ".md.finished")


async def test_what_was_written_before_a_stop(serve, visit) -> None:
    """It stays on the page, in the transcript, the export and what the model reads next; and can be gone on with."""
    cut = Step(text="연차휴가는 **15일**이고 ", exact=True, stall=60)
    async with ScriptedServer(cut, say("병가는 60일입니다.")) as scripted:
        url = await serve(scripted, teams=[solo()])
        page = await visit(url)
        await ask(page, "휴가를 설명해 줘")
        await page.wait_for_selector(".answer strong:has-text('15일')")
        await page.get_by_label("멈추기").click()
        await page.wait_for_selector(".problem:has-text('멈췄습니다')")
        await same_after_reload(page, ".md.finished strong", ".problem", ".answer-foot")
        session = (await page.evaluate("location.hash")).rpartition("/")[2]
        async with httpx.AsyncClient(base_url=url) as client:
            messages = (await client.get(f"/v1/sessions/{session}/messages")).json()["messages"]
            assert [each["content"] for each in messages][1:] == ["연차휴가는 **15일**이고"]
            assert "연차휴가는 **15일**" in (await client.get(f"/v1/sessions/{session}/export")).text
        await page.get_by_role("button", name="이어서 쓰기").click()
        await page.wait_for_selector(".md.finished :text('병가는')")
        assert "연차휴가는 **15일**" in str(scripted.requests[-1]["messages"])


async def test_what_was_written_before_the_model_broke_off_with_its_source(serve, visit) -> None:
    """The whole of it, with the number of what it was read in, which opens this; not the number alone."""

    @tool
    def find(q: str) -> ToolResult:
        """Find."""
        return ToolResult("found", passages=[Passage("d", "규정", None, 0, len(RULE), RULE)])

    async with ScriptedServer(call("find", q="휴가"), cut("연차휴가는 1년에 15일이고, 병가는")) as scripted:
        page = await visit(await serve(scripted, teams=[solo(find)]))
        await ask(page, "휴가를 설명해 줘")
        await page.wait_for_selector(".problem.bad")
        await expect(page.locator(".answer .md")).to_have_text("연차휴가는 1년에 15일이고, 병가는 1")
        await same_after_reload(page, ".problem.bad", "button.cite", ".source-chip", ".answer-foot")


async def test_what_one_thinks_of_an_answer(serve, visit) -> None:
    async with ScriptedServer(say("열흘입니다.")) as scripted:
        page = await visit(await serve(scripted, teams=[solo()]))
        await ask(page, "휴가는?")
        await page.get_by_role("button", name="아쉬운 답변").click()
        await page.get_by_role("dialog").get_by_role("textbox").fill("출처가 없음")
        await page.get_by_role("dialog").get_by_role("button", name="저장").click()
        await same_after_reload(page, "[aria-label='아쉬운 답변'][aria-pressed=true]")
        await page.get_by_role("link", name="과정 보기").click()
        await expect(page.get_by_role("textbox", name="의견")).to_have_value("출처가 없음")


async def test_a_failure(serve, visit) -> None:
    async with ScriptedServer(respond=lambda body: Step(status=400, body=b"{}")) as scripted:
        page = await visit(await serve(scripted, teams=[solo()]))
        await ask(page, "실패할 질문")
        await same_after_reload(page, ".problem.bad", ".answer-foot")
