"""Finding out why an answer was bad: the list of runs, one as a tree, from a step of it anew, two side by side."""

import asyncio
import os
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from page_still import still

from dure import Agent, Team, tool
from dure.testing import ScriptedServer, Step, call, json, say
from dure.tooling import File, ToolResult

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

AXE = Path(os.environ.get("DURE_TEST_NODE_MODULES", "node_modules")) / "axe-core/axe.min.js"


@tool
def chart(topic: str) -> ToolResult:
    """Draw a chart."""
    return ToolResult(f"{topic} 그림", files=[File("그림 <b>.svg", b"<svg/>", "image/svg+xml")])


@tool(effect="external")
def send(to: str) -> str:
    """Send it."""
    return "sent"


def team() -> Team:
    agent = Agent(name="clerk", description="x", prompt="You are the clerk.", tools=[chart, send])
    return Team(name="desk", kind="solo", description="x", agents=[agent])


async def asked(page, message: str) -> None:
    await page.goto(f"{page.url.split('#')[0]}#/")
    await page.get_by_label("메시지").fill(message)
    await page.get_by_label("메시지").press("Enter")
    await page.wait_for_selector(".md.finished:visible, .approval")


async def test_one_run_from_question_to_answer(serve, visit) -> None:
    script = call("chart", topic="매출"), call("send", to="kim"), say("다 했습니다.")
    async with ScriptedServer(*script, model="gpt-x") as scripted:
        page = await visit(await serve(scripted, teams=[team()], prices={"gpt-x": (1000, 2000)}))
        await asked(page, "매출을 그려 보내 줘")
        await page.get_by_role("button", name="승인", exact=True).click()
        await page.wait_for_selector(".md.finished :text('다 했습니다.')")
        async with page.expect_download() as saved:
            await page.locator(".answer .file-chip").click()
        assert "그림" in (await saved.value).suggested_filename
        await page.get_by_role("link", name="과정 보기").click()
        names = page.locator(".entry-name")
        await expect(names.first).to_contain_text("모델 호출")
        await still(page)
        texts = await names.all_inner_texts()
        assert [t for t in texts if t in ("chart", "send")] == ["chart", "send"]
        assert "사람을 기다림" in texts
        await page.locator(".entry > summary").first.click()
        await expect(page.locator(".prompt").first).to_contain_text("You are the clerk.")
        await expect(page.locator(".entry").first.locator(".entry-facts")).to_contain_text(re.compile("토큰.*USD"))
        drawing = page.locator(".entry:has(.entry-name:text-is('chart'))")
        await expect(drawing.locator(".asked")).to_have_text("매출 → 매출 그림")
        await drawing.locator("summary").click()
        await expect(drawing.locator("pre").last).to_contain_text("매출 그림")
        await expect(page.locator(".entry:has-text('사람을 기다림') .entry-facts")).to_have_text("승인함")
        await page.get_by_role("button", name="4점").click()
        await page.get_by_role("textbox", name="의견").fill("좋음")
        await page.locator(".rating").get_by_role("button", name="저장").click()
        await expect(page.locator(".toast")).to_contain_text("평가를 저장했습니다")


async def test_runs_are_listed_filtered_and_compared(serve, visit) -> None:
    async with ScriptedServer(
        say("우리 휴가는 열흘입니다. 끝."), say("우리 휴가는 보름입니다. 끝."), call("send", to="kim")
    ) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        for message in ("휴가는?", "다시, 휴가는?", "보내 줘"):
            await asked(page, message)
        await page.goto(f"{page.url.split('#')[0]}#/runs")
        rows = page.locator(".row")
        await expect(rows).to_have_count(3)
        await page.get_by_role("combobox", name="상태").select_option("waiting")
        await expect(rows).to_have_count(1)
        await expect(page).to_have_url(re.compile("status=waiting"))
        await page.reload()
        await expect(rows).to_have_count(1)
        await page.get_by_role("combobox", name="상태").select_option("")
        await page.get_by_role("searchbox", name="질문과 답변에서 찾기").fill("휴가")
        await expect(rows).to_have_count(2)
        for row in (1, 0):
            await rows.nth(row).get_by_role("checkbox").check()
        await page.get_by_role("button", name="고른 둘 비교").click()
        await expect(page.locator("tr.differs").filter(has_text="질문")).to_contain_text("다시, 휴가는?")
        await expect(page.locator(".changes del")).to_have_text("우리 휴가는 열흘입니다.")
        await expect(page.locator(".changes del mark")).to_have_text("열흘입니다")
        await expect(page.locator(".changes ins mark")).to_have_text("보름입니다")
        await expect(page.locator(".change[data-mark='=']")).to_have_text("끝.")


async def test_a_run_is_done_once_more_of_another_team_and_compared(serve, visit) -> None:
    """In its conversation it is another answer to the same question; people and tools have their names."""
    script = (call("chart", topic="매출"), say("열흘입니다. 끝."), say("보름입니다. 끝."))
    other = Agent(name="clerk", title="둘째 담당 · Second", description="x")
    second = Team(name="second", title="둘째 팀 · Second", kind="solo", description="x", agents=[other])
    first = team().model_copy(update={"title": "첫째 팀 · First"})
    async with ScriptedServer(*script) as scripted:
        page = await visit(await serve(scripted, teams=[first, second]))
        await asked(page, "휴가는?")
        conversation = page.url
        await page.get_by_role("link", name="과정 보기").click()
        # Not the composer's choice of that name, which may stand a moment longer.
        await page.locator(".run-part").get_by_role("combobox", name="팀").select_option("second")
        await page.get_by_role("button", name="다시 실행").click()
        await expect(page.locator("tr.differs").filter(has_text="팀").locator("td")).to_have_text(
            ["첫째 팀", "둘째 팀"]
        )
        await expect(page.locator("tr", has_text="도구").locator("td").first).to_have_text("chart · 매출")
        await expect(page.locator(".changes ins")).to_have_text("보름입니다.")
        await page.goto(conversation)
        await expect(page.locator(".branches")).to_contain_text("2")
        await expect(page.locator(".md.finished")).to_contain_text("보름")


WORDS = {
    "ko-KR": {
        "lead": "팀장",
        "reader": "읽기 담당",
        "poster": "보내기 담당",
        "again": "여기서 다시 실행",
        "taken": "이어받음",
        "before": "앞서 있던 것",
        "approve": "승인",
        "begins": "다른 실행이 한 일을 이어받아 시작했습니다.",
    },
    "en-US": {
        "lead": "Lead",
        "reader": "Reader",
        "poster": "Poster",
        "again": "Run again from here",
        "taken": "taken over",
        "before": "The one before",
        "approve": "Approve",
        "begins": "It began with what another run had done.",
    },
}


def planners(body: dict[str, Any]) -> Step:
    """One agent reads, another posts what it read; at last they are put together."""
    first, said = str(body["messages"][0]["content"]), str(body["messages"][1:])
    schema = str(body.get("response_format") or "") + first
    if "category" in schema and "depends_on" not in schema:
        return json({"category": "data", "description": "정리", "key_entities": [], "complexity": "medium"})
    if "depends_on" in schema:
        more = {"requires_approval": False, "estimated_time": "1분"}
        steps = [("reader", "표를 읽는다", []), ("poster", "보낸다", [1])]
        return json(
            {
                "steps": [
                    {"step": n, "agent": a, "task": t, "depends_on": d} | more for n, (a, t, d) in enumerate(steps, 1)
                ]
            }
        )
    if "You are reader." in first:
        return say("읽었습니다.") if "role': 'tool" in said else call("look", topics=["매출", "비용"], deep=True)
    if "You are poster." in first:
        return say("보냈습니다.") if "role': 'tool" in said else call("post", to=["kim", "lee"])
    return say("다 했습니다.")


def posting(sent: list[str]) -> Team:
    @tool
    def look(topics: list[str], deep: bool) -> str:
        """Look it up."""
        return '[{"지역": "서울", "매출": 1204}, {"지역": "부산", "매출": 842}]'

    @tool(effect="external")
    def post(to: list[str]) -> str:
        """Post it."""
        sent.append(", ".join(to))
        return "긴 글 " * 300

    titles = {"reader": "읽기 담당 · Reader", "poster": "보내기 담당 · Poster"}
    tools = {"reader": [look], "poster": [post]}
    agents = [Agent(name=n, title=titles[n], description="x", prompt=f"You are {n}.", tools=tools[n]) for n in titles]
    return Team(name="desk", kind="planner", description="x", agents=agents, prompt="You lead.")


async def posted(url: str) -> str:
    """The id of a run whose mail was allowed."""
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        body = {"message": "읽고 보내 줘", "session_id": "talk", "team": "desk"}
        waits = (await client.post("/v1/chat", json=body)).json()
        allowed = [{"interruptId": each["id"], "status": "resolved"} for each in waits["approvals"]]
        answer = (await client.post("/v1/chat", json={"session_id": "talk", "resume": allowed})).json()
    return str(answer["metadata"]["run_id"])


def agent(page: Any, name: str) -> Any:
    return page.locator(f".activity-agent:has(> summary > strong:text-is('{name}'))")


@pytest.mark.parametrize("locale", WORDS)
async def test_a_run_is_a_tree_that_is_gone_through_by_keys(serve, visit, locale: str) -> None:
    words = WORDS[locale]
    async with ScriptedServer(respond=planners) as scripted:
        url = await serve(scripted, teams=[posting([])])
        page = await visit(url, f"#/runs/{await posted(url)}", locale=locale, bypass_csp=True)
        await page.wait_for_selector(".run-tree .entry")
        agents = page.locator(".activity-agent > summary > strong")
        await expect(agents).to_have_text([words["lead"], words["reader"], words["poster"], words["lead"]])
        colours = await agents.evaluate_all("(all) => all.map((each) => getComputedStyle(each).color)")
        assert len(set(colours[1:])) == 3
        reader = agent(page, words["reader"])
        await expect(reader.locator(".entry-name")).to_have_count(3)
        looked = reader.locator(".entry:has(.entry-name:text-is('look'))")
        await expect(looked.locator(".asked")).to_contain_text("매출, 비용")
        # By keys: a step is opened, an agent closed.
        await looked.locator("summary").focus()
        await page.keyboard.press("Enter")
        await expect(looked.locator(".chip")).to_have_text(["매출", "비용"])
        await expect(looked.locator("tbody tr")).to_have_count(2)
        await expect(looked.locator("tbody td").nth(1)).to_have_text("1204")
        assert "{" not in await looked.inner_text()
        await page.keyboard.press("Tab")
        await expect(looked.get_by_role("button", name=words["again"])).to_be_focused()
        await reader.locator("> summary").focus()
        await page.keyboard.press("Space")
        await expect(looked).not_to_be_visible()
        await page.keyboard.press("Space")
        await expect(looked.locator(".chip").first).to_be_visible()
        # What is long is folded.
        sending = page.locator(".entry:has(.entry-name:text-is('post'))")
        await sending.locator("> summary").click()
        await expect(sending.locator(".long pre")).not_to_be_visible()
        await sending.locator(".long > summary").click()
        await expect(sending.locator(".long pre")).to_be_visible()
        for each in await page.locator(".entry > summary").all():
            if await each.evaluate("(summary) => !summary.parentElement.open"):
                await each.click()
        await expect(page.locator(".entry-body:empty")).to_have_count(0)
        if AXE.is_file():
            await page.evaluate(AXE.read_text())
            result = await page.evaluate("axe.run(document, {resultTypes: ['violations', 'incomplete']})")
            assert [(each["id"], each["nodes"][0]["html"]) for each in result["violations"]] == []
        for width in (1200, 390):
            await page.set_viewport_size({"width": width, "height": 800})
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("locale", WORDS)
async def test_from_a_step_a_run_is_begun_again(serve, visit, locale: str) -> None:
    words, sent = WORDS[locale], []
    async with ScriptedServer(respond=planners) as scripted:
        url = await serve(scripted, teams=[posting(sent)])
        first = await posted(url)
        asked = len(scripted.requests)
        page = await visit(url, f"#/runs/{first}", locale=locale)
        poster = agent(page, words["poster"])
        writing = poster.locator(".entry").last
        await writing.locator("> summary").click()
        await writing.get_by_role("button", name=words["again"]).focus()
        await page.keyboard.press("Enter")
        # Only what comes from there: the poster's last word, and the answer. Nothing is sent again.
        await expect(page.locator(".branches")).to_contain_text("2 / 2")
        await page.wait_for_selector(".md.finished :text('다 했습니다.')")
        assert (len(scripted.requests), sent) == (asked + 2, ["kim, lee"])
        await page.get_by_role("button", name=words["before"]).click()
        await expect(page.locator(".branches")).to_contain_text("1 / 2")
        await page.go_back()
        await writing.wait_for()
        # From the call itself on it is asked about again.
        await poster.locator(".entry:has(.entry-name:text-is('post')) > summary").click()
        await poster.get_by_role("button", name=words["again"]).click()
        await page.locator(".approval").get_by_role("button", name=words["approve"], exact=True).click()
        await page.wait_for_selector(".md.finished :text('다 했습니다.')")
        assert sent == ["kim, lee"] * 2
        await page.locator(".answer-foot a").click()
        await expect(page.locator(".note", has_text=words["begins"])).to_be_visible()
        facts = agent(page, words["reader"]).locator(".entry-facts")
        await expect(facts).to_contain_text([words["taken"]] * 3)
        last = agent(page, words["poster"]).locator(".entry-facts").last
        await expect(last).not_to_contain_text(words["taken"])
        await still(page)
        said = await page.locator("#view").aria_snapshot()
        await page.reload()
        await page.wait_for_selector(".run-tree .entry")
        await still(page)
        assert await page.locator("#view").aria_snapshot() == said
        await page.locator(f"#view a[href='#/runs/{first}']").click()
        await expect(page.locator(".note", has_text=words["begins"])).to_have_count(0)


async def test_a_run_at_work_is_followed_to_its_end(serve, visit) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(call("chart", topic="매출"), say("차트입니다.").after(gate)) as scripted:
        url = await serve(scripted, teams=[team()])
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            asking = asyncio.create_task(client.post("/v1/chat", json={"message": "매출을 그려 줘", "team": "desk"}))
            await scripted.arrived(2)
            (run,) = (await client.get("/v1/runs")).json()["runs"]
            page = await visit(url, f"#/runs/{run['id']}")
            await expect(page.locator(".entry-name")).to_have_text(["모델 호출 (일하기)", "chart"])
            await expect(page.get_by_role("button", name="여기서 다시 실행")).to_have_count(0)
            gate.set()
            await asking
        await expect(page.locator(".entry-name")).to_have_count(3)
        await expect(page.locator(".md")).to_have_text("차트입니다.")
        await page.locator(".entry > summary").last.click()
        await expect(page.get_by_role("button", name="여기서 다시 실행")).to_be_visible()


async def test_what_a_schedule_asked_is_done_once_more(serve, visit) -> None:
    async with ScriptedServer(say("처음."), say("다시.")) as scripted:
        url = await serve(scripted, teams=[team()])
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            body = {"cron": "0 9 * * 1", "zone": "Asia/Seoul", "message": "요약해 줘", "team": "desk"}
            schedule = (await client.post("/v1/schedules", json=body)).json()["id"]
            run = (await client.post(f"/v1/schedules/{schedule}/run")).json()["run_id"]
            await client.get(f"/v1/runs/{run}/events")
        page = await visit(url, f"#/runs/{run}")
        await page.get_by_role("button", name="다시 실행", exact=True).last.click()
        await expect(page.locator(".changes ins")).to_have_text("다시.")
