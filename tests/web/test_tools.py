"""MCP servers with their state and tools with what they may do, in the browser; models with names."""

import asyncio
import json
import sqlite3
import sys
from contextlib import closing

import pytest

from dure import Agent, Team, tool
from dure.testing import ScriptedServer, say

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("office")
@server.tool()
def find_person(name: str) -> str:
    "Find a person by name."
    return "x"
@server.tool()
def delete_file(path: str) -> str:
    "Delete a file."
    return "x"
server.run()
"""


@pytest.fixture
def config(tmp_path):
    """An MCP server with two tools, of which one is known to read only, and one that cannot be started."""
    (tmp_path / "office.py").write_text(SERVER, "utf-8")
    office = {"command": sys.executable, "args": [str(tmp_path / "office.py")], "effects": {"find_person": "read"}}
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"office": office, "broken": {"command": "/nothing/here"}}}), "utf-8")
    return path


async def test_servers_and_tools_with_what_they_may_do(serve, visit, config) -> None:
    @tool(effect="external")
    def send_letter(to: str) -> str:
        """Send a letter."""
        return "sent"

    agent = Agent(
        name="clerk", title="연동 담당 · Clerk", description="x", tools=["mcp:office", "send_letter", "calculate"]
    )
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    page = await visit(await serve(mcp_config=config, teams=[team], tools=[send_letter]), "#/start")
    await page.get_by_role("button", name="도구와 연결").click()
    office = page.locator(".finding", has=page.get_by_text("office", exact=True))
    await expect(office.locator(".mark").first).to_have_text("연결됨")
    for name, may in (("find_person", "바꾸는 것 없음"), ("delete_file", "밖에 작용 · 먼저 물음")):
        shown = office.locator(".tool", has_text=name)
        await expect(shown.locator(".mark")).to_have_text(may)
        await expect(shown).to_contain_text("연동 담당")
    broken = page.locator(".finding", has=page.get_by_text("broken", exact=True))
    await expect(broken.locator(".mark")).to_have_text("연결 안 됨")
    await expect(page.locator(".tool", has_text="send_letter")).to_contain_text("Send a letter.")
    await expect(page.get_by_text("계산", exact=True)).to_be_visible()
    # A reload leads there again, and no name of ours is shown as it is in the code.
    await page.reload()
    await expect(office).to_be_visible()
    await page.get_by_role("button", name="살핀 것").click()
    await expect(page.locator(".finding", has_text="broken")).to_contain_text("연결하지 못했습니다")
    await expect(page.locator(".finding", has_text="문서 검색")).to_be_visible()
    assert "search_knowledge_base" not in await page.locator("#view").inner_text()


@pytest.mark.parametrize("locale", ["ko-KR", "en-US"])
async def test_a_changed_tool_is_accepted(serve, visit, config, tmp_path, locale) -> None:
    """Once it was met, what a tool says of itself counts only after somebody said so."""
    korean = locale == "ko-KR"
    agent = Agent(name="clerk", description="x", tools=["mcp:office"])
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    before = await visit(await serve(mcp_config=config, teams=[team]), "#/start/tools", locale=locale)
    await expect(before.locator(".tool", has_text="find_person")).to_contain_text("Find a person by name.")
    accept = "바뀐 도구 받아들이기" if korean else "Accept the changed tools"
    await expect(before.get_by_role("button", name=accept)).to_have_count(0)
    # Other processes learn of it within seconds.
    with closing(sqlite3.connect(tmp_path / "data/dure.db")) as database:
        while not database.execute("SELECT 1 FROM mcp_tools WHERE server = 'office'").fetchall():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    (tmp_path / "office.py").write_text(SERVER.replace("by name", "by any name"), "utf-8")
    page = await visit(await serve(mcp_config=config, teams=[team]), "#/start/tools", locale=locale)
    office = page.locator(".finding", has=page.get_by_text("office", exact=True))
    await expect(office.locator(".mend")).to_contain_text("find_person")
    await expect(office.locator(".tool", has_text="find_person")).to_contain_text("Find a person by name.")
    for sure in (False, True):
        await office.get_by_role("button", name=accept).focus()
        await page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog")
        await expect(dialog).to_contain_text("find_person")
        await dialog.get_by_role("button", name=accept if sure else "취소" if korean else "Cancel").click()
        await expect(office.locator(".mend")).to_have_count(0 if sure else 1)
    for _ in range(2):
        await expect(office.locator(".tool", has_text="find_person")).to_contain_text("Find a person by any name.")
        await expect(office.locator(".mend")).to_have_count(0)
        await page.reload()


async def test_a_server_that_wants_a_login_is_connected(serve, visit, authority, tmp_path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"wiki": {"url": authority.url}}}), "utf-8")
    authority.consent = False
    page = await visit(await serve(mcp_config=path), "#/start/tools", leads_to=authority.issuer)
    wiki = page.locator(".finding", has=page.get_by_text("wiki", exact=True))
    await expect(wiki.locator(".mark")).to_have_text("로그인 필요")
    await wiki.get_by_role("button", name="연결").click()
    await expect(wiki).to_contain_text("access_denied the person said no")
    authority.consent = True
    await wiki.get_by_role("button", name="연결").click()
    await expect(wiki.locator(".mark").first).to_have_text("연결됨")
    await expect(wiki.locator(".tool")).to_contain_text("echo_token")


async def test_without_papers_there_is_no_library(serve, visit) -> None:
    page = await visit(await serve(packs=["-papers"]))
    await expect(page.get_by_role("link", name="논문·용어")).to_be_hidden()
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("option", name="문서", exact=True)).to_be_visible()
    await expect(page.get_by_role("option", name="논문·용어")).to_have_count(0)


async def test_a_model_is_chosen_by_its_name(serve, visit) -> None:
    team = Team(name="desk", kind="solo", description="x", agents=[Agent(name="clerk", description="x")])
    async with ScriptedServer(say("하나입니다."), say("둘입니다.")) as scripted:
        models = {"big": {"base_url": scripted.url, "name": "big-1"}}
        page = await visit(await serve(scripted, teams=[team], models=models))
        await page.get_by_label("메시지").fill("물음")
        await page.get_by_label("메시지").press("Enter")
        await expect(page.locator(".md.finished")).to_have_text("하나입니다.")
        await page.get_by_label("모델", exact=True).select_option("big")
        await page.get_by_role("button", name="고른 팀·모델로 다시 답하기").click()
        await expect(page.locator(".md.finished")).to_have_text("둘입니다.")
        assert scripted.requests[-1]["model"] == "big-1"
        await page.reload()
        await expect(page.get_by_label("모델", exact=True)).to_have_value("big")
        await expect(page.locator(".branches")).to_contain_text("2 / 2")
