"""Equations that a text writes out: `400개 × 18,500원 = 7,400,000원`."""

from collections import deque
from collections.abc import Iterator
from decimal import Decimal, DivisionByZero, InvalidOperation
from typing import NamedTuple

from dure.numbers.finding import fractions, scan
from dure.numbers.reading import plain
from dure.patterns import later

_UNIT = r"[^\S\n]*(?:[가-힣]{0,4}|[A-Za-z]{0,3}?)[^\S\n]*"
_BETWEEN = later(
    rf"{_UNIT}%?((?:[^\S\n]*\))*){_UNIT}(?:,[^\S\n]*(?=[×÷]))?([-+*/=≈×·∙✕÷–xX]|의(?= )|\bof\b)"
    r"[^\S\n]*(?:(?<=[=≈ ])[가-힣]{1,4} )?(\(*)(?:[₩$€]|[A-Z]{3} )?[^\S\n]*"
)
"""Between two numbers: the unit of the first, brackets that close, the operator, which may go on with what came out
(`= 20원, × 3`), what the result is of (`= 하루 20원`), brackets that open."""
_EQUAL = later("[=≈]")
_OPENED = later(r"(\(*)[₩$€]?\Z")
_SAME = dict.fromkeys([*"×·∙✕xX의", "of"], "*") | {"÷": "/", "–": "-", "≈": "="}
_PERCENT = later(r"\s*%")
_IN_BRACKETS = later(r"(?<![\d.,])(\d[\d,.]{0,30}[^\d()=\n+*/×÷]{0,8})\(((?:[^()=\n]|\([^()=\n]{1,50}\)){3,100})\)")
"""What comes out, its unit, and behind it in brackets how."""


class Equation(NamedTuple):
    """`parts`: the numbers on its left side, as written; `result`: the one on its right. `holds`: whether it is so, to
    the places that the result has."""

    parts: list[str]
    result: str
    holds: bool


class _Side(NamedTuple):
    """What stands between two signs of equality: its numbers as they are written, with their values and whether they
    are percents; and what is to be worked out, numbers, operators and brackets."""

    numbers: list[tuple[str, Decimal, bool]]
    tokens: list[Decimal | str]


def equations(text: str) -> Iterator[Equation]:
    """The equations of a text from left to right, of a row of them (`(2 + 3) × 4 = 5 × 4 = 20`) each with what follows
    it or comes out last; then those that stand in brackets behind what they give: `455,000원(350,000원 × 1.3)`."""
    text = plain(text).replace("**", "  ")
    yield from _written_out(text)
    for result, how in _IN_BRACKETS.findall(text):
        yield from _written_out(f"{how} = {result}")


def _written_out(text: str) -> Iterator[Equation]:
    sides: list[_Side] = []
    last = 0
    whole, shares = fractions(text) if _EQUAL.search(text) else ("", [])
    for number in sorted([*shares, *scan(whole)], key=lambda each: each.start):
        if not any(map(str.isdigit, text[number.start : number.end])):
            continue
        between = _BETWEEN.fullmatch(text, last, number.start) if sides else None
        if between:
            operator = _SAME.get(between[2], between[2])
            sides[-1].tokens.extend(")" * between[1].count(")"))
            if operator == "=":
                sides.append(_Side([], []))
            else:
                sides[-1].tokens.append(operator)
            sides[-1].tokens.extend(between[3])
        else:
            yield from _equal(sides)
            opened = _OPENED.search(text, last, number.start)
            sides = [_Side([], [*opened[1]] if opened else [])]
        last = number.end
        percent = number.percent or bool(_PERCENT.match(text, last))
        sides[-1].numbers.append((text[number.start : last], number.value, percent))
        sides[-1].tokens.append(number.value / 100 if percent else number.value)
    yield from _equal(sides)


def _equal(sides: list[_Side]) -> Iterator[Equation]:
    """Each side that is worked out, with the number that follows it, or that stands alone on a later one."""
    for at, side in enumerate(sides[:-1], 1):
        value = _worked_out(side.tokens) if len(side.numbers) > 1 else None
        if value is not None:
            results = [sides[at], *(each for each in sides[at:] if len(each.numbers) == 1)]
            right = next((each for each in results if _is(value, Decimal(100) in side.tokens, each)), None)
            parts = [written for written, _, _ in side.numbers]
            yield Equation(parts, (right or results[0]).numbers[0][0], right is not None)


def _is(value: Decimal, of_hundred: bool, side: _Side) -> bool:
    """Whether a side begins with this value, to the places that it has there. of_hundred: as percents it may be worked
    out already."""
    _, result, percent = side.numbers[0]
    step = Decimal(1).scaleb(int(result.as_tuple().exponent))
    values = [value * 100, *[value] * of_hundred] if percent else [value]
    return any(abs(each - result) <= step / 2 for each in values)


def _worked_out(tokens: list[Decimal | str]) -> Decimal | None:
    """None where a bracket closes that was not opened: what it is of stands in words. No number where it is of none."""
    left = deque(tokens)
    try:
        value = _sum(left)
    except (DivisionByZero, InvalidOperation):
        return Decimal("Infinity")
    return None if left else value


def _sum(left: deque[Decimal | str]) -> Decimal:
    """What stands up to the end or the next bracket that closes, which is taken away."""
    total, product, sign, before = Decimal(0), Decimal(1), 1, "*"
    while left:
        each = left.popleft()
        value = each if isinstance(each, Decimal) else _sum(left)
        product = product / value if before == "/" else product * value
        before = str(left.popleft()) if left else ")"
        if before not in "*/":
            total, product, sign = total + sign * product, Decimal(1), -1 if before == "-" else 1
        if before == ")":
            break
    return total
