"""`calculate`: exact decimal arithmetic on an expression. Python's parser reads it; nothing is ever run as code.

Operators bind as Python's do. "%" before an operand is the remainder, behind one a percentage: 15% is 0.15, and
200 + 10% is 220, as on a pocket calculator.
"""

import ast
import decimal
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, DivisionByZero, localcontext
from statistics import median
from typing import Any, Final

from dure.packs.tables.expression import Token, fault, tokens
from dure.tooling import Tool, ToolContext, ToolResult, an_object

_MAX_CHARS: Final = 1000
_MAX_DEPTH: Final = 100
_MAX_EXPONENT: Final = 1_000_000
_MAX_DIGITS: Final = 100
_SHOWN_DIGITS: Final = 15

# Twenty digits more than the largest integer shown, so that integers up to 10**100 stay exact.
_CONTEXT: Final = Context(prec=_MAX_DIGITS + 20, traps=[decimal.InvalidOperation, DivisionByZero, decimal.Overflow])

_PI: Final = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798"
)
_DESCRIPTION = (
    "Calculate an arithmetic expression exactly. Use it for every calculation. "
    "Operators + - * / // % ** and parentheses; percentages (15%, 15% of 200, 200의 15%); thousands separators "
    "(1,234,567); Korean units (3억 5천만); functions sqrt, abs, round(x, digits), floor, ceil, min, max, sum, "
    "avg, median, ln, log10, exp; constants pi, e. Round halves go up. Example: (1,200만 + 3.5억) * 12%"
)
_PARAMETERS = an_object({"expression": {"type": "string", "minLength": 1, "maxLength": _MAX_CHARS}})


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
        raise fault("long", most=_MAX_CHARS)
    found = tokens(expression)
    percentages = {
        at
        for at, each in enumerate(found)
        if each.text == "%" and not any(next.kind != "operator" or next.text == "(" for next in found[at + 1 : at + 2])
    }
    # Numbers are places among the tokens, percentages subscripts, which bind as tightly.
    parts = [str(at) if each.value is not None else each.text for at, each in enumerate(found)]
    source = " ".join("[0]" if at in percentages else part for at, part in enumerate(parts))
    try:
        with localcontext(_CONTEXT):
            value = _value(ast.parse(source, mode="eval").body, found)
            return Calculation(_shown(value), _read_as(found, percentages))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise fault("unread", expression=expression[:100]) from None
    except DivisionByZero:
        raise fault("zero") from None
    except decimal.DecimalException:
        raise fault("undefined") from None


def _read_as(found: Sequence[Token], percentages: set[int]) -> str:
    """The expression with its numbers in digits; signs, brackets and percentages stand close."""
    text, before, sign = "", Token("operator", "("), False
    for at, each in enumerate(found):
        shown = each.text if each.value is None else _shown(each.value)
        shown = "mod" if each.text == "%" and at not in percentages else shown
        close = before.text == "(" or sign or shown in "),%" or (each.text == "(" and before.kind == "name")
        text += shown if close else f" {shown}"
        operand = before.kind != "operator" or before.text == ")" or at - 1 in percentages
        before, sign = each, each.text in ("+", "-") and not operand
    return text


def _value(node: ast.expr, found: Sequence[Token], depth: int = 0) -> Decimal:
    """Of an expression as Python's parser has it; a constant is the place of a number among `found`. Raises
    SyntaxError for what is no arithmetic."""
    if depth > _MAX_DEPTH:
        raise fault("deep")
    # A long sum is no deep one.
    rest: list[ast.BinOp] = []
    while isinstance(node, ast.BinOp):
        rest.append(node)
        node = node.left
    value = _operand(node, found, depth + 1)
    for each in reversed(rest):
        right = _value(each.right, found, depth + 1)
        match each:
            case ast.BinOp(op=ast.Add() | ast.Sub(), right=ast.Subscript(value=ast.Constant())):
                right *= value
        value = _bounded(_OPERATORS[type(each.op)](value, right))
    return value


def _operand(node: ast.expr, found: Sequence[Token], depth: int) -> Decimal:
    match node:
        case ast.Constant(value=int(at)) if (number := found[at].value) is not None:
            return _bounded(number)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, found, depth)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _value(inner, found, depth)
        case ast.Subscript(value=inner):
            return _value(inner, found, depth) / 100
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            least, most, function = _FUNCTIONS[name]
            if not least <= len(args) <= most:
                raise fault("values", name=name, count=len(args))
            return _bounded(function(*(_value(each, found, depth) for each in args)))
        case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)) if name not in _FUNCTIONS:
            raise fault("name", name=name, known=", ".join([*_FUNCTIONS, *_CONSTANTS]))
    raise SyntaxError


def _shown(value: Decimal) -> str:
    """Integers whole; else 15 significant digits, or six decimals where more stand before the point."""
    if value and value.adjusted() < -_SHOWN_DIGITS:
        return f"{value.normalize(Context(prec=_SHOWN_DIGITS)):e}"
    places = max(_SHOWN_DIGITS - 1 - value.adjusted(), 6)
    text = f"{value.quantize(Decimal(1).scaleb(-places)):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _bounded(value: Decimal) -> Decimal:
    if not value.is_finite():
        raise DivisionByZero
    if value and value.adjusted() >= _MAX_DIGITS:
        raise fault("large", digits=_MAX_DIGITS)
    return value


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    if abs(exponent) > _MAX_EXPONENT:
        raise fault("large", digits=_MAX_DIGITS)
    # adjusted() is floor(log10): this bounds the result before anything large is computed.
    if base and abs(abs(base).log10() * exponent) > _MAX_DIGITS:
        if (base.adjusted() >= 0) == (exponent > 0):
            raise fault("large", digits=_MAX_DIGITS)
        return Decimal(0)
    return base**exponent


def _modulo(a: Decimal, b: Decimal) -> Decimal:
    """The remainder with the divisor's sign, as in Python and spreadsheets."""
    if not b:
        raise DivisionByZero
    rest = a % b
    return rest + b if rest and (rest < 0) != (b < 0) else rest


def _round(value: Decimal, digits: Decimal = Decimal(0)) -> Decimal:
    if digits != digits.to_integral_value() or abs(digits) > _MAX_DIGITS:
        raise fault("digits")
    if value.adjusted() + digits > _MAX_DIGITS:
        return value
    return value.quantize(Decimal(1).scaleb(-int(digits)), rounding=decimal.ROUND_HALF_UP)


def _exp(value: Decimal) -> Decimal:
    if value > 2.4 * _MAX_DIGITS:
        raise fault("large", digits=_MAX_DIGITS)
    return value.exp()


_CONSTANTS: Final = {"pi": _PI, "π": _PI, "e": _CONTEXT.exp(Decimal(1))}
_OPERATORS: Final[dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda a, b: ((a - _modulo(a, b)) / b).to_integral_value(),
    ast.Mod: _modulo,
    ast.Pow: _power,
}
_FUNCTIONS: Final[dict[str, tuple[int, int, Callable[..., Decimal]]]] = {
    "sqrt": (1, 1, Decimal.sqrt),
    "abs": (1, 1, abs),
    "round": (1, 2, _round),
    "floor": (1, 1, lambda value: value.to_integral_value(decimal.ROUND_FLOOR)),
    "ceil": (1, 1, lambda value: value.to_integral_value(decimal.ROUND_CEILING)),
    "min": (1, _MAX_CHARS, lambda *values: min(values)),
    "max": (1, _MAX_CHARS, lambda *values: max(values)),
    "sum": (1, _MAX_CHARS, lambda *values: sum(values)),
    **dict.fromkeys(("avg", "average", "mean"), (1, _MAX_CHARS, lambda *values: sum(values) / len(values))),
    "median": (1, _MAX_CHARS, lambda *values: median(values)),
    "pow": (2, 2, _power),
    "ln": (1, 1, Decimal.ln),
    "log10": (1, 1, Decimal.log10),
    "exp": (1, 1, _exp),
}
