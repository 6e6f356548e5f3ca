"""Fields read by their type: whatever a model gave becomes a typed value, is missing, or is wrong with a reason."""

import datetime
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, Final, TypeAlias

from dure.errors import Language
from dure.packs.contracts.clean import MAX_RAW, clean, folded, is_stand_in, too_long
from dure.packs.contracts.faults import WrongValue, nearest, quoted
from dure.packs.contracts.money import Money, read_money
from dure.packs.contracts.template import Field
from dure.packs.contracts.times import Span, read_date, read_span, read_time

MAX_ITEMS: Final = 30
_STRUCTURED: Final = ("party", "amounts", "list", "money")
_MAX_NAME: Final = 100
_MAX_LINE: Final = 300
_MAX_TEXT: Final = 1000


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


@dataclass(frozen=True, slots=True)
class Chosen:
    """An option of a choice: its key, and its wording in both languages."""

    key: str
    words: dict[Language, str]


Value: TypeAlias = (
    str | int | Money | Party | Chosen | Span | datetime.date | datetime.time | tuple[str, ...] | tuple[Part, ...]
)


@dataclass(slots=True)
class Reading:
    """How values are read: `own_words` are stand-ins for the field at hand; `notes` gathers what was assumed."""

    currency: str | None
    own_words: frozenset[str]
    notes: list[tuple[str, str]]


def read_value(
    field: Field, value: Any, language: Language, own_words: Iterable[str] = ()
) -> tuple[Value, list[tuple[str, str]]]:
    """`value` as the field's type, with notes (ko, en) on what was assumed in reading it.

    An amount without a currency is won in a Korean contract and refused in an English one.
    Raises Missing for nothing or a stand-in, WrongValue for anything else that cannot be used.
    """
    own = frozenset(folded(each) for each in (field.name, *field.label.values(), *own_words))
    if field.kind in _STRUCTURED and isinstance(value, str):
        value = _unpacked(value)
    reading = Reading("KRW" if language == "ko" else None, own, [])
    if value is None or value in ("", [], {}) or (isinstance(value, str) and _blank(value, own)):
        raise Missing
    found = _READERS[field.kind](field, value, reading)
    return found, reading.notes


def _unpacked(text: str) -> Any:
    """Small models write objects and lists as JSON text; anything else stays as it is."""
    import orjson

    if text.strip()[:2] not in ('{"', '["', "[{") or len(text) > MAX_RAW:
        return text
    try:
        return orjson.loads(text)
    except ValueError:
        return text


def _blank(value: str, own: frozenset[str]) -> bool:
    return len(value) <= _MAX_TEXT and is_stand_in(clean(value), own)


def line(value: Any, limit: int) -> str:
    """One line of text, at most `limit` characters. Raises WrongValue."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise WrongValue("글이어야 합니다", "must be text")
    if isinstance(value, int) and abs(value) >= 10**limit:
        raise too_long(limit + 1, limit)
    text = clean(str(value))
    if len(text) > limit:
        raise too_long(len(text), limit)
    return text


def _text(field: Field, value: Any, reading: Reading) -> str:
    return line(value, int(field.max or _MAX_TEXT))


_PARTY_KEYS: Final = {
    **{"이름": "name", "성명": "name", "상호": "name", "회사명": "name", "company": "name", "명칭": "name"},
    **{"대표자": "representative", "대표": "representative", "대표이사": "representative", "ceo": "representative"},
    **{"주소": "address", "소재지": "address"},
    **{
        "사업자등록번호": "registration_number",
        "등록번호": "registration_number",
        "registration": "registration_number",
    },
    **{"법인등록번호": "registration_number", "business_number": "registration_number"},
}


def _party(field: Field, value: Any, reading: Reading) -> Party:
    if isinstance(value, str):
        value = {"name": value}
    if not isinstance(value, dict):
        raise WrongValue(
            "이름(name)이 있는 당사자여야 합니다", "must be a party: an object with name, or the name alone"
        )
    known = [each.name for each in fields(Party)]
    given: dict[str, str] = {}
    for key, each in value.items():
        name = _PARTY_KEYS.get(str(key)[:64].strip().casefold(), key)
        if name not in known:
            near = nearest(str(key), known) or known[0]
            raise WrongValue(
                f"당사자에 '{quoted(key)}' 항목은 없습니다. '{near}'을(를) 뜻했나요?",
                f"a party has no '{quoted(key)}'; did you mean '{near}'?",
            )
        text = "" if each is None else line(each, _MAX_NAME if name != "address" else _MAX_LINE)
        # A stand-in for a part that may be left out is as good as nothing.
        given[name] = "" if is_stand_in(text, reading.own_words) else text
    if not given.get("name"):
        raise Missing
    number = given.get("registration_number", "")
    digits = [each for each in number if each.isdecimal()]
    if field.person and len(digits) == 13:
        raise WrongValue(
            "주민등록번호는 계약서에 쓰지 않습니다. 생년월일을 쓰거나 비워 두세요",
            "a resident registration number does not belong in a contract; leave it out",
        )
    if number and not digits:
        raise WrongValue(
            f"'{quoted(number)}'은(는) 등록번호가 아닙니다", f"'{quoted(number)}' is no registration number"
        )
    return Party(**given)


def _date(field: Field, value: Any, reading: Reading) -> datetime.date:
    return read_date(value)


def _time(field: Field, value: Any, reading: Reading) -> datetime.time:
    return read_time(value)


def _money(field: Field, value: Any, reading: Reading) -> Money:
    found = _amount(value, reading)
    low = Decimal(0 if field.min is None else field.min)
    if found.amount < low or (field.max is not None and found.amount > Decimal(field.max)):
        raise WrongValue(f"금액이 범위를 벗어납니다: {found.plain('ko')}", f"out of range: {found.plain('en')}")
    return found


def _amount(value: Any, reading: Reading) -> Money:
    found, assumed = read_money(clean(value) if isinstance(value, str) else value, reading.currency)
    if assumed:
        reading.notes.append(
            (
                f"통화가 없어 원화로 읽었습니다: {found.plain('ko')}",
                f"read as won, since no currency was given: {found.plain('en')}",
            )
        )
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
        raise WrongValue(f"'{quoted(value)}'은(는) 정수가 아닙니다", f"'{quoted(value)}' is not a whole number")
    low, high = field.min, field.max
    if (low is not None and value < low) or (high is not None and value > high):
        raise WrongValue(
            f"{quoted(value)}은(는) 범위({_range(low, high)})를 벗어납니다",
            f"{quoted(value)} is out of range ({_range(low, high)})",
        )
    return value


def _range(low: Any, high: Any) -> str:
    return f"{'' if low is None else low}–{'' if high is None else high}"


def _duration(field: Field, value: Any, reading: Reading) -> Span:
    found = read_span(clean(value) if isinstance(value, str) else value)
    for limit, outside in ((field.min, -1), (field.max, 1)):
        if limit is not None and (found.about_days - read_span(limit).about_days) * outside > 0:
            bound = read_span(limit)
            raise WrongValue(
                f"{found.shown('ko')}: {bound.shown('ko')} {'이상' if outside < 0 else '이하'}이어야 합니다",
                f"{found.shown('en')}: must be {'at least' if outside < 0 else 'at most'} {bound.shown('en')}",
            )
    return found


def _choice(field: Field, value: Any, reading: Reading) -> Chosen:
    wanted = folded(clean(str(value))) if isinstance(value, str) else ""
    for option in field.options:
        if wanted in {folded(each) for each in (option.key, *option.words.values(), *option.aliases)}:
            return Chosen(option.key, option.words)
    keys = [each.key for each in field.options]
    near = nearest(str(value)[:64], keys)
    ko = ", ".join(f"{each.key}({each.words['ko']})" for each in field.options)
    hint = ("", "") if near is None else (f". '{near}'을(를) 뜻했나요?", f"; did you mean '{near}'?")
    raise WrongValue(
        f"'{quoted(value)}'은(는) 고를 수 없습니다. 선택: {ko}{hint[0]}",
        f"'{quoted(value)}' cannot be chosen; choices: {', '.join(keys)}{hint[1]}",
    )


def _list(field: Field, value: Any, reading: Reading) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [
            each.strip().removeprefix("-").strip() for each in clean(value, lines=True).replace(";", "\n").split("\n")
        ]
    items = [line(each, _MAX_LINE) for each in _items(value)]
    return _some([each for each in items if each and not is_stand_in(each, reading.own_words)])


def _items(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise WrongValue("목록이어야 합니다", "must be a list")
    if len(value) > MAX_ITEMS:
        raise WrongValue(f"항목이 너무 많습니다({MAX_ITEMS}개까지)", f"too many items (at most {MAX_ITEMS})")
    return value


def _some(items: list[str]) -> tuple[str, ...]:
    if not items:
        raise Missing
    return tuple(items)


def _amounts(field: Field, value: Any, reading: Reading) -> tuple[Part, ...]:
    if isinstance(value, str):
        value = _split(clean(value, lines=True))
    elif isinstance(value, dict) and not set(value) & {"name", "amount"}:
        # {"기본급": "2,500,000원"}
        value = [{"name": name, "amount": amount} for name, amount in value.items()]
    elif isinstance(value, dict):
        value = [value]
    parts = tuple(_part(each, reading) for each in _items(value))
    if not parts:
        raise Missing
    for part in parts:
        if part.amount.amount < 0:
            raise WrongValue(f"'{quoted(part.name)}' 금액이 0보다 작습니다", f"'{quoted(part.name)}' is below 0")
    return parts


def _split(text: str) -> list[str]:
    """Parts written in one text: separated by line ends, semicolons, plus signs, or commas that are in no number."""
    pieces, start = [], 0
    for at, char in enumerate(text):
        in_number = char == "," and at and text[at - 1].isdigit() and text[at + 1 : at + 2].isdigit()
        if char in "\n;+," and not in_number:
            pieces.append(text[start:at])
            start = at + 1
    pieces.append(text[start:])
    return [each.strip() for each in pieces if each.strip()]


def _part(value: Any, reading: Reading) -> Part:
    fault = WrongValue(
        f'\'{quoted(value)}\': 항목마다 이름과 금액이 있어야 합니다(예: {{"name": "기본급", "amount": "2,500,000원"}})',
        f"'{quoted(value)}': each part needs a name and an amount "
        '(e.g. {"name": "Base pay", "amount": "KRW 2,500,000"})',
    )
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
    "text": _text,
    "party": _party,
    "date": _date,
    "time": _time,
    "money": _money,
    "amounts": _amounts,
    "integer": _integer,
    "duration": _duration,
    "choice": _choice,
    "list": _list,
}
