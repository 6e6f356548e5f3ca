"""Units as data: what is measured in each, and its size."""

import re
import tomllib
from functools import cache
from pathlib import Path

from dure.numbers.words import either

Unit = tuple[str, float]
"""What it measures, and its size: minutes are `("time", 60)`."""


@cache
def units() -> dict[str, list[Unit]]:
    """Units by their names; one may be of several kinds, as 키로 is."""
    held = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    factors, found = held.pop("prefixes"), dict[str, list[Unit]]()
    for kind, sizes in held.items():
        for size, names in sizes.items():
            for name in names:
                prefixes, _, bare = name.rpartition("]")
                for prefix in ("", *prefixes[1:].split()):
                    unit = (kind, float(f"{float(size) * factors.get(prefix, 1):g}"))
                    found.setdefault((prefix + bare).casefold(), []).append(unit)
    return found


@cache
def any_unit() -> str:
    """A pattern of their names."""
    return rf"(?:{either(map(re.escape, units()))})(?![a-z])"


def unit(name: str) -> Unit | None:
    """None for what is none, and for what may be of several kinds."""
    found = units().get(name.casefold(), [])
    return found[0] if len(found) == 1 else None


def behind(text: str, end: int) -> int:
    """Where the unit ends that stands behind a number."""
    found = _behind().match(text, end)
    return found.end() if found else end


@cache
def _behind() -> re.Pattern[str]:
    return re.compile(rf"\s?{any_unit()}", re.IGNORECASE)
