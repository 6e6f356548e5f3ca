"""`<|tool_call>call:N{k:<|"|>v<|"|>}<tool_call|>`: Gemma 4, and FunctionGemma's `<start_function_call>…<escape>`.

The notation of Gemma 4's chat template: keys without quotes, strings between string marks and unescaped, numbers,
true, false and null as in JSON.
"""

import re
from typing import Any

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.lenient import DEPTH, More
from dure.dialects.offered import decoded
from dure.dialects.source import Source

_OPENINGS = {"<|tool_call>": "<tool_call|>", "<start_function_call>": "<end_function_call>", "\ncall:": ""}
_HEAD = re.compile(r"\s*call:\s*([^\s{}<>:]{1,200}|[^\s{}<>]{1,200})\s*\{")
_MARKS = ('<|"|>', "<escape>")
_KEY = re.compile(r"\s*(?:<\|\"\|>|<escape>|\")?([^:{}\[\]<>,\"]{1,200}?)(?:<\|\"\|>|<escape>|\")?\s*:\s*")
_SPACE = re.compile(r"\s*")
_BARE = re.compile(r"[^,{}\[\]<]*")


class _Broken(Exception):
    """What stands here is not the notation."""


class _CutOff(Exception):
    """The text ends inside a value."""


def scan(src: Source, at: int, marker: str) -> Found | None:
    text = src.text
    explicit = marker != "\ncall:"
    start = at + (len(marker) if explicit else 1)
    head = src.match(_HEAD, start, reach=240)
    if head is None:
        cut = explicit and src.broken_off(start) and text.find("<", start) < 0
        return Found(len(text), unfinished="?") if cut else None
    name = head.group(1)
    known = src.tools.resolve(name)[0] in src.tools.schemas
    if not explicit and not known:
        return None
    src.name(src.tools.resolve(name)[0])
    reader = _Notation(src, head.end())
    try:
        args = reader.object(0)
    except _CutOff:
        src.spend(len(text) - at)
        return Found(len(text), unfinished=name)
    except _Broken:
        src.spend(reader.at - at)
        return _as_json(src, name, head.end() - 1)
    src.spend(reader.at - at)
    return Found(_closed(src, reader.at, _OPENINGS[marker]), [Call(name, args)])


def _closed(src: Source, at: int, closing: str) -> int:
    end = src.space(at)
    if closing and src.starts(closing, end):
        return end + len(closing)
    return at


def _as_json(src: Source, name: str, at: int) -> Found | None:
    """Arguments written as JSON in place of the notation."""
    found = src.json(at)
    if found is None or not isinstance(found.value, dict) or found.cut is not None:
        return None
    return Found(found.end, [Call(name, found.value, [*found.repairs, "JSON in place of Gemma's notation"])])


class _Notation:
    def __init__(self, src: Source, at: int) -> None:
        self.src = src
        self.text = src.text
        self.at = at

    def _char(self) -> str:
        match = _SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        if self.at >= len(self.text):
            self._out()
        return self.text[self.at]

    def _out(self) -> None:
        if not self.src.final:
            raise More
        raise _CutOff

    def object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while True:
            char = self._char()
            if char == "}":
                self.at += 1
                return found
            if char == ",":
                self.at += 1
                continue
            key = _KEY.match(self.text, self.at)
            if key is None:
                if len(self.text) - self.at < 220 and "}" not in self.text[self.at :]:
                    self._out()
                raise _Broken
            if key.end() >= len(self.text):
                self._out()
            self.at = key.end()
            found[key.group(1).strip()] = self._value(depth + 1)

    def _value(self, depth: int) -> Any:
        if depth > DEPTH:
            raise _Broken
        char = self._char()
        if char == "{":
            self.at += 1
            return self.object(depth)
        if char == "[":
            self.at += 1
            return self._array(depth)
        for mark in _MARKS:
            if self.text.startswith(mark, self.at):
                return self._string(mark)
            if mark.startswith(self.text[self.at :]):
                self._out()
        if char == '"':
            return self._quoted()
        match = _BARE.match(self.text, self.at)
        assert match is not None
        if match.end() >= len(self.text):
            self._out()
        word = match.group().strip()
        self.at = match.end()
        if not word:
            raise _Broken
        return decoded(word)

    def _array(self, depth: int) -> list[Any]:
        found: list[Any] = []
        while True:
            char = self._char()
            if char == "]":
                self.at += 1
                return found
            if char == ",":
                self.at += 1
                continue
            found.append(self._value(depth + 1))

    def _string(self, mark: str) -> str:
        start = self.at + len(mark)
        end = self.text.find(mark, start)
        if end < 0:
            self._out()
        self.at = end + len(mark)
        return self.text[start:end]

    def _quoted(self) -> str:
        end = self.at + 1
        while True:
            end = self.text.find('"', end)
            if end < 0:
                self._out()
            match = _SPACE.match(self.text, end + 1)
            assert match is not None
            if match.end() >= len(self.text):
                self._out()
            if self.text[match.end()] in ",}]" and not self._escaped(end):
                break
            end += 1
        raw = self.text[self.at : end + 1]
        self.at = end + 1
        value = decoded(raw)
        return raw[1:-1] if value == raw else value

    def _escaped(self, at: int) -> bool:
        start = at
        while self.text[start - 1] == "\\":
            start -= 1
        return (at - start) % 2 == 1


FORMAT = Format("gemma", tuple(_OPENINGS), scan)
