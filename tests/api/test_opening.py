"""What is answered before everything is there."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dure.agents.loop import graph
from dure.api.server import Server
from dure.errors import SettingsError


async def there(request: Request) -> Response:
    return PlainTextResponse("there")


def small(*, broken: bool = False) -> Starlette:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        if broken:
            raise SettingsError(key="DURE_X", reason="no")
        yield

    return Starlette(routes=[Route("/there", there), Route("/healthz", there)], lifespan=lifespan)


class Slow:
    """A server whose app is made when `go` is set."""

    def __init__(self, app: Callable[[], Starlette]) -> None:
        self.go = threading.Event()
        self.ready: list[Starlette] = []
        self.bound = socket.create_server(("127.0.0.1", 0))
        self._app = app
        self.server = Server(self._make, self.ready.append, open_to_all=True)

    def _make(self) -> Starlette:
        assert self.go.wait(60)
        return self._app()

    async def __aenter__(self) -> httpx.AsyncClient:
        self.serving = asyncio.create_task(self.server.serve(sockets=[self.bound]))
        self.client = httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.bound.getsockname()[1]}", timeout=60)
        return self.client

    async def __aexit__(self, *_: object) -> None:
        self.go.set()
        self.server.should_exit = True
        await self.client.aclose()
        with suppress(SettingsError):
            await self.serving


async def test_alive_at_once_and_the_rest_once_it_is_there() -> None:
    async with (slow := Slow(small)) as client:
        alive = await client.get("/healthz")
        assert (alive.status_code, alive.json()["status"]) == (200, "ok")
        assert (await client.head("/healthz")).status_code == 200
        waiting = asyncio.create_task(client.get("/there"))
        assert (await client.get("/healthz")).json() == alive.json()
        assert (waiting.done(), slow.ready) == (False, [])
        slow.go.set()
        assert (await waiting).text == "there"
        assert len(slow.ready) == 1
        assert (await client.get("/healthz")).text == "there"


async def test_before_everything_is_there_the_same_is_refused() -> None:
    async with Slow(small) as client:
        refused = await client.get("/healthz", headers={"Host": "evil.example"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
        alive = await client.get("/healthz")
        assert (alive.headers["X-Frame-Options"], alive.headers["Cache-Control"]) == ("DENY", "no-store")


async def test_what_keeps_it_from_opening_ends_it() -> None:
    async with (slow := Slow(lambda: small(broken=True))) as client:
        waiting = asyncio.create_task(client.get("/there"))
        await client.get("/healthz")
        slow.go.set()
        with pytest.raises(SettingsError, match="DURE_X"):
            await slow.serving
        told = await waiting
        assert (told.status_code, told.json()["error"]["code"]) == (503, "shutting_down")
        assert slow.ready == []


async def test_ended_before_it_is_open_it_is_closed_all_the_same() -> None:
    closed: list[str] = []

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        closed.append("closed")

    async with (slow := Slow(lambda: Starlette(lifespan=lifespan))) as client:
        await client.get("/healthz")
        slow.server.should_exit = True
        slow.go.set()
        await slow.serving
        assert closed == ["closed"]


async def test_the_graph_is_made_before_anybody_asks(serve: Callable[..., Awaitable[httpx.AsyncClient]]) -> None:
    graph.cache_clear()
    await serve()
    async with asyncio.timeout(60):
        while graph.cache_info().currsize == 0:  # noqa: ASYNC110, a thread makes it
            await asyncio.sleep(0.01)
    assert graph.cache_info().hits == 0
