"""The HTTP server: where it may listen, and its life from start to a clean end."""

import logging
import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

import uvicorn

from dure.api.app import create_app
from dure.api.guard import is_loopback
from dure.app import Dure
from dure.errors import CannotListen, KeysNeeded, Text
from dure.models.client import without_user
from dure.settings import Settings

_GRACE = 3
"""Seconds that answers under way get to end at shutdown."""


def listen(settings: Settings) -> socket.socket:
    """A socket bound as the settings have it.

    Raises KeysNeeded where others could reach a server that asks nobody for a key, CannotListen where the address
    is taken or not ours.
    """
    host, port = settings.host, settings.port
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise CannotListen(host=host, port=port, reason=Text("no such address", ko="없는 주소입니다")) from None
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


def serve(settings: Settings, announce: Callable[[str, str], None]) -> None:
    """Serve until SIGINT or SIGTERM. `announce(url, model)` is called once requests are answered.

    Raises what `listen` raises, and what kept Dure from being opened.
    """
    with listen(settings) as bound:
        dure = Dure(settings)
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        server = Server(dure, lambda: announce(f"http://{host}:{bound.getsockname()[1]}", _model_of(dure)))
        logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
        # uvicorn hands the signals it has dealt with to the handler that was there before: a quiet end, then.
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, _leave)
        server.run(sockets=[bound])


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


def _model_of(dure: Dure) -> str:
    address = dure.settings.model_base_url
    place = without_user(address) if address else "bundled"
    return f"{dure.model.name or 'first listed'} ({place}, dialect {dure.settings.tool_dialect})"


class Server(uvicorn.Server):
    """uvicorn that calls `ready` once it answers, and fails with what kept the app from starting."""

    def __init__(self, dure: Dure, ready: Callable[[], object]) -> None:
        # No access log: it would tell of every question. No Server header: nobody needs to know.
        self._app = create_app(dure)
        config = uvicorn.Config(
            self._app,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE,
            ws="none",
        )
        super().__init__(config)
        self._ready = ready
        logging.getLogger("uvicorn.error").addFilter(_without_tracebacks)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        except SystemExit:
            failure = getattr(self._app.state, "failure", None)
            raise (failure or SystemExit(1)) from None
        self._ready()


def _without_tracebacks(record: logging.LogRecord) -> bool:
    """Why Dure could not be opened is told once, by whoever runs the server."""
    return "Traceback" not in record.getMessage() and "Application startup failed" not in record.getMessage()
