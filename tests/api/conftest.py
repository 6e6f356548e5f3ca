"""A Dure behind real HTTP."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from dure import Dure
from dure.api.server import Server, listen
from dure.testing import ScriptedServer

Serve = Callable[..., Awaitable[httpx.AsyncClient]]


@asynccontextmanager
async def served(dure: Dure) -> AsyncIterator[str]:
    """`dure` behind a real server on a free port; the URL."""
    ready = asyncio.Event()
    with listen(dure.settings) as bound:
        server = Server(dure, ready.set)
        task = asyncio.create_task(server.serve(sockets=[bound]))
        try:
            waiting = asyncio.create_task(ready.wait())
            await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            if task.done():
                task.result()
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task


@pytest.fixture
async def serve(tmp_path: Path) -> AsyncIterator[Serve]:
    """`client = await serve(scripted, api_keys="kim:1")`: a client of a server that answers with a scripted model."""
    async with AsyncExitStack() as stack:

        async def start(scripted: ScriptedServer | None = None, **settings: Any) -> httpx.AsyncClient:
            given: dict[str, Any] = {"data_dir": tmp_path / "data", "embeddings": False, "tool_dialect": "native"}
            given |= {"port": 0, "model_base_url": scripted.url if scripted else "http://127.0.0.1:9/v1"}
            url = await stack.enter_async_context(served(Dure(**(given | settings))))
            return await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=20))

        yield start
