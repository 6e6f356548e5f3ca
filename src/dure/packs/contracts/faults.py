"""What is wrong with one value, said in both languages."""

import difflib
from collections.abc import Iterable

from dure.errors import Language

_MAX_SHOWN = 60


class WrongValue(Exception):
    """A value that cannot be used; `ko` and `en` say why in one sentence without a full stop."""

    def __init__(self, ko: str, en: str) -> None:
        self.ko = ko
        self.en = en
        super().__init__(en)

    def reason(self, language: Language) -> str:
        return self.ko if language == "ko" else self.en


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
