"""Opens a server's transport, and tells when it has ended; the error output of one over stdio is read to its end, its
last line kept to explain a failure."""

import asyncio
import logging
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import anyio

from dure.child import tied
from dure.toolsets.mcp.config import ServerConfig
from dure.toolsets.mcp.late import left_in

if TYPE_CHECKING:
    import httpx2
    from mcp.client._transport import TransportStreams

T = TypeVar("T")

# It prints what servers say as it came; what people should know of that we tell ourselves, without keys.
logging.getLogger("mcp.client").setLevel(logging.CRITICAL)
# The name that its sessions log by may be a program's own, too.
logging.getLogger("client").addFilter(lambda record: Path(record.pathname).parts[-3:-1] != ("mcp", "client"))

# Streams of a response may stay open while a tool works; the call's own timeout ends them.
_HTTP_READ_SECONDS = 24 * 3600.0
_HTTP_SECONDS = 30.0
_SESSION = "mcp-session-id"
_LONGEST_LINE = 500
_END = 1.0
"""Seconds to wait for the end of what an ended process has written: its own children may hold it open."""


class Stderr:
    """A pipe for a child process's standard error, read by a thread of its own. `line`: the last one it wrote so far,
    there or, as `note` is told, among its messages."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.line = ""
        self._whole = threading.Event()
        self._whole.set()

    @contextmanager
    def opened(self) -> Iterator[TextIO]:
        """The file to start the child with; afterwards only the child holds the pipe open."""
        read, write = os.pipe()
        self._whole.clear()
        with os.fdopen(write, "w") as file:
            threading.Thread(target=self._read, args=(read,), name=f"dure-mcp-{self.name}", daemon=True).start()
            yield file

    def _read(self, descriptor: int) -> None:
        with os.fdopen(descriptor, encoding="utf-8", errors="replace", newline="\n") as pipe:
            while line := pipe.readline(65_536):
                self.note(line)
        self._whole.set()

    def note(self, line: str) -> None:
        self.line = line.strip()[:_LONGEST_LINE] or self.line

    async def last(self) -> str:
        """The last line that a process wrote which has ended, or nothing."""
        await asyncio.to_thread(self._whole.wait, _END)
        return self.line


@cache
def _trusted() -> Any:
    """Whose certificates are trusted: to read them takes longer than all else of a connection."""
    import httpx2

    return httpx2.create_ssl_context()


@asynccontextmanager
async def open_transport(
    config: ServerConfig,
    stderr: Stderr,
    ended: Callable[[], object],
    disowned: Callable[[], object],
    denied: Callable[[int], object],
    auth: "httpx2.Auth | None" = None,
    late: Path | None = None,
) -> AsyncIterator["TransportStreams"]:
    """The server's streams; `ended` is called when the server ends the connection, `disowned` when an HTTP server
    answers 400 or 404 to a message in our session: it was started anew, or has forgotten us; `denied` with the
    status when one lets nobody in.

    A stdio server's environment is what the file names and the few variables that `mcp` counts as safe (HOME, PATH
    and the like). Its standard error goes to `stderr`. late: see `late.py`.
    """
    async with AsyncExitStack() as stack:
        if config.transport != "stdio":
            import httpx2

            url = httpx2.URL(config.url)
            bare = str(url.copy_with(userinfo=b""))
            if url.username:
                # Not in the URL, which libraries log.
                auth = httpx2.BasicAuth(url.username, url.password)
        if config.transport == "sse":
            from mcp.client.sse import sse_client

            streams = sse_client(bare, config.headers, _HTTP_SECONDS, _HTTP_READ_SECONDS, auth=auth)
            read, write = await stack.enter_async_context(streams)
        elif config.transport == "http":
            from mcp.client.streamable_http import streamable_http_client

            async def look(response: httpx2.Response) -> None:
                request = response.request
                if response.status_code in (400, 404) and request.method == "POST" and _SESSION in request.headers:
                    disowned()
                if response.status_code in (401, 403):
                    denied(response.status_code)

            client = httpx2.AsyncClient(
                headers=config.headers,
                auth=auth,
                timeout=httpx2.Timeout(_HTTP_SECONDS, read=_HTTP_READ_SECONDS),
                event_hooks={"response": [look]},
                verify=_trusted(),
            )
            await stack.enter_async_context(client)
            read, write = await stack.enter_async_context(streamable_http_client(bare, http_client=client))
        else:
            from mcp.client.stdio import StdioServerParameters, stdio_client

            kept = stack.enter_context(left_in(late, config)) if late else ()
            command, args = tied(config.command, config.args, config.env.get("PATH"), kept)
            server = StdioServerParameters(
                command=command,
                args=args,
                env=config.env,
                cwd=config.cwd,
                # A stray byte costs one line, not the server.
                encoding_error_handler="replace",
            )
            with stderr.opened() as errors:
                read, write = await stack.enter_async_context(_whole(stdio_client(server, errlog=errors)))
        yield _Watched(read, ended), write


@asynccontextmanager
async def _whole(transport: AbstractAsyncContextManager[T]) -> AsyncIterator[T]:
    """`transport`, entered and left in a task of its own, so that a cancellation waits: a process that is cancelled
    while it starts is looked after by nobody."""
    opened: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    leave = asyncio.Event()

    async def hold() -> None:
        async with transport as streams:
            opened.set_result(streams)
            await leave.wait()

    task = asyncio.create_task(hold())
    either: list[asyncio.Future[Any]] = [task, opened]
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if opened.done():
            yield opened.result()
    finally:
        leave.set()
        with anyio.CancelScope(shield=True):
            await task


class _Watched:
    """A read stream that tells of its end. Other attributes are the stream's own."""

    def __init__(self, stream: Any, ended: Callable[[], object]) -> None:
        self._stream = stream
        self._ended = ended

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __aiter__(self) -> "_Watched":
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._stream.__anext__()
        except BaseException:
            self._ended()
            raise

    async def __aenter__(self) -> "_Watched":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, kind: Any, error: Any, trace: Any) -> Any:
        return await self._stream.__aexit__(kind, error, trace)
