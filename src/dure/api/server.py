"""The HTTP server: where it may listen, and its life from start to a clean end."""

import asyncio
import logging
import re
import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import uvicorn
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from dure.api.connections import Connection
from dure.api.guard import Guard
from dure.api.heartbeat import heartbeat, loaded, loading, log_to_stderr, settled
from dure.api.replies import alive
from dure.errors import CannotListen, KeysNeeded, phrase
from dure.settings import Settings, is_loopback

if TYPE_CHECKING:
    from dure.app import Dure

_GRACE = 3
"""Seconds that answers under way get to end at shutdown."""
_SETTLED = 10.0
"""Seconds after which what the first question needs is loaded."""
_LINK = re.compile("(/shared/)[^/]+")


def listen(settings: Settings) -> socket.socket:
    """A socket bound as the settings have it.

    Raises KeysNeeded where others could reach a server that asks nobody for a key, CannotListen where the address
    is taken or not ours.
    """
    host, port = settings.host, settings.port
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise CannotListen(host=host, port=port, reason=phrase("api_server.address")) from None
    family, kind, protocol, _, address = found[0]
    if not settings.api_keys and not is_loopback(str(address[0])):
        raise KeysNeeded(host=host)
    bound = socket.socket(family, kind, protocol)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(address)
        bound.listen(2048)
    except OSError as error:
        bound.close()
        raise CannotListen(host=host, port=port, reason=error.strerror or str(error)) from None
    return bound


def serve(
    settings: Settings,
    announce: Callable[[str, "Dure"], None],
    dure: "Dure | None" = None,
    *,
    access_log: bool = False,
) -> None:
    """Serve `dure`, by default one of these settings, until SIGINT or SIGTERM. `announce(url, dure)` is called once
    all requests are answered. access_log: write a line for each to standard error.

    Raises what `listen` raises, and what kept Dure from being opened.
    """
    with listen(settings) as bound, loading():
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        url = f"http://{host}:{bound.getsockname()[1]}"
        open_to_all = not settings.api_keys

        def ready(app: Starlette) -> None:
            announce(url, app.state.dure)
            loaded()
            asyncio.get_running_loop().call_later(_SETTLED, settled)

        server = Server(lambda: _app(dure, settings), ready, open_to_all=open_to_all)
        log_to_stderr()
        if access_log:
            _log_requests()
        # uvicorn hands the signals it has dealt with to the handler that was there before: a quiet end, then.
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, _leave)
        server.run(sockets=[bound])


def _log_requests() -> None:
    server, handler = logging.getLogger("uvicorn.access"), logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    handler.addFilter(_without_secrets)
    server.addHandler(handler)
    server.setLevel(logging.INFO)


def _without_secrets(record: logging.LogRecord) -> bool:
    """Leaves out of uvicorn's line what may be a question or a key: all behind the `?`, and what a shared link is."""
    client, method, path, *rest = record.args or ()
    record.args = (client, method, _LINK.sub(r"\1…", str(path).partition("?")[0]), *rest)
    return True


def _app(dure: "Dure | None", settings: Settings) -> Starlette:
    from dure.api.app import create_app
    from dure.app import Dure

    return create_app(dure or Dure(settings))


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


class Server(uvicorn.Server):
    """uvicorn in front of an app that is made, in a thread, and opened while this one listens already, since loading
    and opening everything takes a second: that the process is alive (`/healthz`) is told at once, all other requests
    wait.

    ready: called with the app once it answers. What keeps it from being made or opened ends the server and is raised.
    """

    def __init__(
        self, make: Callable[[], Starlette], ready: Callable[[Starlette], object], *, open_to_all: bool
    ) -> None:
        self._make, self._ready = make, ready
        self._failure: Exception | None = None
        self._meanwhile = Guard(self._wait, open_to_all=open_to_all)
        # No access log unless it is asked for (`_log_requests`). No Server header: nobody needs to know.
        config = uvicorn.Config(
            self._answer,
            interface="asgi3",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE,
            ws="none",
            http=Connection,
        )
        super().__init__(config)

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        with heartbeat():
            await super().serve(sockets)
        if self._failure is not None:
            raise self._failure

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif self._app.done() and self._failure is None:
            await self._app.result()(scope, receive, send)
        else:
            await self._meanwhile(scope, receive, send)

    async def _wait(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = alive() if scope["path"] == "/healthz" else await asyncio.shield(self._app)
        await app(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        self._app: asyncio.Future[Starlette] = asyncio.get_running_loop().create_future()
        leave = asyncio.Event()
        await receive()
        opening = asyncio.create_task(self._open(leave))
        await send({"type": "lifespan.startup.complete"})
        await receive()
        leave.set()
        await opening
        await send({"type": "lifespan.shutdown.complete"})

    async def _open(self, leave: asyncio.Event) -> None:
        try:
            app = await asyncio.to_thread(self._make)
            async with app.router.lifespan_context(app):
                self._app.set_result(app)
                self._ready(app)
                await leave.wait()
        except Exception as error:
            self._failure = error
            # Whoever waits is told that the server ends.
            self._app.cancel()
            self.should_exit = True
