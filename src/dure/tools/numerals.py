"""Cuts an arithmetic expression into tokens: numbers as Koreans and English speakers write them, names, operators.

A comma is a thousands separator (`1,234,567`) outside functions and in functions of one value; where functions take
several values it separates them (`max(100,200)`), and where both readings make sense the expression is refused.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from dure.errors import ToolInputError

ONE_VALUE: Final = frozenset({"sqrt", "abs", "round", "floor", "ceil", "ln", "log10", "exp"})
"""Functions whose argument may hold thousands separators (`round` takes digits too, but never three of them)."""

_SMALL: Final = {"십": 10, "백": 100, "천": 1000}
_BIG: Final = {"만": 10**4, "억": 10**8, "조": 10**12, "경": 10**16}
_DIGITS: Final = frozenset("0123456789")
_OPERATORS: Final = ("**", "//", "+", "-", "*", "/", "%", "(", ")", ",")
_WORDS: Final = {"of": "*", "의": "*", "mod": "%", "퍼센트": "%", "프로": "%"}
_SAME: Final = str.maketrans(
    {
        **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},  # full-width forms
        **dict.fromkeys(map(ord, "×·∙✕"), "*"),
        **dict.fromkeys(map(ord, "−–"), "-"),
        ord("÷"): "/",
        ord("^"): "**",
        ord("²"): "**2",
        ord("³"): "**3",
        ord("["): "(",
        ord("]"): ")",
        ord("="): " ",
        ord("₩"): " ",
    }
)


@dataclass(frozen=True, slots=True)
class Token:
    """kind: number, name or operator; `value` is a number's."""

    kind: str
    text: str
    value: Decimal | None = None


def tokens(expression: str) -> list[Token]:
    """The expression's tokens, left to right, in linear time. Raises ToolInputError for what is none."""
    return _Scanner(expression.translate(_SAME)).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.commas = _comma_readings(text)
        """Of each opening parenthesis, by its place: whether commas in it are thousands separators."""
        self.inside: list[bool] = [True]

    def scan(self) -> list[Token]:
        found: list[Token] = []
        while self.at < len(self.text):
            start = self.at
            char = self.text[start]
            if char.isspace():
                self.at += 1
            elif char in _DIGITS or (char == "." and self._digit(start + 1)):
                found.append(self.number())
            elif char.isalpha() or char == "_":
                found.append(self.word())
            else:
                found.append(self.operator())
        return found

    def operator(self) -> Token:
        text = next((each for each in _OPERATORS if self.text.startswith(each, self.at)), None)
        if text is None:
            char = self.text[self.at]
            raise ToolInputError(ko=f"'{char}'은(는) 쓸 수 없는 문자입니다.", en=f"'{char}' cannot be used here")
        if text == "(":
            self.inside.append(self.commas[self.at])
        elif text == ")" and len(self.inside) > 1:
            self.inside.pop()
        self.at += len(text)
        return Token("operator", text)

    def word(self) -> Token:
        start = self.at
        for word, operator in _WORDS.items():
            # Korean words stand glued to what follows; English ones are words of their own.
            if not word.isascii() and self.text.startswith(word, start):
                self.at += len(word)
                return Token("operator", operator)
        while self.at < len(self.text) and (self.text[self.at].isalnum() or self.text[self.at] == "_"):
            self.at += 1
        name = self.text[start : self.at].lower()
        return Token("operator", _WORDS[name]) if name in _WORDS else Token("name", name)

    def number(self) -> Token:
        """A number with its Korean units: `3억 5천만` is 350000000."""
        start = self.at
        value = self.plain()
        if self._unit() is not None:
            value = self.with_units(value)
        if self.text.startswith("원", self.at):
            self.at += 1
        return Token("number", self.text[start : self.at].strip(), value)

    def plain(self) -> Decimal:
        start = self.at
        self._digits()
        if self.inside[-1] and 1 <= self.at - start <= 3:
            while _is_group(self.text, self.at):
                self.at += 4
        if self.text.startswith(".", self.at):
            self.at += 1
            self._digits()
        exponent = self._exponent()
        return Decimal(self.text[start : self.at - len(exponent)].replace(",", "") + exponent)

    def _exponent(self) -> str:
        at = self.at
        if self.text[at : at + 1] not in ("e", "E"):
            return ""
        at += 2 if self.text[at + 1 : at + 2] in ("+", "-") else 1
        end = at
        while self._digit(end):
            end += 1
        if not at < end <= at + 4:
            return ""
        exponent, self.at = self.text[self.at : end], end
        return exponent

    def with_units(self, value: Decimal) -> Decimal:
        total, section, pending = Decimal(0), Decimal(0), value
        last_small, last_big = 10**4, 10**20
        while (unit := self._unit()) is not None:
            if unit in _SMALL and _SMALL[unit] < last_small:
                last_small = _SMALL[unit]
                section += pending * last_small
                pending = Decimal(0)
            elif unit in _BIG and _BIG[unit] < last_big:
                last_big, last_small = _BIG[unit], 10**4
                total += (section + pending) * last_big
                section = pending = Decimal(0)
            else:
                raise ToolInputError(ko=f"단위 '{unit}'의 순서가 맞지 않습니다.", en=f"unit '{unit}' is out of order")
            at = self.at = self._after_unit()
            while at < len(self.text) and self.text[at].isspace():
                at += 1
            if self._digit(at):
                self.at = at
                pending = self.plain()
        return total + section + pending

    def _unit(self) -> str | None:
        char = self.text[self._skip_space() : self._skip_space() + 1]
        return char if char and (char in _SMALL or char in _BIG) else None

    def _after_unit(self) -> int:
        return self._skip_space() + 1

    def _skip_space(self) -> int:
        return self.at + 1 if self.text[self.at : self.at + 1] == " " else self.at

    def _digits(self) -> None:
        while self._digit(self.at):
            self.at += 1

    def _digit(self, at: int) -> bool:
        return at < len(self.text) and self.text[at] in _DIGITS


def _is_group(text: str, at: int) -> bool:
    """Whether `,ddd` stands at `at`, and no fourth digit."""
    group = text[at : at + 5]
    return len(group) >= 4 and group[0] == "," and all(c in _DIGITS for c in group[1:4]) and group[4:] not in _DIGITS


def _comma_readings(text: str) -> dict[int, bool]:
    """For each `(` by its place: True where commas in it are thousands separators."""
    readings: dict[int, bool] = {}
    stack: list[tuple[int, str]] = []
    glued: dict[int, bool] = {}
    loose: dict[int, bool] = {}
    word_start = -1
    for at, char in enumerate(text):
        if char.isascii() and (char.isalnum() or char == "_"):
            word_start = at if word_start < 0 else word_start
            continue
        name = text[word_start:at].lower() if word_start >= 0 else ""
        word_start = -1
        if char == "(":
            stack.append((at, "" if name[:1].isdigit() else name))
            readings[at] = True
        elif char == ")" and stack:
            _decide(stack.pop(), readings, glued, loose)
        elif char == "," and stack:
            grouped = at > 0 and text[at - 1] in _DIGITS and _is_group(text, at)
            (glued if grouped else loose)[stack[-1][0]] = True
    while stack:
        _decide(stack.pop(), readings, glued, loose)
    return readings


def _decide(opened: tuple[int, str], readings: dict[int, bool], glued: dict[int, bool], loose: dict[int, bool]) -> None:
    at, name = opened
    if not name or name in ONE_VALUE or at not in glued:
        return
    if at in loose:
        raise ToolInputError(
            ko=f"{name}(…) 안의 쉼표가 모호합니다. 함수 안에서는 천 단위 쉼표 없이 쓰세요: {name}(1200, 3400)",
            en=f"the commas in {name}(…) are ambiguous; "
            f"write numbers without thousands separators there: {name}(1200, 3400)",
        )
    readings[at] = False
