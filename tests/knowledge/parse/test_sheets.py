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


def test_broken(files):
    with pytest.raises(Unreadable) as caught:
        parse(files.zip({"xl/workbook.xml": b"<x/>"}))
    assert caught.value.problem == "broken"
