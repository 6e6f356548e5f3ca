"""Dure as an MCP server, asked by the client of the protocol's own SDK, over HTTP and standard input and output."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import httpx2
import pytest
from fixtures.desk import Desk
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitRequestParams, ElicitResult

from dure import Agent, Team, tool
from dure.api.auth import Caller
from dure.api.doors.mcp_server import server_of
from dure.messages import language_of
from dure.testing import ScriptedServer, call, say
from dure.tooling import ToolContext

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
MODES = ["legacy", "2026-07-28"]
"""The protocol with sessions, and the one without."""


@asynccontextmanager
async def connected(plain: httpx.AsyncClient, key: str = "", **more: Any) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{plain.base_url}/mcp", http_client=http)
        async with Client(transport, **more) as client:
            yield client


async def ready(plain: httpx.AsyncClient, key: str = "") -> str:
    """The id of a document that can be searched."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    files = {"file": ("규정.txt", "연차휴가는 15일이다.".encode())}
    id = (await plain.post("/v1/documents", files=files, headers=headers)).json()["documents"][0]["id"]
    while (await plain.get(f"/v1/documents/{id}", headers=headers)).json()["status"] != "ready":  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    return str(id)


@pytest.mark.parametrize("mode", MODES)
async def test_a_team_is_asked(serve: Serve, mode: str) -> None:
    steps = call("search_knowledge_base", queries=["연차휴가"]), say("연차휴가는 15일입니다. [1]"), say("네.")
    async with ScriptedServer(*steps) as scripted:
        plain = await serve(scripted)
        document = await ready(plain)
        heard: list[str | None] = []

        async def progress(done: float, total: float | None, message: str | None) -> None:
            heard.append(message)

        async with connected(plain, mode=mode) as client:
            listed = (await client.list_tools()).tools
            assert language_of(str(listed)) == "en", "what models read"
            tools = {tool.name for tool in listed}
            assert tools == {"ask_team", "search_documents", "read_passage", "list_documents", "decide", "find_papers"}
            asked = {"message": "연차휴가는 며칠이야?", "team": "assistant"}
            answer = await client.call_tool("ask_team", asked, progress_callback=progress)
            session = answer.structured_content["session_id"]
            await client.call_tool("ask_team", asked | {"session_id": session})
    assert answer.content[0].text.startswith("연차휴가는 15일입니다. [1]")  # type: ignore[union-attr]
    assert answer.content[1].uri == f"dure://documents/{document}"  # type: ignore[union-attr]
    assert [each["title"] for each in answer.structured_content["citations"]] == ["규정"]
    assert heard == ["assistant: search_knowledge_base"]
    assert "연차휴가는 15일입니다" in str(scripted.requests[2]["messages"])


async def test_documents_are_found_and_read(serve: Serve) -> None:
    plain = await serve()
    document = await ready(plain)
    async with connected(plain) as client:
        found = await client.call_tool("search_documents", {"queries": ["연차휴가"]})
        (passage,) = found.structured_content["passages"]
        place = {name: passage[name] for name in ("document_id", "start", "end")}
        read = await client.call_tool("read_passage", place)
        listed = await client.call_tool("list_documents", {})
        (resource,) = (await client.list_resources()).resources
        text = (await client.read_resource(resource.uri)).contents[0].text  # type: ignore[union-attr]
        with pytest.raises(MCPError):
            await client.read_resource("dure://documents/nobodys")
        for unknown in ("x", "-1"):
            with pytest.raises(MCPError, match="Unknown cursor"):
                await client.list_resources(cursor=unknown)
    assert read.content[0].text == passage["text"] == text == "연차휴가는 15일이다."  # type: ignore[union-attr]
    assert document in listed.content[0].text  # type: ignore[union-attr]
    assert (resource.name, resource.uri) == ("규정.txt", f"dure://documents/{document}")


async def test_examples_are_prompts(serve: Serve) -> None:
    plain = await serve()
    async with connected(plain) as client:
        prompts = (await client.list_prompts()).prompts
        example = next(each for each in prompts if each.name == "assistant-1")
        (message,) = (await client.get_prompt("assistant-1")).messages
        with pytest.raises(MCPError):
            await client.get_prompt("nobodys-1")
    assert example.title
    assert example.title in message.content.text  # type: ignore[union-attr]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("action", "status", "sent"),
    [("accept", "completed", [("kim", "안녕")]), ("decline", "completed", []), ("cancel", "waiting", [])],
)
async def test_a_person_is_asked_through_the_client(
    desk: Desk, mode: str, action: Any, status: str, sent: list[Any]
) -> None:
    forms: list[str] = []

    async def person(context: Any, asked: ElicitRequestParams) -> ElicitResult:
        forms.append(asked.message)
        return ElicitResult(action=action, content={"action": "approve"} if action == "accept" else None)

    steps = call("send_mail", to="kim", text="안녕"), say("다 했습니다.")
    async with ScriptedServer(*steps[: 1 if status == "waiting" else 2]) as scripted:
        plain = await desk.open(scripted)
        async with connected(plain, mode=mode, elicitation_callback=person) as client:
            answer = await client.call_tool("ask_team", {"message": "김에게 인사해 줘", "team": "desk"})
    assert answer.structured_content["status"] == status
    (form,) = forms
    assert '"kim"' in form
    assert desk.sent == sent


async def test_a_client_that_cannot_ask_is_told_and_decides_by_a_tool(desk: Desk) -> None:
    async with ScriptedServer(call("send_mail", to="kim", text="안녕"), say("보냈습니다.")) as scripted:
        plain = await desk.open(scripted)
        async with connected(plain) as client:
            waiting = await client.call_tool("ask_team", {"message": "김에게 인사해 줘", "team": "desk"})
            told = waiting.structured_content
            assert f"#/s/{told['session_id']}" in waiting.content[0].text  # type: ignore[union-attr]
            (approval,) = told["approvals"]
            ends = [f"run_id: {told['run_id']}", f"approval_id: {approval['id']} (approve, edit, reject)"]
            assert waiting.content[0].text.splitlines()[-2:] == ends  # type: ignore[union-attr]
            entry = {"run_id": told["run_id"], "approval_id": approval["id"], "action": "edit"}
            decided = await client.call_tool("decide", entry | {"args": {"to": "lee", "text": "hi"}})
            again = await client.call_tool("decide", entry)
    assert decided.structured_content["answer"] == "보냈습니다."
    assert desk.sent == [("lee", "hi")]
    assert again.is_error


async def test_without_a_page_the_command_that_decides_is_told(opened: Any) -> None:
    """As over standard input and output, of an owner of their own, whose client cannot ask."""

    def send_mail(to: str) -> str:
        """Send a mail."""
        return f"sent to {to}"

    async with ScriptedServer(call("send_mail", to="kim")) as scripted:
        agent = Agent(name="clerk", description="x", tools=[tool(effect="external")(send_mail)])
        dure = await opened(scripted, teams=[Team(name="desk", kind="solo", description="x", agents=[agent])])

        async def kim(context: Any) -> Caller:
            return Caller("kim", dure, None, "owner")

        async with Client(server_of(kim)) as client:
            waiting = await client.call_tool("ask_team", {"message": "김에게 인사해 줘", "team": "desk"})
    told = waiting.structured_content
    text = waiting.content[0].text  # type: ignore[union-attr]
    assert f"`dure runs decide {told['run_id']} --owner kim`\nrun_id: {told['run_id']}\napproval_id: p-" in text


async def test_a_call_that_is_given_up_ends_its_run(serve: Serve) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("늦은 답").after(gate)) as scripted:
        plain = await serve(scripted)
        async with connected(plain) as client:
            asking = asyncio.create_task(client.call_tool("ask_team", {"message": "안녕", "team": "assistant"}))
            while not scripted.requests:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            asking.cancel()
            (run,) = (await plain.get("/v1/runs")).json()["runs"]
            events = await plain.get(f"/v1/runs/{run['id']}/events")  # until its end
        assert '"type":"cancelled"' in events.text
        gate.set()


async def test_a_key_and_its_own_rows_alone(serve: Serve) -> None:
    plain = await serve(api_keys="kim:1,lee:2")
    document = await ready(plain, "1")
    assert (await plain.post("/mcp", json={})).status_code == 401
    async with connected(plain, "2") as client:
        assert (await client.list_resources()).resources == []
        none = await client.call_tool("list_documents", {})
        assert (none.content[0].text, none.structured_content["documents"]) == ("There are no documents.", [])
        assert (await client.call_tool("search_documents", {"queries": ["연차휴가"]})).structured_content[
            "passages"
        ] == []
        assert (await client.call_tool("read_passage", {"document_id": document})).is_error
    async with connected(plain, "1", mode="legacy") as client:
        assert len((await client.list_resources()).resources) == 1


async def test_a_session_answers_to_its_owner_alone(serve: Serve) -> None:
    plain = await serve(api_keys="kim:1,lee:2")
    start = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    body: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": start}
    headers = {"Accept": "application/json, text/event-stream", "Authorization": "Bearer 1"}
    begun = await plain.post("/mcp", json=body, headers=headers)
    headers["Mcp-Session-Id"] = begun.headers["mcp-session-id"]
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    assert (await plain.post("/mcp", json=ping, headers=headers)).status_code == 200
    assert (await plain.post("/mcp", json=ping, headers=headers | {"Authorization": "Bearer 2"})).status_code == 404


async def test_what_cannot_be_used_is_an_error_of_the_call(serve: Serve) -> None:
    plain = await serve()
    async with connected(plain) as client:
        for name, args in (
            ("ask_team", {}),
            ("ask_team", {"message": "x", "team": "none"}),
            ("search_documents", {"queries": []}),
        ):
            assert (await client.call_tool(name, args)).is_error
        with pytest.raises(MCPError):
            await client.call_tool("no_tool", {})


@pytest.mark.parametrize(
    ("accepts", "message", "said"),
    [
        ("", "휴가는 며칠이야?", "팀이 없습니다"),
        ("", "Who are you?", "no team"),
        ("ko", "Who are you?", "팀이 없습니다"),
    ],
)
async def test_an_error_is_in_the_callers_language(serve: Serve, accepts: str, message: str, said: str) -> None:
    plain = await serve()
    headers = {"Accept-Language": accepts} if accepts else {}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(f"{plain.base_url}/mcp", http_client=http)) as client,
    ):
        found = await client.call_tool("ask_team", {"message": message, "team": "none"})
    assert found.is_error
    assert said in found.content[0].text
    assert said in found.structured_content["error"]["message"]


async def test_over_standard_input_and_output(tmp_path: Any) -> None:
    async with ScriptedServer(say("42입니다.")) as scripted:
        given = {"DURE_MODEL_BASE_URL": scripted.url, "DURE_DATA_DIR": str(tmp_path), "DURE_EMBEDDINGS": "false"}
        program = StdioServerParameters(command=sys.executable, args=["-m", "dure", "mcp"], env=given)
        async with Client(stdio_client(program)) as client:
            answer = await client.call_tool("ask_team", {"message": "2 곱하기 21은?", "team": "assistant"})
    assert answer.structured_content["answer"] == "42입니다."


async def test_papers_are_found(serve: Serve) -> None:
    plain = await serve()
    entry = b"@article{a, title={Sparse Attention for Long Texts}, author={Zubrowka, Min}, year={2023}}"
    imported = await plain.post("/v1/papers", files={"file": ("a.bib", entry)})
    assert imported.status_code < 300, imported.text
    async with connected(plain) as client:
        found = await client.call_tool("find_papers", {"author": "Zubrowka"})
        wrong = await client.call_tool("find_papers", {"k": "many"})
    assert [each["title"] for each in found.structured_content["papers"]] == ["Sparse Attention for Long Texts"]
    assert "Sparse Attention" in found.content[0].text  # type: ignore[union-attr]
    assert wrong.is_error


@pytest.mark.parametrize("mode", MODES)
async def test_a_form_is_passed_on_as_it_is(serve: Serve, mode: str) -> None:
    """As an MCP server of Dure's own asks for it."""
    schema = {"type": "object", "properties": {"row": {"type": "integer", "maximum": 30}}, "required": ["row"]}
    got: list[Any] = []

    async def book(context: ToolContext) -> str:
        assert context.run
        got.append(context.run.ask("seat", "Which seat?", "answer", "reject", schema=schema).args)
        return "booked"

    async def person(context: Any, asked: ElicitRequestParams) -> ElicitResult:
        assert asked.message == "Which seat?"
        assert asked.requested_schema == schema  # type: ignore[union-attr]
        return ElicitResult(action="accept", content={"row": 7})

    agent = Agent(name="clerk", description="x", tools=[tool(book)])
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    async with ScriptedServer(call("book"), say("예약했습니다.")) as scripted:
        plain = await serve(scripted, teams=[team])
        async with connected(plain, mode=mode, elicitation_callback=person) as client:
            answer = await client.call_tool("ask_team", {"message": "예약해 줘", "team": "desk"})
    assert answer.structured_content["status"] == "completed"
    assert got == [{"row": 7}]
