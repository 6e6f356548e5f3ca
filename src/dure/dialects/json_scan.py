"""JSON out of the middle of a text, in time linear in its length.

The standard library's scanner goes first; where it stumbles, a lenient one reads the span and notes what it mended.
"""

import json
from typing import Any, NamedTuple

from dure.dialects.lenient import DEPTH, OPEN, TWICE, Hopeless, Lenient, More
from dure.messages import well_formed


class Json(NamedTuple):
    value: Any
    end: int
    """Where the text goes on after the value."""
    repairs: tuple[str, ...] = ()
    cut: bool = False
    """It broke off at the end of the text."""
    inside: bool = False
    """In the middle of a value or before one; otherwise only closing brackets are missing."""


_LENIENT_COST = 3
"""The lenient scanner is slower, which counts against the budget of hostile texts."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError(TWICE)
    return found


_STRICT = json.JSONDecoder(parse_constant=int, object_pairs_hook=_once)
"""Refuses `NaN` and `Infinity`, which are no integers, and keys given twice."""


def read(text: str, at: int) -> Json | None:
    """The JSON object or array that starts at `at`; None where there is none."""
    return look(text, at, True)[0]


def look(text: str, at: int, final: bool) -> tuple[Json | None, int]:
    """As `read`, and what it cost, in characters looked at by the strict scanner. Without `final` the text may go on:
    raises `More` where its end has to be known first."""
    if text[at : at + 1] not in OPEN:
        return None, 1
    strict, seen = _strictly(text, at, final) if text[at] in "{[" else (None, 0)
    if strict is not None:
        return strict, seen
    scanner = Lenient(text, at, final)
    try:
        value = scanner.value(0)
    except Hopeless:
        return None, seen + _LENIENT_COST * (scanner.at - at) + 16
    found = Json(clean(value), scanner.at, tuple(dict.fromkeys(scanner.repairs)), scanner.cut, scanner.inside)
    return found, seen + _LENIENT_COST * (scanner.at - at)


def _strictly(text: str, at: int, final: bool) -> tuple[Json | None, int]:
    """As `look`, by the standard library's scanner; raises `More` where nothing is wrong up to the end of the text.

    It gets a window that grows, because its errors count the lines up to them.
    """
    size = 2048
    while True:
        window = text[at : at + size]
        try:
            value, end = _STRICT.raw_decode(window)
            # Only an escape makes a lone surrogate, and nothing is nested deeper than it has brackets.
            plain = window.find("\\u", 0, end) < 0 and window.count("{", 0, end) + window.count("[", 0, end) < DEPTH
            return Json(value if plain else clean(value), at + end), end
        except json.JSONDecodeError as error:
            here = error.pos < len(window) - 10 and not error.msg.startswith(("Unterminated", "Invalid \\u"))
            if not here and not final and at + size >= len(text):
                raise More from None
            if here or at + size >= len(text):
                return None, error.pos if here else len(window)
        except (ValueError, RecursionError):
            return None, len(window)
        size *= 8


def clean(value: Any, levels: int = DEPTH) -> Any:
    """The value with lone surrogates, which no UTF-8 can carry, replaced by U+FFFD.

    Raises RecursionError where it is nested deeper than `levels`.
    """
    if isinstance(value, str):
        return value if value.isascii() else well_formed(value)
    if isinstance(value, dict | list) and levels < 0:
        raise RecursionError
    if isinstance(value, dict):
        return {clean(key): clean(item, levels - 1) for key, item in value.items()}
    if isinstance(value, list):
        return [clean(item, levels - 1) for item in value]
    return value


def whole(text: str) -> Json | None:
    """The JSON object or array that a text is as a whole; None for any other, and for one without its end."""
    text = text.strip()
    found = read(text, 0) if text[:1] in ("{", "[") else None
    return None if found is None or found.cut or text[found.end :].strip() else found


def as_object(text: str) -> tuple[dict[str, Any], list[str]] | None:
    """The object a text stands for, encoded as JSON once or more often, with what was mended; None for any other."""
    for _ in range(4):
        text = text.strip()
        if text[:1] in ("{", "｛"):
            found = read(text, 0)
            return (found.value, [*found.repairs]) if found and isinstance(found.value, dict) else None
        try:
            value = json.loads(text) if text[:1] == '"' else None
        except ValueError:
            return None
        if not isinstance(value, str):
            return None
        text = value
    return None
