"""`<|tool_call_begin|>functions.N:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`: Kimi K2.

The tool's name stands inside the call's id. `<|tool_calls_section_begin|>` and `…_end|>` surround the calls.
"""

import re

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.source import Source

_SECTION = re.compile(r"<\|tool_calls?_section_begin\|>")
_BEGIN = "<|tool_call_begin|>"
_ARGUMENT = "<|tool_call_argument_begin|>"
_END = re.compile(r"[\s}\])`]*<\|tool_call_end\|>")
_SECTION_END = re.compile(r"\s*<\|tool_calls?_section_end\|>")
_STOPS = re.compile(r"<\|tool_call_begin\|>|<\|tool_calls?_section_end\|>")
_INDEX = re.compile(r":\d+$")
_BODY = re.compile(r"\s*(?=\{)")
_NEXT = re.compile(r"\s*(?=<\|tool_call_begin\|>)")


def scan(src: Source, at: int, marker: str) -> Found | None:
    section = src.match(_SECTION, at, reach=40)
    here = section.end() if section else at
    calls: list[Call] = []
    while True:
        stop = src.search(_STOPS, here) if section else src.match(_NEXT, here, reach=40)
        if stop is None:
            if section:
                return Found(len(src.text), calls, unfinished="" if calls else "?")
            return Found(here, calls) if calls else None
        if section and stop.group() != _BEGIN:
            return Found(stop.end(), calls)
        start = (stop.start() if section else stop.end()) + len(_BEGIN)
        before = len(src.named)
        call, here = _call(src, start)
        if call is None:
            return Found(len(src.text), calls, unfinished=src.named[-1] if len(src.named) > before else "?")
        calls.append(call)


def _call(src: Source, at: int) -> tuple[Call | None, int]:
    middle = src.find(_ARGUMENT, at)
    if middle < 0:
        return None, at
    name = _INDEX.sub("", src.text[at:middle].strip()).removeprefix("functions.")
    src.name(src.tools.resolve(name)[0])
    body = src.match(_BODY, middle + len(_ARGUMENT), reach=24)
    if body is not None:
        found = src.json(body.end())
        if found is not None:
            if found.cut is not None and found.cut.inside:
                return None, at
            end = src.match(_END, found.end, reach=40)
            return Call(name, found.value, list(found.repairs)), end.end() if end else found.end
    stop = src.find("<|tool_call_end|>", middle)
    if stop < 0:
        return None, at
    text = src.text[middle + len(_ARGUMENT) : stop].strip()
    return Call(name, text or None, [] if text else ["missing arguments"]), stop + len("<|tool_call_end|>")


FORMAT = Format("kimi", ("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>", _BEGIN), scan)
