"""Workbooks."""

import datetime
import io
import zipfile
from functools import partial
from types import SimpleNamespace

import openpyxl
import pytest

from dure.data.sheets import sheets as data_of
from dure.knowledge.parse import Unreadable, kinds
from dure.knowledge.parse.formats import Formats
from dure.knowledge.parse.sheets import as_text

parse = partial(kinds.parse, "xlsx")


def test_sheets_are_pages_and_rows_name_their_columns(files):
    rows = [["월", "매출액", "비고"], [datetime.date(2026, 1, 1), 1500000, None], ["합계", 0.1 + 0.2, "확정"]]
    parsed = parse(files.xlsx({"실적": rows, "빈 표": []}))
    assert [(page.number, page.text) for page in parsed.pages] == [
        (1, "[실적]\n월 | 매출액 | 비고\n월: 2026-01-01 | 매출액: 1500000\n월: 합계 | 매출액: 0.3 | 비고: 확정"),
        (2, "[빈 표]"),
    ]


WON = '_-"₩"* #,##0_-;\\-"₩"* #,##0_-;_-"₩"* "-"_-;_-@_-'


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (1234567, "#,##0", "1,234,567"),
        (0.125, "0.0%", "12.5%"),
        (0.125, "0%", "13%"),
        (120000, '#,##0"원"', "120,000원"),
        (120000, "#,##0원", "120,000원"),
        (1500, WON, "₩1,500"),
        (-1500, WON, "-₩1,500"),
        (1500.5, "[$€-x-euro2] #,##0.00", "€ 1,500.50"),
        (-1500, "#,##0_);[Red](#,##0)", "-1,500"),
        (-1500, '#,##0;[Red]"△"#,##0', "△1,500"),
        (4524, "00000", "04524"),
        (1234567, "#,##0,", "1,235"),
        (3.10, "0.0##", "3.1"),
        (12, r"#,##0\ \명", "12 명"),
        (1e300, "0.0%", f"1{'0' * 302}.0%"),
        (1500, "General", "1500"),
        (0.5, "# ?/?", "0.5"),
        (1500, "[>=1000]#,##0", "1500"),
        (1500, "0.00E+00", "1500"),
        (1500, "0" * 300, "1500"),
        (datetime.date(2026, 3, 1), 'yyyy"년" m"월" d"일"', "2026-03-01"),
        ("1500", "#,##0", "1500"),
        (True, "#,##0", "true"),
    ],
)
def test_numbers_are_read_as_they_are_shown_and_counted_as_they_are(value, code: str, shown: str):
    book = openpyxl.Workbook()
    for row in ([None], [None, "항목", "값"], [None, "가", value]):
        book.active.append(row)
    book.active["C3"].number_format = code
    file = io.BytesIO()
    book.save(file)
    assert parse(file.getvalue()).pages[0].text.split("\n")[-1] == f"항목: 가 | 값: {shown}"
    *_, counted = next(data_of(file.getvalue(), "xlsx")).rows
    assert counted[-1] == (f"{value:.15g}" if type(value) in (int, float) else str(value).lower())


def test_a_number_over_several_rows_counts_once_however_it_is_shown():
    rows = [["팀", "예산", "명"], ["영업", 5000, 1], ["개발", None, 2]]
    book = openpyxl.load_workbook(io.BytesIO(_book(rows, "B2:B3")))
    book.active["B2"].number_format = "#,##0"
    file = io.BytesIO()
    book.save(file)
    assert parse(file.getvalue()).pages[0].text.endswith("팀: 영업 | 예산: 5,000 | 명: 1\n팀: 개발 | 명: 2")


def test_styles_that_are_broken_leave_numbers_as_they_are():
    book = io.BytesIO(_book([["팀", "예산"], ["영업", 5000]]))
    with zipfile.ZipFile(book) as old, zipfile.ZipFile(broken := io.BytesIO(), "w") as new:
        for name in old.namelist():
            new.writestr(name, b"<styleSheet" if name == "xl/styles.xml" else old.read(name))
    sheet = SimpleNamespace(name="Sheet", start=(0, 0), iter_rows=lambda: iter([["영업", 5000.0]]))
    assert [*map(as_text, *Formats(broken.getvalue()).rows(sheet))] == ["영업", "5000"]


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
