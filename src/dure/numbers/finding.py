"""Finds the numbers of a text wherever they stand, `십오일`, `열다섯 개`, `사흘`, `-3.5`, `twice`; and fractions."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache
from typing import Final

from dure.numbers.reading import (
    COUNTED,
    DIGITS,
    ENDS,
    ENGLISH_COUNT,
    ENGLISH_UNIT,
    KOREAN_UNITS,
    Number,
    numeral,
    plain,
)
from dure.numbers.words import (
    ALONE,
    BEFORE_COUNTERS,
    BEFORE_NOUNS,
    BIG,
    ENGLISH,
    LONE,
    LONE_APART,
    ONES,
    SINO,
    SMALL,
    TENS,
    either,
)

_FIRST: Final = "".join(sorted({word[0] for word in [*SINO, *SMALL, *BIG, *TENS, *ONES, *ALONE, *ENGLISH]}))
# Where no number can begin, a look at one letter spares the candidates: two thirds of the time.
_START: Final = re.compile(rf"[-.0-9{_FIRST}{_FIRST.upper()}](?<![A-Za-z_][A-Za-z])")
_COUNTS: Final = {**SINO, "십": 10, **ENGLISH, "a": 1}
_FRACTIONS: Final = {"half": 2, "halve": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "tenth": 10}
_KOREAN: Final = rf"\d{{1,4}}(?:\.\d{{1,3}})?|[{''.join(SINO)}십]"
_PERCENT: Final = r"(?<![\d.,])100?0 ?분의 ?\d{1,4}(?:\.\d{1,3})?"
_FRACTION: Final = re.compile(
    rf"(?!{_PERCENT})(?<!\d)(?P<of>{_KOREAN}) ?분의 ?(?P<some>{_KOREAN})"
    r"|(?<![\d.,/])(?P<thousandths>\d{1,4}(?:\.\d{1,3})?)/(?P<thousands>10?[,.]?000)(?![\d/]|[.,]\d)"
    rf"|\b(?P<count>{either(_COUNTS)})[ -](?P<part>{either(_FRACTIONS)})s?\b|(?P<half>\bhalf\b|절반)",
    re.IGNORECASE | re.ASCII,
)


@cache
def _candidate() -> re.Pattern[str]:
    """Of what may be a number, compiled when it is first used: 8 ms."""
    syllable = f"[{''.join(SINO)}{KOREAN_UNITS}]"
    return re.compile(
        rf"(?P<percent>{_PERCENT})|(?P<digits>-?(?:{DIGITS}))"
        rf"|(?<![가-힣a-z_])(?P<alone>{either(w for w in ALONE if not w.isascii())}"
        rf"|(?:{either(w for w in ALONE if w.isascii())})(?![a-z0-9_]))"
        rf"|(?<![가-힣0-9])(?P<native>(?:(?P<tens>{either(TENS)})(?P<ones>{either(ONES)})?|(?P<one>{either(ONES)})))"
        rf"(?={COUNTED.pattern}|이?[가은는을를도]?(?:$|[^가-힣]))"
        # A syllable alone is most often part of another word.
        rf"|(?P<sino>{syllable}{{2,}}|{syllable}(?={ENDS.pattern}))"
        rf"|(?P<english>{ENGLISH_COUNT}|{ENGLISH_UNIT})",
        re.ASCII | re.IGNORECASE,
    )


def scan(text: str) -> Iterator[Number]:
    """The numbers of a text, from left to right.

    Korean number words stand before what they count (`십오일`, `열다섯 개`) or alone; some are other words too (`이`,
    `네`) and count only there.
    """
    text = plain(text)
    at = 0
    while start := _START.search(text, at):
        match = _candidate().match(text, start.start())
        found = _READERS[str(match.lastgroup)](match) if match else None
        at = max((match or start).end(), found.end if found else 0)
        if found:
            yield found


def _digits(match: re.Match[str]) -> Number | None:
    start, text = match.start(), match.string
    negative = text[start] == "-"
    found = numeral(text, start + negative)
    # A hyphen after a word or digit is none of a number's: `2020-05`, `A-4`.
    before = text[start - 1 : start]
    if found is None or not negative or before.isalnum() or before == "-":
        return found
    return found._replace(value=found.value.copy_negate(), start=start)


def _native(match: re.Match[str]) -> Number | None:
    word, text = match["native"], match.string
    blank = text[match.end() : match.end() + 1].isspace()
    if (word in BEFORE_COUNTERS or (word in BEFORE_NOUNS and not blank)) and not COUNTED.match(text, match.end()):
        return None
    value = TENS.get(match["tens"] or "", 0) + ONES.get(match["ones"] or match["one"] or "", 0)
    return Number(Decimal(value), *match.span())


def _sino(match: re.Match[str]) -> Number | None:
    text, start = match.string, match.start()
    found = numeral(text, start)
    if found is None or not ENDS.match(text, found.end):
        return None
    word = text[start : found.end]
    if text[start - 1 : start].strip() and not word[1:2].strip():
        return None  # 하지만 5천 명
    lone = LONE_APART if text[found.end : found.end + 1].isspace() else LONE
    if len(word) == 1 and not (word in lone and COUNTED.match(text, found.end)):
        return None
    # The last syllable may be what is counted (`백일`), an article (`십삼조`) or a particle (`삼천이 넘는다`).
    other = numeral(word[:-1]) if word[-1] in "일이조" and len(word) > 2 - (word[-1] != "조") else None
    return found._replace(others=(other.value,)) if other else found


def _percent(match: re.Match[str]) -> Number:
    of, share = match[0].split("분의")
    value = Decimal(share.strip()).scaleb(-of.count("0"))
    return Number(value.scaleb(2), *match.span(), others=(value,), percent=True)


_READERS: Final[dict[str, Callable[[re.Match[str]], Number | None]]] = {
    "percent": _percent,
    "digits": _digits,
    "alone": lambda match: Number(Decimal(ALONE[match["alone"].lower()]), *match.span()),
    "native": _native,
    "sino": _sino,
    "english": lambda match: numeral(match.string, match.start()),
}


def numbers(text: str) -> set[Decimal]:
    """All numbers that stand in the text, with their parts and other readings."""
    found = scan(unicodedata.normalize("NFC", text))
    return {value for each in found for value in (each.value, *each.parts, *each.others)}


def fractions(text: str) -> tuple[str, list[Number]]:
    """A text with blanks where its fractions stood, every place the same; and these. In words (`4분의 1`, `절반`,
    `two-thirds`, `half`) or thousandths (`1.5/1000`): what counts or orders things holds none of them, so they are read
    apart from the other numbers. Percentages (`100분의 6`) are numbers."""
    found = [_fraction(match) for match in _FRACTION.finditer(text)]
    return _FRACTION.sub(lambda match: " " * len(match[0]), text) if found else text, found


def _fraction(match: re.Match[str]) -> Number:
    if match["thousandths"]:
        return Number(Decimal(match["thousandths"]) / int(re.sub("[,.]", "", match["thousands"])), *match.span())
    some = _worth(match["some"] or match["count"] or "1")
    of = _worth(match["of"]) if match["of"] else _FRACTIONS[(match["part"] or "half").lower()]
    return Number(some / of if of else Decimal(0), *match.span())


def _worth(written: str) -> Decimal:
    return Decimal(written) if written[0].isdecimal() else Decimal(_COUNTS[written.lower()])
