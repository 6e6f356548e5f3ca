"""The numbers of a text, in any writing: `15`, `1,200.5`, `1억 2천만`, `십오`, `열다섯`, `사흘`, `twenty-one`.

Korean number words stand before what they count (`십오일`, `열다섯 개`); some are other words too (`이`, `네`) and
count only there.
"""

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal

_DIGITS = {"영": 0, "공": 0, "일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "륙": 6, "칠": 7, "팔": 8, "구": 9}
_SMALL = {"십": 10, "백": 100, "천": 1000}
_BIG = {"만": 10**4, "억": 10**8, "조": 10**12, "경": 10**16}
_TENS = {
    "열": 10,
    "스물": 20,
    "스무": 20,
    "서른": 30,
    "마흔": 40,
    "쉰": 50,
    "예순": 60,
    "일흔": 70,
    "여든": 80,
    "아흔": 90,
}
_ONES = {
    **{"하나": 1, "한": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "석": 3, "넷": 4, "네": 4, "넉": 4},
    **{"다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9},
}
_DAYS = {
    **{"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "여드레": 8, "아흐레": 9},
    **{"열흘": 10, "보름": 15, "첫째": 1},
}
_COUNTERS = (
    "가지|개월|개|건|곳|권|기|년차|년|대|달|달러|동|되|만원|명|묶음|문장|배|번째|번|병|부|분|사람|살|석|세기|세|쌍|시간|시|원|월|위"
    "|인|일|잔|장|점|정|제곱|조각|주년|주|줄|차례|초|층|쪽|채|척|칸|퍼센트|페이지|편|평|포인트|품목|프로|항목|항|호|회|째|킬로|미터|그램|리터"
)
_ENGLISH = {
    **{"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9},
    **{"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16},
    **{"seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50},
    **{"sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90},
}
_SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ONCE = {"once": 1, "twice": 2, "dozen": 12}

_ARABIC = re.compile(
    r"(?<![\d.])(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?)(?!\d)\s?(천|백|십)?(만(?![큼에나])|억|조(?![각건사직])|경)?"
    r"(?:\s?(thousand|million|billion|trillion)\b)?",
    re.IGNORECASE,
)
_SINO = re.compile(rf"([{''.join([*_DIGITS, *_SMALL, *_BIG])}]+)(?=\s?(?:{_COUNTERS})|$|[^가-힣])")
_COUNTED = re.compile(rf"\s?(?:{_COUNTERS})")


def _either(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_AFTER = r"이?[가은는을를도]?(?:$|[^가-힣])"
_NATIVE = re.compile(rf"(?<![가-힣])({_either(_TENS)})?({_either(_ONES)})?(?=\s?(?:{_COUNTERS})|{_AFTER})")
_ALSO_WORDS = frozenset({"한", "두", "세", "석", "네", "넉", "열", "쉰"})
"""Numbers only where a counter follows."""
_DAY = re.compile(rf"(?<![가-힣])({_either(_DAYS)})")
_NUMERAL = _either([*_ENGLISH, *_SCALES])
_WORDS = re.compile(rf"\b(?:{_NUMERAL}|{_either(_ONCE)})(?:(?:[\s-]|\sand\s)(?:{_NUMERAL}))*\b")


def numbers(text: str) -> set[Decimal]:
    """All numbers that stand in the text; of `1억 2,000만` the whole and its parts."""
    plain = unicodedata.normalize("NFKC", text).lower().replace("−", "-")
    return _arabic(plain) | _sino(plain) | _native(plain) | _english(plain)


def _arabic(text: str) -> set[Decimal]:
    found: set[Decimal] = set()
    end, unit, whole = -2, Decimal(0), Decimal(0)
    for match in _ARABIC.finditer(text):
        written, small, big, scale = match.groups()
        value = Decimal(written.replace(",", ""))
        factor = Decimal(_SMALL.get(small or "", 1)) * _BIG.get(big or "", 1) * _SCALES.get(scale or "", 1)
        value *= factor
        # A hyphen after a word or digit is none of a number's: `2020-05`, `A-4`.
        before = text[match.start() - 1 : match.start()]
        if written.startswith("-") and before and (before.isalnum() or before == "-"):
            value = -value
        found.add(value)
        if match.start() - end <= 1 and factor < unit:
            whole += value
            found.add(whole)
        else:
            whole = value
        end, unit = match.end(), factor
    return found


def _sino(text: str) -> set[Decimal]:
    found: set[Decimal] = set()
    for match in _SINO.finditer(text):
        word, before = match.group(1), text[match.start() - 1 : match.start()]
        if before.isdigit():
            continue
        counted = _COUNTED.match(text, match.end()) is not None
        # `십오일`: the last syllable may be what is counted.
        for part in (word, word[:-1]) if word[-1] in "일조" else (word,):
            alone = len(part) == 1 and (before.strip() != "" or not (counted or part != word))
            if part and not alone and (value := sino(part)) is not None:
                found.add(Decimal(value))
    return found


def sino(word: str) -> int | None:
    """The value of a Sino-Korean number word (`이천이십육`); None where it is none."""
    total = group = digit = 0
    seen = False
    last_small, last_big = 10**4, 10**20
    for char in word:
        if char in _DIGITS:
            if seen and digit:
                return None
            digit, seen = _DIGITS[char], True
        elif char in _SMALL:
            if _SMALL[char] >= last_small:
                return None
            group += (digit if seen and digit else 1) * _SMALL[char]
            last_small, digit, seen = _SMALL[char], 0, False
        else:
            if _BIG[char] >= last_big:
                return None
            group += digit
            total += (group or 1) * _BIG[char]
            last_big, last_small, group, digit, seen = _BIG[char], 10**4, 0, 0, False
    return total + group + digit


def _native(text: str) -> set[Decimal]:
    found = {Decimal(_DAYS[match.group(1)]) for match in _DAY.finditer(text)}
    for match in _NATIVE.finditer(text):
        if match.group() and (match.group() not in _ALSO_WORDS or _COUNTED.match(text, match.end())):
            found.add(Decimal(_TENS.get(match.group(1) or "", 0) + _ONES.get(match.group(2) or "", 0)))
    return found


def _english(text: str) -> set[Decimal]:
    found: set[Decimal] = set()
    for match in _WORDS.finditer(text):
        words = [w for w in re.split(r"[\s-]+", match.group()) if w != "and"]
        if len(words) == 1 and words[0] in _ONCE:
            found.add(Decimal(_ONCE[words[0]]))
            continue
        total = group = 0
        for word in words:
            if word in _SCALES:
                scale = _SCALES[word]
                if scale == 100:
                    group = (group or 1) * 100
                else:
                    total, group = total + (group or 1) * scale, 0
            else:
                group += _ENGLISH.get(word, 0)
        found.add(Decimal(total + group))
    return found
