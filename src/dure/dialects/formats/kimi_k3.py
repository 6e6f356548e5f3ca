"""`<|open|>call tool="N" index="1"<|sep|><|open|>argument key="K" type="T"<|sep|>V<|close|>argument<|sep|>…`: Kimi K3.

A reply is a sequence of elements: `think`, `response` (the answer) and `tools`. Values of type `string` are raw text,
all others JSON. Attributes are escaped as in XML.
"""

import html
import re
from typing import Any

from dure.dialects.formats.base import Call, Format, Found, Region
from dure.dialects.formats.elements import Syntax, read_arguments
from dure.dialects.offered import NO_JSON, as_json
from dure.dialects.source import Source

_TAG = re.compile(r"<\|(open|close)\|>\s*(\w+)([^<]{0,300})<\|sep\|>")
_CALL = re.compile(r"\s*<\|open\|>call([^<]{0,300})<\|sep\|>")
_TOOL = re.compile(r"tool=\"([^\"]{1,200})\"")
_TOOLS_END = re.compile(r"\s*<\|close\|>tools<\|sep\|>")
_SYNTAX = Syntax(
    opening=r"<\|open\|>argument key=\"(?P<key>[^\"]{1,200})\"(?: type=\"(?P<type>\w{1,20})\")?\s*<\|sep\|>",
    closing=r"<\|close\|>argument<\|sep\|>",
    ends=r"<\|close\|>call<\|sep\|>",
    behind=r"<\|open\|>call |<\|close\|>tools<\|sep\|>",
).compiled()
_THINK = Region("reasoning", ("<|close|>think<|sep|>",))


def scan(src: Source, at: int, marker: str) -> Found | None:
    tag = src.match(_TAG, at, reach=340)
    if tag is None:
        if src.broken_off(at):
            return Found(len(src.text), unfinished="?" if "call" in src.text[at:] else "")
        return None
    way, element = tag.group(1), tag.group(2)
    if way == "open" and element == "think":
        return Found(tag.end(), enter=_THINK)
    if way == "close" and element == "think":
        return Found(tag.end(), ends_reasoning=True)
    if way == "open" and element in ("tools", "call"):
        return _calls(src, tag.end() if element == "tools" else at)
    return Found(tag.end())


def _calls(src: Source, at: int) -> Found:
    calls: list[Call] = []
    repairs: list[str] = []
    while True:
        head = src.match(_CALL, at, reach=340)
        if head is None:
            break
        tool = _TOOL.search(head.group(1))
        name = html.unescape(tool.group(1)) if tool else "?"
        src.name(src.tools.resolve(name)[0])
        arguments = read_arguments(src, head.end(), name, _SYNTAX, _typed)
        if arguments is None:
            return Found(len(src.text), calls, unfinished=name)
        args = {html.unescape(key): value for key, value in arguments.values.items()}
        calls.append(Call(name, args, arguments.repairs))
        at = arguments.end
    end = src.match(_TOOLS_END, at, reach=40)
    if end is None and src.text.startswith("<|open|>call", at):
        return Found(len(src.text), calls, unfinished="?")
    return Found(end.end() if end else at, calls, repairs=repairs)


def _typed(opening: re.Match[str], raw: str) -> Any:
    if opening.group("type") in (None, "string"):
        return raw
    value = as_json(raw.strip())
    return raw if value is NO_JSON else value


FORMAT = Format("kimi_k3", ("<|open|>", "<|close|>"), scan)
