"""What a format is: the literals that may begin a call, and a function that reads one from there, out of a text that
may still be growing and within a budget that keeps reading linear."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from dure.dialects.json_scan import Json, look
from dure.dialects.lenient import NO_END, More, past

if TYPE_CHECKING:
    from dure.dialects.offered import Offered


SPACE = re.compile(r"\s*")


class Spent(Exception):
    """Too much has been looked at more than once: the rest of the text is taken as text."""


class BrokenOff(Exception):
    """`BrokenOff(name)`: the text ends inside the call of `name`, which therefore is not made."""


FACTOR = 8
"""How often the text may be looked at altogether, in its lengths; a reply that is not hostile needs about two."""


@dataclass(slots=True, eq=False)
class Source:
    """A text and whether it is all there.

    Scan functions look at it through these methods, which raise `More` where the answer hangs on text that has not
    come yet, and count what they look at.
    """

    text: str
    tools: "Offered"
    final: bool
    work: int = 0
    """Characters looked at by scan functions, since the text last grew."""
    named: list[str] = field(default_factory=list)
    """Names of calls that became certain during the scan under way."""
    _absent: set[str] = field(default_factory=set)

    def spend(self, characters: int) -> None:
        """Count `characters` as looked at; raises `Spent` when the budget is used up."""
        self.work += characters
        if self.work > FACTOR * len(self.text) + 20_000:
            raise Spent

    def ahead(self, needle: str, at: int) -> bool:
        """Whether `needle` stands anywhere from `at` on in what is known of the text.

        Reading only goes forward, so that what is nowhere ahead of a whole text is looked for once.
        """
        if needle in self._absent:
            return False
        found = self.text.find(needle, at)
        self.spend((found if found >= 0 else len(self.text)) - at)
        if found < 0 and self.final:
            self._absent.add(needle)
        return found >= 0

    def search(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        """The next match of `pattern`, which must look at most a few characters ahead."""
        match = pattern.search(self.text, at)
        self.spend((match.end() if match else len(self.text)) - at)
        if not self.final and (match is None or match.end() == len(self.text)):
            raise More
        return match

    def match(self, pattern: re.Pattern[str], at: int, reach: int = 64) -> re.Match[str] | None:
        """`pattern` matched at `at`; `reach` is how many characters it needs to fail for good."""
        match = pattern.match(self.text, at)
        self.spend((match.end() - at if match else 0) + 16)
        if not self.final:
            if match is None:
                if len(self.text) - at < reach:
                    raise More
            elif match.end() == len(self.text):
                raise More
        return match

    def starts(self, prefix: str, at: int) -> bool:
        """Whether `prefix` stands at `at`."""
        if self.text.startswith(prefix, at):
            return True
        rest = self.text[at : at + len(prefix)]
        if not self.final and len(rest) < len(prefix) and prefix.startswith(rest):
            raise More
        return False

    def end(self) -> int:
        """The end of the whole text, for what is dropped up to there."""
        if not self.final:
            raise More
        return len(self.text)

    def broken_off(self, at: int) -> bool:
        """Whether the whole text ends so soon after `at`, on the same line, that a head may be cut short there."""
        return self.final and len(self.text) - at < 400 and self.text.find("\n", at) < 0

    def space(self, at: int) -> int:
        """The place of the next character that is no white space."""
        if rest := self.text[at : at + 2].lstrip():
            return at + (len(rest) == 1 and self.text[at].isspace())
        end = past(SPACE, self.text, at)
        self.spend(end - at)
        if end == len(self.text) and not self.final:
            raise More
        return end

    def json(self, at: int, of: str = "") -> Json | None:
        """The JSON object or array at `at`, however malformed; None where there is none.

        of: the name of the call whose arguments it is: raises `BrokenOff` where the text ends in the middle of them.
        """
        found, looked = look(self.text, at, self.final)
        self.spend(looked)
        if of and found is not None and found.inside:
            raise BrokenOff(of)
        return found

    def name(self, written: str) -> str:
        """Say that the name of a call is certain. Gives the tool's name that is meant by it."""
        name = self.tools.resolve(written)[0]
        self.named.append(name)
        return name


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
    place: int = 0
    """So many stretches of text for the reader were given before it."""
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


def closed(*names: str) -> dict[str, str]:
    """The opening tags of these names, each with its closing tag."""
    return {f"<{name}>": f"</{name}>" for name in names}


THINK = {
    **closed("think", "thinking", "thought", "reasoning", "reflection", "seed:think", "mm:think"),
    "[THINK]": "[/THINK]",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|channel>": "<channel|>",
    "<|channel>thought": "<channel|>",
}
"""Tags around reasoning. Nothing in it is a call or an answer."""
K3_THOUGHT = "<|close|>think<|sep|>"
PREFILLED = Region("reasoning", (*dict.fromkeys(THINK.values()), K3_THOUGHT))
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
    """Note what stands behind the calls read at `at` and goes on with them: up to a closing tag, or as JSON does."""
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


def marks(name: str, literals: tuple[str, ...], enter: Region | None = None, *, ends_reasoning: bool = False) -> Format:
    """Literals that are no call: they begin a region, end reasoning, or are not for the reader (unless `shown`)."""
    shown = enter is not None and enter.shown

    def scan(src: Source, at: int, marker: str) -> Found:
        return Found(at + len(marker), text=marker * shown, enter=enter, ends_reasoning=ends_reasoning)

    return Format(name, literals, scan)
