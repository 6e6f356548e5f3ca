"""Currencies beside figures."""

import pytest

from dure.numbers.currencies import currencies


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("택시비는 4만 원까지, 해외는 $40", {"KRW", "USD"}),
        ("40 euros", {"EUR"}),
        ("직원 12명이 원칙을 세웠다", set()),
        ("KRW 40,000", {"KRW"}),
    ],
)
def test_currencies_stand_beside_figures(text, wanted):
    assert currencies(text) == wanted
