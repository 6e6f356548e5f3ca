"""Arguments written one an element, `<parameter=key>value</parameter>`, with raw values: shared by several formats.

Nothing is escaped in such values, so a closing tag may stand in one as text. A closing tag counts where what must come
after it does: another argument, or the end of the call.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dure.dialects.source import Source


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a format writes the arguments of a call."""

    opening: str
    """A pattern for an argument's opening tag; its group `key` is the argument's name."""
    closing: str
    """A pattern for an argument's closing tag."""
    ends: str
    """A pattern for the call's closing tag."""
    behind: str
    """A pattern for what may stand behind the call's closing tag, besides the end of the text."""
    trim: bool = False
    """One newline on either side of a value is layout."""

    def compiled(self) -> "Compiled":
        return Compiled(
            re.compile(self.opening),
            re.compile(rf"(?P<close>{self.closing})|(?P<open>{self.opening})|(?P<end>{self.ends})"),
            re.compile(rf"\s*(?:{self.opening}|{self.ends}|$)"),
            re.compile(rf"\s*(?:{self.behind}|$)"),
            re.compile(self.ends),
            re.compile(rf"{self.opening}|{self.ends}"),
            self.trim,
        )


@dataclass(frozen=True, slots=True)
class Compiled:
    opening: re.Pattern[str]
    stops: re.Pattern[str]
    after_value: re.Pattern[str]
    after_call: re.Pattern[str]
    ends: re.Pattern[str]
    either: re.Pattern[str]
    trim: bool


Typed = Callable[[re.Match[str], str], Any]
"""Gives a raw value its type, from its opening tag and the text."""


@dataclass(slots=True)
class Arguments:
    values: dict[str, Any]
    end: int
    repairs: list[str]


def read_arguments(src: Source, at: int, name: str, syntax: Compiled, typed: Typed) -> Arguments | None:
    """The arguments of the call of `name` from `at` to past its closing tag; None where the text breaks off in it."""
    values: dict[str, Any] = {}
    repairs: list[str] = []
    while True:
        here = src.space(at)
        end = src.match(syntax.ends, here, reach=40)
        if end is not None:
            return Arguments(values, end.end(), repairs)
        opening = src.match(syntax.opening, here, reach=200)
        if opening is None:
            following = src.search(syntax.either, here)
            if following is None:
                return None
            repairs.append("text between arguments")
            at = following.start()
            continue
        key = opening.group("key")
        found = _value(src, opening.end(), name, syntax, values)
        if found is None:
            return None
        raw, at, mended = found
        if mended:
            repairs.append("a lost closing tag")
        if syntax.trim:
            raw = raw.removeprefix("\n").removesuffix("\n")
        values[key] = typed(opening, raw)


def _value(src: Source, start: int, name: str, syntax: Compiled, seen: dict[str, Any]) -> tuple[str, int, bool] | None:
    """A raw value from `start`, where the text goes on, and whether its closing tag was lost."""
    at = start
    fallback: re.Match[str] | None = None
    properties = src.tools.properties(src.tools.resolve(name)[0])
    while True:
        stop = src.search(syntax.stops, at)
        if stop is None:
            if fallback is None:
                return None
            return src.text[start : fallback.start()], fallback.end(), False
        at = stop.end()
        if stop.group("close") is not None:
            if src.match(syntax.after_value, at, reach=300) is not None:
                return src.text[start : stop.start()], at, False
            fallback = fallback or stop
        elif stop.group("end") is not None:
            if fallback is None and src.match(syntax.after_call, at, reach=60) is not None:
                return src.text[start : stop.start()], stop.start(), True
        elif fallback is None and stop.group("key") in properties and stop.group("key") not in seen:
            line = src.text.rfind("\n", max(start, stop.start() - 80), stop.start())
            if line >= 0 and src.text[line : stop.start()].isspace():
                return src.text[start : stop.start()], stop.start(), True
