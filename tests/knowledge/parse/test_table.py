"""Rows as text."""

from hypothesis import given
from hypothesis import strategies as st

from dure.knowledge.parse.table import MAX_COLUMNS, Cell, lines, spanned


def test_a_title_before_the_header():
    rows = [["2026년 실적", ""], ["월", "값"], ["1월", "3"]]
    assert list(lines(rows)) == ["2026년 실적", "월 | 값", "월: 1월 | 값: 3"]


def test_numbers_are_no_header():
    assert list(lines([["1", "2"], ["3", "4"]])) == ["1 | 2", "3 | 4"]


def test_more_cells_than_names():
    assert list(lines([["a", "b"], ["1", "2", "3"]]))[1] == "a: 1 | b: 2 | 3"


def test_line_ends_inside_cells_and_empty_rows():
    assert list(lines([["a", "b"], ["", ""], ["x\ny", ""]])) == ["a | b", "x y"]


def test_what_stands_for_several_rows_stands_in_each():
    rows = [
        [Cell("구분"), Cell("직급"), Cell("금액")],
        [Cell("국내", 2), Cell("임원"), Cell("15만")],
        [Cell("직원"), Cell("9만")],
        [Cell("합계", 1, 2), Cell("24만")],
    ]
    assert list(lines(spanned(rows)))[1:] == [
        "구분: 국내 | 직급: 임원 | 금액: 15만",
        "구분: 국내 | 직급: 직원 | 금액: 9만",
        "구분: 합계 | 금액: 24만",
    ]


def test_a_header_of_two_rows_becomes_one():
    rows = [[Cell("이름", 2), Cell("급여", 1, 2)], [Cell("기본급"), Cell("수당")], [Cell("김"), Cell("3"), Cell("1")]]
    assert list(lines(spanned(rows)))[1] == "이름: 김 | 급여 기본급: 3 | 급여 수당: 1"


def test_a_title_over_all_columns_is_no_header():
    rows = [[Cell("2026년", 1, 2)], [Cell("월"), Cell("값")], [Cell("1월"), Cell("3")]]
    assert list(lines(spanned(rows))) == ["2026년", "월 | 값", "월: 1월 | 값: 3"]


def test_a_title_with_empty_cells_behind_it_is_no_header():
    rows = [[Cell("2026년", 1, 2), Cell("")], [Cell("월"), Cell("값"), Cell("")], [Cell("1월"), Cell("3"), Cell("")]]
    assert list(lines(spanned(rows))) == ["2026년", "월 | 값", "월: 1월 | 값: 3"]


@given(st.lists(st.lists(st.builds(Cell, st.text("ab", max_size=2), st.integers(0, 9), st.integers(0, 10**9)))))
def test_no_span_makes_a_table_too_wide_or_loses_a_row(rows):
    made = list(spanned(rows))
    assert len(made) <= len(rows)
    assert all(len(row) <= MAX_COLUMNS for row in made)
