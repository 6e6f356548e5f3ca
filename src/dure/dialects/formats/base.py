"""What a format is: the literals that may begin a call, and a function that reads one from there."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from dure.dialects.lenient import NO_END, More
from dure.dialects.source import BrokenOff, Source


@dataclass(slots=True)
class Call:
    """A call as it was written, not yet checked against the tools on offer."""

    name: str
    args: Any
    """A dict; or a str: plain text, or JSON encoded once more; or None: nothing was given."""
    repairs: list[str] = field(default_factory=list)
    certain: bool = True
    """Its markup says that it is a call, also when its name is not on offer. Otherwise it may be an answer."""
    to_the_end: bool = False
    """It goes on to the end of the text, which therefore may have cut it short."""
    reader: str = ""
    """The format that read it."""
    inline: bool = False
    """Text stands before it on its line."""
    behind: bool = False
    """Text for the reader stands before it."""
    refused: str = ""
    """Why it must not run as it stands, for the model."""
    unread: str = ""
    """What stands inside of it and no rule has read: it must not run with the rest."""


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of text of one kind, in which nothing is looked for but its end."""

    kind: Literal["text", "reasoning", "drop"]
    closers: tuple[str, ...]
    keep: frozenset[str] = frozenset()
    """Closers that belong to what follows and are left standing."""
    shown: bool = False
    """The closers are part of the text."""

    def end_in(self, text: str, at: int, *, final: bool) -> tuple[int, int | None]:
        """Where its text from `at` ends, and where reading goes on behind it: None while it is open. final: `text` will
        not grow; else what may yet become a closer is left for later."""
        pattern, prefixes, longest = _closers(self.closers)
        match = pattern.search(text, at)
        if match is None:
            most = 0 if final else min(longest - 1, len(text) - at)
            held = next((size for size in range(most, 0, -1) if text[len(text) - size :] in prefixes), 0)
            return len(text) - held, None
        closer, (start, end) = match.group(), match.span()
        if not final and end == len(text) and any(c != closer and c.startswith(closer) for c in self.closers):
            return start, None
        return end if self.shown else start, start if closer in self.keep else end


@lru_cache(maxsize=64)
def _closers(closers: tuple[str, ...]) -> tuple[re.Pattern[str], frozenset[str], int]:
    ordered = sorted(closers, key=len, reverse=True)
    prefixes = frozenset(each[:size] for each in closers for size in range(1, len(each)))
    return re.compile("|".join(re.escape(each) for each in ordered)), prefixes, len(ordered[0])


THINK = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<reflection>": "</reflection>",
    "<seed:think>": "</seed:think>",
    "<mm:think>": "</mm:think>",
    "[THINK]": "[/THINK]",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|channel>": "<channel|>",
    "<|channel>thought": "<channel|>",
}
"""Tags around reasoning. Nothing in it is a call or an answer."""
PREFILLED = Region("reasoning", tuple(dict.fromkeys(THINK.values())))
"""Reasoning whose opening tag stands in the prompt."""


@dataclass(slots=True)
class Found:
    """What a scan function read: the text goes on at `end`."""

    end: int
    calls: list[Call] = field(default_factory=list)
    text: str = ""
    """Text inside the markup that is for the reader."""
    enter: Region | None = None
    """What begins at `end`, where that is not plain text."""
    unfinished: str = ""
    """The name of a call the text breaks off in."""
    repairs: list[str] = field(default_factory=list)
    ends_reasoning: bool = False
    """All before was reasoning whose beginning stood in the prompt."""
    answer: bool = False
    """`text` is the final answer."""
    last: bool = False
    """It only counts if nothing but further calls follows it; else it is part of an answer."""


Scan = Callable[[Source, int, str], Found | None]


@dataclass(frozen=True, slots=True)
class Format:
    """How one family of models writes calls.

    markers: literals at which `scan` is tried; several formats may share one, the first that reads it has it.
    scan: reads what begins at a marker, given the source, the place and the marker; None where it is no such call.
    """

    name: str
    markers: tuple[str, ...]
    scan: Scan

    def read(self, src: Source, at: int, marker: str) -> Found | None:
        """As `scan`; a call that the text ends in is told as unfinished."""
        try:
            found = self.scan(src, at, marker)
        except BrokenOff as broken:
            return Found(src.end(), unfinished=str(broken))
        for call in found.calls if found else ():
            call.reader = self.name
        return found


_GOES_ON = re.compile(r"(?<=[}\])])(?!assistant)\w|[\s}\])`]*+(?:[,:\"'{]|\[(?![A-Z]))")
_TAG = re.compile(r"<[^<>\n]{1,80}>")
_CLOSER = re.compile(
    r"</[^<>]*(?:tool|func|invoke|call|TOOL)[^<>]*>|</?[^<>]*(?:arg|param)[^<>]*>|<[|｜][^<>]*(?:[Ee]nd|END|suffix)[|｜]>|<\|close\|>|<tool_call\|>"
)
_NEAR = 400
"""What was meant to be part of a call stands no further behind what was read of it."""


def unread_after(src: Source, at: int, found: Found) -> None:
    """Note what stands behind the calls read at `at` as if it went on with them: before a closing tag, or as members of
    JSON do."""
    last = _CLOSER.match(src.text, max(src.text.rfind("<", at, found.end), at))
    if found.unfinished or (last is not None and last.end() == found.end):
        return
    tag = _TAG.search(src.text, found.end, found.end + _NEAR)
    if tag is None and not src.final and len(src.text) - found.end < _NEAR:
        raise More
    src.spend(tag.end() - found.end if tag else _NEAR)
    end = tag.start() if tag else min(found.end + _NEAR, len(src.text))
    between = src.text[found.end : end].strip()
    closed = tag is not None and _CLOSER.match(tag.group()) is not None
    goes_on = _GOES_ON.match(src.text, found.end) is not None or NO_END in found.calls[-1].repairs
    if tag is not None and NO_END in found.calls[-1].repairs and not closed:
        between = between or tag.group()
    if between and (goes_on or (closed and src.text[at] == "<")):
        found.calls[-1].unread += between
        found.end = found.end if found.last else end


def marks(
    name: str,
    literals: tuple[str, ...],
    enter: Region | None = None,
    *,
    ends_reasoning: bool = False,
    shown: bool = False,
) -> Format:
    """Literals that are no call: they begin a region, end reasoning, or are just not for the reader, unless `shown`."""

    def scan(src: Source, at: int, marker: str) -> Found:
        return Found(at + len(marker), text=marker * shown, enter=enter, ends_reasoning=ends_reasoning)

    return Format(name, literals, scan)
