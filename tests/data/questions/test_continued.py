"""What a question says that goes on from the one before, and which ones do."""

import pytest
from fixtures.shop import shop

from dure.data.questions.continued import continued


@pytest.mark.parametrize(
    ("before", "question", "whole"),
    [
        ("서울 주문 금액 합계는?", "부산은?", "부산 주문 금액 합계는?"),
        ("How many orders from 서울?", "and 부산?", "How many orders from 부산?"),
        ("서울 1월 주문 몇 건?", "부산 2월은?", "부산 2024-02 주문 몇 건?"),
        ("2024년 주문 몇 건?", "2023년은?", "2023년 주문 몇 건?"),
        ("2023년 1월 주문 금액 합계", "2월은?", "2023-02 주문 금액 합계"),
        ("금액 10만원 이상 주문은?", "50만원 이상은?", "금액 50만원 이상 주문은?"),
        ("서울 주문 몇 건이야?", "키보드만", "서울 주문 몇 건이야? 키보드만"),
        ("주문 몇 건이야?", "서울 빼면?", "주문 몇 건이야? 서울 빼면?"),
        ("서울 주문 금액 합계는?", "평균은?", "서울 주문 금액 합계는? 평균은?"),
    ],
)
def test_what_is_other_stands_instead_and_what_is_new_besides(before: str, question: str, whole: str) -> None:
    assert continued(before, question, shop()[1]) == whole


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("서울 주문 몇 건?", "주문 금액 합계는?"),
        ("서울 주문 몇 건?", "지역별 금액은?"),
        ("서울 주문 몇 건?", "고마워"),
        ("서울 주문 몇 건?", "날씨 어때"),
        ("서울하고 부산 주문 몇 건?", "대구는?"),
    ],
)
def test_a_question_of_its_own_or_in_doubt_stays_as_it_is(before: str, question: str) -> None:
    assert continued(before, question, shop()[1]) == ""
