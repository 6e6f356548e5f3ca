"""`/healthz` and `/readyz`."""

import asyncio
from collections.abc import Awaitable, Callable

import httpx

from dure.testing import ScriptedServer

Serve = Callable[..., Awaitable[httpx.AsyncClient]]


async def test_alive_and_ready(serve: Serve) -> None:
    async with ScriptedServer() as scripted:
        client = await serve(scripted)
        assert (await client.get("/healthz")).json()["status"] == "ok"
        assert (await client.head("/healthz")).status_code == 200
        ready = await client.get("/readyz")
        assert (ready.status_code, ready.json()["ready"]) == (200, True)
        assert ready.json()["store"] == {"status": "ok"}


async def test_not_ready_without_its_model(serve: Serve) -> None:
    client = await serve()
    replies = await asyncio.gather(*(client.get("/readyz") for _ in range(10)))
    for reply in replies:
        assert reply.status_code == 503
        assert reply.json()["model"]["error"]["code"] == "model_unavailable"
        assert reply.json()["store"]["status"] == "ok"
    assert (await client.get("/healthz")).status_code == 200
