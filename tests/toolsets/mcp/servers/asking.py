"""An MCP server that asks. `asking.py [PORT]`: stdio, or streamable HTTP on 127.0.0.1:PORT. It speaks both eras; in the
elder its questions come in the middle of a call. What it did it writes, a line each, into the file ASKING_DONE."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp_types import CreateMessageResult, ElicitRequestURLParams, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel, Field

server = MCPServer("asking", version="1")
led: list[str] = []


def did(what: str) -> None:
    with Path(os.environ["ASKING_DONE"]).open("a") as file:
        file.write(f"{what}\n")


class Seat(BaseModel):
    row: Annotated[int, Field(ge=1, le=30, description="from the front")]
    window: bool = False


async def seat(train: str) -> Elicit[Seat]:
    return Elicit(f"Which seat in {train}?", Seat)


@server.tool()
async def book(train: str, seat: Annotated[Seat, Resolve(seat)]) -> str:
    did(f"booked {train} {seat.row} {seat.window}")
    return f"booked row {seat.row}"


def haiku(topic: str) -> Sample:
    return Sample([SamplingMessage(role="user", content=TextContent(text=f"A haiku on {topic}"))], max_tokens=50)


@server.tool()
async def poem(topic: str, said: Annotated[CreateMessageResult, Resolve(haiku)]) -> str:
    return f"{said.model} wrote: {said.content.text}"


@server.tool()
async def places(found: Annotated[ListRootsResult, Resolve(lambda: ListRoots())]) -> str:
    return " ".join(str(each.uri) for each in found.roots)


@server.tool()
async def guarded() -> str:
    """Wants the person to have been at a page (elder era only)."""
    if not led:
        led.append("asked")
        params = ElicitRequestURLParams(message="Allow it", url="https://bank.example/allow?n=1", elicitation_id="e1")
        raise UrlElicitationRequiredError([params])
    return "let in"


@server.tool()
async def slow(ctx: Context[Any, Any], seconds: float = 0.0) -> str:
    try:
        await ctx.report_progress(1, 2, "half with key sk-very-secret")
        await ctx.info("on the way")
        await ctx.debug("not for people")
        await asyncio.sleep(seconds)
    except BaseException:
        did("cancelled")
        raise
    await ctx.report_progress(2, 2, "whole")
    return "done"


@server.resource("note://greeting")
def greeting() -> str:
    return "안녕"


@server.resource("note://{name}")
def note(name: str) -> str:
    return f"note {name}"


@server.prompt()
def review(code: str) -> str:
    return f"Please review: {code}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        anyio.run(lambda: server.run_streamable_http_async(port=int(sys.argv[1])))
    else:
        server.run("stdio")
