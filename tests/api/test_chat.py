"""`POST /v1/chat` over real HTTP: answers, streams, everything that cannot be used."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from dure.testing import ScriptedServer, call, cut, fail, html, say

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
ReadStream = Callable[[str], list[tuple[int, dict[str, Any]]]]
Pour = Callable[..., Awaitable[tuple[int, Any]]]
WellFormed = Callable[[list[dict[str, Any]]], None]

SSE = {"Accept": "text/event-stream"}


def ask(message: Any = "2 곱하기 21은?", **fields: Any) -> dict[str, Any]:
    return {"message": message, "team": "assistant"} | fields


async def test_an_answer_has_the_shape_of_the_contract(serve: Serve) -> None:
    async with ScriptedServer(call("calculate", expression="2*21"), say("42입니다.")) as scripted:
        client = await serve(scripted)
        reply = await client.post("/v1/chat", json=ask())
    assert reply.status_code == 200
    answer = reply.json()
    assert set(answer) == {"response", "tool_calls", "citations", "approvals", "status", "metadata"}
    assert answer["response"] == "42입니다."
    assert answer["status"] == "completed"
    assert answer["citations"] == answer["approvals"] == []
    (made,) = answer["tool_calls"]
    assert made == {"name": "calculate", "args": {"expression": "2*21"}, "agent": "assistant", "status": "ok"}
    metadata = answer["metadata"]
    assert metadata["team"] == "assistant"
    assert metadata["agents"] == ["assistant"]
    assert metadata["tools_used"] == ["calculate"]
    assert metadata["execution_time"] >= 0
    assert metadata["usage"]["model_calls"] == 2
    assert metadata["usage"]["prompt_tokens"] > 0
    run = (await client.get(f"/v1/runs/{metadata['run_id']}")).json()
    assert run["session_id"] == metadata["thread_id"]
    assert run["answer"] == answer


async def test_a_session_goes_on(serve: Serve) -> None:
    async with ScriptedServer(say("반가워요, 김 님."), say("김 님입니다.")) as scripted:
        client = await serve(scripted)
        first = (await client.post("/v1/chat", json=ask("저는 김이에요"))).json()
        session = first["metadata"]["thread_id"]
        second = (await client.post("/v1/chat", json=ask("제가 누구죠?", session_id=session))).json()
        assert second["metadata"]["thread_id"] == session
        assert "반가워요, 김 님." in [m["content"] for m in scripted.requests[1]["messages"]]
    messages = (await client.get(f"/v1/sessions/{session}/messages")).json()["messages"]
    assert [m["role"] for m in messages] == ["user", "assistant", "user", "assistant"]


@pytest.mark.parametrize("way", ["body", "header"])
async def test_a_stream_is_well_formed_ag_ui(
    serve: Serve, read_stream: ReadStream, well_formed: WellFormed, way: str
) -> None:
    async with ScriptedServer(call("calculate", expression="2*21"), say("42입니다.")) as scripted:
        client = await serve(scripted)
        stream = {"stream": True} if way == "body" else {}
        reply = await client.post("/v1/chat", json=ask(**stream), headers=SSE if way == "header" else {})
        assert reply.status_code == 200
        assert reply.headers["content-type"].startswith("text/event-stream")
        numbered = read_stream(reply.text)
        events = [event for _, event in numbered]
    assert [number for number, _ in numbered] == list(range(1, len(numbered) + 1))
    well_formed(events)
    assert "".join(e["delta"] for e in events if e["type"] == "TEXT_MESSAGE_CONTENT") == "42입니다."
    assert events[-1]["result"]["response"] == "42입니다."
    assert {e["toolCallName"] for e in events if e["type"] == "TOOL_CALL_START"} == {"calculate"}
    assert events[-1]["usage"][0]["model"] == "scripted"
    again = await client.get(f"/v1/runs/{events[0]['runId']}/events")
    assert read_stream(again.text) == numbered


async def test_a_reader_who_lost_the_connection_resumes_in_mid_answer(serve: Serve, read_stream: ReadStream) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(call("calculate", expression="2*21"), say("42입니다.").after(gate)) as scripted:
        client = await serve(scripted)
        seen = ""
        async with client.stream("POST", "/v1/chat", json=ask(stream=True)) as reply:
            async for text in reply.aiter_text():
                seen += text
                if "TOOL_CALL_RESULT" in seen:
                    break
        before = read_stream(seen[: seen.rindex("\n\n") + 2])
        run_id = before[0][1]["runId"]
        await scripted.arrived(2)
        assert (await client.get(f"/v1/runs/{run_id}")).json()["status"] == "running"
        headers = {"Last-Event-ID": str(before[-1][0])}
        resumed = asyncio.create_task(client.get(f"/v1/runs/{run_id}/events", headers=headers))
        gate.set()
        after = read_stream((await resumed).text)
    whole = read_stream((await client.get(f"/v1/runs/{run_id}/events")).text)
    assert before + after == whole
    assert after[-1][1]["type"] == "RUN_FINISHED"


async def test_hanging_up_loses_nothing(serve: Serve) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("42입니다.").after(gate)) as scripted:
        client = await serve(scripted)
        waiting = asyncio.create_task(client.post("/v1/chat", json=ask(session_id="s1")))
        await scripted.arrived()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        gate.set()
        (run,) = (await client.get("/v1/runs", params={"session_id": "s1"})).json()["runs"]
        await client.get(f"/v1/runs/{run['id']}/events")
    assert (await client.get(f"/v1/runs/{run['id']}")).json()["answer"]["response"] == "42입니다."


async def test_one_run_at_a_time_in_a_session(serve: Serve) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("첫 답").after(gate), say("다른 답")) as scripted:
        client = await serve(scripted)
        first = asyncio.create_task(client.post("/v1/chat", json=ask(session_id="s1")))
        await scripted.arrived()
        busy = await client.post("/v1/chat", json=ask(session_id="s1"))
        assert (busy.status_code, busy.json()["error"]["code"]) == (409, "session_busy")
        assert (await client.delete("/v1/sessions/s1")).status_code == 409
        assert (await client.post("/v1/chat", json=ask(session_id="s2"))).status_code == 200
        gate.set()
        assert (await first).json()["response"] == "첫 답"
    assert len((await client.get("/v1/sessions/s1/messages")).json()["messages"]) == 2


async def test_no_more_runs_at_once_than_the_setting_lets(serve: Serve) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("첫 답").after(gate), say("다른 답")) as scripted:
        client = await serve(scripted, max_runs=1)
        first = asyncio.create_task(client.post("/v1/chat", json=ask(session_id="s1")))
        await scripted.arrived()
        for headers in ({}, SSE):
            refused = await client.post("/v1/chat", json=ask(session_id="s2"), headers=headers)
            assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too_many_requests")
            assert int(refused.headers["Retry-After"]) > 0
        gate.set()
        assert (await first).json()["response"] == "첫 답"
        assert (await client.get("/v1/sessions/s2/messages")).status_code == 404
        assert (await client.post("/v1/chat", json=ask(session_id="s2"))).json()["response"] == "다른 답"


async def test_no_owner_takes_what_is_there_for_all(serve: Serve) -> None:
    gate = asyncio.Event()
    kim, lee = ({"Authorization": f"Bearer {key}"} for key in ("k", "l"))
    async with ScriptedServer(say("첫 답").after(gate), say("리의 답")) as scripted:
        client = await serve(scripted, max_runs=4, api_keys=["kim:k", "lee:l"])
        burst = [
            asyncio.create_task(client.post("/v1/chat", json=ask(session_id=f"s{n}"), headers=kim)) for n in range(5)
        ]
        await scripted.arrived()
        refused, open_still = set[Any](), set(burst)
        while len(refused) < 4:
            done, open_still = await asyncio.wait(open_still, return_when=asyncio.FIRST_COMPLETED)
            refused |= done
        for reply in (each.result() for each in refused):
            assert (reply.status_code, reply.json()["error"]["code"]) == (429, "too_many_requests")
            assert int(reply.headers["Retry-After"]) > 0
        assert (await client.post("/v1/chat", json=ask(), headers=lee)).json()["response"] == "리의 답"
        gate.set()
        await asyncio.gather(*burst)


BAD: list[tuple[Any, int, str]] = [
    (ask(""), 422, "empty_message"),
    (ask(" \n\t　"), 422, "empty_message"),
    (ask("가" * 100_001), 413, "message_too_long"),
    (ask("x" * 1_000_000), 413, "message_too_long"),
    (ask("a\x00b"), 422, "invalid_text"),
    (ask(5), 422, "invalid_input"),
    (ask(None), 422, "invalid_input"),
    ({"team": "assistant"}, 422, "invalid_input"),
    ({}, 422, "invalid_input"),
    ([], 422, "invalid_input"),
    ("질문", 422, "invalid_input"),
    (ask(session_id="../../etc"), 422, "invalid_session_id"),
    (ask(session_id="x" * 10_000), 422, "invalid_session_id"),
    (ask(session_id=""), 422, "invalid_session_id"),
    (ask(session_id=7), 422, "invalid_input"),
    (ask(team="nobody"), 422, "unknown_team"),
    (ask(level="medium"), 422, "invalid_input"),
    (ask(difficulty="medium"), 422, "invalid_input"),
    (ask(output_format="pdf"), 422, "invalid_input"),
    (ask(stream="yes"), 422, "invalid_input"),
    (ask(sesion_id="s1"), 422, "invalid_input"),
]


@pytest.mark.parametrize(("body", "status", "code"), BAD)
async def test_bad_input_is_refused_and_nothing_is_stored(serve: Serve, body: Any, status: int, code: str) -> None:
    client = await serve()
    for headers in ({}, SSE):
        reply = await client.post("/v1/chat", json=body, headers=headers)
        error = reply.json()["error"]
        assert (reply.status_code, error["code"]) == (status, code)
        assert error["message"]
        assert len(reply.content) < 2000
    assert (await client.get("/v1/sessions")).json()["sessions"] == []
    assert (await client.get("/v1/runs")).json()["runs"] == []


RAW: list[tuple[bytes, int, str]] = [
    (b"", 400, "invalid_json"),
    (b"message=hello", 400, "invalid_json"),
    (b'{"message": "x"', 400, "invalid_json"),
    (b'{"message": "\xff\xfe", "team": "assistant"}', 400, "invalid_json"),
    ('{"message": "휴가"}'.encode("cp949"), 400, "invalid_json"),
    (b'{"message": "\\ud800", "team": "assistant"}', 422, "invalid_text"),
    (b'{"message": "x", "session_id": "\\ud800"}', 422, "invalid_session_id"),
    (b'{"message": "a\\u0000b"}', 422, "invalid_text"),
    (b"[" * 100_000, 400, "invalid_json"),
    (b'{"message": "' + b"x" * 16_000_000 + b'"}', 413, "too_large"),
]


@pytest.mark.parametrize(("body", "status", "code"), RAW, ids=range(len(RAW)))
async def test_bodies_that_are_no_json(serve: Serve, body: bytes, status: int, code: str) -> None:
    client = await serve()
    reply = await client.post("/v1/chat", content=body, headers={"Content-Type": "application/json"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert (await client.get("/v1/sessions")).json()["sessions"] == []


async def test_an_endless_body_is_ended(serve: Serve, pour: Pour) -> None:
    client = await serve()
    status, body = await pour(client, "/v1/chat", "application/json", b"", b"x" * 65_536)
    assert (status, body["error"]["code"]) == (413, "too_large")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
async def test_only_json_is_taken(serve: Serve, kind: str) -> None:
    client = await serve()
    reply = await client.post("/v1/chat", content=json.dumps(ask()).encode(), headers={"Content-Type": kind})
    assert (reply.status_code, reply.json()["error"]["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    ("headers", "message", "begins"),
    [
        ({}, "", "메시지가 비어"),
        ({"Accept-Language": "en"}, "", "The message is empty"),
        ({"Accept-Language": "ko"}, "", "메시지가 비어"),
    ],
)
async def test_errors_are_in_the_language_asked_for(
    serve: Serve, headers: dict[str, str], message: str, begins: str
) -> None:
    client = await serve()
    reply = await client.post("/v1/chat", json=ask(message), headers=headers)
    assert reply.json()["error"]["message"].startswith(begins)


@pytest.mark.parametrize(
    ("path", "body", "korean"),
    [
        ("/v1/search?q=a&k=99", None, "query.k: 50 이하여야 합니다"),
        ("/v1/search", None, "query.q: 꼭 필요합니다"),
        ("/v1/search?q=%20", None, "q: 검색어가 비어 있습니다"),
        ("/v1/runs?status=odd", None, "query.status: 'queued', 'running'"),
        ("/v1/runs?since=2024", None, "query.since: ISO 8601 시각이어야 합니다"),
        ("/v1/runs?limit=many", None, "query.limit: 정수여야 합니다"),
        ("/v1/runs?before=x", None, "before: 응답의 `next`가 아닙니다"),
        ("/v1/chat", [], "body: JSON 객체여야 합니다"),
        ("/v1/chat", {}, "message: 꼭 필요합니다"),
        ("/v1/chat", {"message": 7}, "message: 문자열이어야 합니다"),
        ("/v1/chat", {"message": "hello", "colour": 1}, "colour: 그런 키가 없습니다"),
        ("/v1/chat", {"message": "hello", "stream": 1}, "stream: true 또는 false여야 합니다"),
        ("/v1/chat", {"resume": [{}]}, "resume.0.interruptId: 꼭 필요합니다"),
        ("/v1/runs/r/approvals", {"decisions": []}, "decisions: 1개 이상이어야 합니다"),
        ("/v1/sessions/nope/messages", None, "세션 'nope'을(를) 찾을 수 없습니다."),
    ],
)
async def test_what_is_wrong_is_told_in_one_language(serve: Serve, path: str, body: Any, korean: str) -> None:
    client = await serve()
    told = {}
    for language in ("ko", "en"):
        headers = {"Accept-Language": language}
        reply = await (
            client.get(path, headers=headers) if body is None else client.post(path, json=body, headers=headers)
        )
        assert reply.status_code in (404, 422)
        told[language] = reply.json()["error"]["message"]
    assert korean in told["ko"]
    assert not re.search("[가-힣]", told["en"])


async def test_errors_are_in_the_language_of_the_message(serve: Serve) -> None:
    client = await serve()
    english = await client.post("/v1/chat", json=ask("Hello", team="nobody"))
    named = await client.post("/v1/chat", json=ask("Summarize 휴가규정 for me", team="nobody"))
    korean = await client.post("/v1/chat", json=ask("안녕", team="nobody"))
    assert named.json()["error"]["message"].startswith("There is no team")
    assert english.json()["error"]["message"].startswith("There is no team")
    assert korean.json()["error"]["message"].startswith("'nobody' 팀이 없습니다")


@pytest.mark.parametrize(("step", "code"), [(html(), "model_error"), (cut("42입"), "model_error")])
async def test_a_failing_model_costs_one_answer(
    serve: Serve, read_stream: ReadStream, well_formed: WellFormed, step: Any, code: str
) -> None:
    async with ScriptedServer(respond=lambda body: step) as scripted:
        client = await serve(scripted, model_timeout=30)
        failed = await client.post("/v1/chat", json=ask(session_id="s1"))
        assert (failed.status_code, failed.json()["error"]["code"]) == (502, code)
        streamed = await client.post("/v1/chat", json=ask(session_id="s1", stream=True))
        events = [event for _, event in read_stream(streamed.text)]
        well_formed(events)
        assert (events[-1]["type"], events[-1]["code"]) == ("RUN_ERROR", code)
        step = say("42입니다.")
        assert (await client.post("/v1/chat", json=ask(session_id="s1"))).json()["response"] == "42입니다."
    runs = (await client.get("/v1/runs", params={"session_id": "s1"})).json()["runs"]
    assert [r["status"] for r in runs] == ["completed", "failed", "failed"]
    assert len((await client.get("/v1/sessions/s1/messages")).json()["messages"]) == 4


async def test_an_unreachable_model_is_503(serve: Serve) -> None:
    client = await serve()
    reply = await client.post("/v1/chat", json=ask())
    assert (reply.status_code, reply.json()["error"]["code"]) == (503, "model_unavailable")


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("path", ["/v1/chat", "/v1/chat/completions"])
async def test_a_run_that_failed_stands_in_the_log_once(
    serve: Serve, caplog: pytest.LogCaptureFixture, path: str, streamed: bool
) -> None:
    messages = {"message": "응?"} if path == "/v1/chat" else {"messages": [{"role": "user", "content": "응?"}]}
    which = {"team": "assistant"} if path == "/v1/chat" else {"model": "assistant"}
    async with ScriptedServer(respond=lambda _: fail(401)) as scripted:
        client = await serve(scripted, api_keys="kim:1")
        await client.post(path, json={**messages, **which, "stream": streamed}, headers={"Authorization": "Bearer 1"})
        (run,) = (await client.get("/v1/runs", headers={"Authorization": "Bearer 1"})).json()["runs"]
    told = [each.getMessage() for each in caplog.records if each.levelname == "WARNING" and "failed" in each.name]
    assert [f"run {run['id']} of kim failed: model_refused: " in each for each in told] == [True]
    assert not [each for each in caplog.records if each.name == "dure.api"]
