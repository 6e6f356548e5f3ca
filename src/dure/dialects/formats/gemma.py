"""`<|tool_call>call:N{k:<|"|>v<|"|>}<tool_call|>`: Gemma 4, and FunctionGemma's `<start_function_call>…<escape>`.

The notation of Gemma 4's chat template: keys without quotes, strings between string marks and unescaped, numbers,
true, false and null as in JSON.
"""

import re
from typing import Any

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.formats.blocks import past
from dure.dialects.formats.literals import Broken, CutOff, Literals
from dure.dialects.lenient import DEPTH
from dure.dialects.offered import decoded
from dure.dialects.source import BrokenOff, Source

_OPENINGS = {"<|tool_call>": "<tool_call|>", "<start_function_call>": "<end_function_call>", "\ncall:": ""}
_HEAD = re.compile(r"\s*call:\s*([^\s{}<>:]{1,200}|[^\s{}<>]{1,200})\s*\{")
_MARKS = ('<|"|>', "<escape>")
_KEY = re.compile(r"\s*(?:<\|\"\|>|<escape>|\")?([^:{}\[\]<>,\"]{1,200}?)(?:<\|\"\|>|<escape>|\")?\s*:\s*")
_BARE = re.compile(r"[^,{}\[\]<]*")


def scan(src: Source, at: int, marker: str) -> Found | None:
    text = src.text
    explicit = marker != "\ncall:"
    start = at + (len(marker) if explicit else 1)
    head = src.match(_HEAD, start, reach=240)
    if head is None:
        cut = explicit and src.broken_off(start) and text.find("<", start) < 0
        return Found(len(text), unfinished="?") if cut else None
    name = head.group(1)
    known = src.tools.has(name)
    if not explicit and not known:
        return None
    src.name(name)
    reader = _Notation(src, head.end())
    try:
        args = reader.object(0)
    except CutOff:
        raise BrokenOff(name) from None
    except Broken:
        return _as_json(src, name, head.end() - 1, _OPENINGS[marker])
    finally:
        src.spend(reader.at - at)
    return past(src, Found(reader.at, [Call(name, args)]), _OPENINGS[marker])


def _as_json(src: Source, name: str, at: int, closing: str) -> Found | None:
    """Arguments written as JSON in place of the notation, or in neither of them."""
    found = src.json(at)
    marked = found is not None and any(mark in src.text[at : found.end] for mark in _MARKS)
    if found is None or not isinstance(found.value, dict) or found.cut is not None or marked:
        end = src.find(closing, at) if closing else -1
        return Found(end, [Call(name, None, unread=src.text[at:end])]) if end >= 0 else None
    return Found(found.end, [Call(name, found.value, [*found.repairs, "JSON in place of Gemma's notation"])])


class _Notation(Literals):
    def object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}

        def member() -> None:
            key = _KEY.match(self.text, self.at)
            if key is None and len(self.text) - self.at < 220 and "}" not in self.text[self.at :]:
                self.out()
            if key is None:
                raise Broken
            if key.end() >= len(self.text):
                self.out()
            self.at = key.end()
            found[key.group(1).strip()] = self._value(depth + 1)

        self.items("}", member, loose=True)
        return found

    def _value(self, depth: int) -> Any:
        if depth > DEPTH:
            raise Broken
        char = self.char()
        if char == "{":
            self.at += 1
            return self.object(depth)
        if char == "[":
            self.at += 1
            found: list[Any] = []
            self.items("]", lambda: found.append(self._value(depth + 1)), loose=True)
            return found
        for mark in _MARKS:
            if self.text.startswith(mark, self.at):
                return self._string(mark)
            if mark.startswith(self.text[self.at :]):
                self.out()
        if char == '"':
            start, end = self.at, self.closing('"', self.at + 1, ",}]") + 1
            self.at = end
            value = decoded(self.text[start:end])
            return self.text[start + 1 : end - 1] if value == self.text[start:end] else value
        match = _BARE.match(self.text, self.at)
        assert match is not None
        if match.end() >= len(self.text):
            self.out()
        self.at = match.end()
        if not match.group().strip():
            raise Broken
        return decoded(match.group().strip())

    def _string(self, mark: str) -> str:
        start = self.at + len(mark)
        end = self.text.find(mark, start)
        if end < 0:
            self.out()
        self.at = end + len(mark)
        return self.text[start:end]


FORMAT = Format("gemma", tuple(_OPENINGS), scan)
