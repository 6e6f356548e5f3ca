"""Days that texts name."""

import pytest

from dure.knowledge.days import days, in_korean, is_of, told_in


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("- 일시: 2026년 6월 3일(수) 16:00", [(2026, 6, 3)]),
        ("의결 2026. 6. 18. / 시행 2026. 8. 1.", [(2026, 6, 18), (2026, 8, 1)]),
        ("Date: Mon, 28 Sep 2026 10:42:00 +0900", [(2026, 9, 28)]),
        ("On 28 September, and June 3, 2026", [(0, 9, 28), (2026, 6, 3)]),
        ("6월 회의와 2026년 7월, 3월 1일~3월 4일", [(0, 6, 0), (2026, 7, 0), (0, 3, 1), (0, 3, 4)]),
        ("2026-06-03, 2026.05.31", [(2026, 6, 3), (2026, 5, 31)]),
        ("In March 51,310 pieces, in April 3.5 tonnes, 1,310 March flies", []),
        ("12개월에 1.2.3판으로 301호에서 3만 원", []),
    ],
)
def test_the_days_of_a_text(text: str, wanted: list[tuple[int, int, int]]) -> None:
    assert [each.date for each in days(text)] == wanted


def test_what_is_left_out_of_a_day_may_be_any() -> None:
    (whole,) = days("2026년 6월 3일")
    assert all(is_of(each, whole) for each in days("6월 3일, 3 June, 6월, 2026년 6월, 2026. 6. 3."))
    assert not any(is_of(each, whole) for each in days("6월 4일, 2025년 6월 3일, 7월"))
    assert not is_of(whole, days("6월 3일")[0])


@pytest.mark.parametrize(
    ("text", "told", "untold"),
    [
        ("5월 7~9일에 한다", "5월 7일, 5월 9일, 7 May 2026", "5월 8일, 9월 5일"),
        ("held on 18–19 February 2027", "2027년 2월 18일, 19 February", "2026년 2월 18일, 20 February"),
        ("from 19 to 24 October, or October 26 and 28", "10월 19일, 10월 28일", "10월 20일"),
        ("5월 7일부터 9일까지, 3월 5일 14시", "5월 9일", "3월 14일"),
        ("2월 18일~19일", "2월 19일", "2월 17일"),
        ("보고는 매월 10일까지, reports by the 15th of each month", "6월 10일, 15 July 2026", "6월 11일"),
        ("Held on the 3rd of March, 2026", "2026-03-03", "2025-03-03, 2026-03-04"),
        ("출고일 4/17", "4월 17일, 17 April", "4월 18일"),
        ("4.17%, 1/17", "1월 17일", "4월 17일"),
        ("4월 출고: 12, 17일", "4월 17일", "4월 18일"),
    ],
)
def test_what_tells_a_day(text: str, told: str, untold: str) -> None:
    tells = told_in(text)
    assert all(map(tells, days(told)))
    assert not any(map(tells, days(untold)))


def test_days_in_korean_have_a_unit_for_each_part() -> None:
    assert in_korean("from 3 June 2026 to 2026. 6. 18., 7월") == "from 2026년 6월 3일 to 2026년 6월 18일., 7월"
