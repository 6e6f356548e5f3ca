"""What comes out of the process: the result of a query, its values `sent` there and `received` here, and the texts
`data`: what is told of tables and of SQL that is not run."""

import datetime
import json
import math
import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from dure.data.placed import Place
from dure.errors import tool_fault
from dure.serving import Message
from dure.texts import TEXTS

_WHOLE = 1 << 63
_TEXT = TEXTS["data"]
fault = tool_fault(_TEXT)


@dataclass(slots=True)
class Rows:
    """What one SELECT gave. Values are str, int, float, bool, Decimal or None; of other types, as text."""

    sql: str
    """As it ran."""
    columns: list[str]
    types: list[str]
    """SQL types of DuckDB, e.g. `BIGINT`, `DECIMAL(10,2)`, `DATE`."""
    rows: list[list[Any]]
    more: bool
    """There were more rows than the limits let through."""
    seconds: float
    """What the query took."""
    partial: list[tuple[str, int]]
    """The tables that it reads and that were cut when they were loaded, with the rows that are there."""
    totals: list[tuple[str, int, str]] = field(default_factory=list)
    """The tables that it reads with rows that sum others, how many, and SQL of a condition that leaves them out."""
    places: list[Place] = field(default_factory=list)
    """Where what it read stands in the files, where that was asked for."""

    @property
    def texts(self) -> list[list[str]]:
        """Its rows as people read them."""
        return [[as_text(value) for value in row] for row in self.rows]


def sent(value: Any, longest: int) -> Any:
    """A value that JSON holds, text cut to `longest` characters."""
    if value is None or isinstance(value, bool):
        return value
    if (isinstance(value, int) and -_WHOLE <= value < _WHOLE) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, datetime.datetime):
        text = value.isoformat(sep=" ")
    elif isinstance(value, bytes):
        text = f"[{len(value)} bytes]"
    elif isinstance(value, list | dict | tuple):
        text = json.dumps(value, ensure_ascii=False, default=str)
    else:
        text = str(value)
    return text if len(text) <= longest else text[:longest] + "…"


def received(answer: Message) -> Rows:
    """The result that a child's answer holds."""
    whole = dict.fromkeys(("HUGEINT", "UHUGEINT", "UBIGINT"), int)
    kinds = [Decimal if re.fullmatch(r"DECIMAL\(.*\)", name) else whole.get(name, str) for name in answer["types"]]
    rows = [
        [kind(value) if isinstance(value, str) else value for kind, value in zip(kinds, row, strict=True)]
        for row in answer["rows"]
    ]
    tuples = {key: [tuple(each) for each in answer[key]] for key in ("partial", "totals")}
    places = [Place(**each) for each in answer["places"]]
    return Rows(**{**answer, **tuples, "rows": rows, "places": places})


def in_json(value: Any) -> Any:
    """A value as JSON holds it: what is too exact or too large for it as a float."""
    return float(value) if isinstance(value, Decimal) or (isinstance(value, int) and abs(value) >= _WHOLE) else value


def as_text(value: Any) -> str:
    """A value as people read it: floats to 15 digits, nothing for NULL."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.15g}"
    return "" if value is None else str(value)


def problem(document: str, key: str, **values: object) -> dict[str, str]:
    """One of the texts as what is wrong with a document: `{document, ko, en}`."""
    return {"document": document, **_TEXT[key].filled(**values)}
