"""What a table's rows and columns are called in the other language, Korean or English, as a model says it."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

from pydantic import ValidationError

from dure.data.questions.notes import ColumnNotes, Notes, distinct
from dure.messages import Message, system, user
from dure.tooling import an_object

Other = Literal["Korean", "English"]
Ask = Callable[[list[Message], dict[str, Any]], Awaitable[Any]]

_HANGUL = re.compile(r"[가-힣]")
_ROWS = "rows"
_MOST = 40
"""Columns of a table that are named; of one with more, the first."""
_RULES = """Translate the names of a table's columns into {other}: two words each that people use. \
rows: what one row is.
Q: {asked}
{filled}"""
_SHOWN = {
    "English": (
        "orders: 주문번호, 지역, 고객, 주문일",
        '{"rows": ["order", "purchase"], "주문번호": ["order number", "order id"], "지역": ["region", "area"], '
        '"고객": ["customer", "client"], "주문일": ["order date", "ordered"]}',
    ),
    "Korean": (
        "주문: Order No, Region, Customer, Amt, Order Date",
        '{"rows": ["주문", "구매"], "Order No": ["주문번호", "번호"], "Region": ["지역", "권역"], '
        '"Customer": ["고객", "손님"], "Amt": ["금액", "가격"], "Order Date": ["주문일", "주문 날짜"]}',
    ),
}
_LETTERS = {"English": "^[A-Za-z][A-Za-z ]*$", "Korean": "^[가-힣][가-힣 ]*$"}


def foreign(table: Mapping[str, Any], question: str) -> bool:
    """Whether a table's columns are named in the other language than the question's."""
    return (_other(table) == "Korean") == bool(_HANGUL.search(question))


def _other(table: Mapping[str, Any]) -> Other:
    heads = _heads(table)
    return "English" if sum(bool(_HANGUL.search(head)) for head in heads) * 2 > len(heads) else "Korean"


def _heads(table: Mapping[str, Any]) -> dict[str, str]:
    # Units are no part of a name.
    return {head.partition("(")[0].strip() or head: head for _, _, head in table["columns"][:_MOST] if head}


async def named(table: Mapping[str, Any], ask: Ask) -> Notes:
    """The notes that a model makes of a table as `list_tables` tells of it. Raises the model's errors."""
    heads, other = _heads(table), _other(table)
    asked, filled = _SHOWN[other]
    word = {"type": "string", "pattern": _LETTERS[other], "maxLength": 24}
    two = {"type": "array", "items": word, "minItems": 1, "maxItems": 2}
    names = [_ROWS, *(head for head in heads if head != _ROWS)]
    schema = an_object(dict.fromkeys(names, two))
    rules = _RULES.format(other=other, asked=asked, filled=filled)
    written = await ask([system(rules), user(f"Q: {table['name']}: {', '.join(names[1:])}")], schema)
    try:
        columns = {heads[name]: ColumnNotes(names=written[name]) for name in names[1:]}
        return distinct(Notes(rows=written[_ROWS], columns=columns))
    except (KeyError, TypeError, ValidationError):
        return Notes()
