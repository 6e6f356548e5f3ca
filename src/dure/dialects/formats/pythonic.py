"""Python-like calls: `[f(a=1), g()]` (Llama 4, OLMo 3, LFM2, Gemma 3), also bare `f(a=1)`; parsed, never evaluated.

The list form is that of Meta's Llama 4 prompt format: keyword arguments with Python literals, JSON's ones too.
"""

import re
import sys
from typing import Any, NoReturn

from dure.dialects.formats.base import Call, Found
from dure.dialects.json_scan import clean
from dure.dialects.lenient import DEPTH, More, past
from dure.dialects.source import SPACE, BrokenOff, Source

NAME = r"[A-Za-z_가-힣][\w.\-/]{0,99}"
_CALL = re.compile(rf"\s*({NAME})[ \t]*\(")
_LIST = re.compile(rf"\[\s*(?:{NAME})[ \t]*\(")
_INDEX = re.compile(r":\d+$")
_REST = re.compile(r"[ \t;,]*(?=\n|$|```)")
_KEY = re.compile(r"\s*([A-Za-z_가-힣][\w\-]{0,99})\s*=(?!=)\s*")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_PRINT = re.compile(r"\s*print\s*\(\s*(?=[A-Za-z_])")
_SEPARATOR = re.compile(r"\s*[;,]?\s*")
_WORD = re.compile(r"[A-Za-z_]\w*")
_LITERALS = {"True": True, "true": True, "False": False, "false": False, "None": None, "null": None}
_ESCAPE = re.compile(r"(?s)\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|.)")
_ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "0": "\0", "\n": "",
    "\\": "\\", '"': '"', "'": "'",
}  # fmt: skip
_PREFIX = re.compile(r"[rRbBuUfF]{0,2}(?=[\"'])")
_STRINGS = {quote: re.compile(rf"(?s)[^\\{quote}]*+(?:\\.[^\\{quote}]*+)*+{quote}") for quote in "\"'"}


class Broken(Exception):
    """What stands here is no call."""


class CutOff(Exception):
    """The text ends inside a value."""


def read_call(src: Source, at: int) -> tuple[Call, int] | None:
    """The call `f(a=1, "b")` at `at`, with where it ends; None where there is none."""
    try:
        return _read(src, at)
    except (Broken, BrokenOff):
        return None


def _read(src: Source, at: int) -> tuple[Call, int]:
    head = src.match(_CALL, at, reach=110)
    if head is None:
        raise Broken
    reader = _Python(src, head.end())
    try:
        reader.arguments()
    except CutOff:
        raise BrokenOff(head.group(1)) from None
    finally:
        src.spend(reader.at - at)
    return _call(src, head.group(1), reader.named, reader.placed), reader.at


def _call(src: Source, name: str, named: dict[str, Any], placed: list[Any]) -> Call:
    if not placed:
        return Call(name, named)
    resolved, _ = src.tools.resolve(name)
    if len(placed) == 1 and not named and isinstance(placed[0], dict):
        return Call(name, placed[0], ["arguments as one object"])
    args = src.tools.positional(resolved, placed)
    if args is None:
        return Call(name, str(placed[0]), ["arguments by place"])
    return Call(name, {**args, **named}, ["arguments by place"])


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
        except Broken:
            return None
        except BrokenOff as broken:
            known = src.tools.has(str(broken))
            return Found(len(src.text), unfinished=str(broken), last=True) if known else None
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
    else:
        found = src.json(at)
        if found is None or not isinstance(found.value, dict) or (found.inside):
            return None
        call = Call(
            _INDEX.sub("", src.text[name_at:at].strip(" \t\n:")), found.value, [*found.repairs, "a missing label"]
        )
        end = found.end
    call.certain = False
    rest = src.match(_REST, end, reach=4)
    return Found(end, [call], last=True) if rest is not None else None


def _known(src: Source, calls: list[Call]) -> bool:
    return any(src.tools.resolve(call.name)[0] in src.tools for call in calls)


class _Python:
    """Arguments that are literals: strings, numbers, lists, tuples, dicts, True, False, None.

    Raises `Broken` for anything else, `CutOff` where the text ends inside of them, `More` where it may go on.
    """

    def __init__(self, src: Source, at: int) -> None:
        self.src = src
        self.text = src.text
        self.at = at
        self.named: dict[str, Any] = {}
        self.placed: list[Any] = []

    def arguments(self) -> None:
        """Read those by name and those by place, up to the closing parenthesis."""
        while self._goes_on(")", bool(self.named or self.placed)):
            key = _KEY.match(self.text, self.at)
            if key is None and not self.src.final and len(self.text) - self.at < 110:
                raise More
            if key is None:
                self.placed.append(self.value(0))
            else:
                self.at = key.end()
                self.named[key.group(1)] = self.value(0)

    def _char(self) -> str:
        """The next character that is no white space."""
        self.at = past(SPACE, self.text, self.at)
        return self.text[self.at] if self.at < len(self.text) else self._out()

    def _goes_on(self, closing: str, begun: bool) -> bool:
        """Whether another item follows, behind a comma where some came before; else past `closing`."""
        char = self._char()
        if begun and char not in (",", closing):
            raise Broken
        if char == ",":
            self.at += 1
            char = self._char()
        self.at += char == closing
        return char != closing

    def _out(self) -> NoReturn:
        """The text ends here."""
        self.at = len(self.text)
        raise CutOff if self.src.final else More

    def value(self, depth: int) -> Any:
        char = self._char()
        if depth > DEPTH:
            raise Broken
        if char in "[(":
            self.at += 1
            found: list[Any] = []
            while self._goes_on("]" if char == "[" else ")", bool(found)):
                found.append(self.value(depth + 1))
            return found
        if char == "{":
            self.at += 1
            return self._dict(depth)
        prefix = _PREFIX.match(self.text, self.at)
        if prefix is not None:
            self.at = prefix.end()
            return self._string(raw="r" in prefix.group().lower())
        number = _NUMBER.match(self.text, self.at)
        if not self.src.final and len(self.text) - (number.end() if number else self.at) < 6:
            raise More
        if number is not None:
            self.at = number.end()
            return _number(number.group())
        word = _WORD.match(self.text, self.at)
        if word is None or word.group() not in _LITERALS:
            raise Broken
        self.at = word.end()
        return _LITERALS[word.group()]

    def _dict(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self._goes_on("}", bool(found)):
            key = self.value(depth + 1)
            if self._char() != ":":
                raise Broken
            self.at += 1
            found[key if isinstance(key, str) else str(key)] = self.value(depth + 1)
        return found

    def _string(self, *, raw: bool) -> str:
        quote = self.text[self.at]
        if not self.src.final and len(self.text) - self.at < 3:
            raise More
        mark = quote * 3 if self.text.startswith(quote * 3, self.at) else quote
        start = self.at + len(mark)
        end = self.text.find(mark, start) if mark != quote else self._closing(quote, start)
        if end < 0:
            self._out()
        self.at = end + len(mark)
        body = self.text[start:end]
        return body if raw else str(clean(_ESCAPE.sub(_unescaped, body)))

    def _closing(self, quote: str, at: int) -> int:
        """Where the quote stands that ends the string whose text begins at `at`, -1 for none.

        Models forget to escape inner ones, so one counts that nothing, or what goes on behind a value, comes after.
        """
        while match := _STRINGS[quote].match(self.text, at):
            at = match.end()
            behind = past(SPACE, self.text, at)
            after = self.text[behind : behind + 1]
            if not after and not self.src.final:
                raise More
            if after in ",)]}:+":
                return at - 1
        return -1


def _unescaped(match: re.Match[str]) -> str:
    escape = match.group(1)
    if len(escape) > 1:
        return chr(int(escape[1:], 16)) if int(escape[1:], 16) <= sys.maxunicode else match.group()
    return _ESCAPES.get(escape, match.group())


def _number(text: str) -> Any:
    plain = text.replace("_", "")
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        value = float(plain)
    except ValueError as error:
        raise Broken from error
    return value if value - value == 0 else text
