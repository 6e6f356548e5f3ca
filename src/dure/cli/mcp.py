"""`dure mcp`: the MCP server over standard input and output, for the client that started it; `dure mcp login`,
`dure tools`: the MCP servers that Dure itself asks, and what changed about their tools since these were accepted."""

import asyncio
import os
import sys
import webbrowser
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dure.cli.terminal import DEFAULT_OWNER, AsJson, Owner, note, put, run, with_dure
from dure.cli.words import language, say
from dure.errors import DureError, Forbidden
from dure.texts import said

if TYPE_CHECKING:
    from dure.app import Dure

_PATIENCE = 60.0


app = typer.Typer()


@app.callback(invoke_without_command=True)
def mcp(context: typer.Context, owner: Owner = DEFAULT_OWNER) -> None:
    """Serve the client that started this until it closes."""
    if context.invoked_subcommand is not None:
        return

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


@app.command()
def login(name: str) -> None:
    """Lead the person to the server's page, and wait for the browser to come back."""

    from aiohttp import web

    async def work(dure: "Dure") -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def heard(request: web.BaseRequest) -> web.Response:
            failure: DureError | None = None
            try:
                await dure.mcp.logged_in(request.query)
            except DureError as error:
                failure = error
            # What any other page sends here ends nothing.
            if not isinstance(failure, Forbidden) and not done.done():
                done.set_exception(failure) if failure else done.set_result(None)
            text = failure.message(language()) if failure else say("연결했습니다.", "Connected.")
            return web.Response(text=f"{text}\n", status=failure.status if failure else 200)

        port = int(dure.mcp.named(name).config.oauth.get("callbackPort", 0))
        async with AsyncExitStack() as opened:
            runner = web.ServerRunner(web.Server(heard))
            opened.push_async_callback(runner.cleanup)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", port).start()
            port = runner.addresses[0][1]
            address = await dure.mcp.login(name, f"http://127.0.0.1:{port}/callback")
            note(say("브라우저에서 여기를 열고 허락하세요.", "Open this in a browser of this machine, and say yes:"))
            put(address)
            if sys.platform in ("darwin", "win32") or {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys():
                webbrowser.open(address)
            await done
        put(say(f"{name}: 연결했습니다.", f"{name}: connected."), "green")

    with_dure(work)


def tools(accept: Annotated[str | None, typer.Option(metavar="SERVER")] = None, as_json: AsJson = False) -> None:
    """Show the MCP servers and what changed about their tools; accept what they are by now."""

    async def work(dure: "Dure") -> list[dict[str, Any]]:
        await dure.mcp.ready(_PATIENCE)
        if accept is not None:
            dure.mcp.accept(accept)
            await dure.mcp.pins.share(dure.database)
        return dure.mcp.status()

    found = with_dure(work, as_json, lambda found: {"mcp_servers": found})
    if not found:
        note(
            say(
                "MCP 서버가 없습니다. 서버를 적은 파일을 `DURE_MCP_CONFIG`로 지정하세요",
                "No MCP servers: `DURE_MCP_CONFIG` names the file of yours",
            )
        )
    for server in found:
        put(f"{server['name']}  {server['state']}  {said(server['error'] or '', language())}".rstrip())
        for name in server["tools"]:
            told = server["changed"].get(name)
            put(f"  {name}" + (f"  {say('바뀜', 'changed')}: {told}" if told else ""), "yellow" if told else None)
