"""The mechanism of most formats: a head that names the tool, then its arguments, then a closing mark.

A row of the table says what the head looks like and how the arguments are written: as JSON, as elements with raw values
(`<parameter=key>value</parameter>`), or as plain text. Nothing is escaped in raw values, so a closing tag may stand in
one as text: it counts where what must come after it does, another argument or the end of the call.
"""

import html
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dure.dialects.formats.base import BrokenOff, Call, Format, Found, Source
from dure.dialects.offered import decoded
from dure.patterns import later

_BEHIND = later(r"\s*(?:</?[\w:.|｜]{0,40}?(?:tool|function|invoke|think|[|｜])|\]<\]|$)")
"""What may stand behind a call's closing tag."""
_CLOSING = later(r"</[^<>\n]{1,60}>")
UNQUOTED = ("a key without quotes", "a value without quotes")


@dataclass(frozen=True, slots=True)
class Json:
    """Arguments as JSON."""

    end: str = ""
    """A pattern for what closes the call, which may be missing."""
    sure: bool = True
    """The head alone makes it a call. Otherwise it is one where an object follows, and without its end it is mended."""
    bare: bool = False
    """Keys and values stand without quotes, which is nothing to mend."""

    def read(self, src: Source, at: int, name: str, prefix: str) -> tuple[Call, int] | None:
        start = src.space(at)
        found = src.json(start, name) if self.sure or src.text.startswith(("{", "｛"), start) else None
        end = src.match(re.compile(self.end), found.end if found else start) if self.end else None
        if found is None and self.sure and end is not None and end.group().endswith(">"):
            return Call(name, None, ["missing arguments"]), end.end()
        if self.sure and (found is None or (self.bare and found.cut and end is None)):
            raise BrokenOff(name)
        if found is None:
            return None
        call = Call(name, found.value, [each for each in found.repairs if not (self.bare and each in UNQUOTED)])
        if self.end and end is None and not self.sure:
            call.repairs.append("a lost closing tag")
        return call, end.end() if end else found.end


@dataclass(frozen=True, slots=True)
class Text:
    """Arguments as plain text, up to a closing mark, in which `~` stands for the prefix that the head has."""

    closing: str

    def read(self, src: Source, at: int, name: str, prefix: str) -> tuple[Call, int]:
        end = src.search(re.compile(re.escape(self.closing.replace("~", prefix))), at)
        if end is None:
            raise BrokenOff(name)
        text = src.text[at : end.start()].strip()
        return Call(name, text or None, ["plain text as input"] if text else []), end.end()


@dataclass(frozen=True, slots=True)
class Elements:
    """Arguments one an element. In the patterns `~` stands for the prefix that the tags of this call have."""

    opening: str
    """A pattern for an argument's opening tag. Its group `key` is the argument's name. Where it has a group `mark`, the
    values whose mark is among `raw` are text and all others JSON, else the tool's schema says what a value is."""
    closing: str
    """A pattern for an argument's closing tag."""
    ends: str
    """A pattern for the call's closing tag."""
    trim: bool = False
    """One newline on both sides of a value is layout."""
    guess: bool = False
    """Where the schema says nothing, text that reads as JSON is taken for it."""
    raw: tuple[str, ...] = ()
    nested: bool = False
    """The closing tag's group `shut` is the argument's name, and elements within a value are its members."""

    def read(self, src: Source, at: int, name: str, prefix: str) -> tuple[Call, int]:
        opens, stops, after, ends, either = _patterns(self, prefix)
        tool = src.tools.resolve(name)[0]
        values: dict[str, Any] = {}
        repairs: list[str] = []
        unread = ""
        while True:
            here = src.space(at)
            end = src.match(ends, here, reach=40)
            if end is not None:
                return Call(name, values, repairs, unread=unread.strip()), end.end()
            opening = src.match(opens, here, reach=200)
            if opening is None:
                following = src.search(either, here)
                if following is None:
                    raise BrokenOff(name)
                between = src.text[here : following.start()]
                repairs.append("text between arguments")
                unread += _CLOSING.sub("", between)
                at = following.start()
                continue
            key = html.unescape(opening.group("key").strip())
            others = src.tools.properties(tool).keys() - values
            raw, at, lost = _value(src, opening.end(), name, stops, after, others, key if self.nested else "")
            if lost:
                repairs.append("a lost closing tag")
            indent = src.text[src.text.rfind("\n", 0, opening.start()) + 1 : opening.start()]
            first, *lines = raw.split("\n")
            if indent.isspace() and all(line.startswith(indent) or not line.strip() for line in lines):
                raw = "\n".join([first, *(line.removeprefix(indent) for line in lines)])
            if self.trim and raw.startswith("\n"):
                raw = raw[1:].removesuffix("\n")
            if key in values:
                unread += f" {key}"
            mark = opening.groupdict().get("mark")
            if self.nested and opens.match(raw.strip()):
                values[key] = _members(raw.strip(), opens, 0)
                src.spend(8 * len(raw))
            elif mark is None:
                values[key] = src.tools.typed(tool, key, raw, guess=self.guess)
            else:
                text = mark in self.raw and src.tools.types(tool, key) <= {"string", "null"}
                values[key] = raw if text else decoded(raw)


@lru_cache(maxsize=64)
def _patterns(syntax: Elements, prefix: str) -> list[re.Pattern[str]]:
    """For an opening tag; all tags, by groups; what comes after a value; the end of the call; the first or the last."""
    parts = (syntax.opening, syntax.closing, syntax.ends)
    opening, closing, ends = (part.replace("~", re.escape(prefix)) for part in parts)
    stops = rf"(?P<close>{closing})|(?P<open>{opening})|(?P<end>{ends})"
    return [later(each) for each in (opening, stops, rf"\s*(?:{opening}|{ends}|$)", ends, rf"{opening}|{ends}")]


def _members(raw: str, opens: re.Pattern[str], depth: int) -> Any:
    """A value of elements: a list where all are an `item`, else an object; any other text as JSON reads it."""
    found: list[tuple[str, Any]] = []
    at = 0
    while depth < 8 and (opening := opens.match(raw, at)):
        end = raw.find(opening.group().replace("<" + opening.group("key"), "</" + opening.group("key")), opening.end())
        if end < 0:
            return raw
        found.append((opening.group("key"), _members(raw[opening.end() : end].strip(), opens, depth + 1)))
        at = end + len(opening.group()) + 1
        at += len(raw[at:]) - len(raw[at:].lstrip())
    if not found or raw[at:]:
        return decoded(raw)
    if all(key == "item" for key, _ in found):
        return [value for _, value in found]
    members: dict[str, list[Any]] = {}
    for key, value in found:
        members.setdefault(key, []).append(value)
    return {key: values if len(values) > 1 else values[0] for key, values in members.items()}


class Form:
    """One way in which a format writes a call.

    head: a pattern whose group `name`, or else `first`, is the tool's, in quotes or not. Its group `prefix` is for the
    body; where its group `empty` is not, the call ends with its head. bodies: what may follow, the first that does.
    known: it is only a call where the tool is on offer.
    """

    def __init__(self, head: str, *bodies: "Json | Text | Elements", known: bool = False) -> None:
        self.head = later(head)
        self.bodies = bodies
        self.known = known

    def read(self, src: Source, at: int) -> tuple[Call, int] | None:
        """The call at `at` and where it ends; None where none stands there. Raises `BrokenOff`."""
        head = src.match(self.head, at, reach=480)
        if head is None:
            return None
        groups = head.groupdict()
        name = html.unescape((groups["name"] or groups.get("first") or "?").strip("\"' \t\r\n"))
        if self.known and not src.tools.has(name):
            return None
        src.name(name)
        if groups.get("empty"):
            return Call(name, {}), head.end()
        for body in self.bodies:
            read = body.read(src, head.end(), name, groups.get("prefix") or "")
            if read is not None:
                return read
        src.named.pop()
        return None


def tagged(
    name: str, markers: tuple[str, ...], *forms: Form, inner: str = "", opening: str = "", more: str | None = None,
    closing: str = "", explicit: bool = False,
) -> Format:  # fmt: skip
    """A format whose calls have one of `forms`, the first that fits.

    inner: a pattern for the first character inside of a tag that is a marker; on any other, nothing more is waited for.
    opening, more, closing: patterns for what stands before the calls, between two (None: there is only one), and behind
    them if it is not lost. explicit: the marker alone says that a call was begun, so that no head cut short is shown.
    """
    within, first, between, last = (later(each or "") for each in (inner, opening, more, closing))

    def scan(src: Source, at: int, marker: str) -> Found | None:
        if marker.endswith(">") and not within.match(src.text, src.space(at + len(marker))):
            return None
        opened = src.match(first, at)
        if opened is None:
            return None
        calls: list[Call] = []
        here = start = opened.end()
        try:
            while read := next(filter(None, (form.read(src, start) for form in forms)), None):
                calls.append(read[0])
                here = read[1]
                following = None if more is None else src.match(between, here)
                if following is None:
                    break
                start = following.end()
            else:
                if explicit and src.broken_off(start) and (not calls or src.text.startswith(markers, src.space(start))):
                    raise BrokenOff("?")
        except BrokenOff as broken:
            # A head that nobody can read is not the end of what stands behind it.
            again = [place for each in markers if (place := src.text.find(each, start + 1)) >= 0]
            if str(broken) != "?" or not again:
                return Found(src.end(), calls, unfinished=str(broken))
            here = min(again)
            return Found(here, [*calls, Call("unknown", None, unread=src.text[start:here])])
        close = src.match(last, here) if closing else None
        if calls or close:
            return Found(close.end() if close else here, calls)
        return Found(here, unfinished="?") if opened.group() and here == len(src.text) else None

    return Format(name, markers, scan)


def _value(
    src: Source, start: int, name: str, stops: re.Pattern[str], after: re.Pattern[str], others: set[str], shut: str
) -> tuple[str, int, bool]:
    """A raw value from `start`, where the text goes on, and whether its closing tag was lost. stops, after: see
    `_patterns`. others: keys that may follow. shut: the name in the closing tag, "" for any."""
    at = start
    fallback: re.Match[str] | None = None
    while True:
        stop = src.search(stops, at)
        if stop is None:
            if fallback is None:
                raise BrokenOff(name)
            return src.text[start : fallback.start()], fallback.end(), False
        at = stop.end()
        if stop.group("close") is not None:
            if shut and stop.group("shut") != shut:
                continue
            if src.match(after, at, reach=300) is not None:
                return src.text[start : stop.start()], at, False
            fallback = fallback or stop
        elif stop.group("end") is not None:
            if fallback is None and src.match(_BEHIND, at, reach=60) is not None:
                return src.text[start : stop.start()], stop.start(), True
        elif fallback is None and stop.group("key") in others:
            line = src.text.rfind("\n", max(start, stop.start() - 80), stop.start())
            if line >= 0 and src.text[line : stop.start()].isspace():
                return src.text[start : stop.start()], stop.start(), True
