"""`dure mcp`: the MCP server over standard input and output, for the client that started it."""

from dure.cli.terminal import DEFAULT_OWNER, Owner, run


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
