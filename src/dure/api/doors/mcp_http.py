"""`/mcp`: the MCP server over streamable HTTP."""

import asyncio
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response
from starlette.types import Receive, Scope, Send

from dure.api.auth import Caller, Client, caller, needs

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from dure.api.doors.mcp_asking import Context

router = APIRouter(tags=["MCP"])


class McpSessions:
    """The clients' sessions, from the first request on: loading the protocol takes half a second and 25 MB."""

    def __init__(self) -> None:
        self._running: asyncio.Task[None] | None = None
        self._manager: asyncio.Future[StreamableHTTPSessionManager] = asyncio.get_running_loop().create_future()

    async def manager(self) -> "StreamableHTTPSessionManager":
        self._running = self._running or asyncio.create_task(self._run())
        return await asyncio.shield(self._manager)

    async def _run(self) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from dure.api.doors.mcp_server import server_of

        manager = StreamableHTTPSessionManager(server_of(_caller))
        async with manager.run():
            self._manager.set_result(manager)
            await asyncio.Event().wait()

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})


async def _caller(context: "Context") -> Caller:
    assert isinstance(context.request, Request)
    return await caller(context.request, None)


class _Handled(Response):
    """What the MCP server answers a request of `who`."""

    def __init__(self, manager: "StreamableHTTPSessionManager", who: Caller) -> None:
        super().__init__()
        self._manager, self._who = manager, who

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
        from mcp.server.auth.provider import AccessToken

        # A session answers to the owner alone who began it.
        user = AuthenticatedUser(AccessToken(token="-", client_id=self._who.owner, scopes=[]))  # noqa: S106
        await self._manager.handle_request({**scope, "user": user}, receive, send)


@router.delete("/mcp", include_in_schema=False)
@router.get("/mcp", include_in_schema=False)
@router.post("/mcp")
@needs("owner")
async def mcp(request: Request, who: Client) -> Response:
    """The MCP server over streamable HTTP: teams, documents and examples as tools, resources and prompts."""
    return _Handled(await request.app.state.mcp.manager(), who)
