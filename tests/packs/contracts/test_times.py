import calendar
from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.packs.contracts.faults import WrongValue
from dure.packs.contracts.times import Span, read_date, read_span, read_time, show_date

DAYS = st.dates(date(1900, 1, 1), date(2199, 12, 31))


@pytest.mark.parametrize(
    "text",
    [
        *["2026-03-01", "2026-3-1", "2026.03.01", "2026. 3. 1.", "2026/3/1", "2026-03-01T00:00:00Z"],
        *["2026년 3월 1일", "2026년3월1일", "2026년 03월 01일", " 2026년  3월 1일 (일)", "2026-03-01 (Sunday)"],
        *["1 March 2026", "1st of March 2026", "March 1, 2026", "Mar. 1, 2026", "mar 1 2026", "1 MAR 2026"],
    ],
)
def test_dates(text):
    assert read_date(text) == date(2026, 3, 1)


@pytest.mark.parametrize(
    "value",
    [
        *["", "내일", "3월 1일", "2026년 3월", "26.3.1", "3/1/2026", "01-03-2026", "20260301", "2026-03.01"],
        *[
            "2026-02-30",
            "2026년 2월 29일",
            "2026-13-01",
            "1899-12-31",
            "2200-01-01",
            "2026-03-01 (토)",
            "2026-03-01 (x)",
        ],
        *["2026-03-01 10:00", "31 Foo 2026", "٢٠٢٦-03-01", "x" * 10_000, 20260301, None, True, {}, [], 1.5],
    ],
)
def test_what_is_no_date(value):
    with pytest.raises(WrongValue):
        read_date(value)


@given(DAYS)
def test_dates_read_back(day):
    weekday = "월화수목금토일"[day.weekday()]
    forms = [day.isoformat(), show_date(day, "ko"), show_date(day, "en"), f"{show_date(day, 'ko')} ({weekday}요일)"]
    forms.append(f"{calendar.month_abbr[day.month]} {day.day}, {day.year}")
    assert {read_date(each) for each in forms} == {day}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *[("09:00", time(9)), ("9시", time(9)), ("9시 반", time(9, 30)), ("오전 9시", time(9)), ("9 AM", time(9))],
        *[("오후 6시 30분", time(18, 30)), ("6:30 p.m.", time(18, 30)), ("18:30:00", time(18, 30)), ("24:00", time(0))],
        *[("오전 12시", time(0)), ("12 pm", time(12)), ("9:05", time(9, 5))],
        *[("저녁 7시", time(19)), ("오후 18시", time(18)), ("noon", time(12))],
    ],
)
def test_times(text, expected):
    assert read_time(text) == expected


@pytest.mark.parametrize("value", ["", "9", "25:00", "9:60", "am 9 pm", 9, None, "9" * 9999])
def test_what_is_no_time(value):
    with pytest.raises(WrongValue):
        read_time(value)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        *[("2년", Span(24)), ("2년간", Span(24)), ("1년 6개월", Span(18)), ("18개월", Span(18)), ("여섯", None)],
        *[("90일", Span(0, 90)), ("2주", Span(0, 14)), ("두 달", None), ("3달", Span(3)), ("6 months", Span(6))],
        *[("two years", Span(24)), ("one year and six months", Span(18)), ("1 year, 10 days", Span(12, 10))],
        *[
            ("a week", Span(0, 7)),
            ("fifteen days", Span(0, 15)),
            ("2", None),
            ("0년", None),
            ("", None),
            ("1년 1년", None),
            ("6개월 1년", None),
        ],
        *[("1 year and", None), ("1년,", None), ("many years", None), (2, None), (None, None), ("1년 " * 5000, None)],
    ],
)
def test_spans(text, span):
    if span is not None:
        assert read_span(text) == span
        return
    with pytest.raises(WrongValue):
        read_span(text)


@given(st.integers(0, 40), st.integers(0, 11), st.integers(0, 29))
def test_spans_read_back(years, months, days):
    span = Span(12 * years + months, days)
    if span == Span():
        return
    assert read_span(span.said["ko"]) == span
    assert read_span(span.said["en"]) == span


@given(st.text(max_size=70))
def test_nothing_else_is_ever_raised(text):
    for read, kind in ((read_date, date), (read_time, time), (read_span, Span)):
        try:
            found = read(text)
        except WrongValue:
            continue
        assert isinstance(found, kind)
