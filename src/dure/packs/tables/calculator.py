"""`calculate`: exact decimal arithmetic on an expression, with a parser of its own; nothing is ever executed as code.

Operators by how they bind (precedence climbing, one pass over the tokens):

    + -             200 + 10% is 220, as on a pocket calculator
    * / // % of     "%" before an operand is the remainder
    - + as signs
    **              to the right: 2**3**2 is 2**9
    %               behind an operand: 15% is 0.15

An operand is a number, a constant, name "(" expression ("," expression)* ")", or "(" expression ")".
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from decimal import (
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_HALF_UP,
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)
from statistics import median
from typing import Any, Final

from dure.errors import ToolInputError
from dure.packs.tables.expression import Token, tokens
from dure.tooling import Tool, ToolContext, ToolResult

_MAX_CHARS: Final = 1000
_MAX_DEPTH: Final = 100
_MAX_EXPONENT: Final = 1_000_000
_MAX_DIGITS: Final = 100
_SHOWN_DIGITS: Final = 15
_SIGN: Final = 3
"""How signs bind; operators: `_OPERATORS`."""

# Twenty digits more than the largest integer shown, so that integers up to 10**100 stay exact.
_CONTEXT: Final = Context(prec=_MAX_DIGITS + 20, traps=[InvalidOperation, DivisionByZero, Overflow])

_PI: Final = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798"
)
_DESCRIPTION = (
    "Calculate an arithmetic expression exactly. Use it for every calculation. "
    "Operators + - * / // % ** and parentheses; percentages (15%, 15% of 200, 200의 15%); thousands separators "
    "(1,234,567); Korean units (3억 5천만); functions sqrt, abs, round(x, digits), floor, ceil, min, max, sum, "
    "avg, median, ln, log10, exp; constants pi, e. Round halves go up. Example: (1,200만 + 3.5억) * 12%"
)
_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {"expression": {"type": "string", "minLength": 1, "maxLength": _MAX_CHARS}},
    "required": ["expression"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Calculation:
    shown: str
    """The value as text: integers whole, other values to 15 significant digits."""
    read_as: str
    """The expression as it was understood, so that a misreading can be seen."""


def calculator() -> Tool:
    """The tool `calculate` {expression}."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        done = calculate(args["expression"])
        return ToolResult(f"{done.read_as} = {done.shown}", data={"value": done.shown})

    return Tool("calculate", _DESCRIPTION, _PARAMETERS, run, timeout=10.0)


def calculate(expression: str) -> Calculation:
    """Evaluate `expression` (at most 1000 characters). Raises ToolInputError saying what is wrong with it."""
    if len(expression) > _MAX_CHARS:
        raise ToolInputError(ko=f"식이 너무 깁니다(최대 {_MAX_CHARS}자).", en=f"longer than {_MAX_CHARS} characters")
    parser = _Parser(tokens(expression))
    try:
        with localcontext(_CONTEXT):
            return Calculation(_shown(parser.whole()), parser.read_as())
    except DivisionByZero:
        raise ToolInputError(ko="0으로 나눌 수 없습니다.", en="division by zero") from None
    except DecimalException:
        raise ToolInputError(
            ko="정의되지 않는 계산입니다(예: 0/0, 음수의 제곱근).",
            en="not defined (such as 0/0 or the square root of a negative number)",
        ) from None


class _Parser:
    def __init__(self, found: list[Token]) -> None:
        self.tokens = found
        self.at = 0
        self.depth = 0
        self.signs: set[int] = set()
        """Places of `-` and `+` that are signs, not operators."""
        self.remainders: set[int] = set()
        """Places of `%` that ask for a remainder."""

    def whole(self) -> Decimal:
        if not self.tokens:
            raise ToolInputError(ko="식이 비어 있습니다.", en="the expression is empty")
        value = self.value()
        if self.at < len(self.tokens):
            raise _unexpected(self.peek())
        return value

    def read_as(self) -> str:
        parts: list[str] = []
        for at, token in enumerate(self.tokens):
            text = token.text if token.value is None else _shown(token.value)
            if at in self.remainders:
                text = "mod"
            before = self.tokens[at - 1] if at else None
            after_name = text == "(" and before is not None and before.kind == "name"
            tight = before is None or before.text == "(" or at - 1 in self.signs or text in "),%" or after_name
            parts.append(text if tight else " " + text)
        return "".join(parts)

    def peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def take(self, *texts: str) -> str:
        text = self.peek()
        if text not in texts:
            return ""
        self.at += 1
        return text

    def need(self, text: str) -> None:
        if not self.take(text):
            raise _unexpected(self.peek())

    def value(self, least: int = 0) -> Decimal:
        """Of what stands here, up to an operator that binds less than `least`."""
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ToolInputError(ko="식이 너무 깊게 겹쳐 있습니다.", en="nested too deeply")
        value = self.operand()
        while (sign := self.peek()) in _OPERATORS and _OPERATORS[sign][0] >= least:
            binds, calculated = _OPERATORS[sign]
            self.at += 1
            start = self.at
            right = self.value(min(binds + 1, _SIGN))
            if sign == "%":
                self.remainders.add(start - 1)
            elif sign in "+-" and self._is_percentage(start):
                right = value * right
            value = _bounded(calculated(value, right))
        self.depth -= 1
        return value

    def operand(self) -> Decimal:
        before, negative = self.at, False
        while sign := self.take("+", "-"):
            self.signs.add(self.at - 1)
            negative ^= sign == "-"
        if self.at > before:
            value = self.value(_SIGN)
            return -value if negative else value
        value = self.atom()
        while self.peek() == "%" and not self._starts_operand(self.at + 1):
            self.at += 1
            value /= 100
        return value

    def _is_percentage(self, start: int) -> bool:
        """Whether the tokens since `start` are just `<number> %`."""
        done = self.tokens[start : self.at]
        return len(done) == 2 and done[0].value is not None and done[1].text == "%"

    def _starts_operand(self, at: int) -> bool:
        return any(each.kind != "operator" or each.text == "(" for each in self.tokens[at : at + 1])

    def atom(self) -> Decimal:
        if self.at >= len(self.tokens):
            raise _unexpected("")
        token = self.tokens[self.at]
        self.at += 1
        if token.value is not None:
            return _bounded(token.value)
        if token.text == "(":
            value = self.value()
            self.need(")")
            return value
        if token.kind == "name":
            return self.call(token.text)
        raise _unexpected(token.text)

    def call(self, name: str) -> Decimal:
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if name not in _FUNCTIONS:
            known = ", ".join([*_FUNCTIONS, *_CONSTANTS])
            raise ToolInputError(
                ko=f"'{name}'은(는) 모르는 이름입니다. 쓸 수 있는 이름: {known}",
                en=f"'{name}' is not known; known are: {known}",
            )
        least, most, function = _FUNCTIONS[name]
        self.need("(")
        values = [self.value()]
        while self.take(","):
            values.append(self.value())
        self.need(")")
        if not least <= len(values) <= most:
            raise ToolInputError(
                ko=f"{name}에 값 {len(values)}개를 쓸 수 없습니다.", en=f"{name} does not take {len(values)} value(s)"
            )
        return _bounded(function(*values))


def _shown(value: Decimal) -> str:
    """Integers whole; else 15 significant digits, or six decimals where more stand before the point."""
    if value and value.adjusted() < -_SHOWN_DIGITS:
        return f"{value.normalize(Context(prec=_SHOWN_DIGITS)):e}"
    places = max(_SHOWN_DIGITS - 1 - value.adjusted(), 6)
    text = f"{value.quantize(Decimal(1).scaleb(-places)):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _unexpected(text: str) -> ToolInputError:
    if not text:
        return ToolInputError(ko="식이 중간에 끝났습니다.", en="the expression ends too early")
    return ToolInputError(ko=f"'{text}'이(가) 있을 자리가 아닙니다.", en=f"'{text}' is not expected there")


def _too_large() -> ToolInputError:
    return ToolInputError(
        ko=f"결과가 너무 큽니다(10의 {_MAX_DIGITS}제곱 미만만 계산합니다).",
        en=f"the result is too large (values below 10**{_MAX_DIGITS} are calculated)",
    )


def _bounded(value: Decimal) -> Decimal:
    if not value.is_finite():
        raise DivisionByZero
    if value and value.adjusted() >= _MAX_DIGITS:
        raise _too_large()
    return value


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    if abs(exponent) > _MAX_EXPONENT:
        raise _too_large()
    # adjusted() is floor(log10): this bounds the result before anything large is computed.
    if base and abs(abs(base).log10() * exponent) > _MAX_DIGITS:
        if (base.adjusted() >= 0) == (exponent > 0):
            raise _too_large()
        return Decimal(0)
    return base**exponent


def _floor_divide(a: Decimal, b: Decimal) -> Decimal:
    return ((a - _modulo(a, b)) / b).to_integral_value()


def _modulo(a: Decimal, b: Decimal) -> Decimal:
    """The remainder with the divisor's sign, as in Python and spreadsheets."""
    if not b:
        raise DivisionByZero
    rest = a % b
    return rest + b if rest and (rest < 0) != (b < 0) else rest


def _round(value: Decimal, digits: Decimal = Decimal(0)) -> Decimal:
    if digits != digits.to_integral_value() or abs(digits) > _MAX_DIGITS:
        raise ToolInputError(ko="round의 자릿수는 정수여야 합니다.", en="round takes a whole number of digits")
    if value.adjusted() + digits > _MAX_DIGITS:
        return value
    return value.quantize(Decimal(1).scaleb(-int(digits)), rounding=ROUND_HALF_UP)


def _sum(*values: Decimal) -> Decimal:
    return sum(values, Decimal(0))


def _average(*values: Decimal) -> Decimal:
    return _sum(*values) / len(values)


def _exp(value: Decimal) -> Decimal:
    if value > 2.4 * _MAX_DIGITS:
        raise _too_large()
    return value.exp()


_CONSTANTS: Final = {"pi": _PI, "π": _PI, "e": _CONTEXT.exp(Decimal(1))}
_MANY: Final = _MAX_CHARS
_OPERATORS: Final[dict[str, tuple[int, Callable[[Decimal, Decimal], Decimal]]]] = {
    "+": (1, operator.add),
    "-": (1, operator.sub),
    "*": (2, operator.mul),
    "/": (2, operator.truediv),
    "//": (2, _floor_divide),
    "%": (2, _modulo),
    "**": (4, _power),
}
_FUNCTIONS: Final[dict[str, tuple[int, int, Callable[..., Decimal]]]] = {
    "sqrt": (1, 1, Decimal.sqrt),
    "abs": (1, 1, abs),
    "round": (1, 2, _round),
    "floor": (1, 1, lambda value: value.to_integral_value(ROUND_FLOOR)),
    "ceil": (1, 1, lambda value: value.to_integral_value(ROUND_CEILING)),
    "min": (1, _MANY, lambda *values: min(values)),
    "max": (1, _MANY, lambda *values: max(values)),
    "sum": (1, _MANY, _sum),
    "avg": (1, _MANY, _average),
    "average": (1, _MANY, _average),
    "mean": (1, _MANY, _average),
    "median": (1, _MANY, lambda *values: median(values)),
    "pow": (2, 2, _power),
    "ln": (1, 1, Decimal.ln),
    "log10": (1, 1, Decimal.log10),
    "exp": (1, 1, _exp),
}
