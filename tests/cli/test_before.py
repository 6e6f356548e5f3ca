"""What is wrong is told before weights are fetched, a server is asked or a process is started."""

import json
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from dure import Agent, Dure, Team, tool
from dure.errors import WeightsError
from dure.runs import Ask
from dure.testing import ScriptedServer, call

Command = Callable[..., Awaitable[Any]]
BUNDLED = {"DURE_MODEL_BASE_URL": ""}


@tool(effect="external")
async def send(to: str) -> str:
    """Send a mail.

    Args:
        to: whom.
    """
    return "sent"


@pytest.fixture(autouse=True)
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The weights that were asked for; nothing is fetched."""
    asked: list[str] = []

    def fetch(weights: Any, *_: Any) -> Path:
        asked.append(weights.name)
        raise WeightsError(reason="not here")

    monkeypatch.setattr("dure.models.bundled.weights.pull", fetch)
    return asked


@pytest.fixture
def marks(tmp_path: Path) -> tuple[dict[str, str], Path]:
    """An MCP server that only leaves a mark when it is started: the setting that names it, and where the mark is."""
    mark = tmp_path / "started"
    server = {"command": sys.executable, "args": ["-c", f"open({str(mark)!r}, 'w')"]}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"marking": server}}))
    return {"DURE_MCP_CONFIG": str(tmp_path / "mcp.json")}, mark


async def test_the_weights_are_fetched_for_what_can_be_asked(dure: Command, fetched: list[str]) -> None:
    ended = await dure("chat", "hello", **BUNDLED)
    assert (ended.code, fetched) == (1, ["qwen2.5-coder-1.5b-instruct"])
    assert "not here" in ended.err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["chat", "--team", "nope", "x"], "nope"),
        (["chat", "--level", "medium", "x"], "medium"),
        (["chat", "--format", "pdf", "x"], "pdf"),
        (["chat", "--session", "../x", "x"], "session id"),
        (["chat", " "], "empty"),
        (["demo", "--documents", "nowhere"], "nowhere"),
        (["demo", "--question", " "], "empty"),
        (["ingest", "nowhere.pdf"], "nowhere.pdf"),
        (["eval", "nowhere.jsonl"], "nowhere.jsonl"),
        (["eval", "cases.jsonl", "--team", "nope"], "nope"),
        (["eval", "cases.jsonl", "--min", "2"], "--min"),
        (["eval", "cases.jsonl", "-o", "no/folder/out.jsonl"], "no/folder"),
    ],
)
async def test_input_that_is_wrong(
    dure: Command, tmp_path: Path, fetched: list[str], marks: tuple[dict[str, str], Path], args: list[str], says: str
) -> None:
    (tmp_path / "cases.jsonl").write_text('{"question": "안녕"}\n', encoding="utf-8")
    setting, mark = marks
    ended = await dure(*args, **BUNDLED, **setting)
    assert ended.code == 2
    assert says in ended.err
    assert (fetched, mark.exists()) == ([], False)


async def test_no_model_server_is_asked_what_cannot_be_answered(dure: Command) -> None:
    async with ScriptedServer() as server:
        ended = await dure("chat", "--team", "nope", "x", server=server, DURE_TOOL_DIALECT="auto")
        assert (ended.code, server.requests) == (2, [])


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ({"DURE_PORT": "eighty"}, "DURE_PORT"),
        ({"DURE_PACKS": "nothing"}, "DURE_PACKS"),
        ({"DURE_TEAMS_DIR": "teams"}, "wrong.toml"),
        ({"DURE_MCP_CONFIG": "wrong.json"}, "wrong.json"),
        ({"DURE_DATABASE_URL": "mysql://x/y"}, "DURE_DATABASE_URL"),
    ],
)
async def test_settings_that_are_wrong(
    dure: Command, tmp_path: Path, fetched: list[str], setting: dict[str, str], says: str
) -> None:
    (tmp_path / "teams").mkdir()
    (tmp_path / "teams" / "wrong.toml").write_text('name = "x"\nkind = "nothing"\n')
    (tmp_path / "wrong.json").write_text("{")
    for args in (["chat", "x"], ["demo"], ["runs", "replay", "r-1"]):
        ended = await dure(*args, **BUNDLED, **setting)
        assert (ended.code, says in ended.err, fetched) == (2, True, []), args


async def test_runs_that_are_not_there_and_sessions_that_wait(
    dure: Command, tmp_path: Path, fetched: list[str]
) -> None:
    for args in (["replay", "r-none"], ["decide", "r-none", "--approve"]):
        ended = await dure("runs", *args, **BUNDLED)
        assert (ended.code, "r-none" in ended.err, fetched) == (1, True, []), args
    desk = Team(
        name="desk", kind="solo", description="x", agents=[Agent(name="a", description="x", tools=["send"], prompt="x")]
    )
    async with (
        ScriptedServer(call("send", to="kim")) as server,
        Dure(
            data_dir=tmp_path / "data",
            embeddings=False,
            model_base_url=server.url,
            tool_dialect="native",
            tools=[send],
            teams=[desk],
        ) as opened,
    ):
        run = await opened.runs.start("default", Ask("보내 줘", "s1", "desk"))
        assert (await opened.runs.answer("default", run.id)).status == "waiting"
    ended = await dure("chat", "--session", "s1", "x", **BUNDLED)
    assert (ended.code, run.id in ended.err, fetched) == (1, True, [])
    ended = await dure("runs", "decide", run.id, "--edit", "{", **BUNDLED)
    assert (ended.code, fetched) == (2, [])
    ended = await dure("runs", "decide", run.id, "--reject", "no", "--approval", "p-none", **BUNDLED)
    assert (ended.code, "p-none" in ended.err, fetched) == (1, True, [])


async def test_a_server_that_cannot_listen(
    dure: Command, fetched: list[str], marks: tuple[dict[str, str], Path]
) -> None:
    setting, mark = marks
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ended = await dure("serve", "--port", str(taken.getsockname()[1]), **BUNDLED, **setting)
    assert (ended.code, fetched, mark.exists()) == (1, [], False)
    ended = await dure("serve", "--host", "0.0.0.0", "--port", "0", **BUNDLED, **setting)
    assert (ended.code, "DURE_API_KEYS" in ended.err, fetched, mark.exists()) == (2, True, [], False)
