"""Units as data: what the numbers of a question count, and a column's values in the unit that is asked for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from dure.data.questions.description import Description, Field
from dure.numbers import scan
from dure.numbers.measures import Unit as Unit
from dure.numbers.measures import any_unit, units
from dure.numbers.measures import behind as behind
from dure.numbers.measures import unit as unit
from dure.numbers.words import either

_BEFORE = ("몇", "in", "how many")
_A_DAY = 86400
_PARTS = re.compile(r"[()\[\]/]")
_WORD_BEFORE = re.compile(r"^[^\W\d]+[\s:]+")


@cache
def _asked() -> re.Pattern[str]:
    """A unit that is asked for."""
    return re.compile(rf"(?<![a-z가-힣])(?:{either(_BEFORE)})\s?({any_unit()})", re.IGNORECASE)


def noted(note: str) -> str:
    """The unit that a line at a table gives for its numbers: `(단위: 천원)`, `… / 단위 천 원`; else empty."""
    for part in map(str.strip, _PARTS.split(note)[1:]):
        for name in (part, _WORD_BEFORE.sub("", part)):
            if unit(name):
                return name
    return ""


def counted(question: str, start: int, end: int) -> Unit | None:
    """The unit of the number that stands at `start:end`."""
    return unit(question[end : behind(question, end)].strip()) or unit(question[start - 1 : start])


def asked_for(question: str) -> Sequence[Unit]:
    """The unit that the question asks how many there are of, `몇 시간`, `how many kilos`, of each kind that it may be
    of; none for days and longer, which rows may be, for times of day, and for 분, which are people too."""
    for each in _asked().finditer(question):
        found = units()[each[1].casefold()]
        kind, size = found[0]
        if each[1] != "분" and each[0][:2].casefold() != "in" and kind != "clock" and (kind != "time" or size < _A_DAY):
            return found
    return ()


def converted(description: Description, question: str) -> Description:
    """With its numbers in the units that the question asks for or counts in: minutes as hours for `10시간 넘게`."""
    said = [each[1] for each in _asked().finditer(question)]
    # The day of a month is no number of days.
    found = [each for each in scan(question) if not question[: each.start].rstrip().endswith("월")]
    said += [question[each.end : behind(question, each.end)].strip() for each in found]
    wanted = {kind: (name, size) for name in reversed(said) for kind, size in units().get(name.casefold(), ())}
    return replace(description, fields=tuple(_told_in(each, wanted) for each in description.fields))


def _told_in(field: Field, wanted: Mapping[str, tuple[str, float]]) -> Field:
    kind, size = (unit(field.unit) if field.kind == "number" else None) or ("", 1.0)
    name, other = wanted.get(kind, ("", size))
    if other == size:
        return field
    return replace(field, sql=f"({field.sql}) * {size:.15g} / {other:.15g}", unit=name, note=f"in {name}")
