"""Numbers in Korean and English text, so that an answer's can be compared with its sources'."""

import re
from collections.abc import Iterable
from decimal import Decimal

# `제13조` is an article, not thirteen trillion; `3만큼` is "as much as 3".
_NUMBER = re.compile(r"(\d[\d,]*(?:\.\d+)?)(?:\s?((?<!제\d)(?<!제\d\d)(?<!제\d\d\d)조|만(?![큼에나])|억)|(천))?")
_UNITS = {"천": 10**3, "만": 10**4, "억": 10**8, "조": 10**12}
_MARKER = re.compile(r"[\[【]\d[\d\s,;-]*[\]】](?!\()")
_ITEM = re.compile(r"^[^\S\n]*(?:[-*•]\s*)?\(?\d{1,2}[.)]\s", re.MULTILINE)
_DAYS = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "열흘": 10, "보름": 15}
_KOREAN = {"한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9, "열": 10, "첫": 1}
_ENGLISH = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_ORDERS = {"eleven": 11, "twelve": 12, "once": 1, "twice": 2, "first": 1, "second": 2, "third": 3}
_WORDS = {**_DAYS, **_KOREAN, **_ENGLISH, **_ORDERS}
_WORD = re.compile(r"(?<![가-힣a-z])(" + "|".join(sorted(_WORDS, key=len, reverse=True)) + r")(?![a-z])")


def unsupported_numbers(answer: str, quotes: Iterable[str]) -> list[str]:
    """The numbers of `answer`, as written, that stand in none of `quotes`.

    Citation markers and the numbers of list items don't count. `20만` and `200,000` are one number; in the quotes,
    number words count too (`이틀`, `three`). Give the question as one of the quotes to allow its numbers.
    """
    known: set[Decimal] = set()
    for quote in quotes:
        for _, values in _numbers(quote):
            known |= values
        known |= {Decimal(_WORDS[word]) for word in _WORD.findall(quote.lower())}
    plain = _ITEM.sub(" ", _MARKER.sub(" ", answer))
    missing = [written for written, values in _numbers(plain) if not values & known]
    return list(dict.fromkeys(missing))


def _numbers(text: str) -> list[tuple[str, set[Decimal]]]:
    """Numbers as written, each with the values it may stand for; `1억 2,000만` is one."""
    found: list[tuple[str, set[Decimal]]] = []
    last_end, last_unit = -1, 0
    for match in _NUMBER.finditer(text):
        digits, unit = match.group(1).rstrip(","), _UNITS.get(match.group(2) or match.group(3) or "", 1)
        value = Decimal(digits.replace(",", "")) * unit
        if found and match.start() - last_end <= 1 and unit < last_unit:
            written, values = found[-1]
            between = text[last_end : match.start()]
            found[-1] = (f"{written}{between}{match.group()}", {whole + value for whole in values})
        else:
            found.append((match.group().strip(), {value}))
        last_end, last_unit = match.end(), unit
    return found
