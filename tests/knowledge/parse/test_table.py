"""Rows as text."""

from dure.knowledge.parse.table import lines


def test_a_title_before_the_header():
    rows = [["2026년 실적", ""], ["월", "값"], ["1월", "3"]]
    assert list(lines(rows)) == ["2026년 실적", "월 | 값", "월: 1월 | 값: 3"]


def test_numbers_are_no_header():
    assert list(lines([["1", "2"], ["3", "4"]])) == ["1 | 2", "3 | 4"]


def test_more_cells_than_names():
    assert list(lines([["a", "b"], ["1", "2", "3"]]))[1] == "a: 1 | b: 2 | 3"


def test_line_ends_inside_cells_and_empty_rows():
    assert list(lines([["a", "b"], ["", ""], ["x\ny", ""]])) == ["a | b", "x y"]
