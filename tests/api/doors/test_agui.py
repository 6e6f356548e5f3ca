"""A team as an AG-UI agent, by requests and events as the protocol's models have them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from ag_ui.core import RunAgentInput, UserMessage
from fixtures.desk import Desk

from dure.testing import ScriptedServer, call, say

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
ReadStream = Callable[[str], list[tuple[int, dict[str, Any]]]]
WellFormed = Callable[[list[dict[str, Any]]], None]
ORIGIN = "https://desk.example.com"


def body(text: str, run: str = "run-1", **more: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"state": {}, "tools": [], "context": [], "forwarded_props": {}}
    messages = [UserMessage(id="m1", role="user", content=text)]
    asked = RunAgentInput(thread_id="t-1", run_id=run, messages=messages, **given)
    return asked.model_dump(by_alias=True, mode="json", exclude_none=True) | more


async def test_a_run_is_one_message(serve: Serve, read_stream: ReadStream, well_formed: WellFormed) -> None:
    steps = call("calculate", expression="2*21"), say("42입니다.").thinking("곱한다."), say("네.")
    async with ScriptedServer(*steps) as scripted:
        client = await serve(scripted)
        replies = [await client.post("/v1/agui/assistant", json=body("2*21?", run)) for run in ("run-1", "run-2")]
    runs = [[event for _, event in read_stream(reply.text)] for reply in replies]
    ids: set[str] = set()
    for number, (events, text) in enumerate(zip(runs, ("42입니다.", "네."), strict=True), 1):
        well_formed(events)
        assert {e["runId"] for e in events if "runId" in e} == {f"run-{number}"}
        assert {e["threadId"] for e in events if "threadId" in e} == {"t-1"}
        assert [e["delta"] for e in events if e["type"] == "TEXT_MESSAGE_CONTENT"] == [text]
        used = {e["messageId"] for e in events if "messageId" in e}
        assert not used & ids
        ids |= used
    thought = "".join(e["delta"] for e in runs[0] if e["type"] == "REASONING_MESSAGE_CONTENT")
    assert "곱한다." in thought
    assert "TOOL_CALL_RESULT" in {e["type"] for e in runs[0]}


async def test_a_refusal_is_in_the_language_of_the_message(serve: Serve) -> None:
    client = await serve()
    for text, said in (("Who are you?", "There is no team"), ("누구세요?", "팀이 없습니다")):
        assert said in (await client.post("/v1/agui/nobody", json=body(text))).json()["error"]["message"]


async def test_a_thread_begins_with_the_turns_that_its_client_holds(serve: Serve) -> None:
    turns = [
        {"id": "1", "role": "user", "content": "저는 김이에요"},
        {"id": "2", "role": "assistant", "content": "반가워요."},
        {"id": "3", "role": "activity", "activityType": "PLAN", "content": {"steps": []}},
        {"id": "4", "role": "user", "content": [{"type": "text", "text": "제가 누구죠?"}]},
    ]
    async with ScriptedServer(say("김 님입니다.")) as scripted:
        client = await serve(scripted)
        await client.post("/v1/agui/assistant", json=body("", messages=turns))
    assert "저는 김이에요" in str(scripted.requests[0]["messages"])
    said = (await client.get("/v1/sessions/t-1/messages")).json()["messages"]
    assert [each["content"] for each in said] == ["저는 김이에요", "반가워요.", "제가 누구죠?", "김 님입니다."]


async def test_an_interrupt_is_resumed(desk: Desk, read_stream: ReadStream, well_formed: WellFormed) -> None:
    async with ScriptedServer(call("send_mail", to="kim", text="안녕"), say("보냈습니다.")) as scripted:
        client = await desk.open(scripted)
        asked = await client.post("/v1/agui/desk", json=body("김에게 인사해 줘"))
        first = [event for _, event in read_stream(asked.text)]
        (interrupt,) = first[-1]["outcome"]["interrupts"]
        again = await client.post("/v1/agui/desk", json=body("그런데?", "run-2"))
        resume = [{"interruptId": interrupt["id"], "status": "resolved", "payload": {"action": "approve"}}]
        resumed = await client.post("/v1/agui/desk", json=body("", "run-3", messages=[], resume=resume))
    assert (again.status_code, again.json()["error"]["code"]) == (409, "session_waiting")
    second = [event for _, event in read_stream(resumed.text)]
    well_formed([{**event, "runId": "r"} if "runId" in event else event for event in first + second])
    assert {e["runId"] for e in second if "runId" in e} == {"run-3"}
    assert [e["delta"] for e in second if e["type"] == "TEXT_MESSAGE_CONTENT"] == ["보냈습니다."]
    assert desk.sent == [("kim", "안녕")]


async def test_a_client_that_goes_ends_its_run(serve: Serve) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("늦은 답").after(gate)) as scripted:
        client = await serve(scripted)
        asking = asyncio.create_task(client.post("/v1/agui/assistant", json=body("안녕")))
        while not scripted.requests:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        asking.cancel()
        (run,) = (await client.get("/v1/runs")).json()["runs"]
        events = await client.get(f"/v1/runs/{run['id']}/events")  # until its end
        assert '"type":"cancelled"' in events.text
        gate.set()


@pytest.mark.parametrize("allowed", [True, False])
async def test_pages_of_others_where_they_are_allowed(serve: Serve, allowed: bool) -> None:
    async with ScriptedServer(*[say("네.")] * allowed) as scripted:
        client = await serve(
            scripted, api_keys="kim:1", allowed_origins=f"https://x.example,{ORIGIN}" if allowed else ""
        )
        wanted = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
        ahead = await client.options("/v1/agui/assistant", headers={"Origin": ORIGIN} | wanted)
        headers = {"Origin": ORIGIN, "Authorization": "Bearer 1"}
        reply = await client.post("/v1/agui/assistant", json=body("안녕"), headers=headers)
        other = await client.post(
            "/v1/agui/assistant", json=body("안녕"), headers=headers | {"Origin": "https://evil.example"}
        )
    assert (ahead.headers.get("access-control-allow-origin") == ORIGIN) == allowed
    assert (reply.headers.get("access-control-allow-origin") == ORIGIN) == allowed
    assert (reply.status_code, other.status_code) == (200 if allowed else 403, 403)
    read = reply.headers.get("access-control-expose-headers", "").split(", ")
    assert ({"X-Run-Id", "Retry-After", "Content-Disposition"} <= {*read}) == allowed


async def test_without_keys_no_page_of_others_is_allowed(serve: Serve) -> None:
    client = await serve(allowed_origins=ORIGIN)
    reply = await client.post("/v1/agui/assistant", json=body("안녕"), headers={"Origin": ORIGIN})
    assert reply.status_code == 403
    assert "access-control-allow-origin" not in reply.headers
