"""Fields read by their type: whatever a model gave becomes a typed value, is missing, or is wrong with a reason."""

import datetime
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, Final, TypeAlias

from dure.errors import Language
from dure.packs.contracts import TEXTS
from dure.packs.contracts.clean import MAX_RAW, clean, folded, is_stand_in
from dure.packs.contracts.faults import WrongValue, hint, nearest
from dure.packs.contracts.money import Money, read_money
from dure.packs.contracts.template import Field, Option
from dure.packs.contracts.times import Span, read_date, read_span, read_time

MAX_ITEMS: Final = 30
_STRUCTURED: Final = ("party", "amounts", "list")
_MAX_NAME: Final = 100
_MAX_LINE: Final = 300
_MAX_TEXT: Final = 1000
_ASSUMED = TEXTS.one("values.assumed")
_BETWEEN: Final = re.compile(r"[\n;+]|(?<!\d),|,(?!\d)")
"""Between parts written in one text: line ends, semicolons, plus signs, commas that are in no number."""


class Missing(Exception):
    """Nothing was given, or something that only stands where a value should be."""


@dataclass(frozen=True, slots=True)
class Party:
    name: str
    representative: str = ""
    address: str = ""
    registration_number: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a sum: what for, how much, when due."""

    name: str
    amount: Money
    due: str = ""


def total_of(parts: Sequence[Part]) -> Money:
    """What they add up to, in the currency of the first."""
    return Money(sum((each.amount.amount for each in parts), Decimal(0)), parts[0].amount.currency)


Value: TypeAlias = (
    str | int | Money | Party | Option | Span | datetime.date | datetime.time | tuple[str, ...] | tuple[Part, ...]
)


@dataclass(slots=True)
class Reading:
    """How values are read: `own_words` are stand-ins for the field at hand; `notes` gathers what was assumed."""

    currency: str | None
    own_words: frozenset[str]
    notes: list[dict[str, str]]


def read_value(
    field: Field, value: Any, language: Language, own_words: Iterable[str] = ()
) -> tuple[Value, list[dict[str, str]]]:
    """`value` as the field's type, with notes, by language, on what was assumed in reading it.

    An amount without a currency is won in a Korean contract and refused in an English one.
    Raises Missing for nothing or a stand-in, WrongValue for anything else that cannot be used.
    """
    own = frozenset(folded(each) for each in (field.name, *field.label.values(), *own_words))
    if field.kind in _STRUCTURED and isinstance(value, str):
        value = _unpacked(value)
    reading = Reading("KRW" if language == "ko" else None, own, [])
    if value is None or value in ("", [], {}):
        raise Missing
    if isinstance(value, str) and len(value) <= _MAX_TEXT and is_stand_in(clean(value), own):
        raise Missing
    return _READERS[field.kind](field, value, reading), reading.notes


def _unpacked(text: str) -> Any:
    """Small models write objects and lists as JSON text; anything else stays as it is."""
    import orjson

    if text.strip()[:2] not in ('{"', '["', "[{") or len(text) > MAX_RAW:
        return text
    try:
        return orjson.loads(text)
    except ValueError:
        return text


def line(value: Any, limit: int) -> str:
    """One line of text, at most `limit` characters. Raises WrongValue."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise WrongValue("text")
    if isinstance(value, int) and abs(value) >= 10**limit:
        raise WrongValue("too_long", length=limit + 1, limit=limit)
    text = clean(str(value))
    if len(text) > limit:
        raise WrongValue("too_long", length=len(text), limit=limit)
    return text


def _party(field: Field, value: Any, reading: Reading) -> Party:
    if isinstance(value, str):
        value = {"name": value}
    if not isinstance(value, dict):
        raise WrongValue("party")
    known = [each.name for each in fields(Party)]
    given: dict[str, str] = {}
    for name, each in value.items():
        if name not in known:
            raise WrongValue("party_key", value=name, hint=hint(nearest(str(name), known) or known[0]))
        text = "" if each is None else line(each, _MAX_NAME if name != "address" else _MAX_LINE)
        # A stand-in for a part that may be left out is as good as nothing.
        given[name] = "" if is_stand_in(text, reading.own_words) else text
    if not given.get("name"):
        raise Missing
    number = given.get("registration_number", "")
    digits = [each for each in number if each.isdecimal()]
    if field.person and len(digits) == 13:
        raise WrongValue("resident_number")
    if number and not digits:
        raise WrongValue("registration_number", value=number)
    return Party(**given)


def _money(field: Field, value: Any, reading: Reading) -> Money:
    found = _amount(value, reading)
    low = Decimal(0 if field.min is None else field.min)
    if found.amount < low or (field.max is not None and found.amount > Decimal(field.max)):
        raise WrongValue("amount_range", amount=found.said)
    return found


def _amount(value: Any, reading: Reading) -> Money:
    found, assumed = read_money(clean(value) if isinstance(value, str) else value, reading.currency)
    if assumed:
        reading.notes.append(_ASSUMED.filled(amount=found.said))
    return found


def _integer(field: Field, value: Any, reading: Reading) -> int:
    if isinstance(value, str):
        text = clean(value).translate({each: None for each in map(ord, ", ")})
        for unit in ("퍼센트", "percent", "%", "minutes", "days", "day", "영업일", "분", "일", "회", "명"):
            text = text.removesuffix(unit)
        value = int(text) if text.isascii() and text.removeprefix("-").isdigit() and len(text) <= 15 else value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongValue("integer", value=value)
    low, high = field.min, field.max
    if (low is not None and value < low) or (high is not None and value > high):
        low, high = ("" if each is None else each for each in (low, high))
        raise WrongValue("range", value=value, low=low, high=high)
    return value


def _duration(field: Field, value: Any, reading: Reading) -> Span:
    found = read_span(clean(value) if isinstance(value, str) else value)
    for limit, outside, fault in ((field.min, -1, "too_short_span"), (field.max, 1, "too_long_span")):
        if limit is not None and (found.about_days - read_span(limit).about_days) * outside > 0:
            raise WrongValue(fault, span=found.said, bound=read_span(limit).said)
    return found


def _choice(field: Field, value: Any, reading: Reading) -> Option:
    wanted = folded(clean(str(value))) if isinstance(value, str) else ""
    options = field.options.values()
    for option in options:
        if wanted in {folded(each) for each in (option.key, *option.words.values(), *option.aliases)}:
            return option
    keys = [each.key for each in options]
    known = {"ko": ", ".join(f"{each.key}({each.words['ko']})" for each in options), "en": ", ".join(keys)}
    raise WrongValue("choice", value=value, known=known, hint=hint(nearest(str(value)[:64], keys)))


def _list(field: Field, value: Any, reading: Reading) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [
            each.strip().removeprefix("-").strip() for each in clean(value, lines=True).replace(";", "\n").split("\n")
        ]
    items = [line(each, _MAX_LINE) for each in _items(value)]
    said = tuple(each for each in items if each and not is_stand_in(each, reading.own_words))
    if not said:
        raise Missing
    return said


def _items(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise WrongValue("list")
    if len(value) > MAX_ITEMS:
        raise WrongValue("too_many", limit=MAX_ITEMS)
    return value


def _amounts(field: Field, value: Any, reading: Reading) -> tuple[Part, ...]:
    if isinstance(value, str):
        value = [part for each in _BETWEEN.split(clean(value, lines=True)) if (part := each.strip())]
    elif isinstance(value, dict):
        value = [value]
    parts = tuple(_part(each, reading) for each in _items(value))
    if not parts:
        raise Missing
    for part in parts:
        if part.amount.amount < 0:
            raise WrongValue("below_zero", value=part.name)
    return parts


def _part(value: Any, reading: Reading) -> Part:
    fault = WrongValue("part", value=value)
    if isinstance(value, str):
        text = line(value, _MAX_LINE)
        # The amount is the longest ending that reads as one, after a space or a colon.
        for at, char in enumerate(text[:_MAX_LINE]):
            if char in " :：":
                try:
                    amount = _amount(text[at + 1 :].strip(), reading)
                except WrongValue:
                    continue
                name = text[:at].strip(" :：")
                if name:
                    return Part(name, amount)
        raise fault
    if not isinstance(value, dict) or not set(value) <= {"name", "amount", "due"}:
        raise fault
    name = line(value.get("name") or "", _MAX_NAME)
    amount_given = value.get("amount")
    if not name or is_stand_in(name) or amount_given in (None, ""):
        raise fault
    due = line(value.get("due") or "", _MAX_LINE)
    return Part(name, _amount(amount_given, reading), "" if due and is_stand_in(due) else due)


_READERS: Final[dict[str, Callable[[Field, Any, Reading], Value]]] = {
    "text": lambda field, value, reading: line(value, int(field.max or _MAX_TEXT)),
    "party": _party,
    "date": lambda field, value, reading: read_date(value),
    "time": lambda field, value, reading: read_time(value),
    "money": _money,
    "amounts": _amounts,
    "integer": _integer,
    "duration": _duration,
    "choice": _choice,
    "list": _list,
}
