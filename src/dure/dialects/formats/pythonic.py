"""Python-like calls: `[f(a=1), g()]` (Llama 4, OLMo 3, LFM2, Gemma 3), also bare `f(a=1)`; parsed, never evaluated.

The list form is that of Meta's Llama 4 prompt format: keyword arguments with Python literals, JSON's ones too.
"""

import re
from typing import Any

from dure.dialects.formats.base import Call, Found
from dure.dialects.json_scan import clean
from dure.dialects.lenient import DEPTH, More
from dure.dialects.source import Source

NAME = r"[A-Za-z_가-힣][\w.\-/]{0,99}"
_CALL = re.compile(rf"\s*({NAME})[ \t]*\(")
_LIST = re.compile(rf"\[\s*(?:{NAME})[ \t]*\(")
_INDEX = re.compile(r":\d+$")
_REST = re.compile(r"[ \t;,]*(?=\n|$|```)")
_KEY = re.compile(r"\s*([A-Za-z_가-힣][\w\-]{0,99})\s*=(?!=)\s*")
_SPACE = re.compile(r"\s*")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_PRINT = re.compile(r"\s*print\s*\(\s*(?=[A-Za-z_])")
_SEPARATOR = re.compile(r"\s*[;,]?\s*")
_WORD = re.compile(r"[A-Za-z_]\w*")
_LITERALS = {"True": True, "true": True, "False": False, "false": False, "None": None, "null": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "0": "\0", "\n": ""}
_STRING_STOPS = {quote: re.compile(rf"[\\{quote}]") for quote in "\"'"}
_PREFIX = re.compile(r"[rRbBuUfF]{0,2}(?=[\"'])")


class _NotPython(Exception):
    """What stands here is no call with literal arguments."""


class _CutOff(Exception):
    """The text ends inside the call."""


def read_call(src: Source, at: int) -> tuple[Call, int] | None:
    """The call `f(a=1, "b")` at `at`, with where it ends; None where there is none."""
    head = src.match(_CALL, at, reach=110)
    if head is None:
        return None
    reader = _Literals(src, head.end())
    try:
        named, placed = reader.arguments()
    except (_NotPython, _CutOff):
        src.spend(reader.at - at)
        return None
    src.spend(reader.at - at)
    return _call(src, head.group(1), named, placed), reader.at


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
        if read is None or (known and src.tools.resolve(read[0].name)[0] not in src.tools.schemas):
            break
        call, at = read
        call.name = call.name.removesuffix(".call")
        calls.append(call)
        if printed and src.starts(")", src.space(at)):
            at = src.space(at) + 1
        elif printed and fenced:
            return None
        separator = src.match(_SPACE if fenced else _SEPARATOR, at, reach=8)
        at = separator.end() if separator else at
    return Found(at, calls) if calls else None


def read_list(src: Source, at: int, *, certain: bool = False) -> Found | None:
    """A list of calls. Unless `certain`, it counts where it ends the reply and names a tool on offer."""
    if src.match(_LIST, at, reach=110) is None:
        return None
    calls: list[Call] = []
    here = at + 1
    while True:
        head = src.match(_CALL, here, reach=110)
        if head is None:
            return None
        reader = _Literals(src, head.end())
        try:
            named, placed = reader.arguments()
            calls.append(_call(src, head.group(1), named, placed))
            end = reader.skip()
        except _NotPython:
            src.spend(reader.at - at)
            return None
        except _CutOff:
            src.spend(reader.at - at)
            known = src.tools.resolve(head.group(1))[0] in src.tools.schemas
            return Found(len(src.text), [], unfinished=head.group(1), last=True) if known else None
        src.spend(end - at)
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
        if found is None or not isinstance(found.value, dict) or (found.cut is not None and found.cut.inside):
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


class _Literals:
    """Reads arguments that are literals: strings, numbers, lists, tuples, dicts, True, False, None."""

    def __init__(self, src: Source, at: int) -> None:
        self.src = src
        self.text = src.text
        self.at = at

    def skip(self) -> int:
        match = _SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        if self.at >= len(self.text) and not self.src.final:
            raise More
        return self.at

    def _char(self) -> str:
        self.skip()
        if self.at >= len(self.text):
            raise _CutOff
        return self.text[self.at]

    def arguments(self) -> tuple[dict[str, Any], list[Any]]:
        """Everything up to the closing parenthesis."""
        named: dict[str, Any] = {}
        placed: list[Any] = []
        while True:
            if self._char() == ")":
                self.at += 1
                return named, placed
            key = _KEY.match(self.text, self.at)
            if key is None and not self.src.final and len(self.text) - self.at < 110:
                raise More
            if key is not None:
                self.at = key.end()
                named[key.group(1)] = self.value(0)
            else:
                placed.append(self.value(0))
            if self._char() == ",":
                self.at += 1
            elif self._char() != ")":
                raise _NotPython

    def value(self, depth: int) -> Any:
        char = self._char()
        if depth > DEPTH:
            raise _NotPython
        if char in "[(":
            return self._sequence("]" if char == "[" else ")", depth)
        if char == "{":
            return self._dict(depth)
        prefix = _PREFIX.match(self.text, self.at)
        if char in "\"'" or (prefix is not None and prefix.end() > self.at):
            if prefix is not None:
                self.at = prefix.end()
            return self._string(raw=prefix is not None and "r" in prefix.group().lower())
        number = _NUMBER.match(self.text, self.at)
        if not self.src.final and len(self.text) - (number.end() if number else self.at) < 6:
            raise More
        if number is not None:
            self.at = number.end()
            return _number(number.group())
        word = _WORD.match(self.text, self.at)
        if word is None or word.group() not in _LITERALS:
            raise _NotPython
        self.at = word.end()
        return _LITERALS[word.group()]

    def _sequence(self, closing: str, depth: int) -> list[Any]:
        self.at += 1
        found: list[Any] = []
        while self._char() != closing:
            found.append(self.value(depth + 1))
            if self._char() == ",":
                self.at += 1
            elif self._char() != closing:
                raise _NotPython
        self.at += 1
        return found

    def _dict(self, depth: int) -> dict[str, Any]:
        self.at += 1
        found: dict[str, Any] = {}
        while self._char() != "}":
            key = self.value(depth + 1)
            if self._char() != ":":
                raise _NotPython
            self.at += 1
            found[key if isinstance(key, str) else str(key)] = self.value(depth + 1)
            if self._char() == ",":
                self.at += 1
            elif self._char() != "}":
                raise _NotPython
        self.at += 1
        return found

    def _string(self, *, raw: bool) -> str:
        quote = self.text[self.at]
        if not self.src.final and len(self.text) - self.at < 3:
            raise More
        if self.text.startswith(quote * 3, self.at):
            return self._long(quote * 3)
        stops = _STRING_STOPS[quote]
        at = self.at + 1
        parts: list[str] = []
        while True:
            match = stops.search(self.text, at)
            if match is None:
                self._out()
                raise _CutOff
            parts.append(self.text[at : match.start()])
            at = match.end()
            if match.group() == quote:
                if self._ends(at):
                    break
                parts.append(quote)
                continue
            at = self._escape(at, parts, raw)
        self.at = at
        return "".join(parts)

    def _ends(self, at: int) -> bool:
        """Whether a quote before `at` ends the string, judged by what follows: models forget to escape apostrophes."""
        match = _SPACE.match(self.text, at)
        assert match is not None
        after = self.text[match.end() : match.end() + 1]
        if after == "":
            if not self.src.final:
                raise More
            return True
        return after in ",)]}:+"

    def _escape(self, at: int, parts: list[str], raw: bool) -> int:
        char = self.text[at : at + 1]
        if not char:
            self._out()
            raise _CutOff
        width = {"x": 2, "u": 4, "U": 8}.get(char, 0)
        if raw:
            parts.append("\\" + char)
        elif width:
            digits = self.text[at + 1 : at + 1 + width]
            if len(digits) < width:
                self._out()
            try:
                parts.append(clean(chr(int(digits, 16))))
            except (ValueError, OverflowError):
                parts.append("\\" + char)
                return at + 1
            return at + 1 + width
        elif char in _ESCAPES:
            parts.append(_ESCAPES[char])
        else:
            parts.append(char if char in "\\\"'" else "\\" + char)
        return at + 1

    def _long(self, quotes: str) -> str:
        end = self.text.find(quotes, self.at + 3)
        if end < 0:
            self._out()
            raise _CutOff
        body = self.text[self.at + 3 : end]
        self.at = end + 3
        parts: list[str] = []
        at = 0
        while (slash := body.find("\\", at)) >= 0 and slash + 1 < len(body):
            char = body[slash + 1]
            parts += [body[at:slash], _ESCAPES.get(char, char if char in "\\\"'" else "\\" + char)]
            at = slash + 2
        return "".join(parts) + body[at:]

    def _out(self) -> None:
        self.at = len(self.text)
        if not self.src.final:
            raise More


def _number(text: str) -> Any:
    plain = text.replace("_", "")
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        value = float(plain)
    except ValueError as error:
        raise _NotPython from error
    return value if value - value == 0 else text
