"""Equations that a text writes out: `400개 × 18,500원 = 7,400,000원`."""

import re
from collections.abc import Iterator
from decimal import Decimal, DivisionByZero, InvalidOperation
from typing import NamedTuple

from dure.numbers.finding import scan
from dure.numbers.reading import Number, plain

_BETWEEN = re.compile(r"\s*(?:[가-힣]{0,4}|[A-Za-z]{0,3}?)\s*(%?)\s*([-+*/=×·∙✕÷–xX])\s*[₩$€]?\s*")
"""Between two numbers: the unit of the first, a percent sign, the operator."""
_SAME = str.maketrans(dict.fromkeys("×·∙✕xX", "*") | {"÷": "/", "–": "-"})
_PERCENT = re.compile(r"\s*%")
_IN_BRACKETS = re.compile(r"(?<![\d.,])(\d[\d,.]{0,30}[^\d()=\n]{0,8})\(([^()=\n]{3,100})\)")
"""What comes out, its unit, and behind it in brackets how."""


class Equation(NamedTuple):
    """`parts`: the numbers on its left side, as written; `result`: the one on its right. `holds`: whether it is so, to
    the places that the result has."""

    parts: list[str]
    result: str
    holds: bool


def equations(text: str) -> Iterator[Equation]:
    """The equations of a text, without brackets, from left to right; then those that stand in brackets behind what they
    give: `455,000원(350,000원 × 1.3)`."""
    text = plain(text).replace("**", "  ")
    yield from _written_out(text)
    for result, how in _IN_BRACKETS.findall(text):
        yield from _written_out(f"{how} = {result}")


def _written_out(text: str) -> Iterator[Equation]:
    left: list[tuple[Number, str, bool]] = []
    last: Number | None = None
    for number in scan(text) if "=" in text else ():
        between = _BETWEEN.fullmatch(text, last.end, number.start) if last else None
        operator = between[2].translate(_SAME) if between else ""
        if not between or last is None:
            left = []
        else:
            left.append((last, operator, bool(between[1])))
        if operator == "=" and len(left) > 1:
            parts = [text[each.start : each.end] for each, _, _ in left]
            percent = bool(_PERCENT.match(text, number.end))
            yield Equation(parts, text[number.start : number.end], _holds(left, number.value, percent))
        left, last = [] if operator == "=" else left, number


def _holds(left: list[tuple[Number, str, bool]], result: Decimal, percent: bool) -> bool:
    """Whether what stands on the left, each number with the operator behind it, is the result."""
    total, product, sign, before = Decimal(0), Decimal(1), 1, "*"
    try:
        for number, operator, of_hundred in left:
            value = number.value / 100 if of_hundred else number.value
            product = product / value if before == "/" else product * value
            if operator in "+-=":
                total, product, sign = total + sign * product, Decimal(1), -1 if operator == "-" else 1
            before = operator if operator in "*/" else "*"
    except (DivisionByZero, InvalidOperation):
        return False
    step = Decimal(1).scaleb(int(result.as_tuple().exponent))
    return abs((total * 100 if percent else total) - result) <= step / 2
