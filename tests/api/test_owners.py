"""With API keys every route needs one and sees only its owner's rows."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from dure.keys import ROLES
from dure.testing import ScriptedServer, call, say

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
KIM = {"Authorization": "Bearer key-of-kim"}
LEE = {"Authorization": "Bearer key-of-lee"}
KEYS = ["kim:key-of-kim", "lee:key-of-lee"]
ASK = {"message": "안녕", "team": "assistant", "session_id": "same"}

ROUTES = [
    ("POST", "/v1/chat"),
    ("GET", "/v1/runs"),
    ("GET", "/v1/runs/compare"),
    ("GET", "/v1/runs/r/experiment"),
    ("GET", "/v1/runs/r"),
    ("GET", "/v1/runs/r/events"),
    ("POST", "/v1/runs/r/cancel"),
    ("POST", "/v1/runs/r/rating"),
    ("POST", "/v1/runs/r/again"),
    ("POST", "/v1/runs/r/approvals"),
    ("GET", "/v1/approvals"),
    ("GET", "/v1/runs/r/artifacts"),
    ("GET", "/v1/runs/r/artifacts/f"),
    ("GET", "/v1/runs/r/artifacts/f/text"),
    ("GET", "/v1/runs/r/artifacts/f/pages/1.png"),
    ("GET", "/v1/folders"),
    ("GET", "/v1/sessions"),
    ("GET", "/v1/sessions/s"),
    ("GET", "/v1/sessions/s/messages"),
    ("DELETE", "/v1/sessions/s"),
    ("PATCH", "/v1/sessions/s"),
    ("DELETE", "/v1/sessions/s/messages"),
    ("GET", "/v1/sessions/s/export"),
    ("POST", "/v1/sessions/s/branch"),
    ("PUT", "/v1/sessions/s/share"),
    ("DELETE", "/v1/sessions/s/share"),
    ("POST", "/v1/documents"),
    ("GET", "/v1/documents"),
    ("GET", "/v1/documents/d"),
    ("GET", "/v1/documents/d/passages"),
    ("GET", "/v1/documents/d/text"),
    ("GET", "/v1/documents/d/pages/1.png"),
    ("GET", "/v1/documents/d/pages/1/boxes"),
    ("GET", "/v1/documents/d/original"),
    ("GET", "/v1/documents/d/nearest"),
    ("PATCH", "/v1/documents/d"),
    ("DELETE", "/v1/documents/d"),
    ("GET", "/v1/search"),
    ("DELETE", "/v1/owners/o"),
    ("GET", "/v1/shelves"),
    ("PUT", "/v1/shelves/s/members/m"),
    ("DELETE", "/v1/shelves/s/members/m"),
    ("DELETE", "/v1/shelves/s"),
    ("GET", "/v1/schedules"),
    ("POST", "/v1/schedules"),
    ("GET", "/v1/schedules/i"),
    ("PATCH", "/v1/schedules/i"),
    ("DELETE", "/v1/schedules/i"),
    ("POST", "/v1/schedules/i/run"),
    ("GET", "/v1/papers"),
    ("POST", "/v1/papers"),
    ("GET", "/v1/papers/p"),
    ("DELETE", "/v1/papers/p"),
    ("PATCH", "/v1/papers/p"),
    ("GET", "/v1/papers/marks"),
    ("GET", "/v1/papers/export"),
    ("POST", "/v1/papers/p/notes"),
    ("DELETE", "/v1/papers/p/notes/n"),
    ("GET", "/v1/glossary"),
    ("POST", "/v1/glossary"),
    ("DELETE", "/v1/glossary/t"),
    ("GET", "/v1/models"),
    ("GET", "/v1/models/m"),
    ("POST", "/v1/chat/completions"),
    ("POST", "/v1/responses"),
    ("POST", "/mcp"),
    ("POST", "/v1/agui/x"),
    ("GET", "/.well-known/agent-card.json"),
    ("GET", "/a2a/x/.well-known/agent-card.json"),
    ("POST", "/a2a/x"),
    ("GET", "/v1/retention"),
    ("PUT", "/v1/retention"),
    ("DELETE", "/v1/retention"),
    ("GET", "/v1/status"),
    ("GET", "/metrics"),
    ("GET", "/v1/teams"),
    ("GET", "/v1/teams/x"),
    ("PUT", "/v1/teams/x"),
    ("GET", "/v1/tools"),
    ("POST", "/v1/tools/m/accept"),
    ("POST", "/v1/tools/m/login"),
    ("POST", "/v1/model/fetch"),
    ("POST", "/v1/model/try"),
    ("GET", "/openapi.json"),
]


async def test_every_route_needs_a_key(serve: Serve) -> None:
    client = await serve(api_keys=KEYS)
    for method, path in ROUTES:
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            reply = await client.request(method, path, headers=headers)
            assert (reply.status_code, reply.json()["error"]["code"]) == (401, "unauthorized"), path
            assert reply.headers["www-authenticate"] == "Bearer"
    assert (await client.get("/healthz")).status_code == 200
    assert (await client.get("/readyz")).status_code == 503


async def test_the_list_of_routes_is_whole(serve: Serve) -> None:
    client = await serve(api_keys=KEYS)
    described = (await client.get("/openapi.json", headers=KIM)).json()["paths"]
    open_to_all = {"/healthz", "/readyz", "/v1/shared/{link}", "/v1/tools/callback"}
    found = {(m.upper(), p) for p, methods in described.items() if p not in open_to_all for m in methods}
    names = {"{run_id}": "r", "{session_id}": "s", "{document_id}": "d", "{artifact_id}": "f", "{page}": "1"}
    names |= {"{team}": "x", "{server}": "m", "{model}": "m", "{paper_id}": "p", "{term_id}": "t", "{note_id}": "n"}
    names |= {"{shelf}": "s", "{member}": "m", "{schedule_id}": "i", "{owner}": "o"}

    def filled(path: str) -> str:
        for name, value in names.items():
            path = path.replace(name, value)
        return path

    assert {(m, filled(p)) for m, p in found} | {("GET", "/openapi.json")} == set(ROUTES)


LEAST = {
    ("POST", "/v1/runs/r/approvals"): "approver",
    ("GET", "/metrics"): "admin",
    ("POST", "/v1/tools/m/accept"): "admin",
    ("POST", "/v1/tools/m/login"): "admin",
    ("PUT", "/v1/shelves/s/members/m"): "admin",
    ("DELETE", "/v1/shelves/s/members/m"): "admin",
    ("DELETE", "/v1/shelves/s"): "admin",
    ("DELETE", "/v1/owners/o"): "admin",
    ("GET", "/v1/teams/x"): "admin",
    ("PUT", "/v1/teams/x"): "admin",
    ("POST", "/v1/model/fetch"): "admin",
    ("POST", "/v1/model/try"): "admin",
}
"""The role that a route needs where it is not `reader` to look, `owner` for all else."""


async def test_every_route_asks_for_its_role(serve: Serve) -> None:
    client = await serve(api_keys=[f"kim:{role}:key-of-{role}" for role in ROLES])
    for method, path in ROUTES:
        least = LEAST.get((method, path), "reader" if method == "GET" else "owner")
        for role in ROLES:
            reply = await client.request(method, path, headers={"Authorization": f"Bearer key-of-{role}"})
            refused = reply.status_code == 403
            assert refused == (ROLES.index(role) < ROLES.index(least)), (method, path, role, reply.text)
            assert reply.status_code != 401


async def test_an_approver_decides_and_asks_nothing(desk) -> None:
    async with ScriptedServer(call("send_mail", to="a", text="b"), say("sent")) as scripted:
        client = await desk.open(scripted, api_keys=["kim:1", "kim:approver:2", "kim:reader:3"])
        asked = {"message": "Send it", "team": "desk"}
        waiting = (await client.post("/v1/chat", json=asked, headers={"Authorization": "Bearer 1"})).json()
        run, approval = waiting["metadata"]["run_id"], waiting["approvals"][0]["id"]
        body = {"decisions": [{"approval_id": approval, "action": "approve"}]}
        for key, status in (("3", 403), ("2", 200)):
            headers = {"Authorization": f"Bearer {key}"}
            assert (await client.get(f"/v1/runs/{run}", headers=headers)).status_code == 200
            assert (await client.post("/v1/chat", json=asked, headers=headers)).status_code == 403
            decided = await client.post(f"/v1/runs/{run}/approvals", json=body, headers=headers)
            assert decided.status_code == status
        await client.get(f"/v1/runs/{run}/events", headers=headers)
        assert desk.sent == [("a", "b")]


async def test_owners_see_nothing_of_each_other(serve: Serve) -> None:
    async with ScriptedServer(say("김의 답"), say("이의 답")) as scripted:
        client = await serve(scripted, api_keys=KEYS)
        kims = (await client.post("/v1/chat", json=ASK, headers=KIM)).json()
        lees = (await client.post("/v1/chat", json=ASK, headers=LEE)).json()
        assert kims["response"] == "김의 답"
        assert "김의 답" not in str(scripted.requests[1])
    files = {"file": ("김.txt", "김의 연차는 15일이다.".encode())}
    document = (await client.post("/v1/documents", files=files, headers=KIM)).json()["documents"][0]["id"]
    run = kims["metadata"]["run_id"]

    async def get(path: str, headers: dict[str, str], **params: Any) -> httpx.Response:
        return await client.get(path, headers=headers, params=params)

    compared = f"/v1/runs/compare?a={run}&b={run}"
    for path in (f"/v1/runs/{run}", f"/v1/runs/{run}/events", f"/v1/runs/{run}/experiment", compared):
        assert (await client.get(path, headers=KIM)).status_code == 200
        assert (await client.get(path, headers=LEE)).status_code == 404
    for path in (f"/v1/documents/{document}",):
        assert (await get(path, KIM)).status_code == 200
        assert (await get(path, LEE)).status_code == 404
    for method, path in (
        ("POST", f"/v1/runs/{run}/cancel"),
        ("GET", f"/v1/documents/{document}/passages"),
        ("DELETE", f"/v1/documents/{document}"),
    ):
        assert (await client.request(method, path, headers=LEE)).status_code == 404
    assert [r["id"] for r in (await get("/v1/runs", LEE)).json()["runs"]] == [lees["metadata"]["run_id"]]
    assert (await get("/v1/documents", LEE)).json() == {"documents": []}
    assert (await get("/v1/search", LEE, q="연차")).json()["passages"] == []
    assert (await client.delete("/v1/sessions/same", headers=LEE)).status_code == 204
    messages = (await get("/v1/sessions/same/messages", KIM)).json()["messages"]
    assert [m["content"] for m in messages] == ["안녕", "김의 답"]


@pytest.mark.parametrize("keys", [["a b:key"], [":key"]])
async def test_unusable_keys_stop_the_server(serve: Serve, keys: list[str]) -> None:
    from dure.errors import SettingsError

    with pytest.raises(SettingsError):
        await serve(api_keys=keys)
