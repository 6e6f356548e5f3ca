"""Days that texts name."""

import pytest

from dure.knowledge.days import days, is_of


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("- 일시: 2026년 6월 3일(수) 16:00", [(2026, 6, 3)]),
        ("의결 2026. 6. 18. / 시행 2026. 8. 1.", [(2026, 6, 18), (2026, 8, 1)]),
        ("Date: Mon, 28 Sep 2026 10:42:00 +0900", [(2026, 9, 28)]),
        ("On 28 September, and June 3, 2026", [(0, 9, 28), (2026, 6, 3)]),
        ("6월 회의와 2026년 7월, 3월 1일~3월 4일", [(0, 6, 0), (2026, 7, 0), (0, 3, 1), (0, 3, 4)]),
        ("2026-06-03, 2026.05.31", [(2026, 6, 3), (2026, 5, 31)]),
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
