"""Connections that send no whole request, by accident or to keep others out, end."""

import asyncio
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 15.0
"""In which the head of a request has to come, from the connection's beginning or the first byte of a later one."""
_SHARE = 2
"""Connections may take one part in so many of the files that the system lets this process open."""


def most_connections() -> int:
    """How many there may be at once."""
    try:
        import resource
    except ImportError:  # Windows
        return 2048
    return max(resource.getrlimit(resource.RLIMIT_NOFILE)[0] // _SHARE, 8)


class Connection(H11Protocol):
    """One that is late is closed. Where there are too many, one that is waited for makes room: of the address that has
    most of these the oldest, those of which no whole head came first."""

    began = 0.0
    _due: asyncio.TimerHandle | None = None

    @property
    def idle(self) -> bool:
        """No whole request came that is still to be answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def awaited(self) -> bool:
        """No whole request came, or its body is yet to come: nobody is answered here."""
        return self.idle or self.cycle.more_body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.began = self.loop.time()
        self._due = self.loop.call_later(HEAD_SECONDS, transport.abort)
        if len(self.connections) > most_connections():
            late: list[Any] = [each for each in self.connections if isinstance(each, Connection) and each.awaited]
            worst = Counter(map(_address, late)).most_common(1)[0][0]
            theirs = [each for each in late if _address(each) == worst]
            min(theirs, key=lambda each: (not each.idle, each.began)).transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self.idle:
            self._in_time()
        elif self._due is None:
            self._due = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._in_time()
        super().connection_lost(exc)

    def _in_time(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


def _address(connection: Connection) -> str:
    return connection.client[0] if connection.client else ""
