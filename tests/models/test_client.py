"""The chat client against the scripted server, over real HTTP."""

import asyncio
import json
import logging
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr

from dure.errors import ModelError, ModelRefused, ModelTimeout, ModelUnavailable
from dure.messages import Usage
from dure.models.client import ChatClient
from dure.testing import (
    ScriptedServer,
    Step,
    call,
    calls,
    cut,
    fail,
    fail_in_stream,
    html,
    raw,
    rubbish,
    say,
    slow,
    stall,
)

TOOL = {"type": "function", "function": {"name": "search", "description": "", "parameters": {"type": "object"}}}


async def listen(client, heard):
    async for delta in client.stream({"messages": []}):
        heard.append(delta.text)


@pytest.mark.parametrize("chunk", [1, 3, 1000])
async def test_streams_text_reasoning_and_usage(connect, collect, chunk):
    async with ScriptedServer(say("연차는 15일입니다. 🙂").thinking("음…"), chunk=chunk) as server:
        text, found = await collect(connect(server))
    assert text == "연차는 15일입니다. 🙂"
    assert "".join(delta.reasoning for delta in found) == "음…"
    assert found[-1].usage == Usage(1, server.prompt_tokens, server.completion_tokens)
    assert [delta.finish_reason for delta in found if delta.finish_reason] == ["stop"]


async def test_streams_native_calls_in_fragments(connect, collect):
    script = calls(("search", {"query": "연차"}), ("search", {"query": "b"}))
    async with ScriptedServer(script, chunk=2) as server:
        _, found = await collect(connect(server), tools=[TOOL])
    arguments = {0: "", 1: ""}
    for delta in found:
        for each in delta.tool_calls:
            arguments[each.index] += each.arguments
    assert arguments == {0: '{"query":"연차"}', 1: '{"query":"b"}'}


async def test_sends_model_stream_and_key_only_where_they_belong(connect, collect, caplog):
    caplog.set_level(logging.DEBUG)
    async with ScriptedServer(say("ok"), api_key="sk-secret") as server:
        client = connect(server, api_key=SecretStr("sk-secret"))
        await collect(client, max_tokens=5)
    assert server.requests[0] == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "max_tokens": 5,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert "sk-secret" not in caplog.text + repr(client) + str(vars(client))


async def test_takes_the_first_model_that_the_server_lists(connect, collect):
    async with ScriptedServer(say("ok"), model="qwen") as server:
        client = connect(server, model="")
        await collect(client)
    assert (client.model, server.requests[0]["model"]) == ("qwen", "qwen")


async def test_one_connection_serves_many_requests(connect, collect):
    async with ScriptedServer(respond=lambda body: say("ok")) as server:
        client = connect(server)
        for _ in range(3):
            await collect(client)
        connector = client._session.connector
        assert sum(len(each) for each in connector._conns.values()) == 1


# Retries


async def test_retries_what_may_pass_with_growing_pauses(connect, collect, naps):
    async with ScriptedServer(fail(500), fail(503), say("third")) as server:
        text, _ = await collect(connect(server))
    assert text == "third"
    assert naps.taken == [0.5, 1.0]


@pytest.mark.parametrize(
    ("status", "error"), [(500, ModelError), *((each, ModelUnavailable) for each in (503, 429, 524))]
)
async def test_gives_up_after_three_tries(connect, collect, naps, status, error):
    async with ScriptedServer(fail(status), fail(status), fail(status, "still no")) as server:
        with pytest.raises(error, match="still no"):
            await collect(connect(server))
    assert len(naps.taken) == 2


async def test_a_server_that_stays_faulty_is_asked_once_until_it_answers(connect, collect, naps):
    steps = [fail(500)] * 4 + [say("well")] + [fail(500)] * 2 + [say("again")]
    async with ScriptedServer(*steps) as server:
        client = connect(server)
        for tries in (3, 1):
            naps.taken.clear()
            with pytest.raises(ModelError):
                await collect(client)
            assert len(naps.taken) == tries - 1
        assert [(await collect(client))[0] for _ in range(2)] == ["well", "again"]


async def test_keeps_retry_after_in_seconds_and_as_a_date(connect, collect, naps):
    at = datetime.now(UTC) + timedelta(seconds=30)
    by_date = fail(429)
    by_date.headers["Retry-After"] = format_datetime(at, usegmt=True)
    async with ScriptedServer(fail(429, retry_after=7), by_date, say("ok")) as server:
        await collect(connect(server))
    assert naps.taken[0] == 7
    assert 20 < naps.taken[1] <= 30


async def test_does_not_wait_for_hours(connect, collect, naps):
    async with ScriptedServer(fail(429, "come back tomorrow", retry_after=86400)) as server:
        with pytest.raises(ModelUnavailable, match="tomorrow"):
            await collect(connect(server))
    assert naps.taken == []


async def test_retries_a_connection_that_broke_before_the_answer(connect, collect, naps):
    async with ScriptedServer(cut(""), say("again")) as server:
        text, _ = await collect(connect(server))
    assert text == "again"
    assert len(naps.taken) == 1


async def test_never_repeats_what_was_handed_on(connect, naps):
    heard = []
    async with ScriptedServer(cut("half an ans")) as server:
        with pytest.raises(ModelError, match="broke off"):
            await listen(connect(server), heard)
    assert "".join(heard) == "half an ans"
    assert naps.taken == []


async def test_nobody_listens(connect, collect, naps):
    async with ScriptedServer() as server:
        url = server.url
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1") as caught:
        await collect(connect(url))
    assert caught.value.details["reason"].endswith(": Connection refused")
    assert len(naps.taken) == 2


async def test_a_refusal_is_not_repeated(connect, collect, naps):
    async with ScriptedServer(fail(400, "context length exceeded")) as server:
        with pytest.raises(ModelRefused, match=r"400.*context length exceeded"):
            await collect(connect(server))
    assert naps.taken == []


async def test_the_key_is_cut_out_of_the_servers_sentence(connect, collect):
    async with ScriptedServer(fail(401, "Incorrect API key provided: sk-wrong")) as server:
        with pytest.raises(ModelRefused) as caught:
            await collect(connect(server, api_key=SecretStr("sk-wrong")))
    assert "sk-wrong" not in str(caught.value.as_dict())
    assert caught.value.details["http_status"] == 401


async def test_a_short_key_is_cut_out_where_it_stands_alone(connect, collect):
    async with ScriptedServer(fail(400, "max_tokens: the key x is wrong")) as server:
        with pytest.raises(ModelRefused) as caught:
            await collect(connect(server, api_key=SecretStr("x")))
    assert caught.value.details["reason"] == "max_tokens: the key *** is wrong"


async def test_a_reply_that_is_not_streamed(connect, collect):
    async with ScriptedServer(say("whole")) as server:
        text, _ = await collect(connect(server), stream=False)
    assert text == "whole"
    assert server.requests[0]["stream"] is False
    assert "stream_options" not in server.requests[0]


async def test_a_key_that_may_not_list_the_models(connect, collect):
    async with ScriptedServer(respond=lambda body: say("ok"), lists=False) as server:
        client = connect(server)
        await client.ready()
        await client.ready()
        assert len(server.requests) == 1
        with pytest.raises(ModelRefused, match="DURE_MODEL_NAME"):
            await collect(connect(server, model=""))


@pytest.mark.parametrize(
    ("status", "listed", "wanted"),
    [
        (200, [{"id": "bare"}], "bare"),
        (502, {}, ModelUnavailable),
        (404, {}, ModelError),
        (200, {"data": 1}, ModelError),
    ],
)
async def test_lists_of_models_as_servers_send_them(connect, monkeypatch, status, listed, wanted):
    client = connect("http://127.0.0.1:9/v1", model="")
    monkeypatch.setattr(client, "get", lambda path: asyncio.sleep(0, (status, listed)))
    if isinstance(wanted, str):
        assert await client.models() == [wanted]
        return
    with pytest.raises(wanted):
        await client.models()


async def test_a_reply_that_the_server_could_not_read_is_read_here(connect, collect):
    said = {"error": {"message": "Failed to call a function.", "failed_generation": '<function=f>{"a": 1}</function>'}}
    body = json.dumps(said).encode()
    async with ScriptedServer(Step(body=body, status=400), Step(body=b"data: %s\n\n" % body)) as server:
        for _ in range(2):
            assert (await collect(connect(server)))[0] == '<function=f>{"a": 1}</function>'


# Timeouts


@pytest.mark.parametrize("step", [slow(30, say("late")), stall("a begin", 30)], ids=["no byte", "silence"])
async def test_silence_is_a_timeout(connect, collect, naps, step):
    async with ScriptedServer(step) as server:
        with pytest.raises(ModelTimeout, match=r"0\.2 seconds"):
            await collect(connect(server, timeout=0.2))
    assert naps.taken == []


async def test_a_cancelled_call_lets_the_server_go(connect, collect):
    gate = asyncio.Event()
    async with ScriptedServer(say("never").after(gate), say("next")) as server:
        client = connect(server)
        task = asyncio.create_task(collect(client))
        await server.arrived()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await collect(client))[0] == "next"
        gate.set()


# Replies that are none


async def test_a_web_page(connect, collect):
    async with ScriptedServer(html()) as server:
        with pytest.raises(ModelError, match="a web page instead of JSON"):
            await collect(connect(server))


async def test_rubbish(connect, collect):
    async with ScriptedServer(rubbish()) as server:
        with pytest.raises(ModelError, match="neither JSON nor a stream"):
            await collect(connect(server))


async def test_an_error_inside_the_stream(connect):
    heard = []
    async with ScriptedServer(fail_in_stream("well", "CUDA out of memory")) as server:
        with pytest.raises(ModelError, match="CUDA out of memory"):
            await listen(connect(server), heard)
    assert "".join(heard) == "well"


async def test_an_error_in_a_stream_that_said_nothing_yet_is_tried_again(connect, collect, naps):
    async with ScriptedServer(fail_in_stream("", "overloaded"), say("ok")) as server:
        assert (await collect(connect(server)))[0] == "ok"
    assert len(naps.taken) == 1


async def test_a_whole_json_reply_to_a_streaming_request(collect):
    from aiohttp import web

    async def answer(request):
        message = {"role": "assistant", "content": "whole", "tool_calls": None}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return web.json_response({"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 1}})

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    client = ChatClient(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", "m")
    try:
        text, found = await collect(client)
    finally:
        await client.close()
        await runner.cleanup()
    assert text == "whole"
    assert found[-1].usage == Usage(1, 3, 1)


async def test_lone_surrogates_in_a_request_do_no_harm(connect, collect):
    async with ScriptedServer(raw("ok")) as server:
        await collect(connect(server), messages=[{"role": "user", "content": "a\ud800b"}])
    assert server.requests[0]["messages"][0]["content"] == "a\ufffdb"


async def test_a_proxy_of_the_environment_is_not_used_for_this_machine(connect, collect, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    async with ScriptedServer(call("f")) as server:
        assert (await collect(connect(server), tools=[TOOL]))[1]


def test_a_proxy_of_the_environment_is_used_for_others(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    monkeypatch.delenv("no_proxy", raising=False)
    assert ChatClient("http://models.example/v1")._proxy == "http://proxy.example:3128"
    assert ChatClient("http://localhost:1/v1")._proxy is None


def test_user_name_and_password_in_the_address_are_not_shown():
    client = ChatClient("https://me:hidden@models.example/v1", "m")
    assert "hidden" not in repr(client) + client.place


async def test_an_idle_connection_that_the_server_dropped_costs_no_try(connect, collect, naps):
    """Answers, then drops the connection without a word, as llama.cpp's server does after some replies."""
    body = b'data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n" % len(body)
    connections = 0

    async def serve(reader, writer):
        nonlocal connections
        connections += 1
        request = await reader.readuntil(b"\r\n\r\n")
        length = int(request.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        writer.write(head + body)
        await writer.drain()
        # The next request is read, and never answered.
        await reader.read(1)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    client = connect(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", tries=1)
    assert [(await collect(client))[0] for _ in range(3)] == ["ok", "ok", "ok"]
    # What is asked beside the chat route, too.
    assert [await client.get("tokenize", {}) for _ in range(3)] == [(200, None)] * 3
    server.close()
    assert connections == 6
    assert naps.taken == []


@pytest.mark.parametrize("body", [{"error": {"message": "CUDA out of memory"}}, {"detail": "CUDA out of memory"}])
async def test_what_a_server_that_lists_nothing_says_of_it_is_told_without_the_key(connect, body):
    async def refuse(request: web.Request) -> web.Response:
        return web.json_response({key: repeated(each) for key, each in body.items()}, status=500)

    def repeated(said):
        return {"message": f"{said['message']}: sk-canary-1"} if isinstance(said, dict) else f"{said}: sk-canary-1"

    app = web.Application()
    app.router.add_get("/v1/models", refuse)
    async with TestServer(app) as server:
        client = connect(str(server.make_url("/v1")), api_key=SecretStr("sk-canary-1"))
        for asked in (client.ready, client.models):
            with pytest.raises(ModelUnavailable, match="HTTP 500: CUDA out of memory") as caught:
                await asked()
            assert "canary" not in str(caught.value)
