"""What answers first. Everything of Dure takes a second to load and open; that the process is alive is told at once."""

import asyncio
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dure import __version__
from dure.api.guard import Guard
from dure.api.replies import Json


def alive() -> Response:
    """The reply to `/healthz`."""
    return Json({"status": "ok", "version": __version__})


class Door:
    """An ASGI app in front of one that is made, in a thread, and opened while this one listens already: `/healthz` is
    answered meanwhile, all other requests wait.

    opened: called with the app once it answers. failed: called when it cannot be made or opened; `failure` is why.
    """

    def __init__(
        self,
        make: Callable[[], Starlette],
        opened: Callable[[Starlette], object],
        failed: Callable[[], object],
        *,
        open_to_all: bool,
    ) -> None:
        self.failure: Exception | None = None
        self._make, self._opened, self._failed = make, opened, failed
        self._meanwhile = Guard(self._wait, open_to_all=open_to_all)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif self._app.done() and self.failure is None:
            await self._app.result()(scope, receive, send)
        else:
            await self._meanwhile(scope, receive, send)

    async def _wait(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = alive() if scope["path"] == "/healthz" else await asyncio.shield(self._app)
        await app(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        self._app: asyncio.Future[Starlette] = asyncio.get_running_loop().create_future()
        self._leave = asyncio.Event()
        await receive()
        opening = asyncio.create_task(self._open())
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._leave.set()
        await opening
        await send({"type": "lifespan.shutdown.complete"})

    async def _open(self) -> None:
        try:
            app = await asyncio.to_thread(self._make)
            async with app.router.lifespan_context(app):
                self._app.set_result(app)
                self._opened(app)
                await self._leave.wait()
        except Exception as error:
            self.failure = error
            # Whoever waits is told that the server ends.
            self._app.cancel()
            self._failed()
