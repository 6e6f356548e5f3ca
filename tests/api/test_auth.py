"""What a route is asked that it does not take is refused by all of them, but for those of others' protocols."""

from collections.abc import Awaitable, Callable

import httpx
import pytest

from dure.testing import ScriptedServer, say

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
DOORS = {"OpenAI", "MCP", "AG-UI", "A2A"}
WITH_KEY = {"Authorization": "Bearer key"}


async def test_every_route_refuses_a_parameter_that_it_does_not_take(serve: Serve) -> None:
    client = await serve()
    described = (await client.get("/openapi.json")).json()
    for path, methods in described["paths"].items():
        for method, about in methods.items():
            reply = await client.request(method, path.replace("{page}", "1"), params={"nothing_of_the_kind": "x"})
            ours = "security" in about and not DOORS & set(about["tags"])
            assert (reply.status_code == 422 and '"query.nothing_of_the_kind"' in reply.text) == ours, (method, path)


@pytest.mark.parametrize(
    ("asked", "near"),
    [("/v1/runs?statuss=completed", "status"), ("/v1/search?q=a&folders=b", "folder"), ("/v1/teams?example=0", "s")],
)
async def test_the_name_that_may_be_meant_is_told(serve: Serve, asked: str, near: str) -> None:
    reply = await (await serve()).get(asked, headers={"Accept-Language": "en"})
    assert reply.status_code == 422
    assert near in reply.json()["error"]["message"]
    assert "있" not in reply.json()["error"]["message"]


async def test_so_it_is_for_fields_of_a_body(serve: Serve) -> None:
    reply = await (await serve()).post("/v1/chat", json={"message": "x", "sesion_id": "s"})
    assert (reply.status_code, reply.json()["error"]["message"].count("'session_id'")) == (422, 1)


async def test_a_body_is_refused_where_none_is_taken(serve: Serve) -> None:
    client = await serve()
    reply = await client.put("/v1/retention?days=90", json={"days": 30})
    assert (reply.status_code, reply.json()["error"]["details"]["fields"][0]["field"]) == (422, "days")
    assert (await client.post("/v1/runs/r/cancel", content=b"now")).status_code == 415
    # What says nothing is none.
    assert (await client.put("/v1/retention?days=90", json={})).status_code == 200
    assert (await client.put("/v1/retention?days=80", headers={"Content-Type": "application/json"})).status_code == 200


async def test_who_has_no_key_is_told_that_first(serve: Serve) -> None:
    client = await serve(api_keys="kim:key")
    assert (await client.get("/v1/runs?nothing=1")).status_code == 401
    assert (await client.get("/v1/runs?nothing=1", headers=WITH_KEY)).status_code == 422


async def test_clients_of_others_protocols_may_say_more(serve: Serve) -> None:
    async with ScriptedServer(say("네.")) as scripted:
        client = await serve(scripted)
        asked = {"model": "assistant", "messages": [{"role": "user", "content": "응?"}]}
        assert (await client.post("/v1/chat/completions?api-version=2025-01-01", json=asked)).status_code == 200
    assert (await client.get("/v1/models?limit=5")).status_code == 200
    assert (await client.get("/healthz?at=1")).status_code == 200
