"""Pictures that tools give: to a model that sees, and again when the run goes on from its record."""

import json
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from fixtures.pictures import png

from dure import Agent, Dure, Team, tool
from dure.errors import InvalidInput
from dure.events import Notice
from dure.pictures import data_url, part
from dure.testing import ScriptedServer, Step, call, say
from dure.testing import json as filled
from dure.tooling import File, ToolResult

Opened = Callable[..., Awaitable[Dure]]
PNG = png()
TEAM = Team(
    name="camera",
    kind="solo",
    description="Takes pictures.",
    agents=[Agent(name="eye", description="Looks.", prompt="Look.", tools=["shoot", "send"])],
)


@tool
async def shoot() -> ToolResult:
    """Takes a picture."""
    return ToolResult("Taken.", files=[File("a.png", PNG, "image/png", seen=True), File("b.png", PNG, "image/png")])


@tool(effect="external")
async def send() -> str:
    """Sends it."""
    return "Sent."


def turns(body: dict[str, Any]) -> list[tuple[str, bool]]:
    return [(turn["role"], isinstance(turn["content"], list)) for turn in body["messages"]]


async def test_a_tools_picture_is_shown_also_after_a_person_was_asked(opened: Opened) -> None:
    async with ScriptedServer(call("shoot"), call("send"), say("Done.")) as server:
        dure = await opened(server, tools=[shoot, send], teams=[TEAM])
        answer = await dure.chat("Look.", team="camera")
        assert answer.status == "waiting"
        answer = await dure.decide(answer)
        assert answer.response == "Done."
        requests = server.requests
    assert turns(requests[1])[-2:] == [("tool", False), ("user", True)]
    parts = requests[1]["messages"][-1]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url"]
    # From the record by now.
    assert requests[2]["messages"][-1]["content"] == parts


async def test_the_agents_of_a_supervisor_see_the_pictures_of_the_message(opened: Opened) -> None:
    team = Team(name="desk", kind="supervisor", description="Looks.", prompt="Lead.", agents=TEAM.agents)
    async with ScriptedServer(call("eye", task="Look."), say("A cat.")) as server:
        dure = await opened(server, tools=[shoot, send], teams=[team])
        answer = await dure.chat("What is it?", team="desk", images=[PNG])
        assert answer.response == "A cat."
        assert turns(server.requests[0])[-1] == turns(server.requests[1])[-1] == ("user", True)


def whatever(body: dict[str, Any]) -> Step:
    """What a model says that answers at once: forms filled in with the little that lets the agent work."""
    form = body.get("response_format", {}).get("json_schema", {}).get("schema", {}).get("properties", {})
    if "category" in form:
        return filled({"category": "eye", "description": "Look."})
    if "steps" in form:
        step = {"step": 1, "agent": "eye", "task": "Look.", "depends_on": [], "requires_approval": False}
        return filled({"steps": [step | {"estimated_time": "-"}]})
    if "conditions" in form:
        return filled({"conditions": [], "topic": "attention", "translated": "", "papers": 0})
    if "agents" in form:
        return filled({"agents": ["eye"], "effect": False, "request": ""})
    return say("A cat.")


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        ("solo", "loop"),
        ("supervisor", "loop"),
        ("planner", "loop"),
        ("router", "loop"),
        ("router", "general"),
        ("router", "search_paper"),
    ],
)
async def test_whoever_answers_sees_the_pictures_of_the_message(opened: Opened, kind: Any, method: str) -> None:
    tools = ["search_papers"] if method == "search_paper" else []
    agents = [Agent(name="eye", description="Looks at papers.", method=method, tools=tools)]
    team = Team(name="desk", kind=kind, description="Looks.", agents=agents)
    async with ScriptedServer(respond=whatever) as server:
        dure = await opened(server, teams=[team])
        events = [each async for each in dure.stream("Find papers on attention", team="desk", images=[PNG])]
        assert "A cat." in events[-1].response
        assert turns(server.requests[-1])[-1] == ("user", True)
    assert [each.code for each in events if isinstance(each, Notice)] == []


@pytest.mark.parametrize("way", ["direct", "guided"])
async def test_who_is_answered_without_a_look_at_the_picture_is_told(opened: Opened, way: str) -> None:
    """Of the message's own picture: one that came with the message before may be about something else by now."""
    agents = [Agent(name="eye", description="Finds.", method="search_paper", tools=["search_papers"])]
    team = Team(name="desk", kind="router", description="Finds.", agents=agents)
    async with ScriptedServer(respond=whatever) as server:
        dure = await opened(server, teams=[team], way=way)
        told = []
        for images in ([PNG], []):
            found = [each async for each in dure.stream("Find papers on attention", team="desk", images=images)]
            told.append([each.text for each in found if isinstance(each, Notice)])
    assert ["not looked at" in "".join(texts) for texts in told] == [way == "guided", False]


async def test_bytes_that_are_no_picture_are_refused(opened: Opened) -> None:
    async with ScriptedServer() as server:
        dure = await opened(server)
        with pytest.raises(InvalidInput, match="no PNG"):
            await dure.chat("What is it?", images=[b"<svg/>"])
        assert await dure.runs.list("default") == []


async def test_a_conversation_goes_on_without_a_picture_that_was_taken_away(opened: Opened, tmp_path: Path) -> None:
    async with ScriptedServer(say("A cat."), say("Two.")) as server:
        dure = await opened(server, tools=[shoot, send], teams=[TEAM])
        first = await dure.chat("What is it?", team="camera", images=[PNG])
        shutil.rmtree(tmp_path / "data" / "artifacts")
        second = await dure.chat("How many?", team="camera", session_id=first.session_id)
        assert second.response == "Two."
        assert turns(server.requests[1])[-1] == ("user", False)


CAMERA = f"""
import base64
import mcp_types as types
from mcp.server.mcpserver import MCPServer

server = MCPServer("camera")

@server.tool()
def snap() -> types.CallToolResult:
    \'\'\'Takes a picture.\'\'\'
    data = base64.b64encode({PNG!r}).decode()
    return types.CallToolResult(content=[types.ImageContent(data=data, mime_type="image/png")])

server.run()
"""


async def test_a_picture_of_an_mcp_server_is_shown_to_the_model_and_kept(opened: Opened, tmp_path: Path) -> None:
    script, config = tmp_path / "camera.py", tmp_path / "mcp.json"
    script.write_text(CAMERA)
    command = {"command": sys.executable, "args": [str(script)], "effects": {"snap": "read"}}
    config.write_text(json.dumps({"mcpServers": {"camera": command}}))
    agent = Agent(name="eye", description="Looks.", tools=["mcp:camera"])
    team = Team(name="desk", kind="solo", description="Looks.", agents=[agent])
    async with ScriptedServer(call("snap"), say("A cat.")) as server:
        dure = await opened(server, teams=[team], mcp_config=config)
        answer = await dure.chat("Look.", team="desk")
        assert answer.response == "A cat."
        result, shown = server.requests[1]["messages"][-2:]
        assert f"[image: image/png, {len(PNG)} bytes]" in result["content"]
        assert shown["content"][-1] == part(data_url("image/png", PNG))
        assert [each["media_type"] for each in await dure.runs.artifacts("default", answer.run_id)] == ["image/png"]
