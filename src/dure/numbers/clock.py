"""Times of day as those of twenty-four hours: `오후 6시` and `6 pm` are 18."""

import re
from typing import Final

from dure.numbers.words import either

_NOON: Final = 12
HALVES: Final = {
    **{"오전": 0, "아침": 0, "새벽": 0, "오후": _NOON, "저녁": _NOON, "낮": _NOON, "밤": _NOON, "a": 0, "p": _NOON}
}
"""When the hours of each half of the day begin."""
_NIGHT: Final = 5
"""Of 밤, from that hour on it is of the evening."""
_NAMED: Final = {"정오": "12시", "noon": "12:00"}
KOREAN: Final = either(each for each in HALVES if each >= "가")
_TOLD: Final = re.compile(
    rf"(?P<part>{KOREAN})에?\s?(?P<ko>\d\d?)(?=:\d\d|\s?시(?!간))"
    rf"|\b(?P<en>\d\d?)(?P<minutes>:\d\d)?\s?(?P<half>[ap])\.?m(?![A-Za-z])\.?|(?<![a-z])(?:{either(_NAMED)})",
    re.IGNORECASE,
)


def of_day(hour: float, half: str) -> float:
    """An hour of one of the halves of the day as one of the day."""
    late = half == "밤" and hour % _NOON < _NIGHT
    return hour % _NOON + (0 if late else HALVES[half]) if hour < _NOON + 1 else hour


def in_24_hours(text: str) -> str:
    """A text with its times of a half of the day as times of the day: `오후 5시 반` as `17시 반`."""
    return _TOLD.sub(_of_day, text)


def _of_day(told: re.Match[str]) -> str:
    if told["ko"]:
        return f"{of_day(int(told['ko']), told['part']):.0f}"
    if told["en"]:
        return f"{of_day(int(told['en']), told['half'].lower()):.0f}{told['minutes'] or ':00'}"
    return _NAMED[told[0].lower()]
