"""A Dure behind real HTTP."""

import asyncio
import itertools
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from ag_ui.core import Event as WireEvent
from pydantic import TypeAdapter

from dure import Dure
from dure.testing import ScriptedServer, served

READ = TypeAdapter(WireEvent)
Serve = Callable[..., Awaitable[httpx.AsyncClient]]


@pytest.fixture
async def serve(tmp_path: Path) -> AsyncIterator[Serve]:
    """`client = await serve(scripted, api_keys="kim:1")`: a client of a server that answers with a scripted model."""
    async with AsyncExitStack() as stack:

        async def start(scripted: ScriptedServer | None = None, **settings: Any) -> httpx.AsyncClient:
            given: dict[str, Any] = {"data_dir": tmp_path / "data", "embeddings": False, "tool_dialect": "native"}
            given |= {"port": 0, "model_base_url": scripted.url if scripted else "http://127.0.0.1:9/v1"}
            url = await stack.enter_async_context(served(Dure(**(given | settings))))
            return await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=20))

        yield start


@pytest.fixture(scope="session")
def well_formed() -> Callable[[list[dict[str, Any]]], None]:
    """Raises AssertionError for a stream that breaks AG-UI's rules."""
    return check


def check(wires: list[dict[str, Any]]) -> None:
    """The rules a client's verifier holds a stream to; each event also reads as the protocol's model."""
    messages: set[str] = set()
    reasoning: set[str] = set()
    calls: set[str] = set()
    agents: set[str] = set()
    used: set[tuple[str, str]] = set()
    unanswered: set[str] = set()
    plans: dict[str, dict[str, Any]] = {}
    open_run = False

    def once(space: str, identity: str) -> None:
        assert (space, identity) not in used
        used.add((space, identity))

    for number, wire in enumerate(wires):
        parsed = READ.validate_python(orjson.loads(orjson.dumps(wire)))
        assert not parsed.model_extra, wire
        assert parsed.model_dump(by_alias=True, mode="json") == wire
        kind = wire["type"]
        # A run that waited begins again; anything else ends the stream.
        assert (kind == "RUN_STARTED") == (not open_run)
        open_run = kind not in ("RUN_FINISHED", "RUN_ERROR")
        waits = wire.get("outcome", {}).get("type") == "interrupt"
        assert open_run or waits or number == len(wires) - 1
        if "subagentRunId" in wire and kind != "SUBAGENT_STARTED":
            assert wire["subagentRunId"] in agents
        match kind:
            case "TEXT_MESSAGE_START":
                once("message", wire["messageId"])
                messages.add(wire["messageId"])
            case "TEXT_MESSAGE_CONTENT":
                assert wire["messageId"] in messages
                assert wire["delta"]
            case "TEXT_MESSAGE_END":
                messages.remove(wire["messageId"])
            case "REASONING_START":
                once("message", wire["messageId"])
                reasoning.add(wire["messageId"])
            case "REASONING_MESSAGE_START" | "REASONING_MESSAGE_CONTENT" | "REASONING_MESSAGE_END":
                assert wire["messageId"] in reasoning
            case "REASONING_END":
                reasoning.remove(wire["messageId"])
            case "TOOL_CALL_START":
                once("call", wire["toolCallId"])
                calls.add(wire["toolCallId"])
                unanswered.add(wire["toolCallId"])
            case "TOOL_CALL_ARGS":
                assert wire["toolCallId"] in calls
                orjson.loads(wire["delta"])
            case "TOOL_CALL_END":
                calls.remove(wire["toolCallId"])
            case "TOOL_CALL_RESULT":
                once("message", wire["messageId"])
                unanswered.remove(wire["toolCallId"])
            case "SUBAGENT_STARTED":
                once("agent", wire["subagentRunId"])
                agents.add(wire["subagentRunId"])
            case "SUBAGENT_FINISHED" | "SUBAGENT_ERROR":
                agents.remove(wire["subagentRunId"])
            case "ACTIVITY_SNAPSHOT":
                plans[wire["messageId"]] = orjson.loads(orjson.dumps(wire["content"]))
            case "ACTIVITY_DELTA":
                for change in wire["patch"]:
                    *way, last = change["path"].split("/")[1:]
                    place: Any = plans[wire["messageId"]]
                    for step in way:
                        place = place[int(step) if isinstance(place, list) else step]
                    assert change["op"] == "add"
                    place[last] = change["value"]
            case "RUN_FINISHED" | "RUN_ERROR":
                assert not messages | reasoning | calls | agents | unanswered


def events_of(text: str) -> list[tuple[int, dict[str, Any]]]:
    """The number and event of each frame of a server-sent stream."""
    found = []
    for frame in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in frame.splitlines() if not line.startswith(":"))
        if lines:
            found.append((int(lines["id"]), orjson.loads(lines["data"])))
    return found


@pytest.fixture(scope="session")
def read_stream() -> Callable[[str], list[tuple[int, dict[str, Any]]]]:
    return events_of


def pour_out(url: httpx.URL, path: str, kind: str, head: bytes, chunk: bytes) -> tuple[int, Any]:
    """Send `head` and then `chunk` over and over until the server hangs up; status and JSON of its answer."""
    lines = f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Type: {kind}", "Transfer-Encoding: chunked", "", ""
    raw = b""
    with socket.create_connection((url.host, url.port or 80), timeout=20) as connection:
        connection.sendall("\r\n".join(lines).encode())
        with suppress(ConnectionError):
            for piece in itertools.chain([head] if head else [], itertools.repeat(chunk)):
                connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
        with suppress(ConnectionError):
            while received := connection.recv(65_536):
                raw += received
    top, _, body = raw.partition(b"\r\n\r\n")
    assert b"connection: close" in top.lower()
    return int(top.split()[1]), orjson.loads(body)


@pytest.fixture(scope="session")
def pour() -> Callable[..., Awaitable[tuple[int, Any]]]:
    async def pour(client: httpx.AsyncClient, *args: Any) -> tuple[int, Any]:
        return await asyncio.to_thread(pour_out, client.base_url, *args)

    return pour
