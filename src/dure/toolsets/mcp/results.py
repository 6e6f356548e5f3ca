"""An MCP tool's result as ours: text for the model, pictures and files told by kind and size, data for the record."""

from typing import TYPE_CHECKING, Any

from dure.messages import json_bytes
from dure.tooling import ToolResult

if TYPE_CHECKING:
    from mcp_types import CallToolResult


def as_tool_result(result: "CallToolResult") -> ToolResult:
    """Text blocks joined; without any, the structured content as JSON. `data`: the structured content, if there is."""
    parts = [_text(block) for block in result.content]
    structured = result.structured_content
    if structured is not None and not any(part.strip() for part in parts):
        parts = [json_bytes(structured).decode()]
    return ToolResult("\n".join(parts), is_error=bool(result.is_error), data=structured)


def _text(block: Any) -> str:
    """A content block: text, image, audio, resource_link or resource (MCP specification, server/tools)."""
    match block.type:
        case "text":
            return str(block.text)
        case "image" | "audio":
            return f"[{block.type}: {block.mime_type}, {_size(block.data)}]"
        case "resource_link":
            about = f": {block.description}" if block.description else ""
            return f"[resource {block.name} <{block.uri}>{about}]"
        case "resource":
            inner = block.resource
            if getattr(inner, "text", None) is not None:
                return f"[resource <{inner.uri}>]\n{inner.text}"
            return f"[resource <{inner.uri}>: {inner.mime_type or 'binary'}, {_size(inner.blob)}]"
        case _:
            return f"[{block.type}]"


def _size(base64_text: str) -> str:
    count = len(base64_text) * 3 // 4 - base64_text[-2:].count("=")
    return f"{count} bytes" if count < 10_000 else f"{count // 1000} kB"
