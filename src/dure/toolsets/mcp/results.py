"""An MCP tool's result as ours: text for the model, pictures for one that sees, other files told by kind and size, data
for the record."""

from dataclasses import replace
from hashlib import sha256
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from dure.errors import DureError
from dure.messages import json_bytes
from dure.pictures import MOST_BYTES, decoded
from dure.tooling import File, ToolResult
from dure.toolsets.mcp.config import ServerConfig

if TYPE_CHECKING:
    from mcp_types import CallToolResult


def as_tool_result(result: "CallToolResult") -> ToolResult:
    """Text blocks joined; without any, the structured content as JSON. `data`: the structured content, if there is."""
    parts = [block_text(block) for block in result.content]
    structured = result.structured_content
    if structured is not None and not any(part.strip() for part in parts):
        parts = [json_bytes(structured).decode()]
    files = [file for block in result.content if block.type == "image" and (file := _picture(block.data))]
    sizes = accumulate(len(file.data) for file in files)
    kept = [file for file, size in zip(files, sizes, strict=True) if size <= MOST_BYTES]
    return ToolResult("\n".join(parts), is_error=bool(result.is_error), data=structured, files=kept)


def redacted(result: ToolResult, config: ServerConfig) -> ToolResult:
    """Without the secrets of the server's entry."""
    return replace(result, text=config.redact_result(result.text), data=config.redact_result(result.data))


def _picture(base64_text: str) -> File | None:
    """A picture that models can be shown, under a name by its content; None for what is none, or too large."""
    try:
        file = decoded(base64_text)
    except DureError:
        return None
    return replace(file, name=f"{sha256(file.data).hexdigest()[:12]}-{file.name}", seen=True)


def block_text(block: Any) -> str:
    """A content block (MCP specification, server/tools), or what a resource holds."""
    match getattr(block, "type", None):
        case "text":
            return str(block.text)
        case "image" | "audio":
            return f"[{block.type}: {block.mime_type}, {_size(block.data)}]"
        case "resource_link":
            about = f": {block.description}" if block.description else ""
            return f"[resource {block.name} <{block.uri}>{about}]"
        case "resource":
            return block_text(block.resource)
        case None if getattr(block, "text", None) is not None:
            return f"[resource <{block.uri}>]\n{block.text}"
        case None:
            return f"[resource <{block.uri}>: {block.mime_type or 'binary'}, {_size(block.blob)}]"
        case _:
            return f"[{block.type}]"


def _size(base64_text: str) -> str:
    count = len(base64_text) * 3 // 4 - base64_text[-2:].count("=")
    return f"{count} bytes" if count < 10_000 else f"{count // 1000} kB"
