"""Times of day."""

import pytest

from dure.numbers.clock import in_24_hours


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("밤 11시와 오후 5시 반", "23시와 17시 반"),
        ("오전 9:30, 새벽 1시, 밤 1시, 낮 12시", "9:30, 1시, 1시, 12시"),
        ("5 pm, 5:30 p.m. and 9 AM", "17:00, 17:30 and 9:00"),
        ("정오까지, before noon", "12시까지, before 12:00"),
        ("오후 5시간, 17시, 5 promises, afternoon", "오후 5시간, 17시, 5 promises, afternoon"),
    ],
)
def test_times_of_half_a_day(text: str, wanted: str) -> None:
    assert in_24_hours(text) == wanted
