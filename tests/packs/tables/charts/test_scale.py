"""Ticks."""

import math
from datetime import UTC, datetime

import pytest

from dure.packs.tables.charts.scale import linear, number, times


def texts(scale):
    return [text for _, text in scale.ticks]


@pytest.mark.parametrize(
    ("values", "zero", "expected"),
    [
        ([1200, 300, -200], True, ["-500", "0", "500", "1,000", "1,500"]),
        ([3.0, 7.0], True, ["0", "2", "4", "6", "8"]),
        ([101.0, 103.5], False, ["101.0", "101.5", "102.0", "102.5", "103.0", "103.5"]),
        ([0.001, 0.0042], True, ["0", "0.001", "0.002", "0.003", "0.004", "0.005"]),
        ([2.0, 3.0], False, ["2", "3"]),
        ([5.0], True, ["0", "1", "2", "3", "4", "5"]),
        ([], True, ["0", "1"]),
        ([0.0, 0.0], True, ["0", "1"]),
        ([-4.0, -4.0], True, ["-4", "-3", "-2", "-1", "0"]),
        ([5e20, 1e21], False, ["5e+20", "6e+20", "7e+20", "8e+20", "9e+20", "1e+21"]),
    ],
)
def test_ticks_are_round(values, zero, expected):
    assert texts(linear(values, zero=zero)) == expected


@pytest.mark.parametrize("zero", [True, False])
@pytest.mark.parametrize(
    "values",
    [
        [1e300, -1e300], [1e-300, 2e-300], [7.0] * 3, [-7.5] * 3, [0.0], [1e300] * 2, [1e-300] * 2, [1e15, 1e15 + 1],
        [0.1 + 0.2, 0.3], [-1e-9, 1e9], [123456789.0, 123456790.0],
    ],
)  # fmt: skip
def test_any_numbers_have_a_scale(values, zero):
    scale = linear(values, zero=zero)
    assert 2 <= len(scale.ticks) <= 12
    assert all(math.isfinite(value) for value, _ in scale.ticks)
    for value in values:
        assert -1e-6 <= scale.at(value) <= 1 + 1e-6


def test_years_stand_without_a_comma():
    assert texts(linear([2019, 2023], grouped=False)) == ["2019", "2020", "2021", "2022", "2023"]


@pytest.mark.parametrize(
    ("value", "text"), [(0.1, "0.1"), (1234567.891, "1,234,567.89"), (-0.0, "0"), (1e-9, "1e-09"), (12, "12")]
)
def test_numbers(value, text):
    assert number(value) == text


DAY = 86_400.0


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.0, 5 * DAY], ["1970-01-01", "1970-01-02", "1970-01-03", "1970-01-04", "1970-01-05", "1970-01-06"]),
        ([0.0, 730 * DAY], ["1970-01", "1970-07", "1971-01", "1971-07", "1972-01"]),
        ([0.0, 3653 * DAY], ["1970", "1972", "1974", "1976", "1978", "1980"]),
        ([0.0, 120.0], ["00:00:00", "00:00:30", "00:01:00", "00:01:30", "00:02:00"]),
        ([0.0, 7200.0], ["01-01 00:00", "01-01 00:30", "01-01 01:00", "01-01 01:30", "01-01 02:00"]),
        ([10 * DAY], ["1970-01-10", "1970-01-11", "1970-01-12"]),
    ],
)
def test_times_are_full(values, expected):
    assert texts(times(values)) == expected


def test_times_at_the_ends_of_the_calendar():
    ends = [each.replace(tzinfo=UTC).timestamp() for each in (datetime.min, datetime.max)]
    assert 2 <= len(times(ends).ticks) <= 12
