"""Teams as OpenAI's models, asked by OpenAI's own client and in the shapes that Open WebUI and LibreChat send."""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from fixtures.desk import Desk
from pydantic import BaseModel

from dure.api import create_app
from dure.testing import ScriptedServer, call, fail, say
from dure.testing import json as wire

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
Asked = Callable[..., Awaitable[Any]]


class Product(BaseModel):
    number: int


ASK: dict[str, Any] = {"model": "assistant", "messages": [{"role": "user", "content": "2 곱하기 21은?"}]}


async def test_the_teams_are_models(asked: Asked) -> None:
    import openai

    client = await asked()
    names = [model.id async for model in client.models.list()]
    assert {"assistant", "workplace", "papers"} <= set(names)
    assert (await client.models.retrieve("papers")).id == "papers"
    with pytest.raises(openai.NotFoundError) as raised:
        await client.models.retrieve("gpt-9")
    assert (raised.value.code, raised.value.param) == ("model_not_found", "model")


async def test_an_answer_is_a_completion(asked: Asked) -> None:
    async with ScriptedServer(call("calculate", expression="2*21"), say("42입니다.")) as scripted:
        client = await asked(scripted)
        raw = await client.chat.completions.with_raw_response.create(**ASK)
        answer = raw.parse()
    (choice,) = answer.choices
    assert (choice.message.content, choice.finish_reason) == ("42입니다.", "stop")
    assert choice.message.reasoning_content == 'calculate {"expression":"2*21"}', "and not the answer once more"
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 0
    assert raw.headers["x-run-id"] in answer.id
    assert raw.headers["x-session-id"].startswith("s-")


async def test_an_answer_is_of_the_clients_type(asked: Asked) -> None:
    import openai

    async with ScriptedServer(say("42입니다."), wire({"number": "x"}), wire({"number": 42})) as scripted:
        client = await asked(scripted)
        answer = await client.chat.completions.parse(**ASK, response_format=Product)
        assert answer.choices[0].message.parsed == Product(number=42)
        assert "42입니다." not in str(answer)
        with pytest.raises(openai.BadRequestError, match="solo"):
            await client.chat.completions.parse(**ASK | {"model": "workplace"}, response_format=Product)


async def test_a_stream_thinks_then_answers_then_counts(asked: Asked) -> None:
    steps = call("calculate", expression="2*21"), say("42입니다.").thinking("곱하면 된다.")
    async with ScriptedServer(*steps) as scripted:
        client = await asked(scripted)
        stream = await client.chat.completions.create(**ASK, stream=True, stream_options={"include_usage": True})
        chunks = [chunk async for chunk in stream]
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    thought = "".join(getattr(delta, "reasoning_content", "") for delta in deltas)
    assert "".join(delta.content or "" for delta in deltas) == "42입니다."
    assert thought.index("calculate") < thought.index("곱하면 된다.")
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
    assert len({chunk.id for chunk in chunks}) == 1
    assert [chunk.usage is None for chunk in chunks] == [True] * (len(chunks) - 1) + [False]


async def test_what_an_agent_takes_back_is_no_part_of_the_answer(asked: Asked) -> None:
    """It spoke before it called a tool: that was no answer."""
    said = call("calculate", expression="2*21")
    async with ScriptedServer(said, say("그 답은 42입니다.")) as scripted:
        client = await asked(scripted)
        stream = await client.chat.completions.create(**ASK, stream=True)
        deltas = [chunk.choices[0].delta async for chunk in stream]
    assert [delta.content for delta in deltas if delta.content] == ["그 답은 42입니다."]


async def test_a_client_without_sessions_stays_in_one(asked: Asked, serve: Serve) -> None:
    async with ScriptedServer(say("반가워요, 김 님."), say("김 님입니다."), say("이 님입니다.")) as scripted:
        client = await asked(scripted)
        turns: list[Any] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "저는 김이에요"}]

        async def next_turn() -> str:
            raw = await client.chat.completions.with_raw_response.create(model="assistant", messages=turns)
            turns.append({"role": "assistant", "content": raw.parse().choices[0].message.content})
            return str(raw.headers["x-session-id"])

        first = await next_turn()
        turns.append({"role": "user", "content": [{"type": "text", "text": "제가 누구죠?"}]})
        assert await next_turn() == first
        # Another first turn: another conversation, which knows what was said in it.
        turns[1:] = [{"role": "user", "content": "저는 이예요"}, turns[2], {"role": "user", "content": "제가 누구죠?"}]
        assert await next_turn() != first
    assert "Be brief." not in str(scripted.requests)
    assert "저는 김이에요" in str(scripted.requests[1]["messages"])
    assert "저는 이예요" in str(scripted.requests[2]["messages"])


async def test_a_header_names_the_session(asked: Asked) -> None:
    async with ScriptedServer(say("네."), say("김 님입니다.")) as scripted:
        client = await asked(scripted)
        for _ in range(2):
            await client.chat.completions.create(**ASK, extra_headers={"X-Session-Id": "desk-1"})
    assert len(scripted.requests[1]["messages"]) > len(scripted.requests[0]["messages"])


async def test_sources_are_below_the_answer_and_annotations(asked: Asked) -> None:
    steps = call("search_knowledge_base", queries=["연차휴가"]), say("연차휴가는 15일입니다. [1]")
    async with ScriptedServer(*steps, *steps, wire({"number": 15})) as scripted:
        client = await asked(scripted)
        async with httpx.AsyncClient(base_url=str(client.base_url)) as plain:
            files = {"file": ("규정.txt", "연차휴가는 15일이다.".encode())}
            document = (await plain.post("documents", files=files)).json()["documents"][0]["id"]
            while (await plain.get(f"documents/{document}")).json()["status"] != "ready":  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        question: list[Any] = [{"role": "user", "content": "연차휴가는 며칠이야?"}]
        answer = await client.chat.completions.create(model="assistant", messages=question)
        typed = await client.chat.completions.parse(model="assistant", messages=question, response_format=Product)
    assert typed.choices[0].message.parsed == Product(number=15)
    assert typed.choices[0].message.annotations == [], "JSON of the client's has no place for any"
    message = answer.choices[0].message
    assert message.content is not None
    assert message.content.startswith("연차휴가는 15일입니다. [1]")
    assert "- [1] 규정: “연차휴가는 15일이다.”" in message.content
    (cited,) = message.annotations or []
    at = cited.url_citation
    assert (message.content[at.start_index : at.end_index], at.title) == ("[1]", "규정")
    assert at.url.startswith(f"{str(client.base_url).removesuffix('v1/')}#/documents?open={document}&title=")
    assert at.url.endswith("&start=0&end=12")


async def test_an_approval_is_told_with_a_link_and_the_session_goes_on_after_it(desk: Desk) -> None:
    openai = pytest.importorskip("openai", reason="needs the package openai")
    steps = call("send_mail", to="kim", text="안녕"), say("보냈습니다."), say("김 님에게요.")
    async with ScriptedServer(*steps) as scripted:
        plain = await desk.open(scripted)
        turns: list[Any] = [{"role": "user", "content": "김에게 인사해 줘"}]
        async with openai.AsyncOpenAI(base_url=f"{plain.base_url}/v1", api_key="unused", max_retries=0) as client:

            async def next_turn() -> str:
                answer = await client.chat.completions.create(model="desk", messages=turns)
                return str(answer.choices[0].message.content)

            waiting = await next_turn()
            session = waiting.rpartition(f"{plain.base_url}/#/s/")[2]
            assert desk.sent == []
            assert "여기에 글을 적는 것으로는 결정되지 않습니다" in waiting
            turns += [{"role": "assistant", "content": waiting}, {"role": "user", "content": "누구에게?"}]
            assert await next_turn() == waiting
            (approval,) = (await plain.get("/v1/approvals")).json()["approvals"]
            assert approval["session_id"] == session
            entry = {"approval_id": approval["id"], "action": "approve"}
            await plain.post(f"/v1/runs/{approval['run_id']}/approvals", json={"decisions": [entry], "stream": True})
            assert await next_turn() == "김 님에게요."
    assert desk.sent == [("kim", "안녕")]
    assert "보냈습니다." in str(scripted.requests[-1]["messages"])


@pytest.mark.parametrize("stream", [False, True])
async def test_a_client_that_goes_ends_its_run(serve: Serve, stream: bool) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("늦은 답").after(gate)) as scripted:
        plain = await serve(scripted)
        asking = asyncio.create_task(plain.post("/v1/chat/completions", json=ASK | {"stream": stream}))
        while not scripted.requests:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        asking.cancel()
        (run,) = (await plain.get("/v1/runs")).json()["runs"]
        events = await plain.get(f"/v1/runs/{run['id']}/events")  # until its end
        assert '"type":"cancelled"' in events.text
        gate.set()


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/v1/agui/assistant"])
async def test_a_client_that_goes_before_the_first_byte_ends_its_run(opened, path: str) -> None:
    """It hung up while its run was begun: nothing of the reply is ever asked for."""
    fields = ASK | {"input": "안녕", "stream": True, "threadId": "t-1", "runId": "run-1"}
    coming = [{"type": "http.request", "body": json.dumps(fields).encode()}]

    async def receive() -> Any:
        return coming.pop() if coming else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        pass

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope: dict[str, Any] = {"type": "http", "method": "POST", "path": path, "headers": headers, "query_string": b""}
    scope |= {"asgi": {"spec_version": "2.3"}, "scheme": "http", "server": ("localhost", 80)}
    with socket.create_server(("127.0.0.1", 0)) as silent:
        dure = await opened(model_base_url=f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
        await create_app(dure)(scope, receive, send)
        (run,) = await dure.runs.list("default")
    assert run["status"] == "cancelled"


async def test_an_answer_as_json(asked: Asked) -> None:
    async with ScriptedServer(say("42입니다.")) as scripted:
        client = await asked(scripted)
        answer = await client.chat.completions.create(**ASK, response_format={"type": "json_object"})
    assert json.loads(answer.choices[0].message.content) == {"answer": "42입니다.", "sources": []}


async def test_errors_have_openais_shape(asked: Asked) -> None:
    import openai

    async with ScriptedServer(fail(401), fail(401)) as scripted:
        client = await asked(scripted, api_keys="kim:1")
        with pytest.raises(openai.AuthenticationError) as refused:
            await client.models.list()
        assert refused.value.type == "authentication_error"
        client.api_key = "1"
        with pytest.raises(openai.NotFoundError):
            await client.chat.completions.create(**ASK | {"model": "gpt-9"})
        picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
        wrong: list[dict[str, Any]] = [
            {"messages": [{"role": "user", "content": [picture]}]},
            {"messages": [{"role": "assistant", "content": "hi"}]},
            {"messages": []},
            {"n": 2},
            {"tools": [{"type": "function", "function": {"name": "f"}}], "tool_choice": "required"},
            {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}},
        ]
        for fields in wrong:
            with pytest.raises(openai.BadRequestError) as raised:
                await client.chat.completions.create(**ASK | fields)
            assert raised.value.type == "invalid_request_error", fields
        with pytest.raises(openai.InternalServerError) as failed:
            await client.chat.completions.create(**ASK)
        assert failed.value.code == "model_refused"
        stream = await client.chat.completions.create(**ASK, stream=True)
        with pytest.raises(openai.APIError) as broke:
            _ = [chunk async for chunk in stream]
        assert broke.value.code == "model_refused"


@pytest.mark.parametrize(("question", "told"), [("What is 2 times 21?", "The model"), ("2 곱하기 21은?", "모델 서버")])
async def test_an_error_is_in_the_language_of_the_question(asked: Asked, question: str, told: str) -> None:
    import openai

    async with ScriptedServer(respond=lambda _: fail(400, "no")) as scripted:
        client = await asked(scripted)
        with pytest.raises(openai.APIError) as raised:
            await client.chat.completions.create(model="assistant", messages=[{"role": "user", "content": question}])
    assert told in raised.value.message


async def test_owners_do_not_share_sessions(asked: Asked) -> None:
    async with ScriptedServer(say("네."), say("모릅니다.")) as scripted:
        client = await asked(scripted, api_keys="kim:1,lee:2")
        sessions = []
        for key, turns in (("1", []), ("2", [ASK["messages"][0], {"role": "assistant", "content": "네."}])):
            client.api_key = key
            messages = [*turns, {"role": "user", "content": ASK["messages"][0]["content"]}]
            raw = await client.chat.completions.with_raw_response.create(model="assistant", messages=messages)
            sessions.append(raw.headers["x-session-id"])
    assert len(set(sessions)) == 2


LIBRECHAT = {
    "temperature": 1,
    "top_p": 1,
    "presence_penalty": 0,
    "frequency_penalty": 0,
    "user": "65f0c0ffee",
    "stream": True,
}
"""As https://www.librechat.ai/docs/configuration/librechat_yaml/object_structure/default_params tells."""
OPEN_WEBUI = {
    "stream": True,
    "stream_options": {"include_usage": True},
    "reasoning": {"effort": "low"},
    "logit_bias": {"5": 100},
    "tools": [{"type": "function", "function": {"name": "get_time", "parameters": {"type": "object"}}}],
}
"""As its `routers/openai.py` sends with its optional parameters set."""
WEBUI_HEADERS = {"X-OpenWebUI-User-Name": "Kim", "X-OpenWebUI-User-Role": "user", "X-OpenWebUI-Chat-Id": "c-1"}


NULLS = {"stream": True, **dict.fromkeys(("n", "tools", "tool_choice", "response_format", "stop", "user"))}
"""As of clients that name every parameter."""


@pytest.mark.parametrize(("fields", "headers"), [(LIBRECHAT, {}), (OPEN_WEBUI, WEBUI_HEADERS), (NULLS, {})])
async def test_the_shapes_of_known_clients_are_taken(
    serve: Serve, fields: dict[str, Any], headers: dict[str, str]
) -> None:
    async with ScriptedServer(say("42입니다.")) as scripted:
        plain = await serve(scripted)
        reply = await plain.post("/v1/chat/completions", json=ASK | fields, headers=headers)
    assert reply.status_code == 200
    assert "42입니다." in reply.text
    assert reply.text.endswith("data: [DONE]\n\n")
    assert ('"total_tokens"' in reply.text) == ("stream_options" in fields)
