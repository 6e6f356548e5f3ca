"""What a question is about."""

import pytest

from dure.knowledge.question import QUANTITY, content_terms, parts


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("연차는 무엇인가요?", ["연차", "차는"]),
        ("회사 휴가 정책 알려줘", ["회사", "휴가", "정책"]),
        ("How many days of annual leave do I get?", ["day", "annual", "leave", "get"]),
        ("어디 있나요", ["어디", "있나", "나요"]),
        ("몇몇 회사", ["몇몇", "회사"]),
        ("?!", []),
    ],
)
def test_content_terms(question, wanted):
    assert content_terms(question) == wanted


def test_any_number_may_be_asked_for():
    for asked in ("며칠 쉬어?", "정확도가 몇점이야", "몇 퍼센트인지", "How long does it take?"):
        assert QUANTITY.search(asked), asked
    assert not QUANTITY.search("무엇이 다른가요?")


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("연차휴가는 며칠 줘? 식대는 얼마야?", ["연차휴가는 며칠 줘", "식대는 얼마야"]),
        ("회의비 한도, 회의록 제출 기한", ["회의비 한도", "회의록 제출 기한"]),
        (
            "가입 조건은 바뀌었다. 해지 조건을 알려줘\n위약금은 얼마야",
            ["가입 조건은 바뀌었다", "해지 조건을 알려줘", "위약금은 얼마야"],
        ),
        (
            "late delivery penalty; replacement of rejected lots",
            ["late delivery penalty", "replacement of rejected lots"],
        ),
        ("I travel in March. What allowance do I get?", ["I travel in March", "What allowance do I get"]),
        ("cost of the pump (list, net), date of delivery", ["cost of the pump (list, net)", "date of delivery"]),
    ],
)
def test_parts_of_a_query(query, asked):
    assert parts(query) == asked


@pytest.mark.parametrize(
    "query",
    [
        "연차휴가는 며칠이야?",
        "사과, 배, 감 가격 비교",
        "red, green and blue lamps in stock",
        "papers on sea kelp by Min Kim, J. about growth",
        "papers by Kim, J. about kelp",
        "시료 1,200개를 보낸 날짜와 값",
        "2026. 11. 30. 회의에서 정한 예산",
        "contract of Hanbit Trading Co., Ltd. with Taebo Trucking",
        "the last report of Dr. Min Kim",
        "「소리의 숲, 그 뒤의 이야기」 대여 기간",
        '노래 "봄이 오면, 산에 들에 꽃이" 작사가',
        "the song 'When spring comes, we all go' by whom",
        "가속도계(위치 센서, 온도 센서) 교체 주기",
        "v1.2/v1.3 차이",
        ", ,",
        "",
    ],
)
def test_names_figures_quotations_and_lists_are_no_parts(query):
    assert parts(query) == []
