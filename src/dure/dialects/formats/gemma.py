"""`<|tool_call>call:N{k:<|"|>v<|"|>}<tool_call|>`: Gemma 4, and FunctionGemma's `<start_function_call>…<escape>`.

The notation of Gemma 4's chat template: keys without quotes, strings between string marks and unescaped, numbers,
true, false and null as in JSON.
"""

import re

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.formats.blocks import past
from dure.dialects.source import BrokenOff, Source

_OPENINGS = {"<|tool_call>": "<tool_call|>", "<start_function_call>": "<end_function_call>", "\ncall:": ""}
_HEAD = re.compile(r"\s*call:\s*([^\s{}<>:]{1,200}|[^\s{}<>]{1,200})\s*(?=\{)")
_NOTATION = ("a key without quotes", "a value without quotes")
"""What would be mended in JSON, and is right here."""


def scan(src: Source, at: int, marker: str) -> Found | None:
    closing = _OPENINGS[marker]
    start = at + (len(marker) if closing else 1)
    head = src.match(_HEAD, start, reach=240)
    if head is None:
        cut = closing and src.broken_off(start) and src.text.find("<", start) < 0
        return Found(len(src.text), unfinished="?") if cut else None
    name = head.group(1)
    if not closing and not src.tools.has(name):
        return None
    src.name(name)
    found = src.json(head.end(), name)
    if found is None or not isinstance(found.value, dict) or found.cut:
        end = src.find(closing, head.end()) if closing else -1
        if end < 0 and (found.cut if found else src.broken_off(head.end())):
            raise BrokenOff(name)
        return Found(end, [Call(name, None, unread=src.text[head.end() : end])]) if end >= 0 else None
    repairs = [each for each in found.repairs if each not in _NOTATION]
    return past(src, Found(found.end, [Call(name, found.value, repairs)]), closing)


FORMAT = Format("gemma", tuple(_OPENINGS), scan)
