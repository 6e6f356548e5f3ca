"""`dure doctor`, and the commands around the model."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from dure.testing import ScriptedServer, raw, say

Command = Callable[..., Awaitable[Any]]


async def test_all_works(dure: Command) -> None:
    async with ScriptedServer(respond=lambda body: say("2")) as server:
        ended = await dure("doctor", "--json", server=server, DURE_TOOL_DIALECT="auto")
        assert server.probes == 1
    assert (ended.code, ended.json["ok"]) == (0, True)
    states = {f["part"]: f["state"] for f in ended.json["findings"]}
    assert states["model"] == states["dialect"] == states["store"] == states["tools"] == states["disk"] == "ok"
    assert states["embeddings"] == states["documents"] == "warning"
    model = next(f for f in ended.json["findings"] if f["part"] == "model")
    assert "scripted" in model["detail"]
    assert "“2”" in next(f for f in ended.json["findings"] if f["part"] == "answer")["detail"]


async def test_what_the_server_does_not_take_is_shown(dure: Command) -> None:
    async with ScriptedServer(
        respond=lambda body: say("2"), refuses=lambda body: "no streams" if body["stream"] else None
    ) as server:
        ended = await dure("doctor", server=server, DURE_TOOL_DIALECT="auto")
    assert ended.code == 0
    assert "✓ not taken  stream: no streams" in ended.out


async def test_what_is_broken_is_named_with_its_remedy(dure: Command, tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    config.write_text('{"mcpServers": {"gone": {"command": "no-such-program"}, "off": {"disabled": true}}}')
    ended = await dure("doctor", DURE_MCP_CONFIG=str(config), LC_ALL="ko_KR.UTF-8")
    assert ended.code == 1
    assert "✗ 모델" in ended.out
    assert "DURE_MODEL_BASE_URL" in ended.out
    assert "! MCP gone" in ended.out
    assert "✓ MCP off" in ended.out
    assert "✓ 도구" in ended.out


async def test_a_model_that_another_stands_in_for_is_missing_not_broken(dure: Command) -> None:
    async with ScriptedServer(respond=lambda _: say("2")) as server:
        away = {"base_url": "http://127.0.0.1:9/v1", "name": "x", "fallbacks": ["fast"]}
        models = {"large": away, "fast": {"base_url": server.url, "name": "y"}}
        ended = await dure("doctor", DURE_MODELS=json.dumps(models), DURE_MODEL=next(iter(models)))
    assert ended.code == 0, ended.out
    assert "! model x" in ended.out
    assert "large: " in ended.out
    assert "fast is asked in its place." in ended.out


async def test_what_a_team_names_and_nothing_has_is_told(
    dure: Command, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "desk.toml").write_text(
        'name = "desk"\nkind = "planner"\ndescription = "d"\nmodel = "fsat"\n'
        '[[agents]]\nname = "a"\ndescription = "d"\n'
        'tools = ["calculate"]\nsearch = "serch"\nallow = ["calculate", "book_room"]\n'
        '[[agents]]\nname = "b"\ndescription = "d"\ntools = ["mcp:rooms"]\nallow = ["book_room"]\n'
    )
    ended = await dure("doctor", "--json", DURE_TEAMS_DIR=str(tmp_path))
    (found,) = [f for f in ended.json["findings"] if f["id"] == "teams"]
    assert found["state"] == "warning"
    assert "a team file names a tool that is not there: serch (desk/a)" in caplog.text
    assert found["detail"].endswith("serch (desk/a), book_room (desk/a), mcp:rooms (desk/b), desk: fsat")


async def test_effects_of_tools_that_a_server_has_not_are_told(dure: Command, tmp_path: Path) -> None:
    plain = Path(__file__).parents[1] / "toolsets" / "mcp" / "servers" / "plain.py"
    entry = {"command": sys.executable, "args": [str(plain)], "effects": {"pid": "read", "*": "read"}}
    wrong = {**entry, "effects": {"pid": "read", "serch": "read", "찾기": "write"}}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"rooms": wrong, "well": entry}}))
    ended = await dure("doctor", "--json", DURE_MCP_CONFIG=str(tmp_path / "mcp.json"))
    found = {f["id"]: (f["state"], f["detail"]) for f in ended.json["findings"]}
    assert found["mcp:rooms"][0] == "warning"
    assert found["mcp:rooms"][1].endswith("; `effects` names what is none: serch, 찾기")
    assert found["mcp:well"][0] == "ok"


async def test_the_bundled_model_is_not_fetched_unasked(dure: Command, tmp_path: Path) -> None:
    ended = await dure("doctor", DURE_MODEL_BASE_URL="")
    assert ended.code == 1
    assert "dure models pull" in ended.out
    assert not (tmp_path / "cache").exists()


async def test_an_unusable_folder(dure: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    ended = await dure("doctor", DURE_DATA_DIR=str(tmp_path / "file" / "data"))
    assert ended.code == 1
    assert "✗ disk  Not a directory" in ended.out
    assert "✗ store" in ended.out


async def test_what_keeps_dure_from_opening_is_not_blamed_on_the_store(dure: Command, tmp_path: Path) -> None:
    wrong = await dure("doctor", DURE_MODEL_BASE_URL="http://localhost:99999/v1")
    assert (wrong.code, "✗ settings  The setting DURE_MODEL_BASE_URL" in wrong.out) == (1, True)
    (tmp_path / "mcp.json").write_text("{")
    config = await dure("doctor", DURE_MCP_CONFIG=str(tmp_path / "mcp.json"))
    assert "✗ settings  The setting" in config.out
    (tmp_path / "teams").mkdir()
    (tmp_path / "teams" / "a.toml").write_text("name = ")
    team = await dure("doctor", DURE_TEAMS_DIR=str(tmp_path / "teams"))
    assert "✗ settings  Team file" in team.out
    typed = await dure("doctor", DURE_MODEL_BASEURL="http://localhost:8000/v1")
    assert "! settings  environment and defaults; no such settings: DURE_MODEL_BASEURL" in typed.out
    database = await dure("doctor", DURE_DATABASE_URL="mysql://localhost/x")
    assert "✗ store  The setting DURE_DATABASE_URL" in database.out


async def test_tools_without_their_libraries_and_documents_of_another_owner(
    dure: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("ddgs", "pydantic_monty"):
        monkeypatch.setitem(sys.modules, library, None)
    (tmp_path / "a.txt").write_text("연차는 15일이다.")
    await dure("ingest", "a.txt", "--owner", "kim")
    async with ScriptedServer(respond=lambda body: say("2")) as server:
        ended = await dure("doctor", server=server, DURE_OWNER="kim")
        given = await dure("doctor", "--json", server=server)
    assert "lacking a library: run_python (pydantic_monty), web_search (ddgs)" in ended.out
    assert "→ python3 -m pip --python .venv/bin/python install -c constraints.txt '.[office]'" in ended.out
    assert "✓ documents  1 can be searched" in ended.out
    assert "All works" not in ended.out
    assert next(f for f in given.json["findings"] if f["part"] == "documents")["detail"] == "none"


async def test_models(dure: Command, tmp_path: Path) -> None:
    async with ScriptedServer() as server:
        listed = await dure("models", "list", server=server)
    assert f"● scripted  {server.url}" in listed.out
    assert "○ 1.5b" in listed.out
    assert "not fetched" in listed.out
    unreachable = await dure("models", "list")
    assert unreachable.code == 0
    assert "cannot answer now" in unreachable.err
    unknown = await dure("models", "pull", "2b")
    assert unknown.code == 2
    assert "no bundled model '2b'; known: 1.5b, 0.5b" in unknown.err
    assert "DURE_" not in unknown.err
    (tmp_path / "file").write_text("x")
    nowhere = await dure("models", "pull", DURE_CACHE_DIR=str(tmp_path / "file" / "cache"))
    assert nowhere.code == 1
    assert "Not a directory; DURE_CACHE_DIR names the folder" in nowhere.err


TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% for c in m.tool_calls %}<~run~>"
    "{{ c.function.name }}<~with~>{{ c.function.arguments | tojson }}<~end~>{% endfor %}<eot>{% endfor %}"
)


async def test_how_calls_have_come_and_how_the_template_begins_them_is_told(dure: Command) -> None:
    leak = '<tool_call>{"name": "calculate", "arguments": {"expression": "12 * 34"}}</tool_call>'
    steps = iter([raw(leak), say("408")])
    replies = {"respond": lambda body: next(steps, say("2")), "kind": "llama.cpp", "template": TEMPLATE}
    async with ScriptedServer(**replies) as server:
        assert (
            await dure("chat", "12 * 34는?", "--team", "assistant", server=server, DURE_TOOL_DIALECT="auto")
        ).code == 0
        ended = await dure("doctor", "--json", server=server, DURE_TOOL_DIALECT="auto")
    [dialect] = [f["detail"] for f in ended.json["findings"] if f["part"] == "dialect"]
    assert "begins calls with <~run~>" in dialect
    assert dialect.endswith("calls so far, hermes 1")


async def test_whoever_has_read_enough_is_told_nothing_more(started: Command) -> None:
    """As `dure doctor | head -1` does."""
    reading, writing = os.pipe()
    process = await started("doctor", stdout=writing, stderr=PIPE)
    os.close(writing)
    while b"model" not in await asyncio.to_thread(os.read, reading, 1_000_000):
        pass
    os.close(reading)
    assert (await process.communicate())[1] == b""
