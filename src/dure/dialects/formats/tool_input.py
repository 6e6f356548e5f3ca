"""`<tool_call>name</tool_call><tool_input>{…}</tool_input>`: design document 000's tags (Claude 2's older habit)."""

import re

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.source import Source

_HEAD = re.compile(
    r"<(tool_call|tool_name|tool)>\s*([^\s<>{}\[\]\"]{1,100})\s*</\1>\s*<(tool_input|tool_args|arguments|input)>\s*"
)


def scan(src: Source, at: int, marker: str) -> Found | None:
    body = src.space(src.find(">", at) + 1)
    if src.text[body : body + 1] in ("", "{", "[", "<", "｛", "`"):
        return None
    head = src.match(_HEAD, at, reach=200)
    if head is None:
        return None
    name = head.group(2)
    src.name(src.tools.resolve(name)[0])
    closing = f"</{head.group(3)}>"
    found = src.json(head.end())
    if found is not None and isinstance(found.value, dict):
        if found.cut is not None and found.cut.inside:
            return Found(len(src.text), unfinished=name)
        end = src.space(found.end)
        repairs = list(found.repairs)
        if src.starts(closing, end):
            end += len(closing)
        else:
            repairs.append("a lost closing tag")
        return Found(end, [Call(name, found.value, repairs)])
    end = src.find(closing, head.end())
    if end < 0:
        return Found(len(src.text), unfinished=name)
    text = src.text[head.end() : end].strip()
    call = Call(name, text or None, ["plain text as input"] if text else [])
    return Found(end + len(closing), [call])


FORMAT = Format("tool_input", ("<tool_call>", "<tool_name>", "<tool>"), scan)
