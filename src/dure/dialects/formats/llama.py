"""`<|python_tag|>` (Llama 3.1 to 3.3) before JSON calls, `;` between them, or before a built-in `tool.call(…)`.

Llama 4 writes `<|python_start|>[f(a=1)]<|python_end|>`; LFM2 `<|tool_call_start|>[…]<|tool_call_end|>`; OLMo 3
`<function_calls>` with one call a line; Gemma 2 and 3 `<tool_code>`.
"""

import re

from dure.dialects.formats import pythonic
from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.formats.hermes import read_block
from dure.dialects.formats.pythonic import read_call
from dure.dialects.source import Source

_TAGS = {
    "<|python_tag|>": "<|eom_id|>",
    "<|python_start|>": "<|python_end|>",
    "<|tool_call_start|>": "<|tool_call_end|>",
    "<function_calls>": "</function_calls>",
    "<tool_code>": "</tool_code>",
    "<function_call>": "</function_call>",
    "<tool_calls>": "</tool_calls>",
    "<tool_call>": "</tool_call>",
}
_JSON = re.compile(r"\s*+(?=\[?\s*\{)")
_LIST = re.compile(r"\s*(?=\[)")
_SEPARATOR = re.compile(r"\s*[;,]?\s*")
_PRINT = re.compile(r"\s*print\s*\(\s*(?=[A-Za-z_])")


def scan(src: Source, at: int, marker: str) -> Found | None:
    closing = _TAGS[marker]
    here = at + len(marker)
    json_at = src.match(_JSON, here, reach=24)
    if json_at is not None:
        found = read_block(src, json_at.end(), closed=False) if marker.startswith("<|") else None
    else:
        found = _python(src, here)
    if found is None:
        if not marker.startswith("<|"):
            return None
        rest = src.space(here)
        return Found(rest, unfinished="?") if rest >= len(src.text) else Found(here)
    for call in found.calls:
        call.certain = True
    found.last = False
    end = src.space(found.end)
    if src.starts(closing, end):
        found.end = end + len(closing)
    for call in found.calls:
        src.name(src.tools.resolve(call.name)[0])
    return found


def _python(src: Source, at: int) -> Found | None:
    listed = src.match(_LIST, at, reach=16)
    if listed is not None:
        return pythonic.read_list(src, listed.end(), certain=True)
    calls: list[Call] = []
    here = at
    while True:
        printed = src.match(_PRINT, here, reach=24)
        read = read_call(src, printed.end() if printed else here)
        if read is None:
            break
        call, here = read
        call.name = call.name.removesuffix(".call")
        calls.append(call)
        if printed and src.starts(")", src.space(here)):
            here = src.space(here) + 1
        separator = src.match(_SEPARATOR, here, reach=8)
        here = separator.end() if separator else here
    return Found(here, calls) if calls else None


FORMAT = Format("llama", tuple(_TAGS), scan)
