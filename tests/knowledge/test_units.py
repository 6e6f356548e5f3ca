"""The sentences and rows of a passage, under what they stand under."""

from dure.knowledge.units import units_of
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
        ("", "정산할 때"),
        ("Q4. 돈은 언제 들어오나요?", "매주 목요일에 넣습니다."),
        ("Q5. 영수증이 없으면요?", "확인서를 냅니다."),
    ]
