"""Reads one number: a row of terms whose units fall, 천, 백 and 십 within a section that 만, 억, 조 or 경 closes.

`1,234.5`, `1억 2,000만`, `삼천오백만`, `1.5 million`, `two hundred and five`.
"""

import re
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import Final, NamedTuple

from dure.numbers.terms import ENDS, term
from dure.numbers.words import BIG, SMALL

_EXACT: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
_BLANK: Final = re.compile(r"[ \t]*")
_AND: Final = re.compile(r"[ \t]+and[ \t]+(?=[a-z])", re.IGNORECASE)
_WIDE: Final = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_SAME: Final = str.maketrans(_WIDE | {"\xa0": " ", "−": "-"})


class Number(NamedTuple):
    """A number and its place in the text, exact.

    `parts`: the values of its sections, if there are several (`1억 2,000만`). `others`: what it may stand for too
    (`이십일` is 21, or 20 days).
    """

    value: Decimal
    start: int
    end: int
    parts: tuple[Decimal, ...] = ()
    others: tuple[Decimal, ...] = ()


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
    first = each = term(text, at, article=article, grouped=grouped)
    if first and not first.unit and first.kind != "sino":
        return Number(first.count, at, first.end)
    # Bare digits go on digits only: `만 19세`, `여백 3`.
    while first and each and (first.kind == "digits" or each.kind != "digits" or each.unit):
        count, unit, alone = each.count, each.unit, each.kind == "bare"
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
        each = term(text, start, apart=start > end, article=article, grouped=grouped)
    if end == at:
        return None
    parts = [*parts, section] if end > closed else parts
    return Number(_EXACT.add(total, section), at, end, tuple(parts) if len(parts) > 1 else ())
