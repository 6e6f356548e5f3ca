"""`dure chat`."""

import asyncio
import json
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from fixtures.pictures import GIF

from dure.testing import ScriptedServer, call, fail, say

Command = Callable[..., Awaitable[Any]]
Started = Callable[..., Awaitable[asyncio.subprocess.Process]]
PIPE = asyncio.subprocess.PIPE
ASSISTANT = ("chat", "--team", "assistant")
PLAIN = Path(__file__).parents[1] / "toolsets" / "mcp" / "servers" / "plain.py"


async def test_the_answer_is_all_of_standard_output(process: Command) -> None:
    async with ScriptedServer(call("calculate", expression="2*21"), say("42입니다.")) as server:
        ended = await process(*ASSISTANT, "2 곱하기 21은?", server=server)
    assert (ended.code, ended.out) == (0, "42입니다.\n")
    assert "↳ calculate 2*21" in ended.err
    assert "2 model calls" in ended.err
    assert "\x1b" not in ended.out + ended.err


async def test_json_is_that_of_http(dure: Command) -> None:
    async with ScriptedServer(say("42입니다.")) as server:
        ended = await dure(*ASSISTANT, "--json", "--session", "s1", "2 곱하기 21은?", server=server)
    assert ended.code == 0
    assert ended.err == ""
    assert set(ended.json) == {"response", "tool_calls", "citations", "approvals", "status", "metadata"}
    assert ended.json["metadata"]["thread_id"] == "s1"


async def test_which_model_was_asked_in_anothers_place_is_told(dure: Command) -> None:
    async with ScriptedServer(fail(401, "no"), say("네.")) as server:
        fast = {"base_url": server.url, "name": "fast-1", "fallbacks": ["next"]}
        models = {"fast": fast, "next": {"base_url": server.url, "name": "next-1"}}
        ended = await dure(*ASSISTANT, "질문", DURE_MODELS=json.dumps(models), DURE_MODEL=next(iter(models)))
    assert ended.out == "네.\n"
    assert "! fast-1 모델이 답하지 못해 (401) next-1 모델에 물었습니다." in ended.err


async def test_pictures_go_with_the_question(dure: Command, tmp_path: Path) -> None:
    picture, text = tmp_path / "cat.gif", tmp_path / "cat.txt"
    picture.write_bytes(GIF)
    text.write_text("cat")
    (tmp_path / "torn.gif").write_bytes(GIF[:12])
    async with ScriptedServer(say("고양이.")) as server:
        ended = await dure(*ASSISTANT, "무슨 그림?", "--attach", str(picture), server=server)
        refused = await dure(*ASSISTANT, "무슨 그림?", "-a", str(text), server=server)
        damaged = await dure(*ASSISTANT, "무슨 그림?", "-a", str(tmp_path / "torn.gif"), server=server)
        missing = await dure(*ASSISTANT, "무슨 그림?", "-a", str(tmp_path / "dog.png"), server=server)
        assert server.requests[0]["messages"][-1]["content"][1]["image_url"]["url"].startswith("data:image/gif;base64,")
    assert (ended.out, refused.code, missing.code) == ("고양이.\n", 2, 2)
    assert "cat.txt" in refused.err
    assert (damaged.code, "'torn.gif' is damaged" in damaged.err) == (2, True)
    assert "dog.png" in missing.err


@pytest.mark.parametrize("args", [[], ["-"]])
async def test_the_question_from_standard_input(dure: Command, args: list[str]) -> None:
    async with ScriptedServer(say("Hi.")) as server:
        ended = await dure(*ASSISTANT, *args, server=server, stdin="안녕\n".encode())
        assert server.requests[0]["messages"][-1]["content"].startswith("안녕")
    assert ended.out == "Hi.\n"


@pytest.mark.parametrize(
    ("args", "stdin", "code", "says"),
    [
        ([""], None, 2, "empty"),
        (["hello", "--team", "nobody"], None, 2, "nobody"),
        (["hello", "--level", "medium"], None, 2, "medium"),
        (["hello", "--session", "../x"], None, 2, "session id"),
        (["hello", "--format", "pdf"], None, 2, "pdf"),
        ([b"\xff\xfe"], None, 2, "characters"),
        (["-"], b"\xff\xfe", 2, "characters"),
        (["hello"], None, 1, "cannot answer now"),
        (["hello", "--nothing"], None, 2, "--nothing"),
    ],
)
async def test_what_cannot_be_done_is_told_in_a_sentence(
    dure: Command, args: list[Any], stdin: bytes | None, code: int, says: str
) -> None:
    ended = await dure("chat", *args, stdin=stdin)
    assert ended.code == code
    assert says in ended.err
    assert ended.out == ""


async def test_errors_as_json_and_in_korean(dure: Command) -> None:
    ended = await dure("chat", "--json", "", LC_ALL="ko_KR.UTF-8")
    assert ended.code == 2
    assert ended.json["error"]["code"] == "empty_message"
    assert ended.json["error"]["message"].startswith("메시지가 비어")


async def test_text_of_a_model_does_not_steer_the_terminal(dure: Command) -> None:
    async with ScriptedServer(say("\x1b]0;evil\x07\x1b[31mred\x9b2J [bold]x[/bold]")) as server:
        ended = await dure(*ASSISTANT, "hello", server=server)
    assert "red" in ended.out
    assert "[bold]x[/bold]" in ended.out
    assert not set("\x1b\x07\x9b") & set(ended.out)


@pytest.mark.parametrize(
    "number", [signal.SIGINT, *(pytest.param(each, marks=pytest.mark.slow) for each in (signal.SIGTERM, signal.SIGHUP))]
)
async def test_interrupted_it_cancels_the_run(dure: Command, started: Started, number: signal.Signals) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("…").after(gate)) as server:
        process = await started(*ASSISTANT, "hello", server=server, stdout=PIPE, stderr=PIPE)
        await server.arrived()
        process.send_signal(number)
        out, err = await process.communicate()
        assert process.returncode == 130
        assert out == b""
        assert "Cancelled." in err.decode()
        assert "Traceback" not in err.decode()
    listed = await dure("runs", "list", "--json")
    assert [r["status"] for r in listed.json["runs"]] == ["cancelled"]


@pytest.mark.slow
async def test_killed_it_locks_its_session_for_nobody(dure: Command, started: Started) -> None:
    never = asyncio.Event()
    async with ScriptedServer(say("nie").after(never), say("Here.")) as server:
        process = await started(*ASSISTANT, "hello", "--session", "mine", server=server)
        await server.arrived()
        process.kill()
        await process.wait()
        told = await dure(*ASSISTANT, "again", "--session", "mine", server=server)
        assert told.out.strip() == "Here.", told
    listed = await dure("runs", "list", "--json")
    assert [r["status"] for r in listed.json["runs"]] == ["completed", "failed"]


async def test_a_talk_in_a_terminal(
    in_terminal: Callable[..., Awaitable[Any]], environment: dict[str, str], tmp_path: Path
) -> None:
    """Two questions in one session; the end of input ends it, and the MCP server with it."""
    entry = {"command": sys.executable, "args": [str(PLAIN)]}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"odd": entry}}))
    environment["DURE_MCP_CONFIG"] = str(tmp_path / "mcp.json")
    async with ScriptedServer(say("반가워요, 김 님."), say("김 님입니다.")) as server:
        terminal = await in_terminal(server, *ASSISTANT)
        await terminal.until("› ")
        terminal.type("저는 김이에요\n")
        await terminal.until("반가워요, 김 님.\r\n")
        await terminal.until("› ")
        terminal.type("제가 누구죠?\n")
        await terminal.until("김 님입니다.\r\n")
        await terminal.until("› ")
        terminal.type("\x04")
        assert await terminal.end() == 0
        assert "Error" not in terminal.text
        assert "저는 김이에요" in [m["content"] for m in server.requests[1]["messages"]]
