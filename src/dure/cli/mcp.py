"""`dure mcp`: the MCP server over standard input and output, for the client that started it; `dure tools`: the MCP
servers that Dure itself asks, and what changed about their tools since these were accepted."""

from typing import TYPE_CHECKING, Annotated, Any

from dure.cli.terminal import DEFAULT_OWNER, AsJson, Owner, put, run, with_dure
from dure.cli.words import option, say

if TYPE_CHECKING:
    from dure.app import Dure

_PATIENCE = 60.0
_ACCEPT = option("서버의 도구를 지금 그대로 허락", "Take a server's tools for what they are now", metavar="SERVER")


def mcp(owner: Owner = DEFAULT_OWNER) -> None:
    """Serve the client that started this until it closes."""

    async def work() -> None:
        from mcp.server import ServerRequestContext
        from mcp.server.stdio import stdio_server

        from dure.api.auth import Caller
        from dure.api.doors.mcp_server import server_of
        from dure.app import Dure

        async with Dure() as dure:

            async def caller(context: ServerRequestContext) -> Caller:
                return Caller(owner, dure, None, "owner")

            server = server_of(caller)
            async with stdio_server() as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())

    run(work)


def tools(accept: Annotated[str | None, _ACCEPT] = None, as_json: AsJson = False) -> None:
    """Show the MCP servers and what changed about their tools; accept what they are by now."""

    async def work(dure: "Dure") -> list[dict[str, Any]]:
        await dure.mcp.ready(_PATIENCE)
        if accept is not None:
            dure.mcp.accept(accept)
        return dure.mcp.status()

    for server in with_dure(work, as_json, lambda found: {"mcp_servers": found}):
        put(f"{server['name']}  {server['state']}  {server['error'] or ''}".rstrip())
        for name in server["tools"]:
            told = server["changed"].get(name)
            put(f"  {name}" + (f"  {say('바뀜', 'changed')}: {told}" if told else ""), "yellow" if told else None)
