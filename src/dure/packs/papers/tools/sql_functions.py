"""Functions of SQLite's that would compute for minutes in a single step, where nothing interrupts them, done anew.

They give what SQLite's own give (https://www.sqlite.org/printf.html, https://www.sqlite.org/lang_corefunc.html) as far
as they go, and say so where they do not.
"""

import math
import re
import sqlite3
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from dure.data.sql import refused

MOST_TRIMMED = 50
_MOST_TEMPLATE = 1_000
_PART = re.compile(
    r"%(?:(?P<flags>[-+ 0,]{0,4})(?P<width>\d{0,2})(?:\.(?P<precision>\d{1,2}))?l{0,2}(?P<kind>[diufeEgGsxX]))?"
)
_EXACT = Context(prec=500)
_STRIPPED = {"trim": str.strip, "ltrim": str.lstrip, "rtrim": str.rstrip}


def replace_functions(db: sqlite3.Connection, guarded: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Put them in place of SQLite's. `guarded`: what is called instead of each, so that its errors are told."""
    for name in ("printf", "format"):
        db.create_function(name, -1, guarded(formatted), deterministic=True)
    for name, strip in _STRIPPED.items():
        db.create_function(name, 2, guarded(_trim(strip)), deterministic=True)


def formatted(template: Any = None, *values: Any) -> str | None:
    """`printf(template, …)`: %d %i %u %f %e %g %x %s and %%, with flags, a width and a precision up to 99.

    Raises ToolInputError for anything else.
    """
    if template is None:
        return None
    text = str(template)
    left = iter(values)
    parts, end = [], 0
    for found in _PART.finditer(text if len(text) <= _MOST_TEMPLATE else ""):
        if found.start() < end:
            continue  # the second sign of %%
        parts.append(text[end : found.start()])
        end = found.end()
        if found["kind"]:
            parts.append(_one(found, next(left, None)))
        elif text[end : end + 1] == "%":
            parts.append("%")
            end += 1
        else:
            raise _unknown()
    if len(text) > _MOST_TEMPLATE:
        raise _unknown()
    return "".join([*parts, text[end:]])


def _one(found: re.Match[str], value: Any) -> str:
    flags, kind = found["flags"], found["kind"]
    width, precision = int(found["width"] or 0), found["precision"]
    comma = "," if "," in flags else ""
    sign = "+" if "+" in flags else " " if " " in flags else ""
    try:
        if kind == "s":
            text = "" if value is None else str(value)
            text = text if precision is None else text[: int(precision)]
        elif kind in "diu":
            text = format(int(_number(value)), f"{sign}{comma}d")
        elif kind in "xX":
            text = format(int(_number(value)), kind)
        else:
            number: float | Decimal = float(_number(value))
            if kind == "f" and math.isfinite(number):
                # SQLite rounds halves up, Python to even.
                number = Decimal(number).quantize(Decimal(1).scaleb(-int(precision or 6)), ROUND_HALF_UP, _EXACT)
            text = format(number, f"{sign}{comma}.{precision or 6}{kind}")
    except (ValueError, OverflowError, ArithmeticError):
        raise _unknown() from None
    if "-" in flags:
        return text.ljust(width)
    return text.zfill(width) if "0" in flags and kind != "s" else text.rjust(width)


def _number(value: Any) -> int | float:
    """As SQLite reads a number: that at the start of a text, else 0."""
    if isinstance(value, int | float):
        return value
    found = re.match(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)", value) if isinstance(value, str) else None
    if found is None:
        return 0
    return int(found[1]) if found[1].lstrip("+-").isdecimal() and len(found[1]) < 20 else float(found[1])


def _trim(strip: Callable[[str, str], str]) -> Callable[[Any, Any], str | None]:
    def trimmed(text: Any, letters: Any) -> str | None:
        if text is None or letters is None:
            return None
        if len(str(letters)) > MOST_TRIMMED:
            raise refused(f"trim은 {MOST_TRIMMED}자까지 뗍니다", f"trim takes at most {MOST_TRIMMED} characters off")
        return strip(str(text), str(letters))

    return trimmed


def _unknown() -> Exception:
    return refused(
        "printf는 %d %f %e %g %x %s만, 너비는 99까지 쓸 수 있습니다",
        "printf takes %d %f %e %g %x %s only, with widths up to 99",
    )
