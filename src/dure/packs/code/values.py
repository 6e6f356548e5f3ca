"""Values as Python shows them, within a length: values of the sandbox can be deep, circular or of exponential size."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

MAX_CHARS = 8_000
_MAX_DEPTH = 20
_CUT = "…"


def shown(value: Any) -> str:
    """What `repr` gives, at most `MAX_CHARS` characters and then `…`; instances as `Name(attribute=value)`.

    >>> shown([1, {"가": (2,)}])
    "[1, {'가': (2,)}]"
    """
    text = ""
    for piece in _pieces(value, 0):
        text += piece
        if len(text) > MAX_CHARS:
            return text[:MAX_CHARS] + _CUT
    return text


def _pieces(value: Any, depth: int) -> Iterator[str]:
    inside = partial(_pieces, depth=depth + 1)
    if depth > _MAX_DEPTH:
        yield _CUT
    elif isinstance(value, tuple) and (names := getattr(value, "_fields", None)):
        yield from _instance(type(value).__name__, zip(names, map(inside, value), strict=False))
    elif isinstance(value, tuple):
        yield from _listed("(", map(inside, value), ",)" if len(value) == 1 else ")")
    elif isinstance(value, list):
        yield from _listed("[", map(inside, value), "]")
    elif isinstance(value, dict):
        yield from _listed("{", (chain(inside(key), [": "], inside(each)) for key, each in value.items()), "}")
    elif isinstance(value, set | frozenset):
        yield from _listed("{", map(inside, value), "}") if value else ["set()"]
    elif isinstance(value, str | bytes):
        # One character of a string is at least one shown.
        yield repr(value[: MAX_CHARS + 1])
    elif isinstance(value, int) and value.bit_length() > 10_000:
        # Python refuses to write out so many digits.
        yield f"<an integer of about {int(value.bit_length() * 0.30103):,} digits>"
    elif hasattr(value, "attributes") and hasattr(value, "name"):
        yield from _instance(value.name, ((name, inside(each)) for name, each in value.attributes.items()))
    else:
        yield repr(value)


def _instance(name: str, attributes: Iterable[tuple[str, Iterator[str]]]) -> Iterator[str]:
    return _listed(f"{name}(", (chain([f"{each}="], pieces) for each, pieces in attributes), ")")


def _listed(start: str, items: Iterable[Iterable[str]], end: str) -> Iterator[str]:
    yield start
    for number, item in enumerate(items):
        yield from chain([", "] if number else [], item)
    yield end
