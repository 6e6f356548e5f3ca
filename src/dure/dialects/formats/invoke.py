"""`<invoke name="N"><parameter name="K">V</parameter></invoke>`: Anthropic's style, MiniMax M2, and with prefixes.

MiniMax M2 wraps it in `<minimax:tool_call>`; others put a prefix and a colon before each tag. Values are raw text,
typed by the tool's schema. Claude 2's `<invoke><tool_name>N</tool_name><parameters><K>V</K></parameters></invoke>` too.
"""

import html
import re
from functools import lru_cache
from typing import Any

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.formats.elements import Compiled, Syntax, read_arguments
from dure.dialects.source import Source

_NAME = r"\s+name\s*=\s*(?:\"([^\"<>\n]{1,200})\"|'([^'<>\n]{1,200})'|([^\s\"'<>/]{1,200}))\s*"
_PREFIXES = ("", "antml:", "atem:")
_WRAPPERS = (
    "<minimax:tool_call>",
    "<tool_calls>",
    "<tool_call>",
    *(f"<{prefix}function_calls>" for prefix in _PREFIXES),
)
_OPEN = re.compile(rf"(?:{'|'.join(_WRAPPERS)})\s*(?=<(?:\w+:)?invoke[\s>])")
_INVOKE = re.compile(r"<(?:\w{1,12}:)?invoke[\s>]")
_HEAD = re.compile(rf"\s*<((?:\w+:)?)invoke{_NAME}(/?)>")
_OLD = re.compile(r"\s*<invoke>\s*<tool_name>\s*+([^<>\n]{1,200}?)\s*+</tool_name>\s*(<parameters>)?")
_CLOSE = re.compile(r"\s*</(?:minimax:tool_call|(?:\w+:)?function_calls|tool_calls?)>")


@lru_cache(maxsize=16)
def syntax(prefix: str, wrapper: str = r"</[\w:]{1,40}>") -> Compiled:
    """The syntax of `invoke` whose tags begin with `prefix`."""
    tag = re.escape(prefix)
    return Syntax(
        opening=(
            rf"<{tag}parameter\s+name\s*=\s*+[\"']?(?P<key>[^\"'<>\n]{{1,200}}?)[\"']?"
            r"(?:\s++(?P<attribute>string|type)\s*=\s*[\"']?(?P<type>\w{1,20})[\"']?)?\s*+>"
        ),
        closing=rf"</{tag}parameter>",
        ends=rf"</{tag}invoke>",
        behind=rf"<{tag}invoke[\s>]|{wrapper}",
    ).compiled()


_OLD_SYNTAX = Syntax(
    opening=r"<(?P<key>[A-Za-z_][\w.-]{0,99})>",
    closing=r"</[A-Za-z_][\w.-]{0,99}>",
    ends=r"(?:</parameters>\s*)?</invoke>",
    behind=r"<invoke>|</function_calls>",
).compiled()


def scan(src: Source, at: int, marker: str) -> Found | None:
    if not _INVOKE.match(src.text, at):
        inner = src.space(src.find(">", at) + 1)
        if src.text[inner : inner + 1] != "<" or src.match(_INVOKE, inner, reach=24) is None:
            return None
    opened = src.match(_OPEN, at, reach=80)
    here = opened.end() if opened else at
    calls: list[Call] = []
    while True:
        head = src.match(_HEAD, here, reach=240)
        if head is None:
            old = src.match(_OLD, here, reach=260)
            if old is None:
                break
            name, prefix, empty, start, compiled = old.group(1), "", False, old.end(), _OLD_SYNTAX
        else:
            name = html.unescape(head.group(2) or head.group(3) or head.group(4))
            prefix, empty, start = head.group(1), bool(head.group(5)), head.end()
            compiled = syntax(prefix)
        src.name(src.tools.resolve(name)[0])
        if empty:
            calls.append(Call(name, {}))
            here = start
            continue
        resolved = src.tools.resolve(name)[0]

        def typed(opening: re.Match[str], raw: str, resolved: str = resolved) -> Any:
            return src.tools.typed(resolved, opening.group("key"), raw)

        arguments = read_arguments(src, start, name, compiled, typed)
        if arguments is None:
            return Found(len(src.text), calls, unfinished=name)
        calls.append(Call(name, arguments.values, arguments.repairs))
        here = arguments.end
    if not calls:
        return None
    close = src.match(_CLOSE, here, reach=60)
    return Found(close.end() if close else here, calls)


FORMAT = Format("invoke", (*_WRAPPERS, *(f"<{prefix}invoke" for prefix in _PREFIXES)), scan)
