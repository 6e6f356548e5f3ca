"""What a small model said, held against the sentences and rows that it was shown."""

from dataclasses import replace

import pytest

from dure.agents.statements import checked
from dure.sources import Passage

RULES = [
    "본사 식당의 점심은 11시 30분에 시작한다.",
    "본사 식당의 저녁은 18시에 시작한다.",
    "본사 식당은 토요일에 쉰다.",
    "공장 식당의 점심은 12시에 시작한다.",
    "주차장은 7시에 연다.",
]


def units(texts: list[str]) -> list[Passage]:
    """Sentences, the nearest to the question first."""
    return [
        Passage("d", "안내", 1, 100 * n, 100 * n + 50, text, id=n, score=1 - n / 10) for n, text in enumerate(texts)
    ]


def told(question: str, answer: str, texts: list[str]) -> str:
    return checked(question, answer, units(texts), 0.9, lambda unit: unit.id + 1)


def test_an_answer_rests_on_what_is_near_the_question() -> None:
    question = "본사 식당 점심은 몇 시에 시작하나요?"
    assert told(question, "점심은 11시 30분에 시작한다.", RULES) == f"{RULES[0]} [1]"
    assert told(question, "주차장은 7시에 연다.", RULES) == ""
    # Beside what does, it may stand.
    both = told(question, "점심은 11시 30분에 시작한다. 주차장은 7시에 연다.", RULES)
    assert both.endswith("주차장은 7시에 연다. [5]")


def test_what_is_told_at_length_may_stand_further_away() -> None:
    texts = ["이 규정은 휴가에 관한 사항을 정한다.", "휴가는 네 가지로 나눈다.", "휴가 신청은 팀장에게 한다."]
    rules = [
        f"{name}휴가는 한 해 {days}일로 한다." for name, days in (("연차", 15), ("병가", 30), ("경조", 5), ("공가", 3))
    ]
    answer = checked("휴가 정책 알려줘", "\n".join(rules), units([*texts, *rules]), 0.9, lambda unit: unit.id + 1)
    assert answer.count("휴가는 한 해") == 4
    assert checked("휴가 정책 알려줘", rules[0], units([*texts, *rules]), 0.9, lambda unit: unit.id + 1) == ""


def test_a_source_of_another_thing_than_the_statement_is_of_is_none() -> None:
    texts = ["구분: 가족회원 | 책(권): 20", "일반회원은 5권, 어린이회원은 7권까지 빌릴 수 있습니다.", RULES[4]]
    question = "가족회원 책 몇 권까지 빌려요?"
    assert told(question, "가족회원은 7권까지 빌릴 수 있습니다.", texts) == ""
    assert told(question, "가족회원은 20권까지 빌릴 수 있습니다.", texts).endswith("책: 20권 [1]")
    # Where nothing that was shown has it, another word for it may stand there.
    assert told("애들은 몇 권까지 빌려요?", "애들은 7권까지 빌릴 수 있습니다.", texts).startswith("애들은 7권")


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("과장의 숙박 한도는 115,000원입니다.", False),
        ("과장의 숙박 한도는 95,000원입니다.", True),
        ("숙박 한도는 부장 115,000원, 과장 95,000원입니다.", True),
    ],
)
def test_a_figure_of_another_part_of_its_sentence_gives_way_to_the_sentence(answer: str, kept: bool) -> None:
    texts = ["부장·차장의 숙박 한도를 115,000원으로, 과장 이하의 숙박 한도를 95,000원으로 한다.", RULES[4]]
    said = told("과장의 숙박 한도는 얼마야?", answer, texts)
    assert said.startswith(answer if kept else f"{texts[0]} [1]")


def test_an_answer_in_other_units_than_were_asked_for_gives_way() -> None:
    texts = ["예약 시각에서 20분이 지나면 취소한다.", "빈자리가 있으면 2시간 연장한다."]
    assert told("예약하고 몇 분까지 늦어도 돼?", "2시간 연장한다.", texts) == ""
    assert told("예약하고 얼마나 연장돼?", "2시간 연장한다.", texts).startswith("2시간 연장한다. [2]")


def test_the_question_said_again_is_told_of_no_row_that_has_its_figure() -> None:
    texts = ["구분: 국내 출장 | 항목: 일비 | 한도: 28,000", "30,000원 이하는 지출 확인서로 갈음합니다."]
    question = "영수증을 잃어버렸는데 28,000원짜리예요. 무엇을 내야 하나요?"
    own = "영수증을 잃어버렸는데 28,000원짜리예요."
    assert told(question, f"{own} 30,000원 이하는 지출 확인서로 갈음합니다.", texts) == f"{texts[1]} [2]"
    # Where a source says so, it may be said.
    assert told("주차장은 7시에 여나요?", "주차장은 7시에 연다.", RULES[::-1]) == f"{RULES[4]} [1]"


def test_a_part_of_what_is_told_whole_is_not_told_again() -> None:
    rows = [f"항목: {item} | 사옥: {n},000원 | 연수원: 미화 {n}달러" for item, n in (("주차", 120), ("식비", 36))]
    answers = "사옥: 120,000원\n연수원: 미화 120달러", "연수원: 미화 120달러\n사옥: 120,000원"
    for answer in answers:
        assert told("이용료가 어떻게 돼?", answer, rows) == f"{rows[0]} [1]"


def test_words_that_no_row_has_do_not_keep_another_row_than_was_asked_for() -> None:
    rows = [
        f"직급: {rank} | 항목: {item} | 한도: {n}" for rank, item, n in (("부장", "식비", 74), ("부장", "숙박", 195))
    ]
    question = "이번에 부장님 모시고 다녀오려는데 식비는 하루 최대 얼마까지 쓸 수 있을까 궁금합니다"
    assert told(question, "195", rows) == f"{rows[0]} [1]"


def test_of_the_row_that_was_asked_for_the_column_that_was() -> None:
    rows = [f"지역: {area} | 설치비: {n} | 점검: {n + 5}" for area, n in (("강원", 240), ("충청", 180))]
    assert told("강원도에 설치해주면 설치비 얼마 받아야 해?", "180", rows) == "지역: 강원 | 설치비: 240 [1]"


def test_of_a_row_that_tells_what_was_and_what_is_so_the_latter() -> None:
    row = "조항: 별표 2 과장 이하 식비 | 종전 (2025년 3월 1일): 31,000원 | 개정 (2026년 3월 1일): 36,000원"
    assert (
        told("과장 식비 한도 얼마야?", "36,000원", [row])
        == f"{row.replace('종전 (2025년 3월 1일): 31,000원 | ', '')} [1]"
    )
    assert told("종전 식비 한도는 얼마였어?", "31,000원", [row]).startswith("종전 (2025년 3월 1일): 31,000원 [1]")


def test_where_all_is_asked_for_the_rest_of_a_section_is_told_beside_one_thing_of_it() -> None:
    shown = [replace(unit, context="식당" if "식당" in unit.text else "주차") for unit in units(RULES)]
    question, answer = "식당 규칙을 찾아줘", RULES[1]

    def at_length(wide: bool) -> str:
        return checked(question, answer, shown, 0.9, lambda unit: unit.id + 1, at_length=wide)

    assert at_length(False) == f"{RULES[1]} [2]"
    assert at_length(True).split("\n") == [f"{RULES[n]} [{n + 1}]" for n in (1, 0, 2, 3)]


def test_the_column_that_was_asked_for_counts_in_a_long_question_too() -> None:
    row = "구분: 국내 출장 | 직급: 과장 이하 | 항목: 숙박 | 한도: 85,000 | 비고: 1박, 실비"
    question = (
        "아침 일찍 출발해서 다음 주 화요일 밤에 돌아온 국내출장인데요, 과장이면 숙박비 한도를 얼마로 봐야 하나요?"
    )
    assert "한도: 85,000" in told(question, "1박, 실비", [row])


def test_how_near_the_other_language_is_says_little() -> None:
    texts = [*RULES[1:], "The canteen in Eumseong opens at 11:40."]
    assert told("음성 식당은 몇 시에 여나요?", "11:40에 엽니다.", texts).startswith("11:40에 엽니다. [5]")


def test_a_statement_on_a_source_in_the_other_language_has_something_of_it() -> None:
    texts = ["Wait at least 8 minutes before touching the board; ask Ms. Tveit if in doubt."]
    question = "DH-240을 눕혀서 옮겼는데 바로 켜도 되나요?"
    assert told(question, "네, 바로 켜도 됩니다.", texts) == ""
    assert told(question, "8분을 기다립니다.", texts).startswith("8분을 기다립니다. [1]")
    assert told(question, "Tveit 씨에게 묻습니다.", texts).startswith("Tveit 씨에게 묻습니다. [1]")


@pytest.mark.parametrize(
    ("question", "answer", "source"),
    [
        (
            "육아휴직 들어가면 회사가 더 주는 돈 있어?",
            "육아휴직에 들어가는 사람에게 회사가 더 주는 돈은 없습니다.",
            "회사는 육아휴직에 들어가는 사람에게 첫 3개월 동안 통상임금의 20%를 더 준다.",
        ),
        (
            "바로 전원을 켜도 되나요?",
            "세운 뒤 바로 전원을 켜도 됩니다.",
            "눕혀서 옮긴 제품은 세운 뒤 바로 전원을 켜면 안 된다.",
        ),
        (
            "May visitors enter the server room?",
            "Visitors may enter the server room.",
            "Visitors may not enter the server room unless a member of the IT team goes with them.",
        ),
    ],
)
def test_what_denies_what_its_source_says_gives_way_to_that(question: str, answer: str, source: str) -> None:
    assert told(question, answer, [source]) == f"{source} [1]"


def test_what_is_denied_in_other_words_stays() -> None:
    source = "전산실 출입은 총무팀의 허가를 받지 아니한 사람에게 금지한다."
    said = "허가를 받지 않은 사람은 전산실에 출입할 수 없습니다."
    assert told("허가 없이 전산실에 출입할 수 있나요?", said, [source]).startswith(f"{said} [1]")


def test_of_a_row_another_column_may_deny() -> None:
    row = "이름: 김하늘 | 내선: 3480 | 비고: 없음"
    said = "김하늘의 내선은 3480입니다."
    assert told("김하늘 내선 번호가 뭐야?", said, [row]).startswith(f"{said} [1]")


def test_of_a_source_in_the_other_language_that_denies_it_the_words_are_shown() -> None:
    source = "The unit must not be switched on before 6 hours have passed."
    said = told("언제 켤 수 있어?", "6시간 안에 켤 수 있습니다.", [source])
    assert said == f"6시간 안에 켤 수 있습니다. [1]\n> {source}"


def test_what_was_so_is_not_told_from_the_sentence_that_changes_it() -> None:
    old = Passage("a", "주차규정_2024-01-01", 1, 0, 50, "제3조 주차 요금은 하루 4,000원으로 한다.", id=0, score=0.8)
    text = "제3조 방문 차량의 주차 요금 “4,000원”을 “6,000원”으로 한다."
    new = Passage("b", "주차규정_일부개정_2026-03-01", 1, 0, 50, text, id=1, score=0.9)
    question = "방문 차량 주차 요금이 하루 얼마야?"
    answers = [
        checked(question, said, [old, new], 0.9, lambda unit: unit.id + 1, [new]) for said in ("4,000원", "6,000원")
    ]
    assert answers[0] == f"{text} [2] (주차규정_2024-01-01의 내용을 고친 것입니다.)"
    assert answers[1].startswith("6,000원 [2]")


def test_a_figure_that_stands_above_a_sentence_alone_is_not_told_of_it() -> None:
    text = "Leave the lid shut for 6 minutes after the pump has stopped."
    sentence = Passage("d", "Manual of the KX-310", 1, 0, 60, text, id=0, score=1)
    question = "How long does the lid of the KX-310 stay shut after the pump has stopped?"
    said = "The lid of the KX-310 stays shut for 6 minutes after the pump has stopped."
    assert checked(question, said, [sentence], 0.9, lambda unit: 1) == f"{text} [1]"
    # Of a row the column that was asked for.
    row = Passage("d", "KX-310", 1, 0, 60, "Part: lid | Wait (minutes): 6 | Weight (kg): 14", id=0, score=1)
    said = "For the lid of the KX-310 the wait is 6 minutes."
    assert checked("How many minutes is the wait for the lid of the KX-310?", said, [row], 0.9, lambda unit: 1) == (
        "Part: lid | Wait (minutes): 6 [1]"
    )


def test_a_slip_of_a_unit_gives_way_to_the_source_that_is_near() -> None:
    texts = ["심야 택시비는 30,000원까지 실비로 지급한다.", *RULES]
    question = "How much taxi fare is paid after 10 pm?"
    said = "A taxi fare of 30,000 yuan is paid after 10 pm."
    assert told(question, said, texts) == f"{texts[0]} [1]"
    assert told(question, said, [*RULES, *texts[:1]]) == ""
    # A thing that the source does not name is no slip.
    assert told(question, "A taxi fare of 30,000 yuan is paid on line K9.", texts) == ""


def test_a_figure_alone_is_a_statement_with_its_unit_behind_a_blank_too() -> None:
    texts = ["세 곳을 비교하여 4,300만 원의 ‘온누리’ 안을 골랐고, 일은 여름에 한다.", *RULES]
    answer = told("지붕 공사는 어느 업체가 맡았어? 금액도 알려줘", "- 4,300만 원", texts)
    assert answer == f"- 4,300만 원 [1]\n> {texts[0]}"


def test_of_a_statement_in_the_words_of_the_question_the_source_is_shown() -> None:
    row = "조항: 제4조 자가용 | 종전: 1km당 310원 | 개정: 1km당 330원"
    said = "오토바이로 다녀오면 km당 330원입니다."
    shown = "조항: 제4조 자가용 | 개정: 1km당 330원"
    assert told("오토바이로 다녀오면 km당 얼마인가요?", said, [row]) == f"{said} [1]\n> {shown}"


def test_what_is_left_out_for_its_figures_is_told_beside_what_stays() -> None:
    answer = told("본사 식당 점심은 몇 시에 시작하나요?", "점심은 11시 30분에 시작한다. 요금은 5,500원이다.", RULES)
    assert answer == f"{RULES[0]} [1]\n\n(문서에 없는 숫자나 이름이 든 문장은 답에서 뺐습니다.)"
