"""Equations that a text writes out."""

import pytest

from dure.numbers.equations import equations


@pytest.mark.parametrize(
    ("text", "parts", "result", "holds"),
    [
        ("400개 × 18,500원 = 7,400,000원", ["400", "18,500"], "7,400,000", True),
        ("지체상금은 740만 원 × 0.15% × 7일 = **77,700원**입니다", ["740만", "0.15", "7"], "77,700", True),
        ("140,000 + 45,000*2 - 5,000 = 225,000", ["140,000", "45,000", "2", "5,000"], "225,000", True),
        ("30 / 120 = 25%", ["30", "120"], "25", True),
        ("10 ÷ 3 = 3.33", ["10", "3"], "3.33", True),
        ("10 ÷ 3 = 3.34", ["10", "3"], "3.34", False),
        ("$40 x 3 = $130", ["40", "3"], "130", False),
        ("5 / 0 = 5", ["5", "0"], "5", False),
        ("설치비는 **455,000원**(350,000원 × 1.3)입니다", ["350,000", "1.3"], "455,000", True),
        ("모두 130,000원 (115,000원 + 15,000원)이다", ["115,000", "15,000"], "130,000", True),
        ("모두 130,000원(115,000원 + 25,000원)이다", ["115,000", "25,000"], "130,000", False),
    ],
)
def test_both_sides_are_compared(text, parts, result, holds):
    assert list(equations(text)) == [(parts, result, holds)]


@pytest.mark.parametrize(
    "text", ["2026-02-01", "x = 5", "3 = 3", "팀장 5만 원, 직원 3만 원", "a가 2이고 b가 3이면 5", "3건(2~4월)"]
)
def test_what_is_none(text):
    assert list(equations(text)) == []
