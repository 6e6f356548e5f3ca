"""Amounts of money as people write them: `3,000만원`, `1억 2천만 원`, `일금 삼천만원정`, `USD 12,000`, `$1.5 million`.

A pattern takes the currency off, and `dure.numbers` reads what is left.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from dure.errors import Language
from dure.numbers import in_words, numeral, plain
from dure.numbers.currencies import NAMES, PLACES, WRITTEN
from dure.packs.contracts.faults import WrongValue
from dure.texts import LANGUAGES

MAX_CHARS: Final = 80
LIMIT: Final = Decimal(10**16)
"""Amounts stay below this: one 경 (ten quadrillion)."""

# People leave 만 out: 5천 is 50,000,000 of a salary, 2억 5천원 is 250,000,000 to most. On cheques 이억오천원 is exact.
_SHORT: Final = re.compile(r"(?:^|[억조])[^만억조]*[십백천]$")
_SHORT_IN_DIGITS: Final = re.compile(r"[억조][^만억조]*\d ?[십백천]$")
# 12.000 is twelve thousand to half of Europe.
_FOREIGN: Final = re.compile(r"(?<![0-9,])[0-9]+\.[0-9][0-9]0(?![0-9])")
_SCALE: Final = re.compile(r"(?<=[0-9]) ?(k|m|bn)$", re.IGNORECASE)
_SCALES: Final = {"k": " thousand", "m": " million", "bn": " billion"}

_CURRENCY: Final = WRITTEN + "|(?!one|two|six|ten)(?<![a-z])[a-z]{3}(?![a-z])"
_AMOUNT: Final = re.compile(
    rf"\s*+(?:일?금)?\s*+(-?)\s*+({_CURRENCY})?\s*+(-?)\s*+(.*?)\s*+({_CURRENCY})?\s*+정?\s*+",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Money:
    """`amount` is exact; `currency` an ISO 4217 code."""

    amount: Decimal
    currency: str

    def shown(self, language: Language) -> str:
        """`30,000,000원(금 삼천만원정)`, `KRW 30,000,000`, `USD 12,000.50`."""
        plain = self.plain(language)
        if language == "ko" and self.currency == "KRW" and self.amount > 0:
            return f"{plain}(금 {in_words(int(self.amount))}원정)"
        return plain

    def plain(self, language: Language) -> str:
        """The amount in digits alone, as for a table."""
        whole = self.amount == self.amount.to_integral_value()
        digits = f"{int(self.amount):,}" if whole else f"{self.amount:,.{PLACES[self.currency]}f}"
        return f"{digits}원" if language == "ko" and self.currency == "KRW" else f"{self.currency} {digits}"

    @property
    def said(self) -> dict[Language, str]:
        """`plain` by language."""
        return {language: self.plain(language) for language in LANGUAGES}


def read_money(value: object, default: str | None = None) -> tuple[Money, bool]:
    """An amount, and whether its currency was taken from `default` since none was stated.

    value: text or a number. Raises WrongValue: not an amount, no currency and no default, an unknown currency, more
    decimal places than the currency has, too large.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise WrongValue("money", value=value)
    if isinstance(value, int) and abs(value) >= LIMIT:
        raise WrongValue("too_much", limit=LIMIT)
    amount, found = _parsed(str(value))
    currency = found or default
    if currency is None:
        raise WrongValue("no_currency", value=value)
    if abs(amount) >= LIMIT:
        raise WrongValue("too_much", limit=LIMIT)
    if amount != round(amount, PLACES[currency]):
        raise WrongValue("places", value=value, currency=currency)
    return Money(amount, currency), not found


def _parsed(text: str) -> tuple[Decimal, str | None]:
    """The amount and the currency that stands with it; `30,000,000원 (금 삼천만원정)` must agree with itself."""
    if len(text) > MAX_CHARS:
        raise WrongValue("money", value=text)
    head, bracket, rest = plain(text).strip().partition("(")
    if not (bracket and head.strip() and rest.endswith(")")):
        return _one(head + bracket + rest, text)
    first = _one(head, text)
    try:
        second = _one(rest[:-1], text)
    except WrongValue:
        # A remark such as (VAT 별도) is no unknown currency.
        raise WrongValue("money", value=text) from None
    if first[0] != second[0] or (first[1] and second[1] and first[1] != second[1]):
        raise WrongValue("two_amounts", value=text)
    return first[0], first[1] or second[1]


def _one(text: str, whole: str) -> tuple[Decimal, str | None]:
    match = _AMOUNT.fullmatch(text)
    if match is None:
        raise WrongValue("money", value=whole)
    sign, before, second_sign, written, after = match.groups()
    currency = _currency(before, after)
    written = _SCALE.sub(lambda scale: _SCALES[scale[1].lower()], written)
    found = numeral(written)
    if found is None or found.end < len(written) or _FOREIGN.search(written) or sign + second_sign == "--":
        raise WrongValue("money", value=whole)
    if _SHORT_IN_DIGITS.search(written) or (_SHORT.search(written) and not currency):
        raise WrongValue("two_ways", value=whole)
    # 만 and 억 without a currency are won: nobody counts dollars so without saying dollars.
    korean = re.search("[가-힣]", written)
    return found.value.copy_negate() if sign or second_sign else found.value, currency or ("KRW" if korean else None)


def _currency(*stated: str | None) -> str | None:
    """The code of the one currency that is stated, if any."""
    codes = {_code(each): None for each in stated if each}
    if len(codes) > 1:
        raise WrongValue("currencies", named=", ".join(codes))
    return next(iter(codes), None)


def _code(text: str) -> str:
    code = text.upper() if text.upper() in PLACES else NAMES.get(text.casefold())
    if code is None:
        raise WrongValue("currency", value=text, known=", ".join(sorted(PLACES)))
    return code
