"""Cuts an arithmetic expression into tokens: numbers as Koreans and English speakers write them, names, operators.

A comma is a thousands separator (`1,234,567`) outside functions and in functions of one value; where functions take
several values it separates them (`max(100,200)`), and where both readings make sense the expression is refused.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from dure.errors import tool_fault
from dure.numbers import numeral, plain
from dure.packs.tables import TEXTS

ONE_VALUE: Final = frozenset({"sqrt", "abs", "round", "floor", "ceil", "ln", "log10", "exp"})
"""Functions whose argument may hold thousands separators (`round` takes digits too, but never three of them)."""

fault = tool_fault(TEXTS["calculator"])
"""What is wrong with an expression."""
_WORDS: Final = {"of": "*", "의": "*", "mod": "%", "퍼센트": "%", "프로": "%"}
_SAME: Final = str.maketrans(
    {
        **dict.fromkeys("×·∙✕", "*"),
        **{"–": "-", "÷": "/", "^": "**", "²": "**2", "³": "**3", "[": "(", "]": ")", "=": " ", "₩": " "},
    }
)
_OPERATOR: Final = re.compile(r"\*\*|//|[-+*/%(),]")
# Korean words stand glued to what follows; English ones are words of their own.
_NAME: Final = re.compile(rf"{'|'.join(word for word in _WORDS if not word.isascii())}|[^\W\d]\w*")
_GROUP: Final = re.compile(r"(?<=[0-9]),[0-9]{3}(?![0-9])")
_EXPONENT: Final = re.compile(r"[eE][-+]?[0-9]{1,4}(?![0-9])")


@dataclass(frozen=True, slots=True)
class Token:
    """kind: number, name or operator; `value` is a number's."""

    kind: str
    text: str
    value: Decimal | None = None


def tokens(expression: str) -> list[Token]:
    """The expression's tokens, left to right, in linear time. Raises ToolInputError for what is none."""
    text = plain(expression).translate(_SAME)
    found: list[Token] = []
    # Of each open bracket: the function of several values it belongs to, if any, and which kinds of commas stand in it.
    inside: list[tuple[str, set[bool]]] = [("", set())]
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        function, commas = inside[-1]
        token, end = _number(text, at, grouped=not function) or _name(text, at) or _operator(text, at)
        if token.text == "(":
            name = found[-1].text if found and found[-1].kind == "name" else ""
            inside.append(("" if name in ONE_VALUE else name, set()))
        elif token.text == ",":
            commas.add(_GROUP.match(text, at) is not None)
        elif token.text == ")" and len(inside) > 1:
            inside.pop()
            if function and len(commas) > 1:
                raise fault("commas", name=function)
        found.append(token)
        at = end
    return found


def _number(text: str, at: int, *, grouped: bool) -> tuple[Token, int] | None:
    found = numeral(text, at, grouped=grouped)
    if found is None:
        return None
    value, end = found.value, found.end
    if exponent := _EXPONENT.match(text, end):
        value, end = Decimal(f"{value:f}{exponent[0]}"), exponent.end()
    elif text.startswith(".", end):
        end += 1
    end += text.startswith("원", end)
    return Token("number", text[at:end], value), end


def _name(text: str, at: int) -> tuple[Token, int] | None:
    match = _NAME.match(text, at)
    if match is None:
        return None
    name = match[0].lower()
    return (Token("operator", _WORDS[name]) if name in _WORDS else Token("name", name)), match.end()


def _operator(text: str, at: int) -> tuple[Token, int]:
    operator = _OPERATOR.match(text, at)
    if operator is None:
        raise fault("character", character=text[at])
    return Token("operator", operator[0]), operator.end()
