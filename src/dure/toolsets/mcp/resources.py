"""The tools of a server, also for its resources and prompts: models read these as they call tools, and what they find
is data."""

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from mcp.shared.exceptions import MCPError
from mcp_types import Tool

from dure.messages import json_bytes
from dure.tooling import ToolResult, an_object
from dure.toolsets.mcp.results import block_text

if TYPE_CHECKING:
    from mcp.client.client import Client

log = logging.getLogger(__name__)

READ, PROMPT = "read_resource", "get_prompt"
_PAGES = 100
_LISTS: Any = {f"{kind}_list_changed": True for kind in ("tools", "resources", "prompts")}
_RELISTEN_SECONDS = 30.0
_URI = {"type": "string", "description": "the resource's address; without it the resources are listed"}
_NAME = {"type": "string", "description": "the prompt's name; without it the prompts are listed"}
_ARGUMENTS = {"type": "object", "additionalProperties": {"type": "string"}}
_READ = Tool(
    name=READ, description="Read a resource of the server, or list them.", input_schema=an_object({"uri": _URI}, "uri")
)
_PROMPT = Tool(
    name=PROMPT,
    description="Get a prepared text of the server, or list them.",
    input_schema=an_object({"name": _NAME, "arguments": _ARGUMENTS}, "name", "arguments"),
)


async def listed(client: "Client") -> tuple[list[Tool], list[str]]:
    """All tools of a server, and the names of those of them that are ours for its resources and prompts."""
    page = await client.list_tools()
    tools, pages = list(page.tools), 1
    while page.next_cursor and (pages := pages + 1) <= _PAGES:
        page = await client.list_tools(cursor=page.next_cursor)
        tools += page.tools
    own = {each.name for each in tools}
    lent = [each for each in await _tools_for(client) if each.name not in own]
    return tools + lent, [each.name for each in lent]


async def listen(client: "Client", changed: asyncio.Event) -> None:
    """Servers since 2026-07-28 tell of changes only on a stream that was asked for."""
    from mcp.client.subscriptions import ListenNotSupportedError

    while True:
        try:
            async with client.listen(**_LISTS) as events:
                # Nothing tells of a change between the list and this moment.
                changed.set()
                async for _ in events:
                    changed.set()
        except (ListenNotSupportedError, MCPError):
            return
        except Exception as error:
            log.debug("a server's changes are not heard: %s", type(error).__name__)
        await asyncio.sleep(_RELISTEN_SECONDS)


async def _tools_for(client: "Client") -> list[Tool]:
    """The tools for what a server has: many say that they can have resources and prompts, and have none."""
    able = client.server_capabilities
    found = [_READ] if able.resources and await _listed(client, READ) else []
    return found + ([_PROMPT] if able.prompts and await _listed(client, PROMPT) else [])


async def _listed(client: "Client", name: str) -> list[Any]:
    try:
        if name == PROMPT:
            return list((await client.list_prompts()).prompts)
        found: list[Any] = list((await client.list_resources()).resources)
        return found + (await client.list_resource_templates()).resource_templates
    except MCPError:
        return []


async def used(client: "Client", name: str, args: dict[str, Any]) -> ToolResult:
    """What one of them finds. Raises MCPError."""
    if name == READ and "uri" in args:
        contents = (await client.read_resource(args["uri"])).contents
        return ToolResult("\n".join(block_text(each) for each in contents))
    if name == PROMPT and "name" in args:
        said = (await client.get_prompt(args["name"], args.get("arguments"))).messages
        return ToolResult("\n\n".join(f"{each.role}: {block_text(each.content)}" for each in said))
    listed = await _listed(client, name)
    shown = [each.model_dump(mode="json", exclude_none=True, exclude={"icons", "meta"}) for each in listed]
    return ToolResult("\n".join(json_bytes(each).decode() for each in shown), data=shown)
