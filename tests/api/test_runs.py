"""`/v1/runs` and `/v1/sessions`."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from dure.testing import ScriptedServer, call, say

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
ReadStream = Callable[[str], list[tuple[int, dict[str, Any]]]]
ASK = {"message": "안녕", "team": "assistant"}
NOTHING = "r-000000000000000000000000"


async def test_a_run_holds_every_request_and_reply(serve: Serve) -> None:
    async with ScriptedServer(say("안녕하세요.")) as scripted:
        client = await serve(scripted)
        answer = (await client.post("/v1/chat", json=ASK)).json()
    run = (await client.get(f"/v1/runs/{answer['metadata']['run_id']}")).json()
    assert run["message"] == "안녕"
    kinds = [e["kind"] for e in run["events"]]
    assert (kinds[0], kinds[-1]) == ("run_started", "run_finished")
    called = next(e["data"] for e in run["events"] if e["kind"] == "model_called")
    assert called["request"]["messages"][-1] == {"role": "user", "content": "안녕"}
    assert called["prompt_tokens"] > 0


async def test_runs_are_listed_newest_first_and_filtered(serve: Serve) -> None:
    async with ScriptedServer(say("하나"), say("둘"), say("셋")) as scripted:
        client = await serve(scripted)
        for session in ("a", "b", "a"):
            await client.post("/v1/chat", json=ASK | {"session_id": session})

    async def listed(**params: Any) -> list[str]:
        return [r["answer"]["response"] for r in (await client.get("/v1/runs", params=params)).json()["runs"]]

    assert await listed() == ["셋", "둘", "하나"]
    assert await listed(session_id="a") == ["셋", "하나"]
    assert await listed(status="completed", limit=1) == ["셋"]
    assert await listed(status="failed") == []


async def test_runs_are_found_and_read_piece_by_piece(serve: Serve) -> None:
    async with ScriptedServer(respond=lambda request: say(f"답: {request['messages'][-1]['content']}")) as scripted:
        client = await serve(scripted)
        for number in range(5):
            await client.post("/v1/chat", json=ASK | {"message": f"질문 {number}"})

    async def listed(**params: Any) -> dict[str, Any]:
        reply = await client.get("/v1/runs", params=params)
        assert reply.status_code == 200, reply.text
        found: dict[str, Any] = reply.json()
        return found

    first = await listed(limit=3)
    second = await listed(limit=3, before=first["next"])
    assert second["next"] is None
    assert [r["message"] for r in first["runs"] + second["runs"]] == [f"질문 {n}" for n in (4, 3, 2, 1, 0)]
    assert [r["message"] for r in (await listed(q="답: 질문 2"))["runs"]] == ["질문 2"]
    third = first["runs"][2]["created_at"]
    assert [r["message"] for r in (await listed(since=third))["runs"]] == ["질문 4", "질문 3", "질문 2"]
    assert (await listed(since="2999-01-01T00:00:00+09:00"))["runs"] == []
    for since in ("yesterday", "2024", "20260101", "-1", "0001-01-01T00:00:00+14:00"):
        assert (await client.get("/v1/runs", params={"since": since})).status_code == 422


async def test_two_runs_side_by_side_and_one_as_an_experiment(serve: Serve) -> None:
    async with ScriptedServer(say("하나입니다."), say("둘입니다.")) as scripted:
        client = await serve(scripted)
        a, b = [(await client.post("/v1/chat", json=ASK)).json()["metadata"]["run_id"] for _ in range(2)]
    compared = (await client.get("/v1/runs/compare", params={"a": a, "b": b})).json()
    assert compared["runs"] == [a, b]
    assert {row["name"]: row["same"] for row in compared["rows"]}["question"] is True
    assert compared["answers"][0]["changes"]
    assert (await client.get("/v1/runs/compare", params={"a": a})).status_code == 422
    assert (await client.get("/v1/runs/compare", params={"a": a, "b": NOTHING})).status_code == 404
    viewed = (await client.get(f"/v1/runs/{a}/experiment")).json()
    assert viewed["answer"] == "하나입니다."
    assert viewed["prompts"][0]["final"][-1]["content"] == "안녕"
    assert viewed["prompts"][0]["prompt_tokens"] > 0


async def test_runs_of_an_experiment_with_their_figures(serve: Serve) -> None:
    async with ScriptedServer(respond=lambda _: say("답")) as scripted:
        client = await serve(scripted, prices={"scripted": (1, 1)})
        for experiment in ("a", "b"):
            asked = await client.post("/v1/chat", json=ASK | {"experiment": experiment})
            assert asked.status_code == 200
        too_long = await client.post("/v1/chat", json=ASK | {"experiment": "x" * 101})
    assert (too_long.status_code, too_long.json()["error"]["code"]) == (422, "invalid_input")
    (run,) = (await client.get("/v1/runs", params={"experiment": "a", "team": "assistant"})).json()["runs"]
    usage = run["usage"]
    assert run["experiment"] == "a"
    assert run["cost"] == pytest.approx((usage["prompt_tokens"] + usage["completion_tokens"]) / 1e6)
    assert (await client.get("/v1/runs", params={"team": "office"})).json() == {"runs": [], "next": None}
    whole = (await client.get(f"/v1/runs/{run['id']}")).json()
    assert {key: whole[key] for key in run} == run


async def test_a_run_is_rated(serve: Serve) -> None:
    async with ScriptedServer(say("답")) as scripted:
        client = await serve(scripted)
        run_id = (await client.post("/v1/chat", json=ASK)).json()["metadata"]["run_id"]
    path = f"/v1/runs/{run_id}/rating"
    for body, rating in (({"rating": 2, "comment": "짧다"}, (2, "짧다")), ({"rating": 5}, (5, None))):
        rated = (await client.post(path, json=body)).json()
        assert (rated["rating"]["rating"], rated["rating"]["comment"]) == rating
    assert (await client.get(f"/v1/runs/{run_id}")).json()["rating"]["rating"] == 5
    for body in (
        {},
        {"rating": 0},
        {"rating": 6},
        {"rating": "5"},
        {"rating": 4.5},
        {"rating": True},
        {"rating": 3, "x": 1},
    ):
        reply = await client.post(path, json=body)
        assert (reply.status_code, reply.json()["error"]["code"]) == (422, "invalid_input"), body
    nobody = await client.post(f"/v1/runs/{NOTHING}/rating", json={"rating": 3})
    assert (nobody.status_code, nobody.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize("params", [{"status": "lost"}, {"limit": 0}, {"limit": "x"}, {"session_id": "x" * 200}])
async def test_wrong_filters(serve: Serve, params: dict[str, Any]) -> None:
    reply = await (await serve()).get("/v1/runs", params=params)
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "invalid_input")


async def test_a_run_can_be_cancelled(serve: Serve, read_stream: ReadStream) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("…").after(gate)) as scripted:
        client = await serve(scripted)
        waiting = asyncio.create_task(client.post("/v1/chat", json=ASK | {"session_id": "s"}))
        await scripted.arrived()
        (run,) = (await client.get("/v1/runs", params={"status": "running"})).json()["runs"]
        cancelled = await client.post(f"/v1/runs/{run['id']}/cancel")
        assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")
        assert (await waiting).json()["status"] == "cancelled"
        events = read_stream((await client.get(f"/v1/runs/{run['id']}/events")).text)
        assert events[-1][1]["outcome"] == {"type": "cancelled"}
        again = await client.post(f"/v1/runs/{run['id']}/cancel")
        assert (again.status_code, again.json()["status"]) == (200, "cancelled")


async def test_what_does_not_exist_is_404(serve: Serve) -> None:
    client = await serve()
    decisions = {"decisions": [{"approval_id": "a", "action": "approve"}]}
    for method, path, body in (
        ("GET", f"/v1/runs/{NOTHING}", None),
        ("GET", f"/v1/runs/{NOTHING}/events", None),
        ("POST", f"/v1/runs/{NOTHING}/cancel", None),
        ("POST", f"/v1/runs/{NOTHING}/approvals", decisions),
        ("GET", "/v1/runs/%2e%2e%2fetc", None),
        ("GET", "/v1/runs/" + "x" * 5000, None),
        ("GET", "/v1/sessions/none/messages", None),
        ("DELETE", "/v1/sessions/none", None),
        ("GET", "/v1/documents/none", None),
        ("GET", "/v1/documents/none/passages", None),
        ("DELETE", "/v1/documents/none", None),
        ("GET", "/v1/nothing", None),
        ("GET", "/static/nothing", None),
    ):
        reply = await client.request(method, path, json=body)
        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not_found"), path
        assert len(reply.content) < 1000


async def test_wrong_methods_are_405(serve: Serve) -> None:
    reply = await (await serve()).put("/v1/chat", json=ASK)
    assert (reply.status_code, reply.json()["error"]["code"]) == (405, "method_not_allowed")
    assert reply.headers["allow"] == "POST"


@pytest.mark.parametrize("given", ["x", "-1", "1.5", "9" * 30, "１"])
async def test_last_event_id_is_a_number(serve: Serve, given: str) -> None:
    headers = {"Last-Event-ID": given.encode()}
    reply = await (await serve()).get(f"/v1/runs/{NOTHING}/events", headers=headers)
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "invalid_input")


async def test_a_number_beyond_the_end_gets_an_empty_stream(serve: Serve) -> None:
    async with ScriptedServer(say("안녕하세요.")) as scripted:
        client = await serve(scripted)
        run_id = (await client.post("/v1/chat", json=ASK)).json()["metadata"]["run_id"]
    reply = await client.get(f"/v1/runs/{run_id}/events", headers={"Last-Event-ID": "1000"})
    assert (reply.status_code, reply.text) == (200, "")


async def test_nothing_waits_for_approval(serve: Serve) -> None:
    async with ScriptedServer(say("안녕하세요.")) as scripted:
        client = await serve(scripted)
        run_id = (await client.post("/v1/chat", json=ASK)).json()["metadata"]["run_id"]

    async def decide(*decisions: Any) -> tuple[int, str]:
        reply = await client.post(f"/v1/runs/{run_id}/approvals", json={"decisions": list(decisions)})
        return reply.status_code, reply.json()["error"]["code"]

    assert await decide({"approval_id": "a", "action": "edit", "args": {"x": 1}}) == (409, "conflict")
    assert await decide() == (422, "invalid_input")
    assert await decide({"approval_id": "a", "action": "maybe"}) == (422, "invalid_input")
    assert await decide({"approval_id": "", "action": "approve"}) == (422, "invalid_input")
    assert await decide({"action": "approve"}) == (422, "invalid_input")


async def test_a_session_is_deleted_with_its_runs(serve: Serve) -> None:
    async with ScriptedServer(say("안녕하세요.")) as scripted:
        client = await serve(scripted)
        await client.post("/v1/chat", json=ASK | {"session_id": "s"})
    (session,) = (await client.get("/v1/sessions")).json()["sessions"]
    assert session["id"] == "s"
    deleted = await client.delete("/v1/sessions/s")
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert (await client.get("/v1/sessions")).json() == {"sessions": [], "next": None}
    assert (await client.get("/v1/runs")).json() == {"runs": [], "next": None}


async def test_a_run_is_begun_again_at_a_step(serve: Serve, read_stream: ReadStream) -> None:
    script = call("calculate", expression="2*21"), say("42입니다."), say("마흔둘입니다."), say("사십이입니다.")
    async with ScriptedServer(*script) as scripted:
        client = await serve(scripted)
        first = (await client.post("/v1/chat", json=ASK)).json()["metadata"]["run_id"]
        events = (await client.get(f"/v1/runs/{first}")).json()["events"]
        step = next(e["seq"] for e in reversed(events) if e["kind"] == "model_called")
        begun = await client.post(f"/v1/runs/{first}/again", json={"step": step})
        assert begun.status_code == 200, begun.text
        second = begun.json()
        assert (second["options"]["from"]["run_id"], second["options"]["from"]["step"]) == (first, step)
        told = await client.get(f"/v1/runs/{second['id']}/events")
        assert read_stream(told.text)[-1][1]["result"]["response"] == "마흔둘입니다."
        streamed = await client.post(f"/v1/runs/{first}/again", json={"step": step, "stream": True})
        wires = [wire for _, wire in read_stream(streamed.text)]
        assert wires[-1]["result"]["response"] == "사십이입니다."
        assert [w["value"]["why"] for w in wires if w.get("name") == "dure.resumed"] == ["branched"]
        assert wires[-1]["usage"][0]["inputTokens"] == wires[-1]["result"]["usage"]["prompt_tokens"]
        assert len(scripted.requests) == 4
        for body, status, code in (
            ({"step": 1}, 422, "invalid_input"),
            ({}, 422, "invalid_input"),
            ({"step": step, "model": "nobody"}, 422, "unknown_model"),
        ):
            refused = await client.post(f"/v1/runs/{first}/again", json=body)
            assert (refused.status_code, refused.json()["error"]["code"]) == (status, code)
        korean = await client.post(f"/v1/runs/{first}/again", json={"step": 1}, headers={"Accept-Language": "ko"})
        assert "이 실행의 단계가 아닙니다" in korean.json()["error"]["message"]
        assert (await client.post(f"/v1/runs/{NOTHING}/again", json={"step": 1})).status_code == 404
