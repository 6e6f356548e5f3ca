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


def test_a_figure_over_several_columns_is_that_of_each():
    rows = [
        [Cell("대상"), Cell("정규직"), Cell("계약직"), Cell("휴가")],
        [Cell("조부모"), Cell("20만 원", 1, 2), Cell("2")],
        [Cell("부모"), Cell("80만 원"), Cell("60만 원"), Cell("5")],
    ]
    assert list(lines(spanned(rows)))[1] == "대상: 조부모 | 정규직: 20만 원 | 계약직: 20만 원 | 휴가: 2"


def test_a_form_has_no_header():
    rows = [
        [Cell("상호"), Cell("온새미"), Cell("대표자"), Cell("정가온")],
        [Cell("번호"), Cell("123-81"), Cell("업태"), Cell("도소매")],
        [Cell("주소"), Cell("대학로 99", 1, 3)],
        [Cell("결제"), Cell("45일"), Cell("한도"), Cell("300만 원")],
        [Cell("비고"), Cell("", 1, 3)],
    ]
    assert list(lines(spanned(rows))) == [
        "상호 | 온새미 | 대표자 | 정가온",
        "번호 | 123-81 | 업태 | 도소매",
        "주소 | 대학로 99",
        "결제 | 45일 | 한도 | 300만 원",
        "비고",
    ]
    assert list(lines([["작성자", "강민호"], ["작성일", "3월 4일"], ["승인자", "오세라"]]))[2] == "승인자 | 오세라"


def test_columns_of_one_kind_have_a_header():
    assert list(lines([["근속", "연차"], ["일 년", "15일"], ["삼 년", "16일"]]))[2] == "근속: 삼 년 | 연차: 16일"
    assert list(lines([["이름", "부서"], ["김", "영업"], ["이", "인사"]]))[2] == "이름: 이 | 부서: 인사"


@given(st.lists(st.lists(st.builds(Cell, st.text("ab", max_size=2), st.integers(0, 9), st.integers(0, 10**9)))))
def test_no_span_makes_a_table_too_wide_or_loses_a_row(rows):
    made = list(spanned(rows))
    assert len(made) <= len(rows)
    assert all(len(row) <= MAX_COLUMNS for row in made)
