"""Python-like calls: `[f(a=1), g()]` (Llama 4, OLMo 3, LFM2, Gemma 3), also bare `f(a=1)`; parsed, never evaluated.

The list form is that of Meta's Llama 4 prompt format: keyword arguments with Python literals, JSON's ones too.
"""

import re
import sys
from contextlib import suppress
from math import isfinite
from typing import Any

from dure.dialects.formats.base import SPACE, BrokenOff, Call, Found, Source
from dure.dialects.json_scan import clean
from dure.dialects.lenient import Hopeless, Lenient, More
from dure.patterns import later

CODE = "code"
"""What reads a bare `f(a=1)`, which no model's format asks for: behind a text it is part of it."""
NAME = r"[A-Za-z_가-힣][\w.\-/]{0,99}"
_CALL = later(rf"\s*({NAME})[ \t]*\(")
_LIST = later(rf"\[\s*(?:{NAME})[ \t]*\(")
_INDEX = later(r":\d+$")
_REST = later(r"[ \t;,]*(?=\n|$|```)")
_KEY = later(r"\s*([A-Za-z_가-힣][\w\-]{0,99})\s*=(?!=)\s*")
_NUMBER = later(r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_PRINT = later(r"\s*print\s*\(\s*(?=[A-Za-z_])")
_SEPARATOR = later(r"\s*[;,]?\s*")
_ESCAPE = later(r"(?s)\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|.)")
_ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "0": "\0", "\n": "",
    "\\": "\\", '"': '"', "'": "'",
}  # fmt: skip
_PREFIX = later(r"[rRbBuUfF]{0,2}(?=[\"'])")
_MENDED = {
    "quotes that are not JSON's", "a literal of another language", "an unescaped quote in a string", "a trailing comma",
    "a raw newline in a string", "a raw control character in a string", "a bad escape",
}  # fmt: skip
"""What is malformed as JSON and as it should be in Python, or leaves no doubt."""


def read_call(src: Source, at: int) -> tuple[Call, int] | None:
    """The call `f(a=1, "b")` at `at`, with where it ends; None where there is none."""
    try:
        return _read(src, at)
    except (Hopeless, BrokenOff):
        return None


def _read(src: Source, at: int) -> tuple[Call, int]:
    head = src.match(_CALL, at, reach=110)
    if head is None:
        raise Hopeless
    reader = _Python(src, head.end())
    try:
        reader.arguments(head.group(1))
    finally:
        src.spend(reader.at - at)
    name, named, placed = head.group(1), reader.named, reader.placed
    if not placed:
        return Call(name, named), reader.at
    if len(placed) == 1 and not named and isinstance(placed[0], dict):
        return Call(name, placed[0], ["arguments as one object"]), reader.at
    args = src.tools.positional(src.tools.resolve(name)[0], placed)
    call = Call(name, str(placed[0]) if args is None else {**args, **named}, ["arguments by place"])
    if args.keys() & named if args else named or len(placed) > 1:
        call.unread = src.text[head.end() : reader.at - 1]
    return call, reader.at


def read_lines(src: Source, at: int, *, fenced: bool = False, known: bool = False) -> Found | None:
    """Calls as lines of code: `f(a=1)`, `print(f(a=1))`. fenced: nothing between. known: tools on offer alone."""
    calls: list[Call] = []
    while True:
        printed = src.match(_PRINT, at, reach=24)
        read = read_call(src, printed.end() if printed else at)
        if read is None or (known and not src.tools.has(read[0].name)):
            break
        call, at = read
        call.name = call.name.removesuffix(".call")
        calls.append(call)
        if printed and src.starts(")", src.space(at)):
            at = src.space(at) + 1
        elif printed and fenced:
            return None
        separator = src.match(SPACE if fenced else _SEPARATOR, at, reach=8)
        at = separator.end() if separator else at
    return Found(at, calls) if calls else None


def read_list(src: Source, at: int, *, certain: bool = False) -> Found | None:
    """A list of calls. Unless `certain`, it counts where it ends the reply and names a tool on offer."""
    if src.match(_LIST, at, reach=110) is None:
        return None
    calls: list[Call] = []
    here = at + 1
    while True:
        try:
            call, end = _read(src, here)
        except Hopeless:
            return None
        except BrokenOff as broken:
            return Found(len(src.text), unfinished=str(broken), last=True) if src.tools.has(str(broken)) else None
        calls.append(call)
        end = src.space(end)
        char = src.text[end : end + 1]
        if char == "]":
            break
        if char not in (",", ";"):
            if not char and (certain or _known(src, calls)):
                return Found(end, calls, repairs=["a list without its end"], last=True)
            return None
        here = end + 1
    if certain:
        return Found(end + 1, calls)
    if src.starts("(", end + 1):
        return None  # the text of a link
    for call in calls:
        call.certain = False
    return Found(end + 1, calls, last=True) if _known(src, calls) else None


def read_named(src: Source, name_at: int, at: int) -> Found | None:
    """A tool's name at a line's start with its arguments at `at`: `name(…)`, `name{…}`, `name: {…}`."""
    if src.text[at] == "(":
        read = read_call(src, name_at)
        if read is None:
            return None
        call, end = read
        call.reader = CODE
    else:
        found = src.json(at)
        if found is None or not isinstance(found.value, dict) or found.inside:
            return None
        call = Call(
            _INDEX.sub("", src.text[name_at:at].strip(" \t\n:")), found.value, [*found.repairs, "a missing label"]
        )
        end = found.end
    call.certain = False
    return Found(end, [call], last=True) if src.match(_REST, end, reach=4) is not None else None


def _known(src: Source, calls: list[Call]) -> bool:
    return any(src.tools.resolve(call.name)[0] in src.tools for call in calls)


class _Python(Lenient):
    """Arguments that are literals: strings, numbers, lists, tuples, dicts, True, False, None, and JSON's.

    Raises `Hopeless` for anything else, `BrokenOff` where the text ends inside of them, `More` where it may go on.
    """

    opens = frozenset("[({")
    closers = "])}"
    bare = re.compile(r"[^,;:{}\[\]()\n\"'#]*")

    def __init__(self, src: Source, at: int) -> None:
        super().__init__(src.text, at, src.final)
        self.named: dict[str, Any] = {}
        self.placed: list[Any] = []
        self._raw = False

    def arguments(self, name: str) -> None:
        """Read those of the call of `name`, by name and by place, up to the closing parenthesis."""
        while (char := self._peek()) != ")":
            if self.named or self.placed:
                if char not in ("", ","):
                    raise Hopeless
                self.at += 1
                if self._peek() == ")":
                    break
            key = _KEY.match(self.text, self.at)
            if key is None and not self.final and len(self.text) - self.at < 110:
                raise More
            self.at = key.end() if key else self.at
            value = clean(self.value(0))
            if self.cut:
                raise BrokenOff(name)
            if not _MENDED.issuperset(self.repairs) or (key and key.group(1) in self.named):
                raise Hopeless
            if key is None:
                self.placed.append(value)
            else:
                self.named[key.group(1)] = value
        self.at += 1

    def value(self, depth: int) -> Any:
        self._peek()
        prefix = _PREFIX.match(self.text, self.at)
        if prefix is None:
            return super().value(depth)
        self.at = prefix.end()
        self._raw = "r" in prefix.group().lower()
        return self._string(key=False, inside="")

    def _string(self, *, key: bool, inside: str) -> str:
        if not self.final and len(self.text) - self.at < 3:
            raise More
        mark = self.text[self.at] * 3
        if not self.text.startswith(mark, self.at):
            return super()._string(key=key, inside=inside)
        body = self._up_to(mark)
        return body if self._raw else _ESCAPE.sub(_unescaped, body)

    def _escape(self, at: int, parts: list[str]) -> int:
        escape = _ESCAPE.match(self.text, at)
        if escape is None:
            return super()._escape(at, parts)
        parts.append(escape.group() if self._raw else _unescaped(escape))
        return escape.end()

    def _closes(self, at: int, *, key: bool, inside: str) -> bool:
        return self._ahead(at + 1)[1] in ",)]}:+"

    def _scalar(self) -> Any:
        number = _NUMBER.match(self.text, self.at)
        if not self.final and len(self.text) - (number.end() if number else self.at) < 6:
            raise More
        if number is None:
            return super()._scalar()
        self.at = number.end()
        plain = number.group().replace("_", "")
        with suppress(ValueError):
            return int(plain)
        with suppress(ValueError):
            value = float(plain)
            return value if isfinite(value) else plain
        raise Hopeless


def _unescaped(match: re.Match[str]) -> str:
    escape = match.group(1)
    if len(escape) > 1:
        return chr(int(escape[1:], 16)) if int(escape[1:], 16) <= sys.maxunicode else match.group()
    return _ESCAPES.get(escape, match.group())
