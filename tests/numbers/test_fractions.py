"""Fractions in words, in Korean and English."""

from decimal import Decimal

import pytest

from dure.numbers import fractions


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("4분의 1", ["0.25"]),
        ("오분의 삼", ["0.6"]),
        ("a quarter", ["0.25"]),
        ("Three Quarters or two-fifths", ["0.75", "0.4"]),
        ("half, 절반", ["0.5", "0.5"]),
        ("the third quarter, 5분 30초, behalf", []),
        ("1.5/1000, 1/1,000", ["0.0015", "0.001"]),
        ("2100분의 21, 100분의 21", ["0.01"]),
        ("2026/10/1000, 9/10, 3/1000.5", []),
        ("0분의 1", ["0"]),
    ],
)
def test_fractions_are_read(text: str, worth: list[str]) -> None:
    rest, found = fractions(text)
    assert [each.value for each in found] == [Decimal(each) for each in worth]
    assert len(rest) == len(text)
    assert all(not rest[each.start : each.end].strip() for each in found)
