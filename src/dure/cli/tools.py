"""`dure tools`: the MCP servers, their tools, and what changed about these since they were accepted."""

from typing import TYPE_CHECKING, Annotated, Any

from dure.cli.terminal import AsJson, put, with_dure
from dure.cli.words import option, say

if TYPE_CHECKING:
    from dure.app import Dure

_PATIENCE = 60.0
_ACCEPT = option("서버의 도구를 지금 그대로 허락", "Take a server's tools for what they are now", metavar="SERVER")


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
