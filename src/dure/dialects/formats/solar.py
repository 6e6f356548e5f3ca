"""Solar Open: `<|tool_call:begin|>id<|tool_call:name|>N<|tool_call:args|>{…}<|tool_call:end|>`, and Solar Open 2's
`<|tool_call:start|>N` with `<|tool_arg:start|>K<|tool_arg:value|>V<|tool_arg:end|>`, whose values are raw text."""

import re

from dure.dialects.formats.base import Call, Format, Found, Region
from dure.dialects.formats.elements import Syntax, read_arguments
from dure.dialects.source import Source

_HEAD = re.compile(
    r"<\|tool_call:begin\|>([^<\n]{0,100})<\|tool_call:name\|>\s*+([^<\n]{1,200}?)\s*+<\|tool_call:args\|>\s*"
)
_END = re.compile(r"[\s}]*<\|tool_call:end\|>")
_HEAD_2 = re.compile(r"<\|tool_call:start\|>\s*+([^<\n]{1,200}?)[^\S\n]*+(?=\n|<\|tool_)")
_SYNTAX = Syntax(
    opening=r"<\|tool_arg:start\|>(?P<key>[^<\n]{1,200})<\|tool_arg:value\|>",
    closing=r"<\|tool_arg:end\|>",
    ends=r"<\|tool_call:end\|>",
    behind=r"<\|tool_call:start\|>|<\|",
).compiled()
_THINK = Region("reasoning", ("<|end|>", "<|content|>", "<|tool_calls|>"), frozenset({"<|tool_calls|>"}))
_SILENT = ("<|tool_calls|>", "<|calls|>", "<|begin|>assistant")


def scan(src: Source, at: int, marker: str) -> Found | None:
    if marker in _SILENT:
        return Found(at + len(marker))
    if marker == "<|think|>":
        return Found(at + len(marker), enter=_THINK)
    if marker == "<|tool_call:start|>":
        return _second(src, at)
    head = src.match(_HEAD, at, reach=380)
    if head is None:
        return Found(len(src.text), unfinished="?") if src.broken_off(at) else None
    name = head.group(2)
    src.name(src.tools.resolve(name)[0])
    found = src.json(head.end())
    if found is None or (found.cut is not None and found.cut.inside):
        return Found(len(src.text), unfinished=name)
    end = src.match(_END, found.end, reach=40)
    return Found(end.end() if end else found.end, [Call(name, found.value, list(found.repairs))])


def _second(src: Source, at: int) -> Found | None:
    head = src.match(_HEAD_2, at, reach=240)
    if head is None:
        return Found(len(src.text), unfinished="?") if src.broken_off(at) else None
    name = head.group(1)
    resolved = src.tools.resolve(name)[0]
    src.name(resolved)
    arguments = read_arguments(
        src, head.end(), name, _SYNTAX, lambda opening, raw: src.tools.typed(resolved, opening.group("key"), raw)
    )
    if arguments is None:
        return Found(len(src.text), unfinished=name)
    return Found(arguments.end, [Call(name, arguments.values, arguments.repairs)])


FORMAT = Format("solar", ("<|tool_call:begin|>", "<|tool_call:start|>", "<|think|>", *_SILENT), scan)
