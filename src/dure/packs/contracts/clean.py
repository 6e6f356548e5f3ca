"""Text of users and models made fit for one line of a document, and stand-ins told from real values."""

import re
import unicodedata
from typing import Final

from dure.data.questions.words import WORD, cuts
from dure.packs.contracts.faults import WrongValue

MAX_RAW: Final = 20_000
# A name left open: ○○, □□, ___ anywhere; OO, XXX as a word or before Hangul (OO전자).
_BLANK: Final = re.compile(r"[○◯〇●□]{2,}|_{2,}|(?<![^\W_])(?:[oO]{2,}|[xX]{2,})(?![a-zA-Z0-9])")
_BRACKETED: Final = re.compile(r"[\[<{【〈][^\[\]<>{}【】〈〉]{0,40}[\]>}】〉]")
_STAND_IN_WORDS: Final = """
홍길동 아무개 미정 미상 추후협의 추후결정 추후기재 추후입력 추후확정 협의예정 협의후결정 미기재 모름 없음
해당없음 확인필요 미제공 기재요망 입력 입력필요 정보없음 회사명 회사이름 당사자명 이름 성명 주소 날짜 금액 대표자
대표자명 갑 을 a사 b사 a회사 b회사 회사a 회사b 당사자a 당사자b 갑회사 을회사 tbd tba tbc na n/a none null nil
unknown undefined notspecified unspecified notprovided notgiven notstated notavailable tobedetermined
tobeagreed tobeconfirmed johndoe janedoe partya partyb companya companyb companyname partyname yourname
yourcompany name address date string text value example placeholder sample test foo yyyymmdd yyyy년mm월dd일
00000000 loremipsum
"""
_STAND_INS: Final = frozenset(_STAND_IN_WORDS.split())


def clean(text: str, *, lines: bool = False) -> str:
    """`text` in Unicode's composed form on one line (`lines`: keeps line ends), without what is invisible: controls,
    direction marks, zero-width characters, what neither UTF-8 nor XML can hold. Raises WrongValue if it is enormous.
    """
    if len(text) > MAX_RAW:
        raise WrongValue("too_long", length=len(text), limit=MAX_RAW)
    text = unicodedata.normalize("NFC", text)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    # Not printable are controls, formats (direction, zero width), lone surrogates, private use, what is unassigned.
    kept = "".join(c if c == "\n" or c.isprintable() else " " if c.isspace() else "" for c in text)
    if lines:
        return "\n".join(line for each in kept.split("\n") if (line := " ".join(each.split())))
    return " ".join(kept.split())


def is_stand_in(text: str, own_words: frozenset[str] = frozenset()) -> bool:
    """Whether `text` only stands where a value should be: `OOO`, `[이름]`, `TBD`, `홍길동`, the field's own label.

    own_words: the field's name, labels and role, folded by `folded`.
    """
    bare, known = folded(text), _STAND_INS | own_words
    if not bare or bare in known or _BLANK.search(text):
        return True
    parts = (match[0] for match in _BRACKETED.finditer(text))
    return any(part == text.strip() or part[0] == "{" or _asks(part, known) for part in parts)


def _asks(bracketed: str, known: frozenset[str]) -> bool:
    """Whether what stands in brackets names what is to stand there: `[회사명을 입력]`. In Hangul the end of a compound
    says what it is, without its particle: `[상대방 주소]`, `[계약금액을]`."""
    ends = tuple(each for each in known if each[0] >= "가" and len(each) > 1)
    words = [each for word in WORD.findall(bracketed) for each in cuts(word.casefold())]
    return folded(bracketed) in known or any(word in known or word.endswith(ends) for word in words)


def folded(text: str) -> str:
    """For comparing: letters and digits alone, and `/`, in lower case, without the brackets around it."""
    return "".join(each for each in text.casefold() if each.isalnum() or each == "/").strip("/")
