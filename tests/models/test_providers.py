"""Providers by name, through LangChain's packages, each against a server here that speaks its wire format: OpenAI's
Responses (https://platform.openai.com/docs/api-reference/responses-streaming) and Anthropic's Messages
(https://docs.anthropic.com/en/docs/build-with-claude/streaming). Neither was tried against the real one."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp import web

from dure import Agent, Team
from dure.errors import DureError, ModelRefused, ModelTimeout, ModelUnavailable, SettingsError
from dure.messages import Usage, assistant, system, tool_result, user, wire_call
from dure.models import Model, Models
from dure.settings import Settings

for name in ("openai", "anthropic"):
    pytest.importorskip(f"langchain_{name}")

TOOL = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Searches.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
}
ASKED = [system("Be brief."), user("연차?")]
Event = dict[str, Any]


def responses(text: str = "", query: str = "", ended: str = "completed", reason: str | None = None) -> list[Event]:
    """A reply of OpenAI's: thoughts, then text or a call."""
    head = {"id": "resp_1", "object": "response", "created_at": 0, "model": "gpt", "output": [], "tools": []}
    head |= {"parallel_tool_calls": True, "tool_choice": "auto", "status": "in_progress", "error": None}
    thought = {"id": "rs_1", "type": "reasoning", "summary": []}
    part = {"item_id": "rs_1", "output_index": 0, "summary_index": 0}
    events: list[Event] = [
        {"type": "response.created", "response": head},
        {"type": "response.output_item.added", "output_index": 0, "item": thought},
        {"type": "response.reasoning_summary_part.added", **part, "part": {"type": "summary_text", "text": ""}},
        {"type": "response.reasoning_summary_text.delta", **part, "delta": "생각"},
        {"type": "response.output_item.done", "output_index": 0, "item": thought},
    ]
    if query:
        item = {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "search", "status": "in_progress"}
        arguments = json.dumps({"query": query})
        place = {"item_id": "fc_1", "output_index": 1}
        events.append({"type": "response.output_item.added", "output_index": 1, "item": {**item, "arguments": ""}})
        for at in range(0, len(arguments), 5):
            events.append({"type": "response.function_call_arguments.delta", **place, "delta": arguments[at : at + 5]})
        done = {**item, "arguments": arguments, "status": "completed"}
        events.append({"type": "response.output_item.done", "output_index": 1, "item": done})
    elif text:
        place = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
        item = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "status": "in_progress"}
        empty = {"type": "output_text", "text": "", "annotations": []}
        events += [
            {"type": "response.output_item.added", "output_index": 1, "item": item},
            {"type": "response.content_part.added", **place, "part": empty},
            *({"type": "response.output_text.delta", **place, "delta": c, "logprobs": []} for c in text),
            {"type": "response.output_text.done", **place, "text": text, "logprobs": []},
        ]
    usage = {"input_tokens": 40, "output_tokens": 9, "total_tokens": 49}
    usage |= {"input_tokens_details": {"cached_tokens": 30}, "output_tokens_details": {"reasoning_tokens": 5}}
    last = {**head, "status": ended, "usage": usage, "incomplete_details": {"reason": reason} if reason else None}
    events.append({"type": f"response.{ended}", "response": last})
    return [{**each, "sequence_number": number} for number, each in enumerate(events)]


def messages(text: str = "", query: str = "", ended: str = "end_turn") -> list[Event]:
    """A reply of Anthropic's: signed thoughts, then text or a call."""
    used = {"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 0}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": [], "usage": used}
    block: Event = {"type": "text", "text": ""}
    deltas: list[Event] = [{"type": "text_delta", "text": c} for c in text]
    if query:
        block = {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}}
        arguments = json.dumps({"query": query})
        deltas = [{"type": "input_json_delta", "partial_json": arguments[at : at + 5]} for at in range(0, 99, 5)]
    thought = {"type": "thinking", "thinking": "", "signature": ""}
    return [
        {"type": "message_start", "message": {**head, "stop_reason": None, "stop_sequence": None}},
        {"type": "content_block_start", "index": 0, "content_block": thought},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "생각"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": block},
        *({"type": "content_block_delta", "index": 1, "delta": each} for each in deltas),
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use" if query else ended, "stop_sequence": None},
            "usage": {**used, "output_tokens": 9},
        },
        {"type": "message_stop"},
    ]


class Provider:
    """Answers by its steps: events, or a status with a sentence; `refuses` a body first."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.steps: list[list[Event] | tuple[int, str]] = []
        self.requests: list[Event] = []
        self.headers: list[Any] = []
        self.refuses: Callable[[Event], str | None] = lambda body: None
        self.held = asyncio.Event()
        self.silent = False
        self.url = ""

    def says(self, *given: Any, **more: Any) -> list[Event]:
        return responses(*given, **more) if self.name == "openai" else messages(*given, **more)

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.json()
        assert request.path == ("/v1/responses" if self.name == "openai" else "/v1/messages")
        if self.silent:
            await self.held.wait()
        if said := self.refuses(body):
            return self.error(400, said)
        self.requests.append(body)
        self.headers.append(request.headers)
        step = self.steps.pop(0)
        if isinstance(step, tuple):
            return self.error(*step)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in step:
            await response.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        return response

    def error(self, status: int, said: str) -> web.Response:
        kinds = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error"}
        error = {"type": kinds.get(status, "overloaded_error"), "message": said}
        return web.json_response({"type": "error", "error": error}, status=status)


@pytest.fixture(params=["openai", "anthropic"])
async def provider(request: Any) -> AsyncIterator[tuple[Provider, Model]]:
    made = Provider(request.param)
    runner = web.ServerRunner(web.Server(made.handle), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    url = made.url + ("/v1" if made.name == "openai" else "")
    named = {"provider": made.name, "name": "m", "base_url": url, "key": "sk-secret-key", "timeout": 0.5}
    named |= {"options": {"max_retries": 0}, "headers": {"X-Team": "dure"}}
    models = Models(Settings(models={"theirs": named}))
    yield made, models["theirs"]
    made.held.set()
    await models.close()
    await runner.cleanup()


async def test_streams_text_thoughts_and_usage(provider: tuple[Provider, Model]) -> None:
    server, model = provider
    server.steps = [server.says("연차는 15일입니다.")]
    pieces: list[Any] = []
    asked = await model.ask(ASKED, [TOOL], on_piece=pieces.append)
    assert (asked.reply.content, asked.reply.reasoning) == ("연차는 15일입니다.", "생각")
    assert len([each for each in pieces if each.kind == "text"]) > 3
    assert asked.reply.usage == Usage(1, 40, 9, 30, 5 if server.name == "openai" else 0)
    assert server.headers[0]["X-Team"] == "dure"
    assert "Be brief." in str(server.requests[0]["input" if server.name == "openai" else "system"])


async def test_calls_and_their_results(provider: tuple[Provider, Model]) -> None:
    server, model = provider
    server.steps = [server.says(query="연차"), server.says("15일")]
    first = (await model.ask(ASKED, [TOOL])).reply.tool_calls
    assert [(each.name, each.args) for each in first] == [("search", {"query": "연차"})]
    turns = [*ASKED, assistant(None, [wire_call(first[0])]), tool_result(first[0].id, "search", "연차는 15일")]
    assert (await model.ask(turns, [TOOL])).reply.content == "15일"
    sent = json.dumps(server.requests[1], ensure_ascii=False)
    assert "연차는 15일" in sent
    if server.name == "anthropic":
        # Its thoughts go back as they were signed.
        assert '"signature": "c2ln"' in sent


async def test_a_whole_run(opened: Any, provider: tuple[Provider, Model]) -> None:
    """By the name of the provider; its own replies go back to it through the agent loop."""
    server, _ = provider

    def search(query: str) -> str:
        """Searches."""
        return f"{query}: 15일"

    url = server.url + ("/v1" if server.name == "openai" else "")
    named = {"theirs": {"provider": server.name, "name": "m", "base_url": url, "key": "k"}}
    agent = Agent(name="finder", description="Finds", tools=["search"])
    team = Team(name="desk", kind="solo", description="A desk", agents=[agent])
    dure = await opened(models=named, teams=[team], tools=[search], tool_dialect="auto")
    server.steps = [server.says(query="연차"), server.says("연차는 15일입니다.")]
    answer = await dure.chat("연차는 며칠?", team="desk")
    assert (answer.response, answer.tool_calls[0]["args"]) == ("연차는 15일입니다.", {"query": "연차"})
    assert answer.metadata["usage"]["cached_tokens"] == 60
    assert "연차: 15일" in json.dumps(server.requests[1], ensure_ascii=False)
    assert server.name == "openai" or '"signature": "c2ln"' in json.dumps(server.requests[1])


@pytest.mark.parametrize(
    ("status", "kind"), [(401, ModelRefused), (404, ModelRefused), (429, ModelUnavailable), (529, ModelUnavailable)]
)
async def test_errors_are_typed(provider: tuple[Provider, Model], status: int, kind: type[DureError]) -> None:
    server, model = provider
    server.steps = [(status, "no: sk-secret-key")] * 9
    with pytest.raises(kind, match="no: ") as caught:
        await model.ask(ASKED)
    assert "sk-secret-key" not in str(caught.value.as_dict())


async def test_silence_is_a_timeout(provider: tuple[Provider, Model]) -> None:
    server, model = provider
    server.silent = True
    with pytest.raises(ModelTimeout):
        await model.ask(ASKED)


async def test_nobody_listens() -> None:
    for name in ("openai", "anthropic"):
        given = {"provider": name, "name": "m", "base_url": "http://127.0.0.1:9/v1", "key": "k"}
        models = Models(Settings(models={"theirs": {**given, "options": {"max_retries": 0}}}))
        with pytest.raises(ModelUnavailable):
            await models["theirs"].ask(ASKED)


async def test_what_the_provider_does_not_take(provider: tuple[Provider, Model]) -> None:
    server, model = provider
    server.refuses = lambda body: "`temperature` is not for this model" if "temperature" in body else None
    server.steps = [server.says("ok")] * 3
    assert (await model.ask(ASKED, [TOOL])).reply.content == "ok"
    assert "temperature" in (await model.facts()).without


@pytest.mark.parametrize("outcome", ["length", "content_filter"])
async def test_how_a_reply_ended(provider: tuple[Provider, Model], outcome: str) -> None:
    server, model = provider
    theirs = {"length": "max_output_tokens", "content_filter": "content_filter"}
    if server.name == "openai":
        server.steps = [responses("반쯤", ended="incomplete", reason=theirs[outcome])]
    else:
        server.steps = [messages("반쯤", ended={"length": "max_tokens", "content_filter": "refusal"}[outcome])]
    assert (await model.ask(ASKED)).reply.finish_reason == outcome


async def test_json_by_a_schema(provider: tuple[Provider, Model]) -> None:
    server, model = provider
    server.steps = [server.says('{"days": 15}')] * 3
    schema = {"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]}
    assert json.loads((await model.ask(ASKED, schema=schema)).reply.content) == {"days": 15}


def test_a_provider_whose_package_is_missing_or_unknown() -> None:
    for name in ("bedrock_converse", "nobody"):
        with pytest.raises(SettingsError, match=name):
            Models(Settings(models={"theirs": {"provider": name, "name": "m"}}))
