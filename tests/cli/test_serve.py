"""`dure serve` as a process."""

import asyncio
import re
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from dure.cli.serve import page_of
from dure.testing import ScriptedServer, say

Command = Callable[..., Awaitable[Any]]
Process = asyncio.subprocess.Process
Started = Callable[..., Awaitable[Process]]
Serving = Callable[..., Awaitable[tuple[str, Process]]]


@pytest.fixture
def serving(started: Started) -> Callable[..., Awaitable[tuple[str, Process]]]:
    """`url, process = await serving()`: the server's URL and its process."""

    async def start(*args: str, **given: Any) -> tuple[str, Process]:
        process = await started("serve", "--port", "0", *args, stderr=asyncio.subprocess.PIPE, **given)
        assert process.stderr is not None
        line = (await asyncio.wait_for(process.stderr.readline(), 40)).decode()
        found = re.search(r"http://\S+", line)
        assert found, line
        return found[0], process

    return start


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
async def test_it_serves_until_told_to_end(serving: Serving, number: signal.Signals) -> None:
    async with ScriptedServer(say("안녕하세요.")) as server:
        url, process = await serving(server=server)
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            reply = await client.post("/v1/chat", json={"message": "안녕", "team": "assistant"})
        assert reply.json()["response"] == "안녕하세요."
        assert "server" not in reply.headers
        process.send_signal(number)
        assert process.stderr is not None
        told = (await process.stderr.read()).decode()
        assert await process.wait() == 0
        assert "127.0.0.1" in told
        assert "Traceback" not in told


@pytest.mark.parametrize("wanted", [True, False])
async def test_requests_are_logged_where_that_is_wanted(serving: Serving, wanted: bool) -> None:
    url, process = await serving(*["--access-log"] * wanted)
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        for path in ("/v1/sessions?q=s3cret", "/v1/shared/s3cret", "/healthz"):
            await client.get(path, headers={"Authorization": "Bearer s3cret"})
    process.send_signal(signal.SIGTERM)
    assert process.stderr is not None
    told = (await process.stderr.read()).decode()
    assert "s3cret" not in told
    paths = re.findall(r'^\d{4}-\S+ \S+ 127\.0\.0\.1:\d+ - "GET (\S+) HTTP/1\.1" (\d+)$', told, re.MULTILINE)
    assert paths == ([("/v1/sessions", "200"), ("/v1/shared/…", "404"), ("/healthz", "200")] if wanted else [])


async def test_it_opens_the_page_when_asked_to(serving: Serving, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    browser = tmp_path / "browser.py"
    browser.write_text(f"import pathlib, sys\npathlib.Path({str(asked)!r}).write_text(sys.argv[1])\n")
    url, process = await serving("--open", env={"BROWSER": f"{sys.executable} {browser} %s"})
    assert process.stderr is not None
    told = (await asyncio.wait_for(process.stderr.readline(), 60)).decode()
    assert told.strip() == f"Open in a browser: {url}/"
    async with asyncio.timeout(60):
        while not (asked.exists() and asked.read_text()):  # noqa: ASYNC110, another process writes it
            await asyncio.sleep(0.02)
    assert asked.read_text() == f"{url}/"
    async with httpx.AsyncClient(timeout=60) as client:
        page = await client.get(asked.read_text())
    assert page.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("http://127.0.0.1:8321", "http://127.0.0.1:8321/"),
        ("http://0.0.0.0:8321", "http://localhost:8321/"),
        ("http://[::]:8321", "http://localhost:8321/"),
        ("http://[::1]:8321", "http://[::1]:8321/"),
    ],
)
def test_where_the_page_is_found(url: str, page: str) -> None:
    assert page_of(url) == page


@pytest.mark.slow
async def test_answers_under_way_go_on_at_the_next_start(serving: Serving, dure: Command) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("…").after(gate), say("이어서 답함")) as server:
        url, process = await serving(server=server)
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            asking = asyncio.create_task(client.post("/v1/chat", json={"message": "안녕", "team": "assistant"}))
            await server.arrived()
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), 60) == 0
            await asyncio.gather(asking, return_exceptions=True)
        (run,) = (await dure("runs", "list", "--json")).json["runs"]
        assert run["status"] == "queued"
        url, _ = await serving(server=server)
        async with httpx.AsyncClient(base_url=url, timeout=60) as again:
            await again.get(f"/v1/runs/{run['id']}/events")
            ended = (await again.get(f"/v1/runs/{run['id']}")).json()
    assert (ended["status"], ended["answer"]["response"]) == ("completed", "이어서 답함")


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
async def test_without_keys_it_refuses_to_be_open_to_others(dure: Command, host: str) -> None:
    ended = await dure("serve", "--host", host, "--port", "0")
    assert ended.code == 2
    assert "DURE_API_KEYS" in ended.err


async def test_a_port_that_is_taken_is_told_in_a_sentence(dure: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = await dure("serve", "--port", port)
    assert ended.code == 1
    assert port in ended.err


@pytest.mark.parametrize(
    ("file", "text", "setting"),
    [
        ("teams/wrong.toml", 'name = "x"\nkind = "nothing"\n', {"DURE_TEAMS_DIR": "teams"}),
        ("mcp.json", "{", {"DURE_MCP_CONFIG": "mcp.json"}),
    ],
)
async def test_what_stops_it_is_told_in_a_sentence(
    process: Command, tmp_path: Path, file: str, text: str, setting: dict[str, str]
) -> None:
    (tmp_path / "teams").mkdir()
    (tmp_path / file).write_text(text)
    ended = await process("serve", "--port", "0", **setting)
    assert ended.code == 2
    assert Path(file).name in ended.err
    assert "Error" in ended.err
    assert len(ended.err.splitlines()) < 4


PROGRAM = """
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from dure import Agent, Dure, Team

team = Team(name="desk", kind="solo", description="x", agents=[Agent(name="clerk", description="x")])


def make() -> Dure:
    model = GenericFakeChatModel(messages=iter([AIMessage("두레입니다.")]))
    return Dure(model=model, teams=[team], tool_dialect="text")


number = 3
"""


async def test_a_dure_built_in_python_is_served(serving: Serving, tmp_path: Path) -> None:
    """Its own team and a LangChain model, over HTTP."""
    (tmp_path / "my_app.py").write_text(PROGRAM)
    url, process = await serving("my_app:make")
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        assert "desk" in [team["name"] for team in (await client.get("/v1/teams")).json()["teams"]]
        reply = await client.post("/v1/chat", json={"message": "누구야?", "team": "desk"})
    assert reply.json()["response"] == "두레입니다."
    process.send_signal(signal.SIGTERM)
    assert await process.wait() == 0


SECURED = """
from my_app import make as open_dure
from dure import Dure

def make() -> Dure:
    made = open_dure()
    options = {"host": "127.0.0.2", "port": 9, "cache_dir": "nowhere", "api_keys": ["secret"]}
    return Dure(made.settings, model=made.given_model, **options)
"""


async def test_options_win_and_the_rest_is_as_it_was_built(serving: Serving, tmp_path: Path) -> None:
    """Where it listens is said on the command line; the keys are those of the program."""
    (tmp_path / "my_app.py").write_text(PROGRAM)
    (tmp_path / "secured.py").write_text(SECURED)
    url, process = await serving("secured:make", "--host", "127.0.0.1")
    assert url.startswith("http://127.0.0.1:")
    assert not url.endswith(":9")
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        assert (await client.get("/v1/teams")).status_code == 401
        assert (await client.get("/v1/teams", headers={"Authorization": "Bearer secret"})).status_code == 200
    process.send_signal(signal.SIGTERM)
    assert process.stderr is not None
    told = (await process.stderr.read()).decode()
    # It brings its model: none will be fetched, and it asks for keys.
    assert "dure models pull" not in told
    assert "No API keys" not in told


@pytest.mark.parametrize("program", [(), ("my_app:make",)])
async def test_a_port_that_is_none_is_told(dure: Command, tmp_path: Path, program: tuple[str, ...]) -> None:
    (tmp_path / "my_app.py").write_text(PROGRAM)
    ended = await dure("serve", *program, "--port", "99999")
    assert (ended.code, "DURE_PORT" in ended.err) == (2, True), ended.err


@pytest.mark.parametrize(
    ("place", "told"),
    [("my_app:number", "int"), ("my_app:nothing", "AttributeError"), ("nowhere:x", "ModuleNotFoundError")],
)
async def test_what_is_no_dure_is_refused(dure: Command, tmp_path: Path, place: str, told: str) -> None:
    (tmp_path / "my_app.py").write_text(PROGRAM)
    ended = await dure("serve", place)
    assert (ended.code, place in ended.err, told in ended.err) == (2, True, True), ended.err
