"""Whatever a model, a document or a file name says: no script of theirs runs, and nothing is asked of other servers.

That no request leaves the server and no policy is broken is checked after every test of a page (`visit`)."""

import pytest

from dure import Agent, Team, tool
from dure.testing import ScriptedServer, call, calls, say
from dure.tooling import File, ToolResult

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

SCRIPT = "<script>window.hacked=1</script><img src=x onerror=window.hacked=1><svg onload=window.hacked=1>"
HOSTILE = f"""{SCRIPT}

[click](javascript:window.hacked=1) [data](data:text/html,<script>window.hacked=1</script>)
![pixel](https://evil.example/pixel.png) <iframe src="https://evil.example"></iframe>
<style>body{{display:none}}</style><a href="//evil.example" onclick="window.hacked=1">x</a>

| {SCRIPT} |
|---|
| <b onmouseover=window.hacked=1>b</b> |

```html
{SCRIPT}
```
"""
NAMES = {"title": f"제목 {SCRIPT}", "task": SCRIPT}


@tool
def make(title: str, task: str) -> ToolResult:
    """Make a file."""
    name = "그림<img src=x onerror=window.hacked=1>.svg"
    return ToolResult(HOSTILE, files=[File(name, b"<svg onload='1'/>", "image/svg+xml")])


@tool(effect="external")
def send(to: str) -> str:
    """Send it."""
    return "sent"


def team() -> Team:
    agent = Agent(name="clerk", description=SCRIPT, tools=[send, make], examples=[SCRIPT])
    return Team(name="desk", kind="solo", description=SCRIPT, agents=[agent])


async def harmless(page) -> None:
    assert await page.evaluate("window.hacked") is None
    # A picture that a run made is one, from its own bytes; nothing else is.
    picture = ".picture > img[src^='data:image/']"
    tags = f"script, iframe, object, embed, style, base, form[action], img:not({picture})"
    assert await page.locator(f"main :is({tags})").count() == 0
    assert await page.evaluate("document.body.checkVisibility()")
    attributes = "[...document.querySelectorAll('*')].flatMap(e => [...e.attributes])"
    assert await page.evaluate(f"{attributes}.filter(a => /^on/.test(a.name)).length") == 0


async def test_hostile_markdown_runs_no_script(serve, visit) -> None:
    async with ScriptedServer(say(HOSTILE), interval=0.002) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await harmless(page)
        await page.get_by_label("메시지").fill(HOSTILE)
        await page.get_by_label("메시지").press("Enter")
        await page.wait_for_selector(".md.finished table")
        await harmless(page)
        for link in await page.locator(".md a").all():
            assert (await link.get_attribute("href")).startswith("https://evil.example")
            assert "noreferrer" in await link.get_attribute("rel")
        await page.reload()
        await page.wait_for_selector(".md table")
        await harmless(page)


async def test_hostile_arguments_results_and_names_run_no_script(serve, visit, arrive) -> None:
    script = calls(("make", NAMES), ("send", {"to": SCRIPT})), say("끝.")
    async with ScriptedServer(*script) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await page.get_by_label("메시지").fill("해 줘")
        await page.get_by_label("메시지").press("Enter")
        await expect(page.locator(".approval").get_by_label("받는 사람")).to_have_value(SCRIPT)
        await page.get_by_role("button", name="승인", exact=True).click()
        await page.wait_for_selector(".md.finished:visible")
        await page.locator(".activity > summary").click()
        for each in await page.locator(".activity-call > summary").all():
            await each.click()
        await harmless(page)
        await page.get_by_role("link", name="과정 보기").click()
        for each in await page.locator(".entry > summary").all():
            await each.click()
        await harmless(page)
        for place in ("#/runs", "#/sessions", "#/"):
            await arrive(page, place, "h1")
            await harmless(page)


async def test_the_page_may_run_nothing_but_its_own(serve, visit) -> None:
    page = await visit(await serve(), bypass_csp=False)
    reply = await page.request.get(page.url.split("#")[0])
    policy = reply.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    text = await reply.text()
    assert " style=" not in text
    assert "<script>" not in text


async def test_an_unknown_tool_of_the_script_is_no_problem(serve, visit) -> None:
    async with ScriptedServer(call("nothing", x=SCRIPT), say("끝.")) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await page.get_by_label("메시지").fill("해 줘")
        await page.get_by_label("메시지").press("Enter")
        await page.wait_for_selector(".md.finished:visible")
        await harmless(page)
