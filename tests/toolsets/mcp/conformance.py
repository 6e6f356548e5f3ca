"""The client that the conformance suite asks for: Dure's own, with a person who says yes."""

import asyncio
import json
import sys
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx

from dure.agents import Decision
from dure.messages import ToolCall
from dure.runs.decisions import with_defaults
from dure.storage import Database
from dure.storage.vault import Vault
from dure.tooling import ToolContext
from dure.toolsets import run_call
from dure.toolsets.mcp import McpServers, server

ARGS = {"add_numbers": {"a": 5, "b": 3}}
BACK = "http://127.0.0.1:4711/callback"


class Person:
    """Says yes to what is asked, and leaves forms as they are."""

    def ask(self, part: str, title: str, *actions: str, **about: Any) -> Decision:
        return Decision("answer", with_defaults(about.get("schema", {}), {}))

    def tell(self, text: str, *, brief: bool = False) -> None: ...


async def log_in(servers: McpServers) -> None:
    async with httpx.AsyncClient() as browser:
        reply = await browser.get(await servers.login("it", BACK))
    await servers.logged_in(dict(parse_qsl(urlsplit(reply.headers["location"]).query)))
    await settled(servers)


async def settled(servers: McpServers) -> str:
    while (status := servers.status()[0])["state"] == "connecting":  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    return str(status["state"])


async def use(url: str, given: dict[str, Any], database: Database, folder: Path) -> None:
    """Call each tool of the server at `url`; `given` is what the suite knows of the client."""
    entry = {"url": url}
    if "client_id" in given:
        entry["oauth"] = {"clientId": given["client_id"], "clientSecret": given["client_secret"]}
    else:
        entry["oauth"] = {"clientMetadataUrl": "https://conformance-test.local/client-metadata.json"}
    server.RETRY, vault = 0.05, Vault(database, None, folder / "key")
    async with McpServers({"mcpServers": {"it": entry}}, vault=vault) as servers:
        await servers.ready(20)
        if await settled(servers) == "login":
            await log_in(servers)
        for name in list(servers.tools()):
            for _ in range(3):
                call = ToolCall(name, ARGS.get(name, {}))
                result = await run_call(servers.tools(), call, ToolContext("me", language="en", run=Person()))
                if await settled(servers) != "login" and "dure mcp login" not in result.text:
                    break
                await log_in(servers)


# The suite starts a program; that all of Dure is imported for each scenario took longer than the scenarios.
_PROGRAM = r"""import os, socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    connection.sendall(f"{sys.argv[2]} {os.environ.get('MCP_CONFORMANCE_CONTEXT', '{}')}\n".encode())
    sys.exit(connection.makefile().read() or 0)
"""


@asynccontextmanager
async def command(database: Database, folder: Path) -> AsyncIterator[str]:
    """What the suite is to start: a program that has the server used here, and fails as that fails."""

    async def asked(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        url, given = (await reader.readline()).decode().split(maxsplit=1)
        try:
            await use(url, json.loads(given), database, folder)
        except Exception:
            writer.write(traceback.format_exc().encode())
        writer.close()

    program = folder / "client.py"
    program.write_text(_PROGRAM)
    async with await asyncio.start_server(asked, "127.0.0.1", 0) as server:
        yield f"{sys.executable} -SE {program} {server.sockets[0].getsockname()[1]}"
