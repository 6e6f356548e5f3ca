"""Values as Python shows them, within a length: values of the sandbox can be deep, circular or of exponential size."""

from typing import Any

MAX_CHARS = 8_000
_MAX_DEPTH = 20
_CUT = "…"


def shown(value: Any, limit: int = MAX_CHARS) -> str:
    """What `repr` gives, at most `limit` characters and then `…`; instances as `Name(attribute=value)`.

    >>> shown([1, {"가": (2,)}])
    "[1, {'가': (2,)}]"
    """
    writer = _Writer(limit)
    try:
        writer.write(value, 0)
    except _Full:
        return "".join(writer.pieces)[:limit] + _CUT
    return "".join(writer.pieces)


class _Full(Exception):
    pass


class _Writer:
    def __init__(self, limit: int) -> None:
        self.pieces: list[str] = []
        self._left = limit

    def _add(self, text: str) -> None:
        self.pieces.append(text)
        self._left -= len(text)
        if self._left < 0:
            raise _Full

    def write(self, value: Any, depth: int) -> None:
        if depth > _MAX_DEPTH:
            self._add(_CUT)
        elif isinstance(value, list):
            self._items("[", value, "]", depth)
        elif isinstance(value, tuple):
            names = getattr(value, "_fields", None)
            if names:
                self._pairs(f"{type(value).__name__}(", zip(names, value, strict=False), ")", "=", depth)
            else:
                self._items("(", value, ",)" if len(value) == 1 else ")", depth)
        elif isinstance(value, dict):
            self._pairs("{", value.items(), "}", ": ", depth)
        elif isinstance(value, set | frozenset):
            self._items("{", value, "}", depth) if value else self._add("set()")
        elif isinstance(value, str | bytes):
            # One character of a string is at least one shown.
            self._add(repr(value[: self._left + 1]))
        elif isinstance(value, int) and value.bit_length() > 10_000:
            # Python refuses to write out so many digits.
            self._add(f"<an integer of about {int(value.bit_length() * 0.30103):,} digits>")
        elif hasattr(value, "attributes") and hasattr(value, "name"):
            self._pairs(f"{value.name}(", value.attributes.items(), ")", "=", depth)
        else:
            self._add(repr(value))

    def _items(self, start: str, items: Any, end: str, depth: int) -> None:
        self._add(start)
        for number, item in enumerate(items):
            if number:
                self._add(", ")
            self.write(item, depth + 1)
        self._add(end)

    def _pairs(self, start: str, pairs: Any, end: str, between: str, depth: int) -> None:
        self._add(start)
        for number, (key, item) in enumerate(pairs):
            if number:
                self._add(", ")
            if between == "=":
                self._add(str(key))
            else:
                self.write(key, depth + 1)
            self._add(between)
            self.write(item, depth + 1)
        self._add(end)
