"""`<tool_call>N<arg_key>K</arg_key><arg_value>V</arg_value></tool_call>`: GLM 4.5 to 5, HyperCLOVA X SEED Think.

GLM 4.5 and 4.6 put newlines between the parts, 4.7 and 5 none. Strings are raw, other values JSON, so the tool's
schema decides. Hunyuan 3 and 4 write the same with a suffix such as `:opensource` on each
tag's name, Hunyuan A13B's successors the arguments in a fence.
"""

import re
from typing import Any

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.formats.elements import Syntax, read_arguments
from dure.dialects.source import Source

_MORE = r"(?::\w{1,20})?"
_SYNTAX = Syntax(
    opening=rf"<arg_key{_MORE}>\s*+(?P<key>[^<\n]{{1,200}}?)\s*+</arg_key{_MORE}>\s*<arg_value{_MORE}>",
    closing=rf"</arg_value{_MORE}>",
    ends=rf"</tool_call{_MORE}>",
    behind=rf"<tool_call{_MORE}>|</tool_calls{_MORE}>|<\|observation\|>|<\|user\|>",
).compiled()
_HEAD = re.compile(
    rf"(?:<tool_calls{_MORE}>\s*)?<tool_call{_MORE}>\s*([^\s<>{{}}\[\]\"]{{1,128}})\s*(?:<tool_sep{_MORE}>\s*)?"
    rf"(?=<arg_key{_MORE}>|</tool_call{_MORE}>|$)"
)
_FENCED = re.compile(r"(?:<tool_calls>\s*)?<tool_call>\s*([^\s<>{}\[\]\"`]{1,128})\s*(?:```(?:json)?\s*)?(?=\{)")
_FENCED_END = re.compile(r"\s*+(?:```)?\s*+</tool_call>(?:\s*</tool_calls>)?")
_NEXT = re.compile(rf"\s*(?=<tool_call{_MORE}>)")
_OUTER_END = re.compile(rf"\s*</tool_calls{_MORE}>")


def scan(src: Source, at: int, marker: str) -> Found | None:
    body = src.space(src.find(">", at) + 1)
    if src.text[body : body + 1] in ("{", "[", "`") or src.starts("<function", body):
        return None
    fenced = src.match(_FENCED, at, reach=260)
    if fenced is not None:
        return _fenced(src, fenced)
    head = src.match(_HEAD, at, reach=220)
    if head is None:
        return None
    name = head.group(1)
    resolved = src.tools.resolve(name)[0]
    if head.end() == len(src.text):
        return Found(head.end(), unfinished=name)
    src.name(resolved)

    def typed(opening: re.Match[str], raw: str) -> Any:
        return src.tools.typed(resolved, opening.group("key"), raw, guess=True)

    arguments = read_arguments(src, head.end(), name, _SYNTAX, typed)
    if arguments is None:
        return Found(len(src.text), unfinished=name)
    end = src.match(_OUTER_END, arguments.end, reach=40)
    call = Call(name, arguments.values, arguments.repairs)
    return Found(end.end() if end else arguments.end, [call])


def _fenced(src: Source, head: re.Match[str]) -> Found:
    """Hunyuan's `<tool_call>N` and the arguments as JSON, in a fence or not."""
    name = head.group(1)
    src.name(src.tools.resolve(name)[0])
    found = src.json(head.end())
    if found is None or (found.cut is not None and found.cut.inside):
        return Found(len(src.text), unfinished=name)
    end = src.match(_FENCED_END, found.end, reach=80)
    return Found(end.end() if end else found.end, [Call(name, found.value, list(found.repairs))])


FORMAT = Format("glm", ("<tool_call>", "<tool_calls>", "<tool_calls:", "<tool_call:"), scan)
