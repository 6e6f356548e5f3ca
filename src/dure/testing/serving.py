"""Dure's own server, for tests and benchmarks that speak to it over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dure import Dure


@asynccontextmanager
async def served(dure: "Dure") -> AsyncIterator[str]:
    """`async with served(Dure(port=0)) as url`: `dure` behind a real server. Raises what keeps it from starting."""
    # Who only scripts a model needs none of this.
    from dure.api import create_app
    from dure.api.server import Server, listen

    ready = asyncio.Event()
    with listen(dure.settings) as bound:
        server = Server(lambda: create_app(dure), lambda _: ready.set(), open_to_all=not dure.settings.api_keys)
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
