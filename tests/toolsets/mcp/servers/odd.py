"""An MCP server for tests. `odd.py [port [sse]]`: stdio, or streamable HTTP or SSE on 127.0.0.1:port."""

import asyncio
import json
import os
import sys
from typing import Annotated, Any

import anyio
import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

server = MCPServer("odd", version="7")


class Address(BaseModel):
    zip: Annotated[int, Field(ge=10000, le=99999)]
    lines: list[str]


class Person(BaseModel):
    name: str
    home: Address
    friends: list["Person"] = []


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def register(person: Person) -> str:
    """Takes a nested object that refers to itself."""
    return f"{person.name} {person.home.zip} {len(person.friends)}"


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def pid() -> str:
    return str(os.getpid())


@server.tool(name="search.everything", annotations=ToolAnnotations(open_world_hint=False))
def search() -> str:
    return "found"


@server.tool()
def environment() -> str:
    return json.dumps(dict(os.environ))


@server.tool()
def key(ctx: Context[Any, Any]) -> str:
    return str((ctx.request_context.meta or {}).get("dure/idempotency-key"))


@server.tool()
def folder() -> str:
    return os.getcwd()


@server.tool()
def crash() -> str:
    print("last words with key sk-very-secret", file=sys.stderr, flush=True)
    os._exit(3)


@server.tool()
async def wait(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return "waited"


@server.tool()
def fail() -> str:
    raise ToolError("it does not work")


@server.tool()
def noise(lines: int) -> str:
    for number in range(lines):
        print(f"line {number} " + "x" * 100, file=sys.stderr)
    return "loud"


@server.tool()
async def grow(ctx: Context[Any, Any]) -> str:
    """Adds a tool, and says so in both ways there are."""

    def grown() -> str:
        return "I am new"

    server.add_tool(grown)
    await ctx.notify_tools_changed()
    await ctx.session.send_tool_list_changed()
    return "grown"


@server.tool()
def everything() -> types.CallToolResult:
    """Every kind of content."""
    return types.CallToolResult(
        content=[
            types.TextContent(text="안녕"),
            types.ImageContent(data="aGVsbG8=", mime_type="image/png"),
            types.AudioContent(data="aGVsbG8=", mime_type="audio/wav"),
            types.ResourceLink(name="a.txt", uri="file:///a.txt", description="a file"),
            types.EmbeddedResource(resource=types.TextResourceContents(uri="file:///b.txt", text="inside")),
            types.EmbeddedResource(resource=types.BlobResourceContents(uri="file:///c", blob="aGVsbG8=")),
        ]
    )


@server.tool()
def structured() -> types.CallToolResult:
    return types.CallToolResult(content=[], structured_content={"온도": 21})


if __name__ == "__main__":
    if len(sys.argv) > 2:
        anyio.run(lambda: server.run_sse_async(port=int(sys.argv[1])))
    elif len(sys.argv) > 1:
        anyio.run(lambda: server.run_streamable_http_async(port=int(sys.argv[1])))
    else:
        server.run("stdio")
