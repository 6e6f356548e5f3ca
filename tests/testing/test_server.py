"""The scripted server, asked over HTTP by a bare client."""

import asyncio

import aiohttp
import orjson
import pytest

from dure.testing import ScriptedServer, Step, call, calls, cut, fail, html, raw, rubbish, say, slow
from dure.testing.replies import prompt_tokens, tokens

TOOL = {"type": "function", "function": {"name": "search", "description": "", "parameters": {"type": "object"}}}


async def post(server: ScriptedServer, **body):
    async with (
        aiohttp.ClientSession() as session,
        session.post(server.url + "/chat/completions", json={"model": "m", **body}) as response,
    ):
        return response.status, response.headers, await response.read()


def ask(text="hi", **more):
    return {"messages": [{"role": "user", "content": text}], **more}


def deltas(data: bytes):
    events = [line[6:] for line in data.split(b"\n") if line.startswith(b"data: ")]
    assert events[-1] == b"[DONE]"
    return [orjson.loads(event) for event in events[:-1]]


async def test_says_whole_and_streamed():
    async with ScriptedServer(say("안녕하세요"), say("안녕하세요"), chunk=2) as server:
        _, _, whole = await post(server, **ask())
        _, _, streamed = await post(server, **ask(stream=True, stream_options={"include_usage": True}))
    reply = orjson.loads(whole)
    assert reply["choices"][0]["message"]["content"] == "안녕하세요"
    chunks = deltas(streamed)
    text = "".join(c["choices"][0]["delta"].get("content", "") for c in chunks if c["choices"])
    assert text == "안녕하세요"
    assert chunks[-1]["usage"] == reply["usage"]
    assert reply["usage"]["prompt_tokens"] == prompt_tokens(ask()) == 4 + 1
    assert reply["usage"]["completion_tokens"] == tokens("안녕하세요") == 4


async def test_calls_natively_when_tools_are_offered():
    async with ScriptedServer(calls(("search", {"q": "휴가"}), ("search", {"q": "b"}))) as server:
        _, _, data = await post(server, **ask(tools=[TOOL], stream=True))
    fragments: dict[int, list[str]] = {}
    for chunk in deltas(data):
        for each in chunk["choices"][0]["delta"].get("tool_calls", ()):
            fragments.setdefault(each["index"], []).append(each["function"]["arguments"])
    assert {i: orjson.loads("".join(parts)) for i, parts in fragments.items()} == {0: {"q": "휴가"}, 1: {"q": "b"}}
    assert deltas(data)[-1]["choices"][0]["finish_reason"] == "tool_calls"


async def test_calls_in_the_requested_json_schema():
    branch = {
        "type": "object",
        "properties": {"tool": {"const": "search"}, "arguments": {"type": "object"}},
        "required": ["tool", "arguments"],
    }
    answer = {"type": "object", "properties": {"thought": {"type": "string"}, "answer": {"type": "string"}}}
    schema = {"anyOf": [{"$ref": "#/$defs/call"}, answer], "$defs": {"call": branch}}
    wanted = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
    async with ScriptedServer(call("search", q="a"), say("done"), say('{"answer": "as is"}')) as server:
        replies = [orjson.loads((await post(server, **ask(response_format=wanted)))[2]) for _ in range(3)]
    contents = [orjson.loads(reply["choices"][0]["message"]["content"]) for reply in replies]
    assert contents == [
        {"tool": "search", "arguments": {"q": "a"}},
        {"thought": "", "answer": "done"},
        {"answer": "as is"},
    ]


async def test_calls_as_text_without_either():
    async with ScriptedServer(call("search", q="a"), raw("Action: x")) as server:
        first, second = [orjson.loads((await post(server, **ask()))[2]) for _ in range(2)]
    assert first["choices"][0]["message"]["content"] == (
        'Thought: I need search.\nAction: search\nAction Input: {"q":"a"}'
    )
    assert second["choices"][0]["message"]["content"] == "Action: x"


async def test_steps_left_over_fail_the_block():
    with pytest.raises(AssertionError, match="1 scripted steps were not used"):
        async with ScriptedServer(say("a"), say("b")) as server:
            await post(server, **ask())


async def test_a_request_beyond_the_script_fails_the_block():
    with pytest.raises(AssertionError, match="request 1 came beyond the script"):
        async with ScriptedServer() as server:
            assert (await post(server, **ask("surprise")))[0] == 400


async def test_an_error_inside_the_block_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        async with ScriptedServer(say("never")):
            raise ZeroDivisionError


async def test_steps_can_wait_for_their_request():
    async with ScriptedServer(say("to b").when("bee"), say("to a").when("ay")) as server:
        replies = [orjson.loads((await post(server, **ask(text)))[2]) for text in ("ay", "bee")]
    assert [reply["choices"][0]["message"]["content"] for reply in replies] == ["to a", "to b"]


async def test_responds_by_function_and_counts():
    async with ScriptedServer(respond=lambda body: say(body["messages"][-1]["content"][::-1])) as server:
        replies = await asyncio.gather(*(post(server, **ask(f"{n:03d}")) for n in range(10)))
        counts = server.counts()
    texts = [orjson.loads(reply[2])["choices"][0]["message"]["content"] for reply in replies]
    assert texts == [f"{n:03d}"[::-1] for n in range(10)]
    assert counts["requests"] == 10
    assert counts["problems"] == []


async def test_faults():
    async with ScriptedServer(fail(429, "busy", retry_after=2), html(), rubbish(), cut("half of")) as server:
        status, headers, body = await post(server, **ask())
        assert (status, headers["Retry-After"], orjson.loads(body)["error"]["message"]) == (429, "2", "busy")
        status, headers, body = await post(server, **ask())
        assert (status, headers["Content-Type"]) == (200, "text/html")
        with pytest.raises(ValueError):
            orjson.loads((await post(server, **ask()))[2])
        with pytest.raises(aiohttp.ClientError):
            await post(server, **ask(stream=True))


async def test_a_gate_holds_a_request_until_it_is_opened():
    gate = asyncio.Event()
    async with ScriptedServer(say("now").after(gate)) as server:
        waiting = asyncio.create_task(post(server, **ask()))
        await server.arrived()
        assert not waiting.done()
        gate.set()
        assert (await waiting)[0] == 200


async def test_a_streamed_reply_waits_in_its_middle():
    gate = asyncio.Event()
    step = Step("first second third", halfway=gate)
    async with ScriptedServer(step, chunk=6) as server, aiohttp.ClientSession() as session:
        asked = {"model": "m", "stream": True, **ask()}
        async with session.post(server.url + "/chat/completions", json=asked) as response:
            begun = b""
            while b'"first "' not in begun:
                begun += await response.content.readany()
            assert b"second" not in begun
            gate.set()
            assert b'"second' in await response.read()


async def test_closing_does_not_wait_for_slow_steps():
    async with asyncio.timeout(60):
        async with ScriptedServer(slow(60, say("late"))) as server:
            waiting = asyncio.create_task(post(server, **ask()))
            await server.arrived()
            await server.close()
            await asyncio.wait([waiting])
            assert waiting.exception() is None or isinstance(waiting.exception(), aiohttp.ClientError)


@pytest.mark.parametrize("kind", ["openai", "vllm", "llama.cpp", "ollama"])
async def test_refuses_tools_without_using_a_step(kind):
    async with ScriptedServer(say("plain"), kind=kind, native=False) as server:
        assert (await post(server, **ask(tools=[TOOL])))[0] == 400
        assert (await post(server, **ask()))[0] == 200
        assert (len(server.requests), len(server.refused)) == (1, 1)


async def test_wants_its_key():
    async with ScriptedServer(api_key="secret") as server:
        assert (await post(server, **ask()))[0] == 401
