"""Workbooks."""

import datetime
import io
from functools import partial

import openpyxl
import pytest

from dure.knowledge.parse import Unreadable, kinds

parse = partial(kinds.parse, "xlsx")


def test_sheets_are_pages_and_rows_name_their_columns(files):
    rows = [["월", "매출액", "비고"], [datetime.date(2026, 1, 1), 1500000, None], ["합계", 0.1 + 0.2, "확정"]]
    parsed = parse(files.xlsx({"실적": rows, "빈 표": []}))
    assert [(page.number, page.text) for page in parsed.pages] == [
        (1, "[실적]\n월 | 매출액 | 비고\n월: 2026-01-01 | 매출액: 1500000\n월: 합계 | 매출액: 0.3 | 비고: 확정"),
        (2, "[빈 표]"),
    ]


def test_a_header_of_two_rows_names_each_column_by_both():
    book = openpyxl.Workbook()
    for row in (["출장비"], ["팀", "국내", None, "계"], [None, "건수", "금액", None], ["영업", 3, 900, 900], ["계", 3]):
        book.active.append(row)
    for merged in ("A1:D1", "A2:A3", "B2:C2", "D2:D3"):
        book.active.merge_cells(merged)
    file = io.BytesIO()
    book.save(file)
    _, *rows = parse(file.getvalue()).pages[0].text.split("\n")
    assert rows == [
        "출장비",
        "팀 | 국내 건수 | 국내 금액 | 계",
        "팀: 영업 | 국내 건수: 3 | 국내 금액: 900 | 계: 900",
        "팀: 계 | 국내 건수: 3",
    ]


def _book(rows, *merged):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for cells in merged:
        book.active.merge_cells(cells)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_names_below_wide_ones_need_no_cells_that_are_merged_downward():
    years = [
        ["지점", "2025년", None, "2026년", None],
        [None, "상반기", "하반기", "상반기", "하반기"],
        ["서울", 1, 2, 3, 4],
    ]
    text = parse(_book(years, "B1:C1", "D1:E1")).pages[0].text
    assert text.endswith(
        "지점 | 2025년 상반기 | 2025년 하반기 | 2026년 상반기 | 2026년 하반기\n"
        "지점: 서울 | 2025년 상반기: 1 | 2025년 하반기: 2 | 2026년 상반기: 3 | 2026년 하반기: 4"
    )


def test_a_row_below_a_wide_name_that_has_more_is_no_header():
    rows = [["이름", "전화", None, "비고"], ["김두레", "010-1", "02-1", "휴직"], ["이나래", "010-2", "02-2", None]]
    assert (
        parse(_book(rows, "B1:C1"))
        .pages[0]
        .text.endswith(
            "이름 | 전화 | 비고\n이름: 김두레 | 전화: 010-1 | 02-1 | 비고: 휴직\n이름: 이나래 | 전화: 010-2 | 02-2"
        )
    )


def test_merged_cells_without_a_name_are_no_header():
    rows = [["이름", "부서", None], ["김두레", "영업", "a"], ["이나래", "개발", "b"]]
    text = parse(_book(rows, "C1:D1", "H1:J2")).pages[0].text
    assert text.endswith("이름 | 부서\n이름: 김두레 | 부서: 영업 | a\n이름: 이나래 | 부서: 개발 | b")


def test_a_label_over_many_rows_beside_a_wide_name_makes_no_header_of_them():
    rows = [["구분", "전화", None], *([None, f"010-{n}", f"02-{n}"] for n in range(9))]
    assert len(parse(_book(rows, "A1:A10", "B1:C1")).pages[0].text.split("\n")) == 11


def test_broken(files):
    with pytest.raises(Unreadable) as caught:
        parse(files.zip({"xl/workbook.xml": b"<x/>"}))
    assert caught.value.problem == "broken"
