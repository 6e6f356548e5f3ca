"""`<use_mcp_tool><server_name>S</server_name><tool_name>N</tool_name><arguments>{…}</arguments></use_mcp_tool>`:
MiroThinker, Cline and Roo Code."""

import re

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.source import Source

_HEAD = re.compile(
    r"<use_mcp_tool>\s*(?:<server_name>[^<]{0,200}</server_name>\s*)?"
    r"<tool_name>\s*+([^<\n]{1,200}?)\s*+</tool_name>\s*<arguments>\s*"
)
_END = re.compile(r"\s*</arguments>\s*")
_CLOSING = "</use_mcp_tool>"


def scan(src: Source, at: int, marker: str) -> Found | None:
    head = src.match(_HEAD, at, reach=420)
    if head is None:
        return None
    name = head.group(1)
    src.name(src.tools.resolve(name)[0])
    found = src.json(head.end())
    if found is None or (found.cut is not None and found.cut.inside):
        return Found(len(src.text), unfinished=name)
    end = src.match(_END, found.end, reach=60)
    at = end.end() if end else found.end
    if src.starts(_CLOSING, at):
        at += len(_CLOSING)
    return Found(at, [Call(name, found.value, list(found.repairs))])


FORMAT = Format("mcp_tool", ("<use_mcp_tool>",), scan)
