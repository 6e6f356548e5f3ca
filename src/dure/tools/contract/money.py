"""Amounts of money as people write them: `3,000만원`, `1억 2천만 원`, `일금 삼천만원정`, `USD 12,000`, `$1.5 million`.

One pass from left to right; every character is looked at a bounded number of times.
"""

import re
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from typing import Final

from dure.errors import Language
from dure.tools.contract.faults import WrongValue, quoted

MAX_CHARS: Final = 80
LIMIT: Final = Decimal(10**16)
"""Amounts stay below this: one 경 (ten quadrillion)."""

# An amount is never rounded on its way into a contract: what is read fits, and what did not would raise.
_CONTEXT: Final = Context(prec=60, traps=[Inexact])
_MAX_DIGITS: Final = 30
_SMALL: Final = {"십": 10, "백": 100, "천": 1000}
_BIG: Final = {"만": 10**4, "억": 10**8, "조": 10**12}
_HANGUL: Final = {each: number for number, each in enumerate("영일이삼사오육칠팔구")} | {"공": 0, "륙": 6}
_DIGITS: Final = frozenset("0123456789")
# People leave 만 out: 5천 is 50,000,000 of a salary, 2억 5천원 is 250,000,000 to most. On cheques 이억오천원 is exact.
_SHORT: Final = re.compile(r"(?:^|[억조])[^만억조]*[십백천]$")
_SHORT_IN_DIGITS: Final = re.compile(r"[억조][^만억조]*\d ?[십백천]$")
_SCALES: Final = {"thousand": 10**3, "k": 10**3, "million": 10**6, "m": 10**6, "billion": 10**9, "bn": 10**9}
_SAME: Final = str.maketrans({**{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}, 0xA0: " ", 0xFFE6: "₩"})

_PLACES: Final = {
    **dict.fromkeys(("USD", "EUR", "GBP", "CNY", "AUD", "CAD", "CHF", "HKD", "SGD"), 2),
    **dict.fromkeys(("KRW", "JPY", "VND"), 0),
}
"""Currencies that are known, by their ISO 4217 code, and their decimal places."""

_BEFORE: Final = {
    "₩": "KRW",
    "US$": "USD",
    "HK$": "HKD",
    "$": "USD",
    "€": "EUR",
    "£": "GBP",
    "원화": "KRW",
    "미화": "USD",
}
# Longer ones first: the first that fits is taken.
_AFTER: Final = {
    **{"원": "KRW", "korean won": "KRW", "won": "KRW", "₩": "KRW"},
    **{"미국 달러": "USD", "미국달러": "USD", "미달러": "USD", "달러": "USD"},
    **{"us dollars": "USD", "dollars": "USD", "$": "USD"},
    **{"유로": "EUR", "euros": "EUR", "euro": "EUR", "€": "EUR", "파운드": "GBP", "pounds": "GBP", "£": "GBP"},
    **{"일본 엔": "JPY", "엔화": "JPY", "엔": "JPY", "yen": "JPY", "위안": "CNY", "yuan": "CNY"},
}


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
        digits = f"{int(self.amount):,}" if whole else f"{self.amount:,.{_PLACES[self.currency]}f}"
        return f"{digits}원" if language == "ko" and self.currency == "KRW" else f"{self.currency} {digits}"


def read_money(value: object, default: str | None = None) -> tuple[Money, bool]:
    """An amount, and whether its currency was taken from `default` since none was stated.

    value: text, a whole number, a decimal, or {"amount": …, "currency": …}. Raises WrongValue: not an amount,
    no currency and no default, an unknown currency, more decimal places than the currency has, too large.
    """
    stated: str | None = None
    if isinstance(value, dict):
        if not set(value) <= {"amount", "currency"} or isinstance(value.get("amount"), dict):
            raise _not_money(value)
        stated = _code(value["currency"]) if value.get("currency") else None
        value = value.get("amount")
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise _not_money(value)
    if isinstance(value, int) and abs(value) >= LIMIT:
        raise _too_large()
    amount, found = _parsed(str(value))
    if stated and found and stated != found:
        raise WrongValue(f"통화가 서로 다릅니다: {stated}, {found}", f"two currencies are given: {stated} and {found}")
    currency = stated or found or default
    if currency is None:
        raise WrongValue(
            f"'{quoted(value)}'에 통화가 없습니다(예: 30,000,000원, USD 12,000)",
            f"'{quoted(value)}' has no currency (write e.g. KRW 30,000,000 or USD 12,000)",
        )
    if abs(amount) >= LIMIT:
        raise _too_large()
    if amount != round(amount, _PLACES[currency]):
        raise WrongValue(
            f"{currency} 금액의 소수 자리가 너무 많습니다: '{quoted(value)}'",
            f"'{quoted(value)}' has more decimal places than {currency}",
        )
    return Money(amount, currency), not (stated or found)


def in_words(number: int) -> str:
    """A whole number from 1 below `LIMIT` in Hangul, as on cheques: 12,030 is `일만이천삼십`."""
    text = ""
    for size, name in [(10**12, "조"), (10**8, "억"), (10**4, "만"), (1, "")]:
        section, number = divmod(number, size)
        if section:
            text += _thousands(section) + name
    return text


def _thousands(number: int) -> str:
    text = ""
    for size, name in [(1000, "천"), (100, "백"), (10, "십"), (1, "")]:
        digit, number = divmod(number, size)
        if digit:
            # 일십, 일백, 일천 are said 십, 백, 천.
            text += ("" if digit == 1 and name else "영일이삼사오육칠팔구"[digit]) + name
    return text


def _parsed(text: str) -> tuple[Decimal, str | None]:
    """The amount and the currency that stands with it; `30,000,000원 (금 삼천만원정)` must agree with itself."""
    if len(text) > MAX_CHARS:
        raise _not_money(text)
    plain = text.translate(_SAME).strip()
    head, bracket, rest = plain.partition("(")
    if bracket and head.strip() and rest.endswith(")"):
        first = _one(head, text)
        try:
            second = _one(rest[:-1], text)
        except WrongValue:
            # A remark such as (VAT 별도) is no unknown currency.
            raise _not_money(text) from None
        if first[0] != second[0] or (first[1] and second[1] and first[1] != second[1]):
            raise WrongValue(f"'{quoted(text)}'의 두 금액이 다릅니다", f"the two amounts in '{quoted(text)}' differ")
        return first[0], first[1] or second[1]
    return _one(plain, text)


def _one(text: str, whole: str) -> tuple[Decimal, str | None]:
    text = text.strip()
    text = text.removeprefix("일금").removeprefix("금").lstrip()
    text = text.removesuffix("정").rstrip()
    negative = text.startswith(("-", "−"))
    text = text[1:].lstrip() if negative else text
    before, text = _currency_before(text)
    if before and text.startswith(("-", "−")) and not negative:
        negative, text = True, text[1:].lstrip()
    after, text = _currency_after(text)
    if before and after and before != after:
        raise WrongValue(f"통화가 서로 다릅니다: {before}, {after}", f"two currencies are given: {before} and {after}")
    amount, korean = _Number(text, whole).read()
    if _SHORT_IN_DIGITS.search(text) or (_SHORT.search(text) and not (before or after)):
        raise WrongValue(
            f"'{quoted(whole)}'은(는) 두 가지로 읽힙니다. 끝까지 쓰세요(예: 5천만원, 5,000원, 2억 5천만원)",
            f"'{quoted(whole)}' can be read in two ways; write it in full (e.g. 50,000,000 or 5,000)",
        )
    # 만 and 억 without a currency are won: nobody counts dollars so without saying dollars.
    currency = before or after or ("KRW" if korean else None)
    return (-amount if negative else amount), currency


def _currency_before(text: str) -> tuple[str | None, str]:
    for sign, code in _BEFORE.items():
        if text.startswith(sign):
            return code, text[len(sign) :].lstrip()
    letters = text[:3]
    if letters.isascii() and letters.isalpha() and not text[3:4].isalpha():
        return _code(letters), text[3:].lstrip()
    return None, text


def _currency_after(text: str) -> tuple[str | None, str]:
    folded = text.casefold()
    for word, code in _AFTER.items():
        if folded.endswith(word):
            return code, text[: -len(word)].rstrip()
    letters = text[-3:]
    if len(letters) == 3 and letters.isascii() and letters.isalpha() and not text[-4:-3].isalpha():
        return _code(letters), text[:-3].rstrip()
    return None, text


def _code(value: object) -> str:
    text = str(value).strip()
    code = text.upper()
    if code in _PLACES:
        return code
    named = _BEFORE.get(text) or _AFTER.get(text.casefold())
    if named is None:
        known = ", ".join(sorted(_PLACES))
        raise WrongValue(
            f"'{quoted(value)}' 통화는 쓸 수 없습니다. 쓸 수 있는 통화: {known}",
            f"the currency '{quoted(value)}' is not known; known are {known}",
        )
    return named


class _Number:
    """Reads digits, Korean units and Hangul digits: sections below 만, each closed by 만, 억 or 조, falling."""

    def __init__(self, text: str, whole: str) -> None:
        self.text = text
        self.whole = whole
        self.at = 0

    def read(self) -> tuple[Decimal, bool]:
        """The value, and whether Korean numerals or units stood in it."""
        total, section, pending = Decimal(0), Decimal(0), None
        small, big = 10**4, 10**16
        korean = False
        while (char := self._next()) is not None:
            if char in _DIGITS or char in _HANGUL:
                if pending is not None:
                    raise _not_money(self.whole)
                korean |= char in _HANGUL
                pending = self._plain() if char in _DIGITS else self._hangul()
            elif char in _SMALL and _SMALL[char] < small:
                small = _SMALL[char]
                section = _CONTEXT.add(section, _CONTEXT.multiply(Decimal(1) if pending is None else pending, small))
                pending, korean, self.at = None, True, self.at + 1
            elif char in _BIG and _BIG[char] < big:
                big, small = _BIG[char], 10**4
                section = _CONTEXT.add(section, pending or 0)
                # 만원 alone is 10,000 won.
                count = section if section or pending is not None else Decimal(1)
                total = _CONTEXT.add(total, _CONTEXT.multiply(count, big))
                section, pending, korean, self.at = Decimal(0), None, True, self.at + 1
            elif char.isascii() and char.isalpha() and pending is not None and not korean and not section:
                return _CONTEXT.multiply(pending, self._scale()), False
            else:
                raise _not_money(self.whole)
        if pending is None and not korean:
            raise _not_money(self.whole)
        return _CONTEXT.add(_CONTEXT.add(total, section), pending or 0), korean

    def _next(self) -> str | None:
        while self.text[self.at : self.at + 1] == " ":
            self.at += 1
        return self.text[self.at] if self.at < len(self.text) else None

    def _plain(self) -> Decimal:
        """Digits with right thousands separators and a decimal part."""
        start = self.at
        while self.text[self.at : self.at + 1] and self.text[self.at] in "0123456789,.":
            self.at += 1
        text = self.text[start : self.at]
        whole, point, decimals = text.partition(".")
        groups = whole.split(",")
        grouped = len(groups) == 1 or (1 <= len(groups[0]) <= 3 and all(len(each) == 3 for each in groups[1:]))
        # 12.000 is twelve thousand to half of Europe.
        thousands = len(groups) == 1 and len(decimals) == 3 and decimals.endswith("0")
        if not grouped or thousands or (point and not decimals.isdecimal()):
            raise _not_money(self.whole)
        if len(whole) + len(decimals) > _MAX_DIGITS:
            raise _too_large()
        return Decimal("".join(groups) + point + decimals)

    def _hangul(self) -> Decimal:
        digit = _HANGUL[self.text[self.at]]
        self.at += 1
        return Decimal(digit)

    def _scale(self) -> int:
        word = self.text[self.at :].casefold()
        if word not in _SCALES:
            raise _not_money(self.whole)
        return _SCALES[word]


def _too_large() -> WrongValue:
    return WrongValue("금액이 너무 큽니다(1경 미만만 쓸 수 있습니다)", f"the amount is too large (below {LIMIT:,})")


def _not_money(value: object) -> WrongValue:
    return WrongValue(
        f"'{quoted(value)}'은(는) 금액이 아닙니다. 통화와 함께 금액만 쓰세요(예: 3,000만원, USD 12,000)",
        f"'{quoted(value)}' is not an amount; write only the amount with its currency "
        "(e.g. KRW 30,000,000 or USD 12,000)",
    )
