"""The result of a query as a file."""

import io
from datetime import datetime
from decimal import Decimal

import openpyxl
import pytest

from dure.data.rows import Rows
from dure.packs.tables.saved import LIMITS, file_of, first_of, name_of

HEAD = ["이름", "날", "때", "값", "비율", "예"]
TYPES = ["VARCHAR", "DATE", "TIMESTAMP", "DECIMAL(18,2)", "DOUBLE", "BOOLEAN"]
ROW = ["=1+1", "2024-03-01", "2024-03-01 09:30:00", Decimal("1200.50"), 0.25, True]


def rows(*found: list, more: bool = False) -> Rows:
    return Rows("SELECT 1", HEAD, TYPES, list(found), more, 0.0, [])


def sheet_of(data: bytes):
    return openpyxl.load_workbook(io.BytesIO(data)).worksheets[0]


def test_a_workbook_holds_numbers_dates_and_text_as_what_they_are() -> None:
    made = file_of(rows(ROW, [None, None, None, 3, None, None]), "매출.xlsx")
    assert (made.name, made.media_type.rpartition(".")[2]) == ("매출.xlsx", "sheet")
    head, first, empty = sheet_of(made.data).iter_rows()
    assert [each.value for each in head] == HEAD
    assert [each.value for each in first] == [
        "=1+1",
        datetime(2024, 3, 1),
        datetime(2024, 3, 1, 9, 30),
        1200.5,
        0.25,
        True,
    ]
    assert first[0].data_type == "s", "text that looks like a formula is text"
    assert first[1].number_format == "yyyy-mm-dd"
    wide = file_of(Rows("", ["부서"], ["VARCHAR"], [["경영지원본부"]], False, 0.0, []), "a.xlsx")
    assert sheet_of(wide.data).column_dimensions["A"].width > 12, "Hangul takes two letters' room"
    assert [each.value for each in empty] == [None, None, None, 3, None, None]


@pytest.mark.parametrize("value", ["1850-01-01", "-infinity", "0044-03-15 (BC)"])
def test_a_day_that_excel_has_not_is_text(value: str) -> None:
    made = file_of(Rows("", ["날"], ["DATE"], [[value]], False, 0.0, []), "a.xlsx")
    assert sheet_of(made.data)["A2"].value == value


@pytest.mark.parametrize("value", [10**15, -(10**18), Decimal(10) ** 20])
def test_a_number_too_long_for_excel_keeps_its_digits(value) -> None:
    made = file_of(Rows("", ["번호"], ["HUGEINT"], [[value]], False, 0.0, []), "a.xlsx")
    assert sheet_of(made.data)["A2"].value == str(value)


def test_csv_is_known_as_utf8_and_runs_nothing() -> None:
    text = file_of(rows(ROW), "매출.csv").data.decode("utf-8-sig")
    assert text == "이름,날,때,값,비율,예\r\n'=1+1,2024-03-01,2024-03-01 09:30:00,1200.50,0.25,true\r\n"
    assert file_of(rows(), "a.csv").data.startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("매출.XLSX", "매출.XLSX"),
        ("매출", "매출.xlsx"),
        ("../../a.csv", "_.._a.csv"),
        ("월별 매출.csv", "월별 매출.csv"),
    ],
)
def test_names(wanted: str, name: str) -> None:
    assert name_of(wanted) == name
    assert file_of(rows(ROW), name).media_type


def test_what_the_model_reads_of_it_is_short() -> None:
    found = first_of(rows(["가" * 300, *ROW[1:]], ROW, ROW), 2, 200)
    assert [each[0] for each in found.rows] == ["가" * 200 + "…", "=1+1"]
    assert found.rows[0][1:] == ROW[1:]


async def test_a_query_gives_all_its_rows_as_a_file(knowledge, ask) -> None:
    text = "번호,말,날\n" + "".join(f"{n},{'글' * 250}{n},2024-01-{n % 28 + 1:02}\n" for n in range(300))
    await knowledge.add("me", "긴 표.csv", text.encode())
    result = await ask("query_tables", sql="SELECT * FROM 긴_표 ORDER BY 번호", save_as="목록.xlsx")
    assert "모두 300행을 목록.xlsx 파일로" in result.text
    assert result.text.count("\n| ") == 21, "the model reads the first twenty"
    assert (result.data["rows"], len(result.data["values"]), result.data["file"]) == (300, 20, "목록.xlsx")
    (file,) = result.files
    sheet = sheet_of(file.data)
    assert sheet.max_row == 301
    assert [each.value for each in sheet[301]] == [299, "글" * 250 + "299", datetime(2024, 1, 20)]


async def test_more_rows_than_a_file_takes_are_told(knowledge, ask) -> None:
    await knowledge.add("me", "a.csv", b"n\n1\n")
    sql = f"SELECT range AS n FROM a, range({LIMITS.rows + 1})"
    result = await ask("query_tables", sql=sql, save_as="n.csv", language="en")
    assert f"the first {LIMITS.rows:,} rows as the file n.csv; there are more" in result.text
    assert result.files[0].data.count(b"\n") == LIMITS.rows + 1


@pytest.mark.parametrize("name", ["목록.pdf", "a.b"])
async def test_another_ending_is_refused(knowledge, ask, name: str) -> None:
    await knowledge.add("me", "a.csv", b"n\n1\n")
    result = await ask("query_tables", sql="SELECT * FROM a", save_as=name)
    assert result.status == "error"
    assert ".xlsx나 .csv" in result.text
    assert not result.files
