"""Korean particles whose form follows the sound before them: `을(를)` is 을 or 를 once a value stands there."""

import re
from collections.abc import Mapping
from typing import Any, Final

PARTICLE: Final = r"[은이을과]?\([는가를와으]\)로?"
_BEHIND: Final = re.compile(rf"(?<=[}}'’`*])({PARTICLE})")
_QUOTES: Final = "'’`*"
_FINAL_OF_DIGIT: Final = {"0": 21, "1": 8, "3": 16, "6": 1, "7": 8, "8": 8}
"""Of a digit read in Korean: its final consonant's number (영 ㅇ, 일 ㄹ, 삼 ㅁ, 육 ㄱ, 칠 ㄹ, 팔 ㄹ)."""
_RIEUL: Final = 8


def filled(text: str, values: Mapping[str, Any]) -> str:
    """`text` with `values` in it, as `str.format_map` does it, and the particles behind them as they are said there."""
    *pairs, last = _BEHIND.split(text)
    said = ""
    for before, particle in zip(pairs[::2], pairs[1::2], strict=True):
        said += before.format_map(values)
        said += josa_after(said.rstrip(_QUOTES), particle)
    return said + last.format_map(values)


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
