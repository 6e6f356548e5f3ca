"""Decisions over real HTTP: as JSON, as a stream, and as AG-UI's resume entries."""

from collections.abc import Callable
from typing import Any

import httpx
import orjson
import pytest
from fixtures.desk import Desk

from dure.testing import ScriptedServer, call, calls, say

ReadStream = Callable[[str], list[tuple[int, dict[str, Any]]]]
WellFormed = Callable[[list[dict[str, Any]]], None]
SSE = {"Accept": "text/event-stream"}
SEND = call("send_mail", to="kim", text="안녕")
ASK = {"message": "김에게 인사해 줘", "team": "desk", "session_id": "s"}
KEYS = ["kim:key-of-kim", "lee:key-of-lee"]
KIM = {"Authorization": "Bearer key-of-kim"}
LEE = {"Authorization": "Bearer key-of-lee"}


async def asked(client: httpx.AsyncClient, **headers: str) -> tuple[str, list[str]]:
    """Ask; the run that waits then and its approvals."""
    reply = await client.post("/v1/chat", json=ASK, headers=headers)
    answer = reply.json()
    assert (reply.status_code, answer["status"]) == (200, "waiting")
    return answer["metadata"]["run_id"], [a["id"] for a in answer["approvals"]]


def code(reply: httpx.Response) -> tuple[int, str]:
    return reply.status_code, reply.json()["error"]["code"]


async def test_a_waiting_run_is_listed_decided_and_goes_on(desk: Desk) -> None:
    async with ScriptedServer(SEND, say("보냈습니다.")) as scripted:
        client = await desk.open(scripted)
        run_id, (approval,) = await asked(client)
        (listed,) = (await client.get("/v1/approvals")).json()["approvals"]
        assert (listed["id"], listed["run_id"], listed["session_id"]) == (approval, run_id, "s")
        assert (listed["args"], listed["asked"]) == ({"to": "kim", "text": "안녕"}, ASK["message"])
        run = (await client.get(f"/v1/runs/{run_id}")).json()
        assert (run["status"], [a["id"] for a in run["approvals"]], run["artifacts"]) == ("waiting", [approval], [])
        assert code(await client.post("/v1/chat", json=ASK)) == (409, "session_waiting")
        assert desk.sent == []
        body = {"decisions": [{"approval_id": approval, "action": "edit", "args": {"to": "lee", "text": "hi"}}]}
        decided = await client.post(f"/v1/runs/{run_id}/approvals", json=body)
        assert (decided.status_code, decided.json()["id"], decided.json()["approvals"]) == (200, run_id, [])
        await client.get(f"/v1/runs/{run_id}/events")
        assert (await client.get(f"/v1/runs/{run_id}")).json()["answer"]["response"] == "보냈습니다."
        assert desk.sent == [("lee", "hi")]
        assert code(await client.post(f"/v1/runs/{run_id}/approvals", json=body)) == (409, "already_decided")
        assert (await client.get("/v1/approvals")).json() == {"approvals": []}


@pytest.mark.parametrize("second", ["edit", "approve", "reject"])
async def test_two_decisions_of_one_approval_decide_nothing(desk: Desk, second: str) -> None:
    async with ScriptedServer(SEND, say("보냈습니다.")) as scripted:
        client = await desk.open(scripted)
        run_id, (approval,) = await asked(client)
        place, first = f"/v1/runs/{run_id}/approvals", {"approval_id": approval, "action": "approve"}
        both = [first, {"approval_id": approval, "action": second}]
        told = await client.post(place, json={"decisions": both}, headers={"Accept-Language": "en"})
        assert code(told) == (422, "invalid_input")
        assert "twice" in told.json()["error"]["message"]
        assert (await client.post(place, json={"decisions": [first]})).status_code == 200
        await client.get(f"/v1/runs/{run_id}/events")


async def test_what_does_not_fit_decides_nothing(desk: Desk) -> None:
    async with ScriptedServer(SEND) as scripted:
        client = await desk.open(scripted)
        run_id, (approval,) = await asked(client)

        async def decide(**fields: Any) -> tuple[int, str]:
            body = {"decisions": [{"approval_id": approval, "action": "approve"} | fields]}
            return code(await client.post(f"/v1/runs/{run_id}/approvals", json=body))

        assert await decide(action="answer", message="네") == (422, "invalid_input")
        assert await decide(args={"to": "lee", "text": "hi"}) == (422, "invalid_input")
        assert await decide(action="edit") == (422, "invalid_input")
        assert await decide(action="edit", args={"to": 3}) == (422, "invalid_input")
        assert await decide(action="reject", message="\x00") == (422, "invalid_text")
        assert await decide(approval_id="p-none") == (404, "not_found")
        assert await decide(extra=1) == (422, "invalid_input")
        assert (await client.get(f"/v1/runs/{run_id}")).json()["status"] == "waiting"
        assert desk.sent == []
        assert (await client.post(f"/v1/runs/{run_id}/cancel")).json()["status"] == "cancelled"
        assert (await client.get("/v1/approvals")).json() == {"approvals": []}


async def test_approvals_are_their_owners(desk: Desk) -> None:
    async with ScriptedServer(SEND) as scripted:
        client = await desk.open(scripted, api_keys=KEYS)
        run_id, (approval,) = await asked(client, **KIM)
        assert (await client.get("/v1/approvals", headers=LEE)).json() == {"approvals": []}
        body = {"decisions": [{"approval_id": approval, "action": "approve"}]}
        for headers in (LEE, LEE | SSE):
            reply = await client.post(f"/v1/runs/{run_id}/approvals", json=body, headers=headers)
            assert code(reply) == (404, "not_found")
        resume = {"session_id": "s", "resume": [{"interruptId": approval, "status": "resolved"}]}
        assert code(await client.post("/v1/chat", json=resume, headers=LEE)) == (404, "not_found")
        assert len((await client.get("/v1/approvals", headers=KIM)).json()["approvals"]) == 1
    assert desk.sent == []


@pytest.mark.parametrize("way", ["body", "header", "chat"])
async def test_the_stream_goes_on_where_it_waited(
    desk: Desk, read_stream: ReadStream, well_formed: WellFormed, way: str
) -> None:
    async with ScriptedServer(SEND, say("보냈습니다.")) as scripted:
        client = await desk.open(scripted)
        first = read_stream((await client.post("/v1/chat", json=ASK, headers=SSE)).text)
        run_id = first[0][1]["runId"]
        (interrupt,) = first[-1][1]["outcome"]["interrupts"]
        decision = {"decisions": [{"approval_id": interrupt["id"], "action": "approve"}]}
        path, body, headers = f"/v1/runs/{run_id}/approvals", decision | {"stream": way == "body"}, {}
        if way == "header":
            headers = SSE
        elif way == "chat":
            path, headers = "/v1/chat", SSE
            body = {"session_id": "s", "resume": [{"interruptId": interrupt["id"], "status": "resolved"}]}
        reply = await client.post(path, json=body, headers=headers)
        assert reply.headers["content-type"].startswith("text/event-stream")
        second = read_stream(reply.text)
        assert second[0][1]["type"] == "RUN_STARTED"
        assert second[0][1]["runId"] == run_id
        assert second[-1][1]["result"]["response"] == "보냈습니다."
        assert [number for number, _ in first + second] == list(range(1, len(first + second) + 1))
        well_formed([event for _, event in first + second])
        whole = await client.get(f"/v1/runs/{run_id}/events")
        assert read_stream(whole.text) == first + second
        rest = await client.get(f"/v1/runs/{run_id}/events", headers={"Last-Event-ID": str(len(first))})
        assert read_stream(rest.text) == second
    assert desk.sent == [("kim", "안녕")]


async def test_a_run_goes_on_once_all_is_decided(desk: Desk, read_stream: ReadStream) -> None:
    both = calls(("send_mail", {"to": "kim", "text": "1"}), ("send_mail", {"to": "lee", "text": "2"}))
    async with ScriptedServer(both, say("한 통만 보냈습니다.")) as scripted:
        client = await desk.open(scripted)
        run_id, (one, two) = await asked(client)

        def body(approval: str, action: str) -> dict[str, Any]:
            return {"stream": True, "decisions": [{"approval_id": approval, "action": action}]}

        part = await client.post(f"/v1/runs/{run_id}/approvals", json=body(one, "approve"))
        assert part.status_code == 200
        begun, ended = (orjson.loads(line[6:]) for line in part.text.splitlines() if line.startswith("data: "))
        assert (begun["type"], ended["type"]) == ("RUN_STARTED", "RUN_FINISHED")
        assert [i["id"] for i in ended["outcome"]["interrupts"]] == [two]
        assert ended["outcome"]["interrupts"][0]["toolCallId"] == "c2"
        assert "id:" not in part.text, "no part of the record: nobody goes on from here"
        assert desk.sent == []
        rest = await client.post(f"/v1/runs/{run_id}/approvals", json=body(two, "reject"))
        assert read_stream(rest.text)[-1][1]["result"]["response"] == "한 통만 보냈습니다."
    assert desk.sent == [("kim", "1")]


async def test_resume_entries_for_a_part_tell_what_is_left(desk: Desk, read_stream: ReadStream) -> None:
    both = calls(("send_mail", {"to": "kim", "text": "1"}), ("send_mail", {"to": "lee", "text": "2"}))
    async with ScriptedServer(both, say("보냈습니다.")) as scripted:
        client = await desk.open(scripted)
        _, (one, two) = await asked(client)

        def resumed(approval: str) -> dict[str, Any]:
            return {"session_id": "s", "stream": True, "resume": [{"interruptId": approval, "status": "resolved"}]}

        part = await client.post("/v1/chat", json=resumed(one))
        kinds = [orjson.loads(line[6:])["type"] for line in part.text.splitlines() if line.startswith("data: ")]
        assert kinds == ["RUN_STARTED", "RUN_FINISHED"]
        rest = await client.post("/v1/chat", json=resumed(two))
        assert read_stream(rest.text)[-1][1]["result"]["response"] == "보냈습니다."


YES = [None, True, {}, {"action": "approve"}, {"message": "응"}]
NO = [False, {"action": "reject", "message": "아직"}]


@pytest.mark.parametrize(("payload", "sent"), [*((y, True) for y in YES), *((n, False) for n in NO)])
async def test_resume_entries_decide(desk: Desk, payload: Any, sent: bool) -> None:
    async with ScriptedServer(SEND, say("네.")) as scripted:
        client = await desk.open(scripted)
        _, (approval,) = await asked(client)
        entry = {"interruptId": approval, "status": "resolved", "payload": payload}
        reply = await client.post("/v1/chat", json={"session_id": "s", "resume": [entry]})
        said = "네." if sent else "네.\n\n허락을 받지 못해 실행하지 않았습니다: send_mail"
        assert (reply.status_code, reply.json()["status"], reply.json()["response"]) == (200, "completed", said)
    assert bool(desk.sent) == sent


async def test_a_cancelled_interrupt_is_a_no_and_edited_arguments_count(desk: Desk) -> None:
    async with ScriptedServer(SEND, call("send_mail", to="kim", text="다시"), say("네.")) as scripted:
        client = await desk.open(scripted)
        _, (approval,) = await asked(client)
        entry: dict[str, Any] = {"interruptId": approval, "status": "cancelled"}
        again = (await client.post("/v1/chat", json={"session_id": "s", "resume": [entry]})).json()
        assert again["status"] == "waiting"
        entry = {"interruptId": again["approvals"][0]["id"], "status": "resolved"}
        entry["payload"] = {"args": {"to": "lee", "text": "hi"}}
        done = (await client.post("/v1/chat", json={"session_id": "s", "message": "", "resume": [entry]})).json()
        assert done["response"] == "네."
    assert desk.sent == [("lee", "hi")]


async def test_resume_that_cannot_be_used(desk: Desk) -> None:
    async with ScriptedServer(SEND) as scripted:
        client = await desk.open(scripted)
        _, (approval,) = await asked(client)

        message: dict[str, str] = {}

        async def resume(session: str | None = "s", **fields: Any) -> tuple[int, str]:
            entry = {"interruptId": approval, "status": "resolved"} | fields
            body = {"resume": [entry], **message} | ({"session_id": session} if session else {})
            return code(await client.post("/v1/chat", json=body))

        assert await resume(None) == (422, "invalid_input")
        assert await resume("unknown") == (404, "not_found")
        assert await resume(status="maybe") == (422, "invalid_input")
        assert await resume(payload=7) == (422, "invalid_input")
        assert await resume(payload=[]) == (422, "invalid_input")
        assert await resume(payload={"act": "approve"}) == (422, "invalid_input")
        assert await resume(payload="네, 보내세요") == (422, "invalid_input")
        assert await resume(interruptId="p-none") == (404, "not_found")
        assert await resume(extra=1) == (422, "invalid_input")
        # A message beside it would be lost.
        message["message"] = "Do something else"
        assert await resume() == (422, "invalid_input")
        assert code(await client.post("/v1/chat", json={"session_id": "s"})) == (422, "invalid_input")
        assert code(await client.post("/v1/chat", json={"session_id": "s", "resume": []})) == (422, "invalid_input")
    assert desk.sent == []


async def test_nothing_to_resume(desk: Desk) -> None:
    async with ScriptedServer(say("안녕하세요.")) as scripted:
        client = await desk.open(scripted)
        await client.post("/v1/chat", json=ASK)
        body = {"session_id": "s", "resume": [{"interruptId": "p-1", "status": "resolved"}]}
        assert code(await client.post("/v1/chat", json=body)) == (409, "conflict")
