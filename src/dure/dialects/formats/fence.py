"""Code fences and inline code: what a fence holds is part of an answer, unless it is nothing but a call."""

import re

from dure.dialects.formats import json_call, react
from dure.dialects.formats.base import Found, Region, Source
from dure.dialects.formats.pythonic import read_lines
from dure.dialects.lenient import More

SPAN = 4000
"""A code span within a line is not longer than this."""

_REACH = 300
"""No head of a fence is longer than this, so that a growing text is read as the whole one is."""
_HEAD = re.compile(r"(?:`{3,9}+|~{3,9}+)[ \t]{0,9}+([\w+.:-]{0,80}+)[^\n`]{0,200}+\n")
XML_HEAD = re.compile(r"```(?:xml|XML)[ \t]{0,3}\n")
_CLOSE = re.compile(r"\s*(?:```+|~~~+)")
_INFO = {"tool_code", "tool_call", "tool_calls", "tool_use", "tool", "function_call", "functioncall", "action"}
_CODE_INFO = {"", "python", "py", "json", "text", "plaintext"}
_REGIONS = {char: Region("text", (f"\n{char * 3}",), shown=True) for char in "`~"}


def read_fence(src: Source, at: int, ticks: int, mode: str, *, blank: bool) -> Found | None:
    """The fence that opens with the backticks at `ticks`, on the line that the newline at `at` begins.

    Calls where it holds only them, else a region of text; None where none opens. mode: what is being read, such as a
    thought or the final answer. blank: nothing for the reader came before.
    """
    head = src.match(_HEAD, ticks, reach=_REACH)
    if head is None:
        return None
    info = head.group(1).casefold()
    body = src.space(head.end())
    # No model writes its calls between tildes.
    if mode != "answer" and src.text[ticks] == "`":
        found = _calls(src, body, info, blank)
        if found is not None:
            return found
        if blank or mode == "thought":
            line = src.text.rfind("\n", 0, body)
            if src.match(react.LINE, line, reach=64) is not None:
                return Found(line)
    return Found(head.end() - 1, text=src.text[at : head.end() - 1], enter=_REGIONS[src.text[ticks]])


def _calls(src: Source, body: int, info: str, blank: bool) -> Found | None:
    char = src.text[body : body + 1]
    if not char:
        return None
    found: Found | None = None
    if char in "{[｛":
        found = json_call.read_bare(src, body)
    if found is None and char == "<" and (blank or info in _INFO):
        found = _marked(src, body)
    if found is None and (info in _INFO or (info in _CODE_INFO and blank)):
        found = read_lines(src, body, fenced=True, known=info not in _INFO)
    if found is None or not (found.calls or found.unfinished or found.answer):
        return None
    close = src.match(_CLOSE, found.end, reach=64)
    if close is not None:
        found.end = close.end()
    elif found.end < len(src.text) and src.text[found.end :].strip():
        return None
    found.last = info not in _INFO and not found.answer
    return found


def _marked(src: Source, at: int) -> Found | None:
    from dure.dialects.formats import FORMATS  # it lists this room's formats, which are not yet there at import

    for each in FORMATS:
        for marker in each.markers:
            if len(marker) > 1 and src.text.startswith(marker, at):
                found = each.read(src, at, marker)
                if found is not None and found.calls:
                    return found
    return None


def in_code(src: Source, at: int, line: str) -> bool:
    """Whether `at` lies in a code span of its line, of which `line` is what stands before."""
    if "`" not in line or line.replace("```", "").count("`") % 2 == 0:
        return False
    end = src.text.find("\n", at, at + SPAN)
    if end < 0 and len(src.text) < at + SPAN and not src.final and src.text.find("`", at) < 0:
        raise More
    return src.text.find("`", at, end if end >= 0 else at + SPAN) >= 0
