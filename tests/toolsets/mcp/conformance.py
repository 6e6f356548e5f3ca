"""The client that the conformance suite starts: `conformance.py URL`. Dure's own, with a person who says yes."""

import asyncio
import json
import os
import sys
import tempfile
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
from dure.toolsets.mcp import McpServers, Patience

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


async def main(url: str, folder: Path) -> None:
    given = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    entry = {"url": url}
    if "client_id" in given:
        entry["oauth"] = {"clientId": given["client_id"], "clientSecret": given["client_secret"]}
    else:
        entry["oauth"] = {"clientMetadataUrl": "https://conformance-test.local/client-metadata.json"}
    database = await Database.open(f"sqlite:///{folder / 'dure.db'}")
    vault, patience = Vault(database, None, folder / "key"), Patience(retry=0.05)
    try:
        async with McpServers({"mcpServers": {"it": entry}}, patience=patience, vault=vault) as servers:
            await servers.ready(20)
            if await settled(servers) == "login":
                await log_in(servers)
            for name in list(servers.tools()):
                for _ in range(3):
                    call = ToolCall(name, ARGS.get(name, {}))
                    result = await run_call(servers.tools(), call, ToolContext("me", language="en", run=Person()))
                    print(name, result.status, result.text)
                    if await settled(servers) != "login" and "dure mcp login" not in result.text:
                        break
                    await log_in(servers)
            print(servers.status())
    finally:
        await database.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        asyncio.run(main(sys.argv[1], Path(made)))
