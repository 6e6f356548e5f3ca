"""`calculate`: exact decimal arithmetic on an expression, with a parser of its own; nothing is ever executed as code.

Grammar (precedence climbing, one pass over the tokens):

    sum     = product (("+" | "-") product)*          200 + 10% is 220, as on a pocket calculator
    product = sign (("*" | "/" | "//" | "%" | of) sign)*
    sign    = ("+" | "-") sign | power
    power   = postfix ("**" sign)?
    postfix = atom ("%")*                             15% is 0.15; "%" before an operand is the remainder
    atom    = number | constant | name "(" sum ("," sum)* ")" | "(" sum ")"
"""

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
)
from typing import Any, Final

from dure.errors import ToolInputError
from dure.tooling import Tool, ToolContext, ToolResult
from dure.toolsets.expression import Token, tokens

_MAX_CHARS: Final = 1000
_MAX_DEPTH: Final = 40
_MAX_EXPONENT: Final = 1_000_000
_MAX_DIGITS: Final = 100
_SHOWN_DIGITS: Final = 15

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
    value: Decimal
    read_as: str
    """The expression as it was understood, so that a misreading can be seen."""

    @property
    def shown(self) -> str:
        """The value as text: integers whole, other values to 15 significant digits."""
        return _shown(self.value)


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
        value = parser.whole()
    except DivisionByZero:
        raise ToolInputError(ko="0으로 나눌 수 없습니다.", en="division by zero") from None
    except DecimalException:
        raise ToolInputError(
            ko="정의되지 않는 계산입니다(예: 0/0, 음수의 제곱근).",
            en="not defined (such as 0/0 or the square root of a negative number)",
        ) from None
    return Calculation(value, parser.read_as())


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
        value = self.sum()
        if self.at < len(self.tokens):
            raise _unexpected(self.tokens[self.at].text)
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
        if text not in texts or not text:
            return ""
        self.at += 1
        return text

    def need(self, text: str) -> None:
        if not self.take(text):
            raise _unexpected(self.peek())

    def sum(self) -> Decimal:
        self._deeper()
        value = self.product()
        while operator := self.take("+", "-"):
            start = self.at
            right = self.product()
            if self._is_percentage(start):
                right = _CONTEXT.multiply(value, right)
            value = _bounded(_CONTEXT.add(value, right) if operator == "+" else _CONTEXT.subtract(value, right))
        self.depth -= 1
        return value

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ToolInputError(ko="식이 너무 깊게 겹쳐 있습니다.", en="nested too deeply")

    def _is_percentage(self, start: int) -> bool:
        """Whether the tokens since `start` are just `<number> %`."""
        done = self.tokens[start : self.at]
        return len(done) == 2 and done[0].value is not None and done[1].text == "%"

    def product(self) -> Decimal:
        value = self.sign()
        while operator := self.take("*", "/", "//", "%"):
            if operator == "%":
                self.remainders.add(self.at - 1)
            right = self.sign()
            value = _bounded(_PRODUCTS[operator](value, right))
        return value

    def sign(self) -> Decimal:
        negative = False
        while sign := self.take("+", "-"):
            self.signs.add(self.at - 1)
            negative ^= sign == "-"
        value = self.power()
        return _CONTEXT.minus(value) if negative else value

    def power(self) -> Decimal:
        value = self.postfix()
        if not self.take("**"):
            return value
        # Right-associative: 2**3**2 is 2**9.
        self._deeper()
        value = _power(value, self.sign())
        self.depth -= 1
        return value

    def postfix(self) -> Decimal:
        value = self.atom()
        while self.peek() == "%" and not self._starts_operand(self.at + 1):
            self.at += 1
            value = _CONTEXT.divide(value, Decimal(100))
        return value

    def _starts_operand(self, at: int) -> bool:
        if at >= len(self.tokens):
            return False
        token = self.tokens[at]
        return token.value is not None or token.kind == "name" or token.text == "("

    def atom(self) -> Decimal:
        if self.at >= len(self.tokens):
            raise ToolInputError(ko="식이 중간에 끝났습니다.", en="the expression ends too early")
        token = self.tokens[self.at]
        self.at += 1
        if token.value is not None:
            return _bounded(token.value)
        if token.text == "(":
            value = self.sum()
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
        values = [self.sum()]
        while self.take(","):
            values.append(self.sum())
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
    text = f"{value.quantize(Decimal(1).scaleb(-places), context=_CONTEXT):f}"
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
    if base and abs(_CONTEXT.multiply(base.copy_abs().log10(_CONTEXT), exponent)) > _MAX_DIGITS:
        if (base.adjusted() >= 0) == (exponent > 0):
            raise _too_large()
        return Decimal(0)
    return _bounded(_CONTEXT.power(base, exponent))


def _floor_divide(a: Decimal, b: Decimal) -> Decimal:
    return _CONTEXT.divide(_CONTEXT.subtract(a, _modulo(a, b)), b).to_integral_value()


def _modulo(a: Decimal, b: Decimal) -> Decimal:
    """The remainder with the divisor's sign, as in Python and spreadsheets."""
    if not b:
        raise DivisionByZero
    rest = _CONTEXT.remainder(a, b)
    return _CONTEXT.add(rest, b) if rest and (rest < 0) != (b < 0) else rest


def _round(value: Decimal, digits: Decimal = Decimal(0)) -> Decimal:
    if digits != digits.to_integral_value() or abs(digits) > _MAX_DIGITS:
        raise ToolInputError(ko="round의 자릿수는 정수여야 합니다.", en="round takes a whole number of digits")
    if value.adjusted() + digits > _MAX_DIGITS:
        return value
    return value.quantize(Decimal(1).scaleb(-int(digits)), rounding=ROUND_HALF_UP, context=_CONTEXT)


def _average(*values: Decimal) -> Decimal:
    return _CONTEXT.divide(_sum(*values), Decimal(len(values)))


def _median(*values: Decimal) -> Decimal:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else _average(*ordered[middle - 1 : middle + 1])


def _sum(*values: Decimal) -> Decimal:
    total = Decimal(0)
    for each in values:
        total = _CONTEXT.add(total, each)
    return total


def _exp(value: Decimal) -> Decimal:
    if value > 2.4 * _MAX_DIGITS:
        raise _too_large()
    return _CONTEXT.exp(value)


_CONSTANTS: Final = {"pi": _PI, "π": _PI, "e": _CONTEXT.exp(Decimal(1))}
_MANY: Final = _MAX_CHARS
_PRODUCTS: Final[dict[str, Callable[[Decimal, Decimal], Decimal]]] = {
    "*": _CONTEXT.multiply,
    "/": _CONTEXT.divide,
    "//": _floor_divide,
    "%": _modulo,
}
_FUNCTIONS: Final[dict[str, tuple[int, int, Callable[..., Decimal]]]] = {
    "sqrt": (1, 1, _CONTEXT.sqrt),
    "abs": (1, 1, _CONTEXT.abs),
    "round": (1, 2, _round),
    "floor": (1, 1, lambda value: value.to_integral_value(ROUND_FLOOR)),
    "ceil": (1, 1, lambda value: value.to_integral_value(ROUND_CEILING)),
    "min": (1, _MANY, min),
    "max": (1, _MANY, max),
    "sum": (1, _MANY, _sum),
    "avg": (1, _MANY, _average),
    "average": (1, _MANY, _average),
    "mean": (1, _MANY, _average),
    "median": (1, _MANY, _median),
    "pow": (2, 2, _power),
    "ln": (1, 1, _CONTEXT.ln),
    "log10": (1, 1, _CONTEXT.log10),
    "exp": (1, 1, _exp),
}
