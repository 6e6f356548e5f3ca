"""Sites on 127.0.0.1, and guards that let just them be reached."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp import web

from dure.egress import Guard
from dure.packs.web.fetch import Fetcher, Limits

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Site:
    """A server on 127.0.0.1 under the name site.example.com; every other name leads to 10.0.0.7."""

    port: int

    @property
    def url(self) -> str:
        return f"http://site.example.com:{self.port}"

    async def lookup(self, host: str, port: int) -> list[str]:
        return ["127.0.0.1"] if host == "site.example.com" else ["10.0.0.7"]

    @property
    def guard(self) -> Guard:
        return Guard(self.lookup, reachable=lambda address: str(address) == "127.0.0.1", ports={self.port})

    def fetcher(self, **limits: Any) -> Fetcher:
        return Fetcher(self.guard, Limits(**limits))


@pytest.fixture
async def serve() -> AsyncIterator[Callable[..., Awaitable[Site]]]:
    """`site = await serve(handler)`: an aiohttp server; `serve(handler, ssl=context)` with TLS."""
    async with AsyncExitStack() as stack:

        async def start(handler: Handler, ssl: Any = None) -> Site:
            app = web.Application()
            app.router.add_route("*", "/{path:.*}", handler)
            runner = web.AppRunner(app, shutdown_timeout=0.1)
            await runner.setup()
            stack.push_async_callback(runner.cleanup)
            site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=ssl)
            await site.start()
            return Site(runner.addresses[0][1])

        yield start


@pytest.fixture
async def serve_raw() -> AsyncIterator[Callable[..., Awaitable[Site]]]:
    """`site = await serve_raw(talk)`: `talk(reader, writer)` speaks whatever it likes once the request's head came."""
    async with AsyncExitStack() as stack:
        talking: set[asyncio.Task[None]] = set()

        async def start(talk: Callable[..., Awaitable[None]]) -> Site:
            async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                try:
                    await reader.readuntil(b"\r\n\r\n")
                    await talk(reader, writer)
                except (ConnectionError, asyncio.IncompleteReadError):
                    pass
                finally:
                    writer.close()

            def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                talking.add(asyncio.create_task(converse(reader, writer)))

            server = await asyncio.start_server(connected, "127.0.0.1", 0)
            stack.callback(server.close)
            return Site(server.sockets[0].getsockname()[1])

        yield start
        for task in talking:
            task.cancel()
        await asyncio.gather(*talking, return_exceptions=True)
