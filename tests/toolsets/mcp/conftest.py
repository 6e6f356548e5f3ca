import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from fixtures import ports
from fixtures.children import warmed

from dure.agents import Decision
from dure.messages import ToolCall
from dure.runs.decisions import with_defaults
from dure.tooling import ToolContext, ToolResult
from dure.toolsets import run_call
from dure.toolsets.mcp import McpServers, server

SERVERS = Path(__file__).parent / "servers"

Opened = Callable[..., Awaitable[McpServers]]


@pytest.fixture(scope="session")
def sdk() -> Iterator[tuple[str, ...]]:
    """What a Python begins with that has imported what servers are made with, which takes a second each time."""
    if sys.platform != "linux":
        yield (sys.executable,)
        return
    with warmed("mcp.server.mcpserver", "mcp.server.stdio", "mcp.server.sse", "uvicorn") as begun:
        yield begun


@pytest.fixture
def odd(sdk: tuple[str, ...]) -> Callable[..., dict[str, Any]]:
    """The entry of the test server over stdio, with more keys as given."""
    python, *begun = sdk
    return lambda **more: {"command": python, "args": [*begun, str(SERVERS / "odd.py")], **more}


@pytest.fixture
def plain() -> Callable[..., dict[str, Any]]:
    """That of one that starts at once."""
    return lambda **more: {"command": sys.executable, "args": [str(SERVERS / "plain.py")], **more}


@pytest.fixture
async def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Opened]:
    """Open servers and wait until they are settled: `servers = await opened({"BACK": 20.0}, a=odd(), b={…})`."""
    async with AsyncExitStack() as stack:

        async def open_all(waits: Mapping[str, float] | None = None, **entries: Any) -> McpServers:
            for name, seconds in {"RETRY": 0.05, **(waits or {})}.items():
                monkeypatch.setattr(server, name, seconds)
            servers = McpServers({"mcpServers": entries}, late=tmp_path / "late")
            await stack.enter_async_context(servers)
            assert await servers.ready(60)
            return servers

        yield open_all


class Person:
    """A run whose person says yes to all that is asked, and leaves forms as they are; its model says "hi"."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.told: list[str] = []

    def ask(self, part: str, title: str, *actions: str, **about: Any) -> Decision:
        self.asked.append(title)
        return Decision(actions[0], with_defaults(about.get("schema", {}), {}))

    async def sample(self, part: str, messages: list[Any], max_tokens: int) -> tuple[str, str, str]:
        return "hi", "scripted", "stop"

    def tell(self, text: str, *, brief: bool = False) -> None:
        self.told.append(text)


@pytest.fixture
def person() -> Person:
    return Person()


@pytest.fixture
def call() -> Callable[..., Awaitable[tuple[str, ToolResult]]]:
    """Call a tool as the agent loop does: `status, result = await call(servers, "name", arg=…)`; with a person as third
    where there is one to ask."""

    async def run(servers: McpServers, name: str, person: Any = None, /, **args: Any) -> tuple[str, ToolResult]:
        tools = servers.tools()
        result = await run_call(tools, ToolCall(name, args), ToolContext("me", language="en", run=person))
        return result.status, result

    return run


async def _until(condition: Callable[[], Any], seconds: float = 30.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.fixture
def until() -> Callable[..., Awaitable[None]]:
    """Wait until a condition holds; there is no event to wait for when a server comes back by itself."""
    return _until


@pytest.fixture
def alive() -> Callable[[int], bool]:
    """Whether a process is there."""

    def is_there(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True

    return is_there


@pytest.fixture
def free_port() -> int:
    return ports.free_port()


@pytest.fixture
async def http_server() -> AsyncIterator[Callable[..., Awaitable[asyncio.subprocess.Process]]]:
    """Start a program that listens on a port, and wait until it does: `process = await http_server(port, *argv)`."""
    started: list[asyncio.subprocess.Process] = []

    async def start(port: int, *argv: str, **env: str) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], **env},
        )
        started.append(process)

        def listens() -> bool:
            assert process.returncode is None
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        await _until(listens)
        return process

    yield start
    for each in started:
        if each.returncode is None:
            each.kill()
        await each.wait()
