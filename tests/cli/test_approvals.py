"""Runs that wait, in the terminal: shown, decided at once or later, cancelled; and the files that runs made."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import orjson
import pytest
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel

from dure import Agent, Dure, Team, tool
from dure.cli.approvals import WAITS
from dure.testing import ScriptedServer, call, say
from dure.testing import json as as_json
from dure.tooling import File, ToolResult

Command = Callable[..., Awaitable[Any]]
InTerminal = Callable[..., Awaitable[Any]]
TEAM = """
name = "desk"
kind = "solo"
description = "x"
[[agents]]
name = "clerk"
description = "x"
prompt = "x"
tools = ["mcp:mail"]
"""
SEND = call("send_mail", to="kim\x1b[2J")
ASK = ("chat", "--team", "desk", "김에게 인사해 줘")


class Seat(BaseModel):
    row: int


@pytest.fixture
async def sent(environment: dict[str, str], tmp_path: Path) -> AsyncIterator[list[str]]:
    """A desk whose clerk can send mail; to whom it was sent."""
    sent: list[str] = []
    mail = MCPServer("mail")

    @mail.tool()
    def send_mail(to: str) -> str:
        """Send a mail."""
        sent.append(to)
        return f"sent to {to}"

    @mail.tool()
    def book(seat: Annotated[Seat, Resolve(lambda: Elicit("Which seat?", Seat))]) -> str:
        """Book a seat."""
        sent.append(str(seat.row))
        return f"row {seat.row}"

    server = uvicorn.Server(uvicorn.Config(mail.streamable_http_app(), log_config=None, timeout_graceful_shutdown=1))
    with socket.create_server(("127.0.0.1", 0)) as bound:
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        (tmp_path / "teams").mkdir()
        (tmp_path / "teams" / "desk.toml").write_text(TEAM, "utf-8")
        entry = {"url": f"http://127.0.0.1:{bound.getsockname()[1]}/mcp"}
        (tmp_path / "mcp.json").write_bytes(orjson.dumps({"mcpServers": {"mail": entry}}))
        environment |= {"DURE_TEAMS_DIR": str(tmp_path / "teams"), "DURE_MCP_CONFIG": str(tmp_path / "mcp.json")}
        yield sent
        server.should_exit = True
        await serving


@pytest.fixture
def seoul(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "Asia/Seoul")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("seoul")
async def test_without_a_terminal_it_waits_and_is_decided_later(dure: Command, sent: list[str]) -> None:
    async with ScriptedServer(SEND, say("보냈습니다.")) as server:
        asked = await dure(*ASK, "--json", server=server)
        assert asked.code == WAITS == 3
        assert asked.json["status"] == "waiting"
        (approval,) = asked.json["approvals"]
        run_id = asked.json["metadata"]["run_id"]
        assert f"dure runs decide {run_id}" in asked.err
        listed = await dure("runs", "waiting")
        assert run_id in listed.out
        assert approval["id"] in listed.out
        assert "\x1b" not in listed.out
        for shown in (("waiting",), ("show", run_id), ("list",)):
            assert " KST" in (await dure("runs", *shown)).out, "times are those of the machine's clock"
        assert [a["id"] for a in (await dure("runs", "waiting", "--json")).json["approvals"]] == [approval["id"]]
        assert approval["title"] in (await dure("runs", "show", run_id)).out
        for wrong in (
            [],
            ["--edit", "{"],
            ["--edit", '{"to": 3}'],
            ["--approve", "--reject", "아니"],
        ):
            ended = await dure("runs", "decide", run_id, *wrong, server=server)
            assert (ended.code, ended.out) == (2, ""), wrong
        assert sent == []
        decided = await dure("runs", "decide", run_id, "--edit", '{"to": "lee"}', server=server)
        assert (decided.code, decided.out) == (0, "보냈습니다.\n")
        assert sent == ["lee"]
        again = await dure("runs", "decide", run_id, "--approve", server=server)
        assert (again.code, approval["id"] in again.err) == (1, True)
        assert (await dure("runs", "waiting", "--json")).json == {"approvals": []}
        shown = await dure("runs", "show", run_id)
        assert "‖ waits for a decision" in shown.out
        assert f"{approval['id']} edit" in shown.out


async def test_a_plan_that_goes_on_names_its_steps(dure: Command, sent: list[str], tmp_path: Path) -> None:
    (tmp_path / "teams" / "bureau.toml").write_text(TEAM.replace("desk", "bureau").replace("solo", "planner"), "utf-8")
    step = {"step": 1, "agent": "clerk", "task": "명단 정리", "depends_on": [], "requires_approval": True}
    plan = [as_json({"category": "clerk", "description": "x"}), as_json({"steps": [step | {"estimated_time": ""}]})]
    async with ScriptedServer(*plan, say("정리했습니다.")) as server:
        asked = await dure("chat", "--team", "bureau", "명단을 정리해 줘", "--json", server=server)
        run_id = asked.json["metadata"]["run_id"]
        decided = await dure("runs", "decide", run_id, "--approve", server=server)
    assert decided.out == "정리했습니다.\n"
    assert "◐ 1. clerk: 명단 정리" in decided.err
    assert "▤" not in decided.err, "the plan was shown before"


async def test_cancel_while_waiting(dure: Command, sent: list[str]) -> None:
    async with ScriptedServer(SEND) as server:
        asked = await dure(*ASK, server=server)
        assert asked.code == WAITS
        assert '"to"' in asked.out
        run_id = (await dure("runs", "list", "--status", "waiting", "--json")).json["runs"][0]["id"]
        cancelled = await dure("runs", "cancel", run_id)
        assert (cancelled.code, cancelled.out) == (0, f"{run_id}  cancelled\n")
    assert sent == []


async def test_a_person_edits_at_the_terminal(in_terminal: InTerminal, sent: list[str]) -> None:
    async with ScriptedServer(SEND, say("보냈습니다.")) as server:
        terminal = await in_terminal(server, *ASK)
        seen = await terminal.until("[l] later: ")
        assert "send_mail" in seen
        assert "clerk" in seen
        assert "kim\\u001b[2J" in seen
        assert "[w] answer" not in seen
        terminal.type("x\n")
        await terminal.until("[l] later: ")
        terminal.type("e\n")
        await terminal.until("to go back): ")
        terminal.type('{"to"\n')
        await terminal.until("Not valid JSON")
        await terminal.until("to go back): ")
        terminal.type('{"to": 3}\n')
        await terminal.until("is not of type")
        await terminal.until("to go back): ")
        terminal.type('{"to": "lee"}\n')
        await terminal.until("보냈습니다.\r\n")
        assert await terminal.end() == 0
    assert sent == ["lee"]


async def test_a_person_answers_a_server_at_the_terminal(in_terminal: InTerminal, sent: list[str]) -> None:
    """It asks for fields in the middle of a call that was approved."""
    async with ScriptedServer(call("book"), say("예약했습니다.")) as server:
        terminal = await in_terminal(server, *ASK)
        await terminal.until("[l] later: ")
        terminal.type("a\n")
        seen = await terminal.until("[l] later: ")
        assert "Which seat?" in seen
        assert '"row"' in seen
        terminal.type("w\n")
        await terminal.until("to go back): ")
        terminal.type('{"row": "x"}\n')
        await terminal.until("to go back): ")
        terminal.type('{"row": 7}\n')
        await terminal.until("예약했습니다.\r\n")
        assert await terminal.end() == 0
    assert sent == ["7"]


@pytest.mark.parametrize("typed", ["l\n", *(pytest.param(each, marks=pytest.mark.slow) for each in "\x04\x03")])
async def test_a_person_decides_later(in_terminal: InTerminal, sent: list[str], typed: str) -> None:
    async with ScriptedServer(SEND) as server:
        terminal = await in_terminal(server, *ASK)
        await terminal.until("[l] later: ")
        if typed == "\x03":
            terminal.process.send_signal(2)
        else:
            terminal.type(typed)
        await terminal.until("dure runs decide r-")
        assert await terminal.end() == WAITS
    assert sent == []


async def test_a_person_rejects_what_waited(dure: Command, in_terminal: InTerminal, sent: list[str]) -> None:
    async with ScriptedServer(SEND, say("그만두었습니다.")) as server:
        assert (await dure(*ASK, server=server)).code == WAITS
        (waiting,) = (await dure("runs", "waiting", "--json")).json["approvals"]
        terminal = await in_terminal(server, "runs", "decide", waiting["run_id"])
        await terminal.until("[l] later: ")
        terminal.type("r\n")
        await terminal.until("Reason (Enter for none): ")
        terminal.type("아직\n")
        await terminal.until("그만두었습니다.\r\n")
        assert await terminal.end() == 0
        assert "아직" in server.requests[-1]["messages"][-1]["content"]
    assert sent == []


@tool
def make() -> ToolResult:
    """Make a file."""
    return ToolResult("made", files=[File("계약서.md", b"# NDA\n", "text/markdown")])


async def test_files_are_listed_and_copied_over_nothing(
    dure: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    agent = Agent(name="maker", description="x", tools=[make])
    team = Team(name="makers", kind="solo", description="x", agents=[agent])
    async with ScriptedServer(call("make"), say("만들었습니다.")) as server:
        settings = {"data_dir": environment["DURE_DATA_DIR"], "embeddings": False, "tool_dialect": "native"}
        async with Dure(model_base_url=server.url, teams=[team], **settings) as opened:
            answer = await opened.chat("만들어 줘", team="makers")
    run_id = answer.metadata["run_id"]
    listed = await dure("runs", "files", run_id)
    assert "계약서.md" in listed.out
    assert "계약서.md" in (await dure("runs", "show", run_id)).out
    folder = tmp_path / "out"
    for expected in (["계약서.md"], ["계약서 (2).md", "계약서.md"]):
        ended = await dure("runs", "files", run_id, "--to", str(folder))
        assert ended.code == 0
        assert sorted(p.name for p in folder.iterdir()) == expected
    assert (folder / "계약서.md").read_bytes() == b"# NDA\n"
    (tmp_path / "file").touch()
    assert (await dure("runs", "files", run_id, "--to", str(tmp_path / "file"))).code == 2
    assert (await dure("runs", "files", "r-none")).code == 1
