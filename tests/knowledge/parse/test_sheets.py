"""Workbooks."""

import datetime
from functools import partial

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


def test_broken(files):
    with pytest.raises(Unreadable) as caught:
        parse(files.zip({"xl/workbook.xml": b"<x/>"}))
    assert caught.value.problem == "broken"
