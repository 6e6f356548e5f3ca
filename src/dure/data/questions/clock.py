"""Times of day that a question names, `오후 6시 반`, `6 pm`, as models and people write them: `18:00`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dure.data.questions.figures import Found, found_at
from dure.data.questions.units import Unit
from dure.numbers import scan
from dure.numbers.clock import KOREAN, of_day

O_CLOCK: Unit = ("clock", 1.0)
_NOON = 12
_BEFORE = re.compile(rf"({KOREAN})에?\s?$")
_HOUR = re.compile(r"\s?시(?![간리])(?:\s?([0-5]?\d)\s?분|\s?(반))?(?:\s?정각)?")
_DIGITS = re.compile(
    r"(?<![\d:])(\d|[01]\d|2[0-4]):([0-5]\d)(?::[0-5]\d)?(?![\d:])(?:\s?([ap])\.?m\b)?|\b(\d|1[0-2])\s?([ap])\.?m\b",
    re.IGNORECASE,
)


def times(question: str, held: Sequence[tuple[float, ...]] = ()) -> Iterator[Found]:
    """The times of day. held: the earliest and the latest of the times that there are: of `3시` that which is among
    them is meant, where 3 in the afternoon is and 3 at night is not."""
    for match in _DIGITS.finditer(question):
        whole, minute, half = (match[1], match[2], match[3]) if match[1] else (match[4], "0", match[5])
        yield _found(question, match.span(), int(whole) + int(minute) / 60, (half or "").lower(), held)
    for each in scan(question):
        if (told := _HOUR.match(question, each.end)) and each.value in range(25):
            hour = int(each.value) + (int(told[1]) / 60 if told[1] else 0.5 if told[2] else 0)
            yield _found(question, (each.start, told.end()), hour, "", held)


def _found(question: str, span: tuple[int, int], hour: float, half: str, held: Sequence[tuple[float, ...]]) -> Found:
    if before := _BEFORE.search(question[: span[0]]):
        half, span = before[1], (before.start(), span[1])
    if half:
        hour = of_day(hour, half)
    else:
        among = [h for h in (hour, hour + _NOON) if any(first <= h <= last for first, last in held)]
        hour = among[0] if among else hour
    told = f"{int(hour):02}:{round(hour % 1 * 60):02}"
    return replace(found_at(told, question, *span), unit=O_CLOCK)


def figure(value: str) -> str:
    """A number as SQL has it; of a time of day the hours since midnight. Raises ValueError for what is neither."""
    hour, colon, minute = value.partition(":")
    told = float(hour) + (float(minute) / 60 if colon else 0)
    return f"{told:.0f}" if told.is_integer() else repr(told)
