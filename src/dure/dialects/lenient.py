"""JSON that is malformed or breaks off, read all the same, with notes of what was mended.

Trailing, missing or doubled commas, single, smart and full-width quotes, braces and colons, Python's and JavaScript's
literals, unquoted keys, comments, raw newlines, unescaped inner quotes, bad escapes, and a missing end.
"""

import json
import re
from typing import Any

from dure.patterns import later

DEPTH = 64
"""Nesting beyond this is not a call's arguments."""

NO_END = "JSON without its end"
"""The repair's name that tells a call which may be cut short."""

TWICE = "a key given twice"
"""The repair's name that tells arguments of which one was overwritten."""


class More(Exception):
    """What stands here can only be judged once more of the text is known."""


OPEN = frozenset("{[｛［【")
_OBJECT = "{｛"
_QUOTES = {
    '"': '"', "'": "'", "`": "`", "“": '”“"', "”": '”"', "„": '“”"', "‘": "’‘'", "’": "’'", "＂": "＂", "＇": "＇",
    "「": "」", "『": "』",
}  # fmt: skip
_COMMAS = ",，、;；"
_COLONS = ":：="
_LITERALS = {"true": True, "false": False, **dict.fromkeys(("null", "none", "undefined", "nan"))}
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_COMMENT = 1000
"""A comment between `/*` and `*/` is not longer: looking for an end that is not there must stay cheap."""
_SPACE = later(rf"(?:[\s\ufeff\u00a0]+|//[^\n]*|#[^\n]*|/\*(?s:.){{0,{_COMMENT}}}?\*/)*+")
_PLAIN = later(r"[ \t\r\n]*")
_NUMBER = later(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_WORD = later(r"[^\s,，:：{}\[\]\"'“”｛｝<>]+(?: [^\s,，:：{}\[\]\"'“”｛｝<>]+){0,8}+")
_ITEM = later(r"[\"'“‘＂{\[｛\d-]|true|false|null")
_CONTROL = later(r"[\x00-\x09\x0b-\x1f]")
_KEY_AHEAD = later(r"""\s*(?:["“'＂‘][^"”'＂’\n]{0,80}["”'＂’]|[A-Za-z_][\w.-]{0,80})\s*[:：]""")
_KEY_CUT = later(r"""\s*(?:["“'＂‘][^"”'＂’\n]{0,80}["”'＂’]?|[A-Za-z_][\w.-]{0,80})\s*\Z""")
_STOPS = {quote: later(f"[\\\\\n{re.escape(closing)}]") for quote, closing in _QUOTES.items()}


def past(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where what `pattern` matches at `at` ends: there, where it does not."""
    match = pattern.match(text, at)
    return match.end() if match else at


class Hopeless(Exception):
    """What stands here is no JSON, however leniently read."""


class Lenient:
    """Recursive descent over one value; every character is looked at a bounded number of times."""

    opens = OPEN
    closers = "}]｝］】"
    bare = re.compile(r"[^,，;；{}\[\]｛｝\n\"]*")
    """A value without quotes."""

    def __init__(self, text: str, at: int, final: bool) -> None:
        self.text = text
        self.at = at
        self.final = final
        self.repairs: list[str] = []
        self.cut = False
        self.inside = False
        """As of `json_scan.Json`."""

    def value(self, depth: int) -> Any:
        if depth > DEPTH:
            raise Hopeless
        char = self._peek()
        if char in self.opens:
            return self._container(depth)
        if char in _QUOTES:
            return self._string(key=False, inside="}")
        marked = self._marked()
        return self._scalar() if marked is None else marked

    def _marked(self) -> str | None:
        """A string between marks, in which nothing is escaped; None where none begins."""
        rest = self.text[self.at : self.at + 8]
        mark = next((each for each in _MARKS if rest and (rest.startswith(each) or each.startswith(rest))), None)
        return self._up_to(mark) if mark else None

    def _up_to(self, mark: str) -> str:
        """What stands between two marks, of which the first is here."""
        start = self.at + len(mark)
        end = self.text.find(mark, start)
        if end < 0 and not self.final:
            raise More
        if end < 0:
            self._broke_off(inside=True)
        self.at = end + len(mark) if end >= 0 else len(self.text)
        return self.text[start : end if end >= 0 else None]

    def _peek(self) -> str:
        """The next character that is no space or comment, `""` at the end."""
        end = past(_PLAIN, self.text, self.at)
        if self.text[end : end + 1] in ("/", "#", "\ufeff", "\u00a0", "\u3000"):
            behind = past(_SPACE, self.text, end)
            if behind > end:
                self.repairs.append("a comment in JSON")
                end = behind
            if not self.final and self.text[end : end + 1] == "/" and len(self.text) - end < _COMMENT + 4:
                raise More
        self.at = end
        if end >= len(self.text):
            if not self.final:
                raise More
            return ""
        return self.text[end]

    def _broke_off(self, *, inside: bool) -> None:
        if not self.cut:
            self.cut, self.inside = True, inside
            self.repairs.append(NO_END)

    def _container(self, depth: int) -> dict[str, Any] | list[Any]:
        keyed = self.text[self.at] in _OBJECT
        if self.text[self.at] not in "{[(":
            self.repairs.append("full-width brackets")
        self.at += 1
        found: dict[str, Any] | list[Any] = {} if keyed else []
        fresh = True
        while True:
            char = self._peek()
            if char == "":
                self._broke_off(inside=fresh and bool(found))
                return found
            if char in self.closers:
                if not keyed and char in "}｝" and depth:
                    self.repairs.append("a missing closing bracket")
                    return found
                self.at += 1
                if fresh and found:
                    self.repairs.append("a trailing comma")
                if keyed and char != "}":
                    self.repairs.append("a wrong closing bracket")
                return found
            if char in _COMMAS:
                self.at += 1
                if char != ",":
                    self.repairs.append("a full-width comma" if keyed else "a separator that is no comma")
                elif fresh and keyed:
                    self.repairs.append("a comma too many")
                fresh = True
                continue
            if not fresh:
                ahead = char in _QUOTES if keyed else _ITEM.match(self.text, self.at)
                if not ahead or self.text.startswith("```", self.at):
                    # What follows is no member any more: only the bracket is missing.
                    self._broke_off(inside=False)
                    return found
                self.repairs.append("a missing comma")
            self._member(found, depth)
            if self.cut:
                return found
            fresh = False

    def _member(self, found: dict[str, Any] | list[Any], depth: int) -> None:
        if isinstance(found, list):
            quoted = self.text[self.at] in _QUOTES
            item = self._string(key=False, inside="]") if quoted else self.value(depth + 1)
            if item is not _NOTHING:
                found.append(item)
            return
        key = self._key()
        if key is None:
            self._broke_off(inside=True)
            return
        value = self.value(depth + 1)
        if value is not _NOTHING:
            if found.get(key, value) != value:
                self.repairs.append(TWICE)
            found[key] = value

    def _key(self) -> str | None:
        char = self.text[self.at]
        if char in _QUOTES:
            key: str | None = self._string(key=True, inside="}")
            if self.cut:
                return None
        elif (key := self._marked()) is None:
            match = _WORD.match(self.text, self.at)
            if match is None:
                raise Hopeless
            key = match.group()
            self.at = match.end()
            self.repairs.append("a key without quotes")
        char = self._peek()
        if char == "":
            return None
        if char not in _COLONS:
            raise Hopeless
        if char != ":":
            self.repairs.append("a full-width colon")
        self.at += 1
        if self._peek() == ":":
            self.at += 1
            self.repairs.append("a colon too many")
        return key

    def _scalar(self) -> Any:
        text, at = self.text, self.at
        if at >= len(text):
            self._broke_off(inside=True)
            return _NOTHING
        match = self.bare.match(text, at)
        assert match is not None
        word = match.group().split("//", 1)[0].rstrip()
        self.at = at + len(word)
        if match.end() >= len(text):
            if not self.final:
                raise More
            self._broke_off(inside=True)
        if not word:
            raise Hopeless
        number = _NUMBER.fullmatch(word)
        if number:
            return json.loads(word) if len(word) < 4000 else word
        if word in ("true", "false", "null"):
            return _LITERALS[word]
        if word.lower() in _LITERALS:
            self.repairs.append("a literal of another language")
            return _LITERALS[word.lower()]
        self.repairs.append("a value without quotes")
        return word

    def _string(self, *, key: bool, inside: str) -> str:
        text = self.text
        quote = text[self.at]
        stops = _STOPS[quote]
        if quote != '"':
            self.repairs.append("quotes that are not JSON's")
        parts: list[str] = []
        at = self.at + 1
        while True:
            match = stops.search(text, at)
            if match is None:
                if not self.final:
                    raise More
                parts.append(text[at:])
                self.at = len(text)
                self._broke_off(inside=True)
                return "".join(parts)
            stop = match.start()
            parts.append(text[at:stop])
            char = text[stop]
            if char == "\n":
                parts.append(char)
                self.repairs.append("a raw newline in a string")
                at = stop + 1
            elif char == "\\":
                at = self._escape(stop, parts)
            elif self._closes(stop, key=key, inside=inside):
                if _CONTROL.search(text, self.at, stop):
                    self.repairs.append("a raw control character in a string")
                self.at = stop + 1
                return "".join(parts)
            else:
                parts.append(char)
                self.repairs.append("an unescaped quote in a string")
                at = stop + 1

    def _escape(self, at: int, parts: list[str]) -> int:
        char = self.text[at + 1 : at + 2]
        if not char:
            if not self.final:
                raise More
            return at + 1
        if char in _ESCAPES:
            parts.append(_ESCAPES[char])
            return at + 2
        if char == "u":
            digits = self.text[at + 2 : at + 6]
            if len(digits) < 4 and not self.final:
                raise More
            if re.fullmatch("[0-9a-fA-F]{4}", digits):
                parts.append(chr(int(digits, 16)))
                return at + 6
        self.repairs.append("a bad escape")
        # \' and an escaped line end stand for the character; of others (\d, \_) the backslash was meant.
        parts.append(char if char in "'`\n" else "\\" + char)
        return at + 2

    def _closes(self, at: int, *, key: bool, inside: str) -> bool:
        """Whether the quote at `at` ends the string, judged by what follows it."""
        after, char = self._ahead(at + 1)
        if char == "" or key:
            return char in ":："
        if char in self.closers or self.text.startswith(("</", "<|", "```"), after):
            return True  # the brackets are missing where markup follows
        if char in ",，":
            return self._item_ahead(after + 1, inside)
        if char in "/#":
            return self.text[after : after + 2] in ("//", "/*") or char == "#"
        if inside == "}" and (after > at + 1 or char in "\"'"):
            return _KEY_AHEAD.match(self.text, after) is not None and "\n" in self.text[at + 1 : after]
        return inside == "]" and "\n" in self.text[at + 1 : after] and char in '"“'

    def _ahead(self, at: int) -> tuple[int, str]:
        """The next character that is no space, `""` at the end, and where it stands."""
        after = past(_PLAIN, self.text, at)
        if after == len(self.text) and not self.final:
            raise More
        return after, self.text[after : after + 1]

    def _item_ahead(self, at: int, inside: str) -> bool:
        after, char = self._ahead(at)
        if char in self.closers or char in "/#":
            return True
        if inside == "]":
            return char in _QUOTES or char in OPEN or char in "-0123456789tfnTFN"
        if _KEY_AHEAD.match(self.text, after):
            return True
        if not self.final and len(self.text) - after < 200:
            raise More
        return _KEY_CUT.match(self.text, after) is not None


_MARKS = ('<|"|>', "<escape>")
"""What stands for quotes in Gemma's notation."""
_NOTHING: Any = object()
"""Stands for the value that the text broke off before."""
