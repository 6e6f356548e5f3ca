"""Terms, of which numbers consist: a count (`12`, `삼`, `twenty-one`), a unit (`만`), or a count with its unit."""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Final

from dure.numbers.words import BIG, COUNTERS, ENGLISH, ENGLISH_TENS, SINO, SMALL, either
from dure.patterns import later


def _digits(whole: str) -> str:
    # 2026.05.31 is three numbers.
    return rf"(?<![0-9]\.){whole}\.[0-9]++(?!\.[0-9])|{whole}|(?<![0-9A-Za-z가-힣_.])\.[0-9]++"


DIGITS: Final = _digits("(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]++)")
ENGLISH_COUNT: Final = (
    rf"(?<![a-z_])(?:(?:{either(ENGLISH_TENS)})[ -](?:{either(word for word, n in ENGLISH.items() if 0 < n < 10)})"
    rf"|{either(ENGLISH)})(?![a-z0-9_])"
)
_COUNTS: Final = SINO | ENGLISH
_NONE: Final = Decimal(0)
_UNITS: Final = [*SMALL, *BIG]
KOREAN_UNITS: Final = "".join(unit for unit in _UNITS if not unit.isascii())
ENGLISH_UNIT: Final = rf"(?<![a-z_])(?:{either(unit for unit in _UNITS if unit.isascii())})(?![a-z0-9_])"
_UNIT: Final = rf"[{KOREAN_UNITS}]|{ENGLISH_UNIT}"
# 3만큼 is "as much as 3", 3경기 three games, 2조각 two pieces.
_NO_UNIT: Final = later("만[큼나]|조[각건사직]|경[기우]")
# `19 백신` and `3 경우` hold none of 백 and 경.
_ENDS_APART: Final = later(r"(?![가-힣])|원|명|달러|[만억조]")
_THOUSAND: Final = later("k(?![a-z0-9_])", re.IGNORECASE | re.ASCII)
COUNTED: Final = later(rf"\s?(?:{COUNTERS})")
ENDS: Final = later(rf"{COUNTED.pattern}|(?![가-힣])")
"""What stands behind a number in Hangul."""


@cache
def _term(grouped: bool) -> re.Pattern[str]:
    """Of terms, compiled when it is first used: 4 ms."""
    return re.compile(
        rf"(?:(?P<digits>{DIGITS if grouped else _digits('[0-9]++')})|(?P<sino>[{''.join(SINO)}])"
        rf"|(?P<english>{ENGLISH_COUNT}))(?:(?P<gap>[ \t]*+)(?P<unit>{_UNIT}))?|(?P<bare>{_UNIT})",
        re.ASCII | re.IGNORECASE,
    )


@dataclass(slots=True)
class Term:
    """kind: digits, sino, english, or bare (a unit alone, its count 0). `unit` is empty where there is none."""

    kind: str
    count: Decimal
    unit: str
    end: int


def term(text: str, at: int, *, apart: bool = False, article: bool = False, grouped: bool = True) -> Term | None:
    """The term that begins at `at`. apart: behind a blank. article: 조 is no unit, as in `제13조`. grouped: a comma may
    separate thousands."""
    match = _term(grouped).match(text, at)
    if match is None:
        return None
    digits, sino, english, gap, unit, bare = match.groups()
    kind = "digits" if digits else "sino" if sino else "english" if english else "bare"
    unit, end = (unit or bare or "").lower(), match.end()
    if unit and (
        (article and unit == "조")
        or ((apart if bare else gap) and not unit.isascii() and not _ENDS_APART.match(text, end))
        or (digits and _NO_UNIT.match(text, end - 1))
    ):
        unit, end = "", match.end(kind)
    if bare:
        return Term(kind, _NONE, unit, end) if unit else None
    if digits and not unit and _THOUSAND.match(text, end):
        unit, end = "thousand", end + 1
    if digits:
        return Term(kind, Decimal(digits.replace(",", "")), unit, end)
    words = [sino] if sino else english.lower().replace("-", " ").split(" ")
    return Term(kind, Decimal(sum(_COUNTS[word] for word in words)), unit, end)
