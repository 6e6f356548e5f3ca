"""What is wrong with one value, said in both languages."""

import difflib
from collections.abc import Iterable
from typing import Any

from dure.packs.contracts import TEXTS

_MAX_SHOWN = 60
_FAULTS = TEXTS["faults"]


class WrongValue(Exception):
    """A value that cannot be used: one of the texts `faults`, a sentence without a full stop. `said`: by language.

    Of the values that are filled in, `value` is what was given; it is quoted.
    """

    def __init__(self, fault: str, **values: Any) -> None:
        if "value" in values:
            values["value"] = quoted(values["value"])
        self.said = _FAULTS[fault].filled(**values)
        super().__init__(self.said["en"])


def quoted(value: object) -> str:
    """`value` for showing it in a sentence: one line, at most 60 characters; of lists and objects only the kind."""
    if isinstance(value, dict):
        return "{…}"
    if isinstance(value, list):
        return "[…]"
    if isinstance(value, int) and abs(value) >= 10**_MAX_SHOWN:
        return "…"  # Python refuses to print integers of thousands of digits
    text = " ".join(str(value)[: 4 * _MAX_SHOWN].split())
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` most likely meant."""
    folded = {each.casefold(): each for each in known}
    near = difflib.get_close_matches(name.casefold()[:64], folded, n=1, cutoff=0.5)
    return folded[near[0]] if near else None


def hint(near: str | None) -> dict[str, str] | str:
    """By language, what may have been meant, to be put behind a fault; "" for None."""
    return _FAULTS["near"].filled(near=near) if near else ""
