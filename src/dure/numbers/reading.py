"""Reads one number: a row of terms whose units fall, 천, 백 and 십 within a section that 만, 억, 조 or 경 closes.

`1,234.5`, `1억 2,000만`, `삼천오백만`, `1.5 million`, `two hundred and five`.
"""

import re
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from functools import cache
from typing import Final, NamedTuple

from dure.numbers.words import BIG, COUNTERS, ENGLISH, ENGLISH_TENS, SINO, SMALL, either
from dure.patterns import later

_EXACT: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
_BLANK: Final = re.compile(r"[ \t]*")
_AND: Final = re.compile(r"[ \t]+and[ \t]+(?=[a-z])", re.IGNORECASE)
_WIDE: Final = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_SAME: Final = str.maketrans(_WIDE | {"\xa0": " ", "−": "-"})


def _digits(whole: str) -> str:
    # 2026.05.31 is three numbers.
    return rf"(?<![0-9]\.){whole}\.[0-9]++(?!\.[0-9])|{whole}|(?<![0-9A-Za-z가-힣_.])\.[0-9]++"


DIGITS: Final = _digits("(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]++)")
ENGLISH_COUNT: Final = (
    rf"(?<![a-z_])(?:(?:{either(ENGLISH_TENS)})[ -](?:{either(word for word, n in ENGLISH.items() if 0 < n < 10)})"
    rf"|{either(ENGLISH)})(?![a-z0-9_])"
)
_COUNTS: Final = SINO | ENGLISH
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


class Number(NamedTuple):
    """A number and its place in the text, exact.

    `parts`: the values of its sections, if there are several (`1억 2,000만`). `others`: what it may stand for too
    (`이십일` is 21, or 20 days). `percent`: it says itself that it is of a hundred (`100분의 6`).
    """

    value: Decimal
    start: int
    end: int
    parts: tuple[Decimal, ...] = ()
    others: tuple[Decimal, ...] = ()
    percent: bool = False


def plain(text: str) -> str:
    """`text` with full-width forms, no-break spaces and minus signs as ASCII has them; every place stays the same."""
    return text.translate(_SAME)


def numeral(text: str, at: int = 0, *, grouped: bool = True) -> Number | None:
    """The number in digits, Sino-Korean or English words that begins at `at`, as far as it goes; None where none does.

    grouped: whether a comma may separate thousands. Takes linear time.
    """
    total = section = Decimal(0)
    parts: list[Decimal] = []
    small, big = 10**4, 10**20
    end = closed = at
    article, english = text[at - 1 : at] == "제", None
    first = each = _term_at(text, at, article=article, grouped=grouped)
    if first and not first.unit and first.kind != "sino":
        return Number(first.value, at, first.end)
    # Bare digits go on digits only: `만 19세`, `여백 3`.
    while first and each and (first.kind == "digits" or each.kind != "digits" or each.unit):
        count, unit, alone = each.value, each.unit, each.kind == "bare"
        if unit and english is None:
            english = unit.isascii()
        elif unit and unit.isascii() != english:
            break
        if unit in BIG:
            if BIG[unit] >= big or (alone and not section and end > at):
                # Of `1만 1천억`, what the unit closes is a number of its own.
                section, end = Decimal(0), closed
                break
            big = BIG[unit]
            small = min(10**4, big)
            parts.append(_EXACT.multiply(1 if alone and not section else _EXACT.add(section, count), big))
            total, section, closed = _EXACT.add(total, parts[-1]), Decimal(0), each.end
        elif unit:
            if SMALL[unit] >= small:
                break
            small = SMALL[unit]
            section = _EXACT.fma(1 if alone else count, small, section)
        else:
            particle = each.kind == "sino" and (first.kind == "digits" or not ENDS.match(text, each.end))
            if not particle and (end == at or count < (small if section else big)):
                section, end = _EXACT.add(section, count), each.end
            break
        end = each.end
        joint = (_AND.match(text, end) if unit.isascii() else None) or _BLANK.match(text, end)
        start = joint.end() if joint else end
        each = _term_at(text, start, apart=start > end, article=article, grouped=grouped)
    if end == at:
        return None
    parts = [*parts, section] if end > closed else parts
    return Number(_EXACT.add(total, section), at, end, tuple(parts) if len(parts) > 1 else ())


@cache
def _terms(grouped: bool) -> re.Pattern[str]:
    """Of terms, compiled when it is first used: 4 ms."""
    return re.compile(
        rf"(?:(?P<digits>{DIGITS if grouped else _digits('[0-9]++')})|(?P<sino>[{''.join(SINO)}])"
        rf"|(?P<english>{ENGLISH_COUNT}))(?:(?P<gap>[ \t]*+)(?P<unit>{_UNIT}))?|(?P<bare>{_UNIT})",
        re.ASCII | re.IGNORECASE,
    )


class _Term(NamedTuple):
    """A count (`12`, `삼`, `twenty-one`), a unit (`만`), or a count with its unit. kind: digits, sino, english, or bare
    (a unit alone, its count 0). `unit` is empty where there is none."""

    kind: str
    value: Decimal
    unit: str
    end: int


def _term_at(text: str, at: int, *, apart: bool = False, article: bool = False, grouped: bool = True) -> _Term | None:
    """The term that begins at `at`. apart: behind a blank. article: 조 is no unit, as in `제13조`. grouped: a comma may
    separate thousands."""
    match = _terms(grouped).match(text, at)
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
        return _Term(kind, Decimal(0), unit, end) if unit else None
    if digits and not unit and _THOUSAND.match(text, end):
        unit, end = "thousand", end + 1
    if digits:
        return _Term(kind, Decimal(digits.replace(",", "")), unit, end)
    words = [sino] if sino else english.lower().replace("-", " ").split(" ")
    return _Term(kind, Decimal(sum(_COUNTS[word] for word in words)), unit, end)
