"""One MCP server: a task of its own holds the session open and brings it back when it was lost."""

import asyncio
import logging
import time
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import anyio

from dure.errors import Text, phrase
from dure.messages import short
from dure.storage.vault import Vault
from dure.tooling import ToolContext, ToolResult
from dure.toolsets.mcp.config import ServerConfig
from dure.toolsets.mcp.failures import Cause, McpError, McpLogin, McpLost, McpTimeout, McpUnavailable, no_message, why
from dure.toolsets.mcp.late import KEY, outcome
from dure.toolsets.mcp.results import as_tool_result, redacted
from dure.toolsets.mcp.transport import Stderr, open_transport

if TYPE_CHECKING:
    from mcp.client.client import Client
    from mcp_types import ListRootsResult
    from mcp_types import Tool as RemoteTool

    from dure.toolsets.mcp.calls import Call, Calls

log = logging.getLogger(__name__)

State = Literal["disabled", "connecting", "ready", "login", "failed", "closed"]
"""connecting: for the first time, or just lost and not yet tried again. login: it wants a person to log in. failed: the
last attempt failed."""

# Seconds, apart from the timeout of a call.
CONNECT = 60.0
"""For starting the server and shaking hands; generous, since `npx` and `uvx` may download first."""
LISTING = 30.0
PATIENCE = 15.0
"""Since it was started, for which runs wait for its first session."""
RETRY = 0.5
"""Before the first new attempt; doubled with each one that fails."""
LONGEST_RETRY = 60.0
BACK = 10.0
"""How long a call waits for a server that is just coming back."""
_NO_REASON = "Server returned an error response"
"""What the library says of an HTTP error whose body is no JSON-RPC error for the call."""
_TIMEOUTS_IN_A_ROW = 3
"""After so many calls without any answer the server counts as stuck and is connected to anew."""
_MAX_REASON = 300


class Server:
    """Holds one server's session. `start` it in a running loop, `close` it in the same."""

    def __init__(self, config: ServerConfig, vault: Vault | None = None, late: Path | None = None) -> None:
        self.config = config
        self._vault = vault
        self._late = late
        self._refused = False
        self._denied: int | None = None
        self._resumed = False
        """Somebody logged in since the session began, or began to be opened."""
        self.challenge: str | None = None
        """With which a call, or the session, was refused for want of a login."""
        self.state: State = "disabled" if config.disabled else "failed" if config.error else "closed"
        self.error = config.error
        self.cause: Cause = ""
        """Of a failure, where that is known."""
        self.listed: list[RemoteTool] = []
        """The tools as last listed; kept while the server is away."""
        self._lent: list[str] = []
        """Of these, ours for its resources and prompts."""
        self.version = ""
        self.settled = asyncio.Event()
        """Set once the first attempt has ended, well or badly."""
        self._up = asyncio.Event()
        self._hurry = asyncio.Event()
        self._lost = asyncio.Event()
        self._changed = asyncio.Event()
        self._client: Client | None = None
        self._calls: Calls | None = None
        self._scope: anyio.CancelScope | None = None
        self._task: asyncio.Task[None] | None = None
        self._timeouts = 0
        self._began = 0.0
        self._stderr = Stderr(config.name)
        self._disowned = asyncio.Event()
        # Servers of before 2026 are asked for their era first; the few that choke on that question get the old
        # handshake at the next attempt.
        self._legacy = False

    def start(self) -> None:
        """Begin to connect; returns at once."""
        if self._task is not None or self.config.disabled or self.config.error:
            self.settled.set()
            return
        self.state, self._began = "connecting", time.monotonic()
        self._scope = anyio.CancelScope()
        self._task = asyncio.create_task(self._keep(self._scope), name=f"mcp-{self.config.name}")

    @property
    def patience(self) -> float:
        """Seconds for which runs still wait for its first session."""
        return 0.0 if self.settled.is_set() else self._began + PATIENCE - time.monotonic()

    @property
    def amiss(self) -> str | None:
        """How the last attempt failed; of a first one that takes long, for how long it has, and what was said last."""
        if self.settled.is_set() or self.state != "connecting" or self.patience > 0:
            return self.error
        said = f" ({self._shown(last)})" if (last := self._stderr.line) else ""
        return phrase("toolsets_mcp.slow", seconds=time.monotonic() - self._began, said=said)

    async def close(self) -> None:
        """End the session and its process."""
        task, self._task = self._task, None
        if task is None or self._scope is None:
            return
        if self._calls:
            await self._calls.close()
        self._scope.cancel()
        await asyncio.wait([task])
        self.state = "closed"
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("MCP server %s did not close cleanly: %s", self.config.name, self._reason(error))

    async def call(self, tool: str, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Call a tool, telling its idempotency key; a call of that key which waits for its run is gone on with. Raises
        McpUnavailable, McpLost, McpTimeout or McpError, and Asks where a person has to answer the server first."""

        async def make(call: "Call") -> ToolResult:
            try:
                return await self._call(tool, args, call)
            except _SessionForgotten:
                # The server refused the session before it looked at the call, so asking again does nothing twice.
                return await self._call(tool, args, call)

        if self._calls is None or not self._calls.waiting(context.key):
            # Not within the call's time.
            await self._connected()
        assert self._calls is not None
        try:
            return await self._calls.made(context, make)
        except McpError:
            raise
        except TimeoutError:
            self._timeouts += 1
            if self._timeouts >= _TIMEOUTS_IN_A_ROW:
                self._lost.set()
            raise McpTimeout(server=self.config.name, seconds=f"{self.config.timeout:g}") from None

    async def verify(self, key: str) -> Literal["not done", "unknown"] | ToolResult:
        """How the call of that key ended, where its server outlived the process that made it; "not done" for one that
        waits here for its run."""
        if self._calls and self._calls.waiting(key):
            return "not done"
        ended = await outcome(self._late, self.config, key) if self._late else None
        return ended or "unknown"

    def ended(self, run_id: str) -> None:
        """Give up the calls that wait for a run which has ended."""
        if self._calls:
            self._calls.ended(run_id)

    async def _call(self, tool: str, args: dict[str, Any], call: "Call") -> ToolResult:
        client = await self._connected()
        from mcp.shared.exceptions import MCPError
        from mcp_types import CONNECTION_CLOSED

        from dure.toolsets.mcp import resources

        name, meta = self.config.name, cast("Any", {KEY: call.context.key})
        try:
            if tool in self._lent:
                found = await resources.used(client, tool, args)
            else:
                told = call.progressed
                await call.hand_over(client, tool)
                found = as_tool_result(await call.led(lambda: client.call_tool(tool, args, None, told, meta=meta)))
        except MCPError as error:
            reason = self._shown(error.message)
            if self._refused and not self._lost.is_set():
                self._refused = False
                raise McpLogin(server=name) from None
            if self._refused:
                raise self._lose(client) from None
            if self._disowned.is_set() and ("session" in reason.lower() or reason == _NO_REASON):
                self._lose(client)
                raise _SessionForgotten(server=name, reason=reason) from None
            if error.code == CONNECTION_CLOSED:
                raise self._lose(client) from None
            self._timeouts = 0
            raise McpError(server=name, reason=reason) from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError):
            raise self._lose(client) from None
        except Exception as error:
            if self._client is not client:
                raise McpLost(server=name) from None
            raise McpError(server=name, reason=self._shown(str(error) or type(error).__name__)) from None
        self._timeouts = 0
        return redacted(found, self.config)

    def _lose(self, client: "Client") -> McpError:
        if self._client is client:
            self._up.clear()
            self._lost.set()
        return (McpLogin if self._refused else McpLost)(server=self.config.name)

    def resume(self) -> None:
        """Connect anew now that somebody has logged in. What a session that began before is refused says nothing."""
        self.challenge, self._refused, self._resumed = None, False, True
        if self.state == "ready":
            self._up.clear()
            self._lost.set()
        else:
            self.state = "connecting"
        self._hurry.set()

    async def _connected(self) -> "Client":
        """The client, waiting a little for one that is just coming back. Raises McpUnavailable."""
        if self._task is None or self._task.done():
            raise McpUnavailable(server=self.config.name, reason=self.error or self.state)
        if not self._up.is_set():
            self._hurry.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(min(BACK, self.config.timeout)):
                    await self._up.wait()
        if not self._up.is_set() or self._client is None:
            kind = McpLogin if self.state == "login" else McpUnavailable
            raise kind(server=self.config.name, reason=self.error or "connecting")
        return self._client

    async def _keep(self, scope: anyio.CancelScope) -> None:
        """Connect, hold, and connect again, until closed."""
        # Loading the library takes a good part of a second: not in the event loop's thread.
        for module in ("mcp.client.client", "mcp.client.streamable_http", "dure.toolsets.mcp.login"):
            await asyncio.to_thread(import_module, module)
        from dure.toolsets.mcp.calls import Calls

        self._calls = Calls(self.config)
        delay = RETRY
        with scope:
            while True:
                began = time.monotonic()
                reason = await self._hold()
                if self.state == "ready" and time.monotonic() - began > LONGEST_RETRY:
                    delay = RETRY
                self._down(reason)
                with anyio.move_on_after(delay):
                    await self._hurry.wait()
                self._hurry.clear()
                delay = min(delay * 2, LONGEST_RETRY)

    def _down(self, reason: str | None) -> None:
        if self._refused:
            # How the last attempt to log in ended stays.
            reason = self.error if self.state == "login" else None
            self.state = "login"
        elif self._resumed:
            reason, self.state = None, "connecting"
        elif self.state == "ready":
            self.state = "connecting"
        else:
            self._legacy = not self._legacy
            self.state = "failed"
        # Once is enough for a server that stays down.
        level = logging.DEBUG if reason == self.error else logging.WARNING
        log.log(level, "MCP server %s: %s", self.config.name, reason or self.state)
        self.error = reason
        self.settled.set()

    async def _hold(self) -> str:
        """One session from its beginning to its end; returns why it ended."""
        from mcp.client.client import Client
        from mcp_types import Implementation

        from dure.toolsets.mcp.login import Held
        from dure.toolsets.mcp.resources import listed

        stderr = self._stderr = Stderr(self.config.name)
        self._lost, self._changed, self._disowned = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._timeouts = 0
        lost, because = self._lost, "the connection was lost"
        self._refused = self._resumed = False
        self._denied, self.cause = None, ""

        def denied(status: int) -> None:
            self._denied = status

        def refused(over: bool, challenge: str) -> None:
            if not self._resumed:
                self._refused, self.challenge = True, challenge
            if over:
                lost.set()

        config, calls = self.config, self._calls
        assert calls is not None
        auth = Held(config, self._vault, refused) if self._vault and config.logs_in else None
        deadline = anyio.current_time() + CONNECT
        # One scope around the whole session, its deadline lifted once connected: a scope may not end before the
        # task groups that were opened inside it.
        with anyio.CancelScope(deadline=deadline) as scope:
            try:
                async with Client(
                    open_transport(config, stderr, lost.set, self._disowned.set, denied, auth, self._late),
                    mode="legacy" if self._legacy else "auto",
                    cache=None,
                    message_handler=self._on_message,
                    elicitation_callback=calls.elicited,
                    sampling_callback=calls.sampled,
                    logging_callback=calls.logged,
                    log_level="info",
                    list_roots_callback=self._roots if config.roots else None,
                    client_info=Implementation(name="dure", version=version("dure")),
                ) as client:
                    scope.deadline = anyio.current_time() + LISTING
                    self.listed, self._lent = await listed(client)
                    if self._resumed:
                        # Somebody logged in meanwhile: what this one is refused would say nothing, also later.
                        return because
                    scope.deadline = float("inf")
                    info = client.server_info
                    self.version = f"{info.name} {info.version}" if info else ""
                    self._client, self.state, self.error = client, "ready", None
                    self._up.set()
                    self.settled.set()
                    await self._until_lost(client, lost)
            except Exception as error:
                if self.state != "ready":
                    because = self._reason(error)
            finally:
                self._up.clear()
                self._client = None
        if scope.cancelled_caught:
            because = f"did not answer within {CONNECT:g} seconds"
        said = await stderr.last()
        return f"{because} ({self._shown(said)})" if said else because

    async def _until_lost(self, client: "Client", lost: asyncio.Event) -> None:
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        from dure.toolsets.mcp.resources import listen

        able = client.server_capabilities
        async with anyio.create_task_group() as group:
            if any(each is not None and each.list_changed for each in (able.tools, able.resources, able.prompts)):
                group.start_soon(self._list_again, client)
                if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                    group.start_soon(listen, client, self._changed)
            await lost.wait()
            # Calls under way are told now, not when the process has ended.
            self._up.clear()
            group.cancel_scope.cancel()

    async def _roots(self, context: Any) -> "ListRootsResult":
        from mcp_types import ListRootsResult, Root

        return ListRootsResult(roots=[Root(uri=each.as_uri(), name=each.name) for each in self.config.roots])

    async def _on_message(self, message: Any) -> None:
        if isinstance(message, Exception):
            self._stderr.note(said := no_message(message))
            log.debug("MCP server %s: no message: %s", self.config.name, self._shown(said))
        elif str(getattr(message, "method", "")).endswith("/list_changed"):
            self._changed.set()

    async def _list_again(self, client: "Client") -> None:
        """Keep the list of tools true to what the server says of changes."""
        from dure.toolsets.mcp.resources import listed

        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                with anyio.fail_after(LISTING):
                    self.listed, self._lent = await listed(client)
            except Exception as error:
                log.warning("MCP server %s: tools not listed: %s", self.config.name, self._reason(error))

    def _reason(self, error: BaseException) -> str:
        self.cause, told = why(error, self.config, self._denied)
        return self._shown(told) if not isinstance(told, Text) else told

    def _shown(self, text: str) -> str:
        return short(self.config.redact(text), _MAX_REASON)


class _SessionForgotten(McpError):
    """The server does not know our session any more; the call was not looked at."""
