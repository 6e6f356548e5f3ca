"""Fractions in words: `4분의 1`, `절반`, `a quarter`, `two-thirds`, `half`; and thousandths: `1.5/1000`. What counts or
orders things holds none of them, so they are read apart from the other numbers."""

import re
from decimal import Decimal
from typing import Final

from dure.numbers.reading import Number
from dure.numbers.words import ENGLISH, SINO, either

_COUNTS: Final = {**SINO, "십": 10, **ENGLISH, "a": 1}
_PARTS: Final = {"half": 2, "halve": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "tenth": 10}
_KOREAN: Final = rf"\d{{1,4}}(?:\.\d{{1,3}})?|[{''.join(SINO)}십]"
_FRACTION: Final = re.compile(
    rf"(?P<of>{_KOREAN}) ?분의 ?(?P<some>{_KOREAN})"
    r"|(?<![\d.,/])(?P<thousandths>\d{1,4}(?:\.\d{1,3})?)/(?P<thousands>10?[,.]?000)(?![\d/]|[.,]\d)"
    rf"|\b(?P<count>{either(_COUNTS)})[ -](?P<part>{either(_PARTS)})s?\b|(?P<half>\bhalf\b|절반)",
    re.IGNORECASE | re.ASCII,
)


def fractions(text: str) -> tuple[str, list[Number]]:
    """A text with blanks where its fractions stood, every place the same; and these."""
    found = [_read(match) for match in _FRACTION.finditer(text)]
    return _FRACTION.sub(lambda match: " " * len(match[0]), text) if found else text, found


def _read(match: re.Match[str]) -> Number:
    if match["thousandths"]:
        return Number(Decimal(match["thousandths"]) / int(re.sub("[,.]", "", match["thousands"])), *match.span())
    some, of = match["some"] or match["count"] or "1", match["of"] or _PARTS.get((match["part"] or "half").lower(), 2)
    whole = _worth(str(of))
    return Number(_worth(some) / whole if whole else Decimal(0), *match.span())


def _worth(written: str) -> Decimal:
    return Decimal(written) if written[0].isdecimal() else Decimal(_COUNTS[written.lower()])
