"""Every view for everybody: axe-core finds nothing in either theme, all can be reached by keyboard, and a
phone's width is enough."""

from typing import Any

import httpx
import pytest
import pytest_asyncio
from fixtures.axe import faults, needed

from dure import Agent, Team, tool
from dure.testing import ScriptedServer, Step, call, say

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

ANSWER = """연차휴가는 1년에 15일입니다. [1] 병가는 60일입니다. [1] 넓이는 $a^2$ 입니다.

| 근속 | 일수 | 아주 긴 제목이 있는 열 | 또 하나의 열 | 그리고 마지막 열 |
|---|---|---|---|---|
| 1년 | 15일 | 내용이 길게 이어지는 칸입니다 | 둘 | 셋 |

```python
a_very_long_name_of_a_variable = another_very_long_name_of_a_function(with_an_argument, and_another_one)
```

https://example.com/a/very/long/address/without/any/place/to/break/the/line/whatever/the/width/of/the/screen/is"""
PLACES = [
    "#/",
    "#/s/talk",
    "#/s/waits",
    "#/documents",
    "#/shelves",
    "#/runs",
    "#/runs/{run}",
    "#/compare/{run}/{other}",
    "#/sessions",
    "#/read/talk",
    "#/waiting",
    "#/start",
    "#/start/teams",
    "#/start/teams/desk",
    "#/start/schedules",
    "#/start/tools",
    "#/start/settings",
    "#/library",
    "#/library/glossary",
]
DRAWN = "h1:not(.unseen), .answer-foot, .approval"


@tool(effect="external")
def send_mail(to: list[str], subject: str, body: str, copies: int, urgent: bool) -> str:
    """Send a mail."""
    return "sent"


def respond(body: dict[str, Any]) -> Step:
    said = str(body["messages"][-1]["content"])
    if "보내" in said:
        return call("send_mail", to=["kim", "lee"], subject="보고", body="잘 됩니다.", copies=2, urgent=False)
    if "15일이다" in str(body["messages"]):
        return say(ANSWER)
    return call("search_knowledge_base", queries=["연차휴가"])


@pytest_asyncio.fixture(loop_scope="session")
async def filled(serve) -> Any:
    """A server with something in every view: its URL, and the names of what is in it."""
    async with ScriptedServer(respond=respond) as scripted:
        agent = Agent(name="clerk", description="x", tools=["search_knowledge_base", send_mail])
        team = Team(name="desk", kind="solo", description="x", agents=[agent], examples=["안내해 줘"])
        url = await serve(scripted, teams=[team])
        async with httpx.AsyncClient(base_url=url, timeout=30) as client:
            await client.post(
                "/v1/documents",
                files={"file": ("규정.txt", "연차휴가는 1년에 15일이다.".encode())},
                data={"tag": ["내규", "인사"]},
            )
            await client.post("/v1/documents", files={"file": ("매출.csv", "지역,매출\n서울,12\n".encode())})
            while {each["status"] for each in (await client.get("/v1/documents")).json()["documents"]} != {"ready"}:
                pass
            for member, role in (("*", "reader"), ("kim", "editor")):
                await client.put(f"/v1/shelves/인사 규정/members/{member}", json={"role": role})
            runs = []
            for session, message in (
                ("talk", "연차휴가는 며칠이야?"),
                ("talk", "다시 말해 줘"),
                ("waits", "보내 줘"),
                ("waits-too", "보내 줘"),
            ):
                reply = await client.post("/v1/chat", json={"message": message, "session_id": session, "team": "desk"})
                runs.append(reply.json()["metadata"]["run_id"])
            await client.patch("/v1/sessions/talk", json={"pinned": True})
            await client.patch("/v1/sessions/waits-too", json={"folder": "메일"})
        yield url, {"run": runs[0], "other": runs[1]}


@needed
@pytest.mark.timeout(400)
@pytest.mark.parametrize(("theme", "width"), [("light", 1200), ("dark", 1200), ("dark", 360)])
async def test_axe_finds_nothing(filled, visit, arrive, theme, width) -> None:
    url, names = filled
    page = await visit(url, color_scheme=theme, viewport={"width": width, "height": 800}, bypass_csp=True)
    found = []
    for place in PLACES:
        await arrive(page, place.format(**names), DRAWN)
        if place == "#/s/talk":
            await page.wait_for_selector(".checks > summary")
            for each in await page.locator(".activity > summary, .checks > summary").all():
                await each.click()
            await expect(page.locator(".check-row").first).to_be_visible()
            await page.locator("button.cite").first.click()
            await page.wait_for_selector("#panel mark")
        if "runs/" in place:
            await page.locator(".entry > summary").first.click()
        found += [(place, *each) for each in await faults(page)]
        if place == "#/":
            await page.get_by_label("메시지").press_sequentially("@")
            await page.wait_for_selector(".mentions .palette-row")
            # What the open list covers was looked at before.
            found += [("@", *each) for each in await faults(page, ".composer")]
        if place == "#/documents":
            for name in ("규정.txt", "매출.csv"):
                await page.get_by_role("button", name=f"{name} 열기").click()
                await page.wait_for_selector("#panel :is(.source-text, table)")
                found += [(name, *each) for each in await faults(page)]
                await page.keyboard.press("Escape")
        if place == "#/sessions":
            await page.locator(".folder summary").click()
            await expect(page.locator(".folder .row")).to_have_count(1)
            found += [("a folder", *each) for each in await faults(page)]
        if place == "#/waiting":
            await page.keyboard.press("Control+k")
            await page.wait_for_selector(".palette-row")
            found += [("Ctrl+K", *each) for each in await faults(page)]
            # It would keep what is opened next from being looked at.
            await page.keyboard.press("Escape")
            await expect(page.locator("dialog[open]")).to_have_count(0)
    assert "\n".join(map(str, found)) == ""


@needed
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_nothing_where_one_begins_and_shares(serve, visit, theme, tmp_path) -> None:
    """Without a model and documents; of a question with another in its place; of a conversation with its link."""
    wide = "document.documentElement.scrollWidth <= innerWidth"
    for viewport in ({"width": 1200, "height": 800}, {"width": 360, "height": 740}):
        given = {"color_scheme": theme, "bypass_csp": True, "viewport": viewport}
        page = await visit(await serve(model_base_url=None, cache_dir=tmp_path / "none"), team="workplace", **given)
        await page.locator(".mending summary").click()
        await expect(page.locator(".mending")).to_have_count(2)
        assert await faults(page) == []
        assert await page.evaluate(wide)
        async with ScriptedServer(respond=lambda _: say("네.")) as scripted:
            team = Team(name="desk", kind="solo", description="x", agents=[Agent(name="clerk", description="x")])
            url = await serve(scripted, teams=[team], data_dir=tmp_path / str(viewport["width"]))
            async with httpx.AsyncClient(base_url=url, timeout=30) as client:
                body = {"message": "물음", "session_id": "talk", "team": "desk"}
                await client.post("/v1/chat", json=body)
                first = (await client.get("/v1/sessions/talk/messages")).json()["messages"][0]["id"]
                await client.post("/v1/chat", json=body | {"instead_of": first})
                link = (await client.put("/v1/sessions/talk/share")).json()["shared"]
            for place in ("#/s/talk", "#/read/talk", f"#/shared/{link}"):
                page = await visit(url, place, **given)
                await page.wait_for_selector(".branches, .reading .md")
                assert await faults(page) == []
                assert await page.evaluate(wide)


@pytest.mark.parametrize(
    ("width", "height", "dots"), [(360, 740, 3), (600, 400, 2), (960, 640, 1.25)], ids=["phone", "200 %", "120 dpi"]
)
async def test_nothing_scrolls_sideways(filled, visit, arrive, width, height, dots) -> None:
    """On a phone, and on a desktop of 1,200 × 800 that is zoomed."""
    url, names = filled
    page = await visit(url, viewport={"width": width, "height": height}, device_scale_factor=dots)
    wide = []
    for place in PLACES:
        await arrive(page, place.format(**names), DRAWN)
        if place == "#/s/talk":
            await page.locator("button.cite").first.click()
            await page.wait_for_selector("#panel mark")
        script = """() => [...document.querySelectorAll('html, #view, .scroller, #panel, .panel-body')]
            .filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.className || each.id)"""
        if over := await page.evaluate(script):
            wide.append((place, over))
    assert wide == []


async def test_a_phone_has_a_menu(filled, visit) -> None:
    page = await visit(filled[0], viewport={"width": 360, "height": 740})
    await expect(page.get_by_role("link", name="문서", exact=True)).to_be_hidden()
    await page.get_by_role("button", name="메뉴").click()
    await page.get_by_role("link", name="문서", exact=True).click()
    await expect(page.get_by_role("heading", name="문서", exact=True)).to_be_visible()
    await expect(page.get_by_role("link", name="문서", exact=True)).to_be_hidden()


async def test_all_is_reached_by_keyboard(filled, visit) -> None:
    url, _ = filled
    page = await visit(url, "#/s/talk")
    await page.wait_for_selector("button.cite")
    await page.evaluate("document.activeElement.blur()")
    reached = set()
    for _ in range(60):
        await page.keyboard.press("Tab")
        reached.add(await page.evaluate("document.activeElement.className.toString().split(' ')[0]"))
    assert {"skip", "brand", "button", "place", "cite", "source-chip", "icon-button", "table"} <= reached
    await page.locator("a.skip").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("#view")).to_be_focused()
    await expect(page).to_have_url(f"{url}/#/s/talk")
    await page.locator("button.cite").first.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("#panel mark")).to_be_visible()


async def test_keys_begin_a_new_conversation(filled, visit) -> None:
    url, _ = filled
    page = await visit(url, "#/s/talk")
    await page.wait_for_selector("button.cite")
    await page.keyboard.press("Control+Shift+O")
    await expect(page).to_have_url(f"{url}/#/")
    await expect(page.get_by_label("메시지")).to_be_focused()
