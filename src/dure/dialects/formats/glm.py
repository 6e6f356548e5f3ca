"""`<tool_call>N<arg_key>K</arg_key><arg_value>V</arg_value></tool_call>`: GLM 4.5 to 5, HyperCLOVA X SEED Think.

GLM 4.5 and 4.6 put newlines between the parts, 4.7 and 5 none. Strings are raw, other values JSON, so the tool's
schema decides. Hunyuan 3 writes the same with `:opensource` behind each tag's name.
"""

import re
from typing import Any

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.formats.elements import Syntax, read_arguments
from dure.dialects.source import Source

_MORE = r"(?::opensource)?"
_SYNTAX = Syntax(
    opening=rf"<arg_key{_MORE}>\s*(?P<key>[^<\n]{{1,200}}?)\s*</arg_key{_MORE}>\s*<arg_value{_MORE}>",
    closing=rf"</arg_value{_MORE}>",
    ends=rf"</tool_call{_MORE}>",
    behind=rf"<tool_call{_MORE}>|</tool_calls{_MORE}>|<\|observation\|>|<\|user\|>",
).compiled()
_HEAD = re.compile(
    rf"(?:<tool_calls{_MORE}>\s*)?<tool_call{_MORE}>\s*([^\s<>{{}}\[\]\"]{{1,128}})\s*(?:<tool_sep{_MORE}>\s*)?"
    rf"(?=<arg_key{_MORE}>|</tool_call{_MORE}>|$)"
)
_NEXT = re.compile(rf"\s*(?=<tool_call{_MORE}>)")
_OUTER_END = re.compile(rf"\s*</tool_calls{_MORE}>")


def scan(src: Source, at: int) -> Found | None:
    body = src.space(src.find(">", at) + 1)
    if src.text[body : body + 1] in ("{", "[", "`") or src.starts("<function", body):
        return None
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


FORMAT = Format("glm", ("<tool_call>", "<tool_calls:opensource>", "<tool_call:opensource>"), scan)
