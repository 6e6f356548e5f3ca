"""Around every request: no foreign page's requests, headers for browsers, and no failure without an answer."""

import asyncio
import logging
from collections.abc import Collection
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dure.api.replies import error_reply
from dure.errors import BadFraming, DureError, Forbidden, InvalidText, RequestTimeout, ShuttingDown
from dure.settings import is_loopback

log = logging.getLogger("dure.api")

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}
_UNREAD = 16 << 20
"""Bytes of a refused body that are read all the same."""
_UNREAD_SECONDS = 3.0
_BODY_SECONDS = 30.0
"""That are waited for a body, beside one for each of these bytes of it."""
_BODY_RATE = 1024


class Guard:
    """ASGI middleware.

    open_to_all: no API keys are set. Then only names of this machine are answered to: a web page whose name was
    pointed at 127.0.0.1 (DNS rebinding) would otherwise read everything. origins: of foreign pages that may send.
    root_path: below which a proxy serves the app; links lead there, else below where another app has mounted it.
    """

    def __init__(self, app: ASGIApp, *, open_to_all: bool, origins: Collection[str] = (), root_path: str = "") -> None:
        self.app, self.open_to_all, self.origins, self.root_path = app, open_to_all, origins, root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # Starlette's links would lead to the app that mounts this one; routes are found below where that is.
        mounted = scope.get("root_path", "")
        scope = {**scope, "root_path": mounted or self.root_path, "app_root_path": self.root_path or mounted}
        body = _Body(scope, receive)
        started = False

        async def guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if body.ambiguous or not await body.finished():
                    headers["Connection"] = "close"
            await send(message)

        refused = BadFraming() if body.ambiguous else self._refuse(scope)
        try:
            if refused is None:
                await self.app(scope, body.receive, guarded)
                return
        except ClientDisconnect:
            return
        except asyncio.CancelledError:
            # Only the end of the server ends a request.
            if started:
                await send({"type": "http.response.body"})
                return
            refused = ShuttingDown()
        except Exception:
            log.exception("%s %s failed", scope["method"], scope["path"])
            if started:
                raise
            refused = DureError()
        await error_reply(refused, Request(scope))(scope, body.receive, guarded)

    def _refuse(self, scope: Scope) -> DureError | None:
        headers = Headers(scope=scope)
        if "\x00" in scope["path"] or b"%00" in scope["query_string"]:
            return InvalidText()
        host = headers.get("host", "")
        origin = headers.get("origin")
        foreign = origin is not None and origin not in self.origins and origin.partition("://")[2] != host
        if origin is not None and foreign and scope["method"] not in ("GET", "HEAD"):
            return Forbidden(reason=f"origin {origin[:200]}")
        if self.open_to_all and not is_loopback(_hostname(host)):
            return Forbidden(reason=f"host {host[:200]}")
        return None


class _Body:
    """A request's body: whether it was read to its end, and a little more patience with one that was refused."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        headers = Headers(scope=scope)
        self._receive = receive
        self._ended = headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers
        self._asks_first = "expect" in headers
        self._patience = _BODY_SECONDS
        self.ambiguous = "content-length" in headers and "transfer-encoding" in headers
        """Its end is told in two ways: what one program takes for it, another takes for a second request."""

    async def receive(self) -> Message:
        """The next piece. Raises RequestTimeout for a body that does not come; who has sent all may wait for hours."""
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            async with asyncio.timeout(None if self._ended else max(self._patience, 0)):
                message = await self._receive()
        except TimeoutError:
            raise RequestTimeout() from None
        self._patience += len(message.get("body", b"")) / _BODY_RATE - (clock() - began)
        self._asks_first = False
        if message["type"] != "http.request" or not message.get("more_body"):
            self._ended = True
        return message

    async def finished(self) -> bool:
        """Read what is left, unseen and up to a limit: who is cut off while sending often never reads why. A sender
        that asked first (`Expect: 100-continue`) sends nothing when refused."""
        left = _UNREAD
        with suppress(TimeoutError, RequestTimeout):
            async with asyncio.timeout(_UNREAD_SECONDS):
                while not self._ended and not self._asks_first and left > 0:
                    left -= len((await self.receive()).get("body", b""))
        return self._ended


def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
