"""What follows the value before it: Korean particles its sound, `을(를)` is 을 or 를 once it stands there, and English
nouns its number, `{n} row(s)` is `1 row` or `2 rows`."""

import re
from collections.abc import Mapping
from typing import Any, Final

PARTICLE: Final = r"[은이을과]?\([는가를와으]\)로?"
_BEHIND: Final = re.compile(rf"((?<=[}}'’`*]){PARTICLE}|\(s\))")
_COUNTED: Final = re.compile(r"(?<![\d.,])([\d,]+) [A-Za-z ]+$")
_QUOTES: Final = "'’`*"
_FINAL_OF_DIGIT: Final = {"0": 21, "1": 8, "3": 16, "6": 1, "7": 8, "8": 8}
"""Of a digit read in Korean: its final consonant's number (영 ㅇ, 일 ㄹ, 삼 ㅁ, 육 ㄱ, 칠 ㄹ, 팔 ㄹ)."""
_RIEUL: Final = 8


class Template(str):
    """A text that, formatted with values by name, is as `filled`."""

    def format(self, *args: object, **values: object) -> str:
        return super().format(*args) if args else filled(self, values)


def filled(text: str, values: Mapping[str, Any]) -> str:
    """`text` with `values` in it, as `str.format_map` does it, and what follows them as it is said there."""
    *pairs, last = _BEHIND.split(text)
    said = ""
    for before, particle in zip(pairs[::2], pairs[1::2], strict=True):
        said += before.format_map(values)
        said += _plural(said) if particle == "(s)" else josa_after(said.rstrip(_QUOTES), particle)
    return said + last.format_map(values)


def _plural(said: str) -> str:
    """The end of the noun that stands behind a number, where one does."""
    counted = _COUNTED.search(said)
    return ("" if counted[1] == "1" else "s") if counted else "(s)"


def josa_after(word: str, josa: str) -> str:
    """The form of `josa` (`을(를)`, `(으)로` …) that follows `word`; as it is where that cannot be known."""
    # What stands in brackets is not read aloud: 3,000원(금 삼천원정)으로.
    bare = word[: word.rfind("(")] if word.endswith(")") and "(" in word[1:] else word
    last = bare.rstrip()[-1:]
    if "가" <= last <= "힣":
        final = (ord(last) - ord("가")) % 28
    elif last.isascii() and last.isdigit():
        final = _FINAL_OF_DIGIT.get(last, 0)
    else:
        return josa
    if josa == "(으)로":
        return "으로" if final and final != _RIEUL else "로"
    return josa[0] if final else josa[2]
