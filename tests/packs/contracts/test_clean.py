import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.packs.contracts.clean import MAX_RAW, clean, is_stand_in
from dure.packs.contracts.faults import WrongValue


def test_text_becomes_one_visible_line():
    assert clean(" 에이\r\n컴퍼니\t\x00\u202e\u200b\ufeff\ud800 (주)\u2028끝 ") == "에이 컴퍼니 (주) 끝"
    assert clean("a\n\n b\u2029c", lines=True) == "a\nb\nc"
    assert clean(unicodedata.normalize("NFD", "한글")) == "한글"


def test_enormous_text_is_refused_unread():
    with pytest.raises(WrongValue, match="at most 20,000"):
        clean("x" * (MAX_RAW + 1))


@given(st.text(st.characters(), max_size=200))
def test_clean_text_can_be_stored_anywhere(text):
    found = clean(text)
    assert found == clean(found)
    assert len(found.splitlines()) <= 1
    found.encode()
    assert not any(unicodedata.category(each)[0] == "C" for each in found)


@pytest.mark.parametrize(
    "text",
    [
        *[
            "OOO",
            "ooo",
            "○○○",
            "○○ 주식회사",
            "주식회사 OOO",
            "OO전자",
            "(주)○○",
            "XXX",
            "XX-XX-XXXXX",
            "___",
            "____년",
        ],
        *[
            "TBD",
            "t.b.d.",
            "N/A",
            "n/a",
            "-",
            "...",
            "?",
            "미정",
            "추후 협의",
            "추후 결정",
            "[이름]",
            "<name>",
            "{party_b}",
        ],
        *[
            "[회사명] 귀중",
            "[insert date]",
            "서울시 [상세주소를 입력]",
            "[계약금액] 원정",
            "<Company Name> Ltd.",
            "홍길동",
            "John Doe",
            "Party A",
            "A사",
            "갑",
            "을",
            "Company Name",
            "YYYY-MM-DD",
        ],
        *["unknown", "Not specified", "null", "없음", "", "  ", "[ ]", "「」"],
    ],
)
def test_stand_ins(text):
    assert is_stand_in(text)


@pytest.mark.parametrize(
    "text",
    [
        *[
            "에이컴퍼니",
            "(주)두레",
            "주식회사 하늘",
            "Acme Ltd",
            "Zoo가든",
            "Kangaroo",
            "Waterloo 은행",
            "김갑을",
            "3M",
            "LG",
        ],
        *[
            "snake_case 도구의 개발",
            "[별지 1]에 따른 업무",
            "[긴급] 서버 점검",
            "두레 <datebook> 개발",
            "A/S 업무",
            "연구 개발 등...",
            "C++ & C#",
            "<b>굵게</b>",
            "1",
        ],
        *["공동 연구(2026년)", "Namedrop Inc.", "Data Exchange", "서울시 중구 을지로 1"],
    ],
)
def test_real_values_are_no_stand_ins(text):
    assert not is_stand_in(text)
