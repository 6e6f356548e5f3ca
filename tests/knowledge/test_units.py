"""The sentences and rows of a passage, under what they stand under."""

import pytest

from dure.knowledge.units import in_full, noted, units_of
from dure.sources import Passage


def told(text: str, context: str = "", title: str = "문서") -> list[tuple[str, str]]:
    """Of each sentence or row what it stands under, and its text, which stands at its place."""
    found = list(units_of(Passage("d", title, 4, 40, 40 + len(text), text, score=0.5, context=context)))
    assert all(text[unit.start - 40 : unit.end - 40] == unit.text for unit in found)
    return [(unit.context, unit.text) for unit in found]


LEAVES = """\
부모가 아프면 쉰다.
제20조 (경조휴가)
결혼하면 닷새를 쉰다.
제5장 보수
보수는 달마다 준다.
제21조(상여) 상여는 두 번 준다."""


def test_a_sentence_stands_under_the_heading_before_it_within_its_passage():
    assert told(LEAVES, "제4장 휴가 › 제19조 (돌봄)") == [
        ("제4장 휴가 › 제19조 (돌봄)", "부모가 아프면 쉰다."),
        ("제4장 휴가 › 제20조 (경조휴가)", "결혼하면 닷새를 쉰다."),
        ("제5장 보수", "보수는 달마다 준다."),
        ("제5장 보수 › 제21조(상여)", "제21조(상여) 상여는 두 번 준다."),
    ]


def test_a_question_on_a_line_of_its_own_is_what_its_answer_stands_under():
    text = "정산할 때\nQ4. 돈은 언제 들어오나요?\n매주 목요일에 넣습니다.\nQ5. 영수증이 없으면요?\n확인서를 냅니다."
    assert told(text) == [
        ("정산할 때 › Q4. 돈은 언제 들어오나요?", "매주 목요일에 넣습니다."),
        ("정산할 때 › Q5. 영수증이 없으면요?", "확인서를 냅니다."),
    ]


def test_a_few_words_over_a_sentence_say_what_it_tells_of():
    text = "안건 1. 창고\n새로 짓는다.\n안건 2. 재택근무\n찬성 3, 반대 4로 부결되었다.\n- 담당 김보라\n내선 3127"
    assert told(text) == [
        ("안건 1. 창고", "새로 짓는다."),
        ("안건 2. 재택근무", "찬성 3, 반대 4로 부결되었다."),
        ("안건 2. 재택근무", "- 담당 김보라"),
        ("안건 2. 재택근무", "내선 3127"),
    ]


def test_the_names_of_columns_and_the_title_of_a_table_are_no_row_of_it():
    text = "숙박 한도\n직급 | 한도\n직급: 임원 | 한도: 14만 원\n직급: 과장 | 한도: 9만 원"
    assert told(text, "별표 1 › 숙박 한도") == [
        ("별표 1 › 숙박 한도", "직급: 임원 | 한도: 14만 원"),
        ("별표 1 › 숙박 한도", "직급: 과장 | 한도: 9만 원"),
    ]


@pytest.mark.parametrize(
    ("line", "unit"),
    [
        ("(단위: 천 원)", "천 원"),
        ("지역별 매출 (단위 : 백만원, %)", "백만원"),
        ("[Unit: KRW million]", "million"),
        ("현행(원)", "원"),
        ("(10만 원)", ""),
        ("(원칙) (천안) (표 3) (단위: 명)", ""),
    ],
)
def test_the_unit_of_a_table_stands_in_brackets(line, unit):
    assert noted(line) == unit


def test_the_figures_of_a_row_are_told_in_their_units():
    row = "부문: 교육 | 매출: 2,075 | 이익: △83 | 비율: 4.0% | 휴가(일): 5 | 자본(억 원): 3 | 지점: 7"
    told = "부문: 교육 | 매출: 2,075 천 원 | 이익: △83 천 원 | 비율: 4.0% | 휴가: 5일 | 자본: 3억 원 | 지점: 7 천 원"
    assert in_full(row, "천 원") == told


def test_a_sentence_with_the_mark_of_a_note_behind_it_is_no_heading():
    text = "Of 240 letters, 131 came back.¹ Two were torn.\nThe rest was lost.²\nLetters were written in Dutch."
    assert told(text, "2 Methods") == [
        ("2 Methods", "Of 240 letters, 131 came back.¹"),
        ("2 Methods", "Two were torn."),
        ("2 Methods", "The rest was lost.²"),
        ("2 Methods", "Letters were written in Dutch."),
    ]


def test_a_numbered_section_that_comes_next_ends_the_one_before_and_the_reach_of_its_table():
    text = "Age: 3 | Frogs: 40\nWind mattered more than rain.\n5 Limits\nA call is no count.\n1 Wash\nRinse it."
    text += "\n2 Dry\nIt dries."
    assert told(text, "4 Results › Table 2: Frogs by age.") == [
        ("4 Results › Table 2: Frogs by age.", "Age: 3 | Frogs: 40"),
        ("4 Results", "Wind mattered more than rain."),
        ("5 Limits", "A call is no count."),
        ("5 Limits › 1 Wash", "Rinse it."),
        ("5 Limits › 2 Dry", "It dries."),
    ]


def test_what_is_marked_as_a_heading_is_one_though_it_is_numbered_and_the_first_of_its_passage():
    text = "## 2. 교대\n밤 근무는 두 명이 한다.\n쉬는 시간은 번갈아 쓴다.\n\n## 3. 인계\n인계는 말로 하지 않는다."
    assert told(text, "근무 지침 › 2. 교대") == [
        ("근무 지침 › 2. 교대", "밤 근무는 두 명이 한다."),
        ("근무 지침 › 2. 교대", "쉬는 시간은 번갈아 쓴다."),
        ("근무 지침 › 3. 인계", "인계는 말로 하지 않는다."),
    ]


def test_items_of_a_numbered_list_are_no_headings():
    items = ["5 Wash the filter", "6 Dry it in the shade", "7 Put it back"]
    assert told("\n".join(items), "4 Filter") == [("4 Filter", each) for each in items]


def test_a_remark_below_a_table_is_of_the_table():
    text = "Age: 3 | Frogs: 40\n* p < 0.05\n§ Without toads.\nToads are told apart by their calls."
    assert [under for under, _ in told(text, "4 Results › Table 2: Frogs by age.")] == [
        *["4 Results › Table 2: Frogs by age."] * 3,
        "4 Results",
    ]
