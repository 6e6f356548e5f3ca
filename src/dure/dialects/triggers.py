"""Where in a reply anything but text may begin, found by one compiled pattern, and how far a growing text is sure.

Every alternative begins with a literal, so that the search passes over prose at the speed of the regex engine; the
formats' markers are merged into a tree of prefixes.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from dure.dialects.formats import FORMATS, react
from dure.dialects.formats.base import Format
from dure.dialects.formats.json_call import FIRST_KEYS
from dure.dialects.formats.pythonic import NAME
from dure.dialects.offered import Offered

INVOKE = next(each for each in FORMATS if each.name == "invoke")
LOOSE = frozenset("{[｛")
"""Markers that are found in any text, and so only count where a value can stand."""

PREFIXED = r"<[A-Za-z]\w{0,15}:(?:invoke|function_calls|tool_calls?)(?=[\s>])"
"""A tag of `invoke` and its wrappers, whatever stands before the colon."""
_PREFIX_CUT = re.compile(r"<(?:[A-Za-z]\w{0,15}(?::[a-z_]{0,14})?)?$")


class Table(NamedTuple):
    """The formats as they are looked for."""

    pattern: re.Pattern[str]
    """Groups: `label` (and react's others), `named` (a name before its arguments), `fence`; else the match is a
    marker."""
    by_marker: dict[str, tuple[Format, ...]]
    tags: tuple[str, ...]
    """Markers that are not found in any text."""
    prefixes: frozenset[str]
    longest: int


@lru_cache(maxsize=16)
def table(own: Format | None = None) -> Table:
    """The table of formats. own: the format that was learnt of this model, tried first."""
    rows = (own, *FORMATS) if own else FORMATS
    by_marker = {
        marker: tuple(each for each in rows if marker in each.markers)
        for marker in {marker for each in rows for marker in each.markers}
    }
    return Table(
        _pattern(list(by_marker)),
        by_marker,
        tuple(marker for marker in by_marker if len(marker) > 2 and marker[0] != "\n"),
        frozenset(each[:size] for each in by_marker for size in range(1, len(each))),
        max(map(len, by_marker)),
    )


def _pattern(markers: list[str]) -> re.Pattern[str]:
    quote = "[\"'“”‘’＂`]?"
    word = r"[\w.\-/]{0,99}"
    named = (
        r"[ \t]*+(?P<named>[A-Za-z_가-힣][\w.\-/]{0,63})(?::\d{1,3})?[ \t]*+:?[ \t]*+\n?[ \t]*+"
        r"(?=[{(｛]|\[(?:ARGS\]|[ARGS]{0,4}\Z))"
    )
    fence = r"[ \t]*+(?P<fence>```|~~~)"
    starts = react.tree(each[1:] for each in markers if each[0] == "\n")
    return re.compile(
        rf"\n(?:(?P<marker>{starts})|{fence}|{react.LABEL}|{named})"
        rf"|{react.tree(each for each in markers if each[0] != chr(10) and each not in '{[')}"
        rf"|{PREFIXED}"
        rf"|\{{(?=\s*+(?:{quote}(?:{'|'.join(sorted(FIRST_KEYS))})\b|{quote}{word}\Z))"
        rf"|\[(?=\s*+(?:[{{｛]|{NAME}[ \t]*+\(|{word}\Z))"
    )


def certain(text: str, at: int, tools: Offered, known: Table) -> int:
    """Up to where `text`, which may go on, is sure to show its triggers from `at` on for what they are."""
    size = len(text)
    safe = size
    for length in range(min(known.longest, size - at), 0, -1):
        if text[size - length :] in known.prefixes:
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
