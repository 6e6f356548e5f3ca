"""Words for numbers in Korean and English, and what each is worth."""

import re
from collections.abc import Iterable
from typing import Final

SINO: Final = {each: number for number, each in enumerate("영일이삼사오육칠팔구")} | {"공": 0, "륙": 6}
SMALL: Final = {"십": 10, "백": 100, "천": 1000, "hundred": 100}
"""Units within a section; each stands once in it, falling."""
BIG: Final = {
    **{"만": 10**4, "억": 10**8, "조": 10**12, "경": 10**16},
    **{"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12},
}
"""Units that close a section; falling too."""

TH: Final = "(?:st|[nr]d|th)"
"""What an English number in figures ends with that is one of an order."""

TENS: Final = {
    **{"열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50},
    **{"예순": 60, "일흔": 70, "여든": 80, "아흔": 90},
}
ONES: Final = {
    **{"하나": 1, "한": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "석": 3, "넷": 4, "네": 4, "넉": 4},
    **{"다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9},
}
BEFORE_COUNTERS: Final = frozenset({"석", "넉", "열", "쉰"})
"""Other words too: numbers only where a counter follows."""
BEFORE_NOUNS: Final = frozenset({"한", "두", "세", "네"})
"""Numbers where a counter or another word follows."""
LONE: Final = frozenset("삼오육칠팔십백천만")
"""Syllables that are a number alone, with a counter behind them: `이` is "this", `공개` open, `조정` a change."""
LONE_APART: Final = LONE | frozenset("일사구")
"""The same with a blank between: `일부` and `사회` are words."""
COUNTERS: Final = (
    "가지|개월|개|건|곳|권|기|년차|년|대|달|달러|동|되|만원|명|묶음|문장|배|번째|번|병|부|분|사람|살|석|세기|세|쌍|시간|시|원|월|위"
    "|인|일|잔|장|점|정|제곱|조각|조|주년|주|줄|차례|초|층|쪽|채|척|칸|퍼센트|페이지|편|평|포인트|품목|프로|항목|항|호|회|째|킬로"
    "|미터|그램|리터"
)
ORDER: Final = {"first": 1, "second": 2, "third": 3}
ALONE: Final = {
    **{"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "여드레": 8, "아흐레": 9},
    **{"열흘": 10, "보름": 15, "첫": 1},
    **{"once": 1, "twice": 2, "dozen": 12, **ORDER},
}
"""Words that are a whole number, whatever follows them."""

ENGLISH_TENS: Final = {
    **{"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
}
ENGLISH: Final = {
    **{"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9},
    **{"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16},
    **{"seventeen": 17, "eighteen": 18, "nineteen": 19, **ENGLISH_TENS},
}

TOTAL: Final = re.compile(
    r"(합\s?계|소\s?계|총\s?계|총\s?합계|누\s?계|계|total|sub-?\s?total|grand total|sum)(\s?\(.*\))?"
)
"""What a sum is called, of lower case."""


def either(words: Iterable[str]) -> str:
    """A regular expression for one of the words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


def in_words(number: int) -> str:
    """A whole number from 1 to below 10**16 in Hangul, as on cheques: 12,030 is `일만이천삼십`."""
    text = ""
    for size, name in [(10**12, "조"), (10**8, "억"), (10**4, "만"), (1, "")]:
        for unit, small in [(1000, "천"), (100, "백"), (10, "십"), (1, "")]:
            if digit := number // size // unit % 10:
                # 일십, 일백, 일천 are said 십, 백, 천.
                text += ("" if digit == 1 and small else "영일이삼사오육칠팔구"[digit]) + small
        text += name if number // size % 10**4 else ""
    return text
