"""Teams as an agent in an editor, asked by the client of the protocol's own SDK."""

import asyncio
import base64
import json
import socket
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from fixtures.commands import Command, Started
from fixtures.late import Late

from dure import Agent, Dure, Team, tool
from dure.api.auth import Caller
from dure.testing import ScriptedServer, call, say
from dure.testing import json as said_json
from dure.tooling import File, ToolResult

acp = Late("acp", "needs the extra acp")
door = Late("dure.api.doors.acp", "needs the extra acp")


@tool(effect="external")
def send_mail(to: str, text: str) -> str:
    """Send a mail."""
    return f"sent to {to}"


@tool
def save_chart(name: str) -> ToolResult:
    """Draw a chart."""
    return ToolResult("drawn", files=[File(name, b"<svg/>", "image/svg+xml")])


CLERK = Agent(name="clerk", description="x", tools=[send_mail])
PAINTER = Agent(name="data", description="charts", prompt="You are data.", tools=[save_chart])
TEAMS = [
    Team(name="desk", kind="solo", description="x", agents=[CLERK]),
    Team(name="atelier", kind="planner", description="x", agents=[PAINTER], prompt="You lead."),
]
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


class Editor:
    """The client's side: what it was told, and what its person chooses, one choice a question."""

    def __init__(self, *choices: str) -> None:
        self.choices = list(choices)
        self.told: list[tuple[str, Any]] = []
        self.asked: list[tuple[Any, list[Any]]] = []
        self.heard = asyncio.Event()

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.told.append((session_id, update))
        self.heard.set()

    async def request_permission(self, session_id: str, tool_call: Any, options: list[Any], **_: Any) -> Any:
        self.asked.append((tool_call, options))
        self.heard.set()
        if not self.choices:
            await asyncio.Event().wait()
        choice = self.choices.pop(0)
        if choice == "cancelled":
            return acp.schema.RequestPermissionResponse(outcome=acp.schema.DeniedOutcome(outcome="cancelled"))
        chosen = acp.schema.AllowedOutcome(outcome="selected", option_id=choice)
        return acp.schema.RequestPermissionResponse(outcome=chosen)

    def on_connect(self, conn: Any) -> None:
        pass

    def of(self, kind: str, session_id: str | None = None) -> list[Any]:
        """The updates of that kind."""
        return [u for s, u in self.told if u.session_update == kind and session_id in (None, s)]

    def text(self, kind: str = "agent_message_chunk", session_id: str | None = None) -> str:
        return "".join(u.content.text for u in self.of(kind, session_id) if u.content.type == "text")

    async def until(self, wanted: Callable[[], Any]) -> None:
        async with asyncio.timeout(30):
            while not wanted():
                self.heard.clear()
                await self.heard.wait()


Opened = Callable[..., Awaitable[tuple[Any, Editor]]]


async def greeted(agent: Any) -> None:
    begun = await agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
    assert (begun.protocol_version, begun.agent_info.name, begun.auth_methods) == (1, "dure", [])


@pytest.fixture
async def editor(opened: Callable[..., Awaitable[Dure]]) -> AsyncIterator[Opened]:
    """`agent, editor = await editor(scripted, "approve")`: an agent at the other end of a pipe."""
    async with AsyncExitStack() as stack:

        async def start(scripted: ScriptedServer, *choices: str) -> tuple[Any, Editor]:
            dure = await opened(scripted, teams=TEAMS)
            here, there = socket.socketpair()
            streams = await asyncio.open_connection(sock=there)
            serving = asyncio.create_task(door.serve(Caller("default", dure, "en", "owner"), *streams))
            stack.push_async_callback(asyncio.wait_for, serving, 30)
            reader, writer = await asyncio.open_connection(sock=here)
            client = Editor(*choices)
            agent = acp.connect_to_agent(client, writer, reader)
            stack.push_async_callback(writer.wait_closed)
            stack.callback(writer.close)
            stack.push_async_callback(agent.close)
            await greeted(agent)
            return agent, client

        yield start


async def test_a_team_is_asked(warm_command: tuple[str, ...], environment: dict[str, str], tmp_path: Path) -> None:
    """The command, as an editor starts it."""
    steps = (
        call("search_knowledge_base", queries=["연차휴가"]).thinking("찾아본다"),
        say("15일이라고 적힌 곳이 없습니다."),
    )
    async with ScriptedServer(*steps) as scripted, AsyncExitStack() as stack:
        client, env = Editor(), environment | {"DURE_MODEL_BASE_URL": scripted.url}
        agent, _ = await stack.enter_async_context(
            acp.spawn_agent_process(client, *warm_command, "acp", env=env, cwd=tmp_path)
        )
        await greeted(agent)
        session = await agent.new_session(cwd=str(tmp_path))
        (option,) = session.config_options
        assert {"assistant", "workplace"} <= {each.value for each in option.options}
        changed = await agent.set_config_option(config_id="team", session_id=session.session_id, value="assistant")
        assert changed.config_options[0].current_value == "assistant"
        prompt = [
            acp.text_block("연차휴가는 며칠이야?"),
            acp.resource_block(acp.embedded_text_resource("file:///규정.txt", "연차휴가는 15일이다.")),
            acp.resource_link_block("README", "file:///README.md"),
            acp.image_block(base64.b64encode(PNG).decode(), "image/png"),
        ]
        ended = await agent.prompt(session_id=session.session_id, prompt=prompt)
    assert ended.stop_reason == "end_turn"
    assert client.text() == "15일이라고 적힌 곳이 없습니다."
    assert "찾아본다" in client.text("agent_thought_chunk")
    (begun,), updates = client.of("tool_call"), client.of("tool_call_update")
    assert (begun.title, begun.status, begun.kind) == ("assistant: search_knowledge_base", "in_progress", "search")
    assert begun.raw_input == {"queries": ["연차휴가"]}
    assert [(each.tool_call_id, each.status) for each in updates] == [(begun.tool_call_id, "completed")]
    assert updates[0].content[0].content.text
    asked = scripted.requests[0]["messages"][-1]["content"]
    text = next(part["text"] for part in asked if part["type"] == "text")
    assert '<context ref="file:///규정.txt">\n연차휴가는 15일이다.\n</context>' in text
    assert "[README](file:///README.md)" in text
    assert [part["type"] for part in asked].count("image_url") == 1


async def test_a_session_is_listed_and_loaded_with_what_was_done(editor: Opened, tmp_path: Path) -> None:
    steps = call("search_knowledge_base", queries=["휴가"]), say("없습니다."), say("네, 없습니다.")
    async with ScriptedServer(*steps) as scripted:
        agent, client = await editor(scripted)
        id = (await agent.new_session(cwd=str(tmp_path))).session_id
        await agent.set_config_option(config_id="team", session_id=id, value="assistant")
        await agent.prompt(session_id=id, prompt=[acp.text_block("휴가는 며칠?")])
        again, other = await editor(scripted)
        listed = (await again.list_sessions(cwd=str(tmp_path))).sessions
        loaded = await again.load_session(cwd=str(tmp_path), session_id=id)
        shown = [update.model_dump() for _, update in other.told]
        assert [each["session_update"] for each in shown if each["session_update"] != "agent_thought_chunk"] == [
            "user_message_chunk",
            "tool_call",
            "tool_call_update",
            "agent_message_chunk",
        ]
        await again.prompt(session_id=id, prompt=[acp.text_block("정말?")])
        with pytest.raises(acp.RequestError) as error:
            await again.load_session(cwd=str(tmp_path), session_id="s-nobodys")
    assert [(each.session_id, each.title, each.cwd) for each in listed] == [(id, "휴가는 며칠?", str(tmp_path))]
    assert loaded.config_options[0].current_value == "assistant"
    assert shown[1:] == [update.model_dump() for _, update in client.told]
    assert other.text() == "없습니다.네, 없습니다."
    assert "휴가는 며칠?" in str(scripted.requests[2]["messages"])
    assert error.value.code == -32002


async def at_the_desk(editor: Opened, scripted: ScriptedServer, folder: Path, *choices: str) -> tuple[Any, Editor, str]:
    agent, client = await editor(scripted, *choices)
    id = (await agent.new_session(cwd=str(folder))).session_id
    await agent.set_config_option(config_id="team", session_id=id, value="desk")
    return agent, client, id


MAIL = call("send_mail", to="kim", text="hello")
PROMPT = [{"type": "text", "text": "Greet Kim"}]


@pytest.mark.parametrize(
    ("choice", "status", "told"), [("approve", "completed", "sent to kim"), ("reject", "failed", "declined")]
)
async def test_a_person_is_asked(editor: Opened, tmp_path: Path, choice: str, status: str, told: str) -> None:
    async with ScriptedServer(MAIL, say("Done.")) as scripted:
        agent, client, id = await at_the_desk(editor, scripted, tmp_path, choice)
        ended = await agent.prompt(session_id=id, prompt=PROMPT)
    assert ended.stop_reason == "end_turn"
    left = "" if choice == "approve" else "\n\nNot run, since nobody allowed it: send_mail"
    assert client.text() == f"Done.{left}"
    ((about, options),) = client.asked
    assert [(each.option_id, each.name, each.kind) for each in options] == [
        ("approve", "approve", "allow_once"),
        ("reject", "reject", "reject_once"),
        ("edit", "edit", "reject_once"),
    ]
    assert about.raw_input == {"to": "kim", "text": "hello"}
    states = [each.status for each in [*client.of("tool_call"), *client.of("tool_call_update")]]
    assert (states[0], states[-1]) == ("pending", status)
    assert {each.tool_call_id for each in client.of("tool_call_update")} == {about.tool_call_id}
    answered = scripted.requests[1]["messages"][-1]["content"]
    assert (told == "sent to kim") == ("sent to kim" in answered)


async def test_arguments_are_changed_by_the_next_message(editor: Opened, tmp_path: Path) -> None:
    async with ScriptedServer(MAIL, say("Done.")) as scripted:
        agent, client, id = await at_the_desk(editor, scripted, tmp_path, "edit", "edit")
        await agent.prompt(session_id=id, prompt=PROMPT)
        assert '`{"to":"kim","text":"hello"}`' in client.text()
        with pytest.raises(acp.RequestError) as wrong:
            await agent.prompt(session_id=id, prompt=[acp.text_block('{"to": 1}')])
        await agent.prompt(session_id=id, prompt=[acp.text_block("What was it again?")])
        assert len(client.asked) == 2
        changed = json.dumps({"to": "lee", "text": "hi"})
        ended = await agent.prompt(session_id=id, prompt=[acp.text_block(changed)])
    assert wrong.value.code == -32602
    assert ended.stop_reason == "end_turn"
    assert client.text().endswith("Done.")
    assert "sent to lee" in scripted.requests[1]["messages"][-1]["content"]


async def test_a_question_that_is_given_up_ends_the_run(editor: Opened, tmp_path: Path) -> None:
    async with ScriptedServer(MAIL, say("Again.")) as scripted:
        agent, client, id = await at_the_desk(editor, scripted, tmp_path)
        asking = asyncio.create_task(agent.prompt(session_id=id, prompt=PROMPT))
        await client.until(lambda: client.asked)
        await agent.cancel(session_id=id)
        assert (await asking).stop_reason == "cancelled"
        ended = await agent.prompt(session_id=id, prompt=[acp.text_block("And now?")])
    assert (ended.stop_reason, client.text()) == ("end_turn", "Again.")


async def test_a_turn_is_cancelled(editor: Opened, tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("late").after(gate), say("Again.")) as scripted:
        agent, client, id = await at_the_desk(editor, scripted, tmp_path)
        asking = asyncio.create_task(agent.prompt(session_id=id, prompt=PROMPT))
        await scripted.arrived()
        with pytest.raises(acp.RequestError, match="being worked on"):
            await agent.prompt(session_id=id, prompt=PROMPT)
        await agent.cancel(session_id=id)
        assert (await asking).stop_reason == "cancelled"
        await agent.prompt(session_id=id, prompt=[acp.text_block("And now?")])
        gate.set()
    assert client.text() == "Again."


async def test_two_sessions_at_once(editor: Opened, tmp_path: Path) -> None:
    gate = asyncio.Event()
    steps = say("First.").after(gate).when("one"), say("Second.").when("two")
    async with ScriptedServer(*steps) as scripted:
        agent, client, one = await at_the_desk(editor, scripted, tmp_path)
        two = (await agent.new_session(cwd=str(tmp_path))).session_id
        await agent.set_config_option(config_id="team", session_id=two, value="desk")
        first = asyncio.create_task(agent.prompt(session_id=one, prompt=[acp.text_block("one")]))
        await scripted.arrived()
        await agent.prompt(session_id=two, prompt=[acp.text_block("two")])
        assert client.text(session_id=two) == "Second."
        gate.set()
        await first
    assert client.text(session_id=one) == "First."


def read(uri: str) -> bytes:
    with urlopen(uri) as file:
        return bytes(file.read())


async def test_a_plan_its_question_and_the_file_it_made(editor: Opened, tmp_path: Path) -> None:
    rows = [(1, "draw", [], False), (2, "draw again", [1], True)]
    keys = ("step", "task", "depends_on", "requires_approval")
    steps = [{"agent": "data", "estimated_time": "1"} | dict(zip(keys, row, strict=True)) for row in rows]
    intent = {"category": "data", "description": "x", "key_entities": [], "complexity": "medium"}

    def respond(body: dict[str, Any]) -> Any:
        first, last = str(body["messages"][0]["content"]), body["messages"][-1]
        if "You are data." in first:
            return say("Drawn.") if last["role"] == "tool" else call("save_chart", name="a.svg")
        asked = str(body.get("response_format")) + first
        return (
            said_json(intent if "category" in asked else {"steps": steps}) if "Put the" not in first else say("Both.")
        )

    async with ScriptedServer(respond=respond) as scripted:
        agent, client, id = await at_the_desk(editor, scripted, tmp_path, "reject")
        await agent.set_config_option(config_id="team", session_id=id, value="atelier")
        await agent.prompt(session_id=id, prompt=[acp.text_block("Draw the sales twice, ask me before the second")])
    plans = [[each.status for each in update.entries] for update in client.of("plan")]
    assert plans[0] == ["pending", "pending"]
    assert plans[1] == ["in_progress", "pending"]
    assert client.of("plan")[-1].entries[1].content == "✗ draw again"
    ((about, _),) = client.asked
    asked = [each for each in client.of("tool_call_update") if each.tool_call_id == about.tool_call_id]
    assert [each.status for each in asked] == ["failed"]
    (link,) = [each.content for each in client.of("agent_message_chunk") if each.content.type == "resource_link"]
    assert (link.name, link.mime_type) == ("a.svg", "image/svg+xml")
    assert read(link.uri) == b"<svg/>"


PROMPTS: list[Any] = [
    [{"type": "text", "text": "  "}],
    [{"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}],
    [{"type": "image", "data": "bm90aGluZw==", "mimeType": "image/png"}],
    [{"type": "resource", "resource": {"uri": "file:///x", "blob": "AAAA"}}],
    [{"type": "nothing"}],
    "text",
]


async def test_what_cannot_be_used_is_refused(started: Started) -> None:
    process = await started("acp", stdin=PIPE, stdout=PIPE, stderr=PIPE)

    async def ask(line: bytes) -> Any:
        process.stdin.write(line + b"\n")
        return json.loads(await process.stdout.readline())

    def request(method: str, **params: Any) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()

    assert (await ask(b"{not json"))["error"]["code"] == -32700
    assert (await ask(b"[]"))["error"]["code"] == -32700
    assert (await ask(request("session/nothing")))["error"]["code"] == -32601
    assert (await ask(request("session/prompt", sessionId="s-x", prompt=[])))["error"]["code"] in (-32002, -32602)
    session = (await ask(request("session/new", cwd="/", mcpServers=[])))["result"]["sessionId"]
    refused = await ask(request("session/set_config_option", sessionId=session, configId="team", value="nobody"))
    assert refused["error"]["code"] == -32602
    for prompt in PROMPTS:
        refused = await ask(request("session/prompt", sessionId=session, prompt=prompt))
        assert refused["error"]["code"] == -32602, prompt
    process.stdin.close()
    assert await process.wait() == 0


async def test_who_hangs_up_ends_the_run(environment: dict[str, str], started: Started, dure: Command) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("late").after(gate)) as scripted:
        process = await started("acp", server=scripted, stdin=PIPE, stdout=PIPE, stderr=PIPE)
        new = {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/", "mcpServers": []}}
        process.stdin.write(json.dumps(new).encode() + b"\n")
        id = json.loads(await process.stdout.readline())["result"]["sessionId"]
        asked = {"sessionId": id, "prompt": [{"type": "text", "text": "hello"}]}
        prompt = {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": asked}
        process.stdin.write(json.dumps(prompt).encode() + b"\n")
        await scripted.arrived()
        process.stdin.close()
        await process.wait()
        gate.set()
    (run,) = (await dure("runs", "list", "--json")).json["runs"]
    assert run["status"] == "cancelled"


@pytest.mark.usefixtures("cold_commands")
async def test_the_extra_that_is_missing_is_named(process: Command, tmp_path: Path) -> None:
    (tmp_path / "hide").mkdir()
    (tmp_path / "hide" / "acp.py").write_text("raise ModuleNotFoundError('acp')")
    import dure as package

    source = str(Path(package.__file__).parents[1])
    ended = await process("acp", PYTHONPATH=f"{tmp_path / 'hide'}:{source}")
    assert ended.code == 2
    assert "[acp]" in ended.err
    assert ended.out == ""
