"""Where in a reply anything but text may begin, found by one compiled pattern, and how far a growing text is sure.

Every alternative begins with a literal, so that the search passes over prose at the speed of the regex engine; the
formats' markers are merged into a tree of prefixes.
"""

import re

from dure.dialects.formats import FORMATS, react
from dure.dialects.formats.base import Format
from dure.dialects.formats.json_call import FIRST_KEYS
from dure.dialects.formats.pythonic import NAME
from dure.dialects.offered import Offered

BY_MARKER: dict[str, tuple[Format, ...]] = {
    marker: tuple(each for each in FORMATS if marker in each.markers)
    for marker in {marker for each in FORMATS for marker in each.markers}
}
INVOKE = next(each for each in FORMATS if each.name == "invoke")
LOOSE = frozenset("{[｛")
"""Markers that are found in any text, and so only count where a value can stand."""

PREFIXED = r"<[A-Za-z]\w{0,15}:(?:invoke|function_calls|tool_calls?)(?=[\s>])"
"""A tag of `invoke` and its wrappers, whatever stands before the colon."""
_PREFIX_CUT = re.compile(r"<(?:[A-Za-z]\w{0,15}(?::[a-z_]{0,14})?)?$")
TAGS = tuple(marker for marker in BY_MARKER if len(marker) > 2 and marker[0] != "\n")
"""Markers that are not found in any text."""

_PREFIXES = frozenset(each[:size] for each in BY_MARKER for size in range(1, len(each)))
_LONGEST = max(len(each) for each in BY_MARKER)


def _pattern() -> re.Pattern[str]:
    quote = "[\"'“”‘’＂`]?"
    word = r"[\w.\-/]{0,99}"
    named = (
        r"[ \t]*+(?P<named>[A-Za-z_가-힣][\w.\-/]{0,63})(?::\d{1,3})?[ \t]*+:?[ \t]*+\n?[ \t]*+"
        r"(?=[{(｛]|\[(?:ARGS\]|[ARGS]{0,4}\Z))"
    )
    fence = r"[ \t]*+(?P<fence>```|~~~)"
    starts = react.tree(each[1:] for each in BY_MARKER if each[0] == "\n")
    return re.compile(
        rf"\n(?:(?P<marker>{starts})|{fence}|{react.LABEL}|{named})"
        rf"|{react.tree(each for each in BY_MARKER if each[0] != chr(10) and each not in '{[')}"
        rf"|{PREFIXED}"
        rf"|\{{(?=\s*+(?:{quote}(?:{'|'.join(sorted(FIRST_KEYS))})\b|{quote}{word}\Z))"
        rf"|\[(?=\s*+(?:[{{｛]|{NAME}[ \t]*+\(|{word}\Z))"
    )


TRIGGER = _pattern()
"""Groups: `label` (and react's others), `named` (a name before its arguments), `fence`; else the match is a marker."""


def certain(text: str, at: int, tools: Offered) -> int:
    """Up to where `text`, which may go on, is sure to show its triggers from `at` on for what they are."""
    size = len(text)
    safe = size
    for length in range(min(_LONGEST, size - at), 0, -1):
        if text[size - length :] in _PREFIXES:
            safe = size - length
            break
    cut = _PREFIX_CUT.search(text, max(at, size - 34))
    safe = min(safe, cut.start()) if cut else safe
    line = text.rfind("\n", at)
    if line < 0:
        return safe
    rest = text[line + 1 :]
    if react.may_become_label(rest) or _may_be_named(rest, tools):
        safe = min(safe, line)
    if not rest.strip():
        before = text.rfind("\n", at, line)
        if before >= 0 and text[before + 1 : line].strip(" \t:") in tools.schemas:
            safe = min(safe, before)
    return safe


def _may_be_named(line: str, tools: Offered) -> bool:
    return len(line) < 100 and bool(tools.schemas) and tools.may_begin(line.strip(" \t:"))
