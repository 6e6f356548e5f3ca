"""Descriptions of people's own tables: what is a row of totals, what is a date."""

from typing import Any

import duckdb
import pytest

from dure.data.questions.description import Description
from dure.data.questions.linking import link
from dure.data.questions.query import Filter, Query, schema
from dure.data.questions.settling import settled
from dure.data.questions.sql import compiled
from dure.data.questions.tables import Column, described, profile


def held(
    rows: list[tuple[str, ...]], question: str = "", last: str = "c"
) -> tuple[duckdb.DuckDBPyConnection, Description]:
    """A table of text, its columns a, b, c, and what it holds; the values of a are known. last: what c is headed."""
    db = duckdb.connect()
    columns = [Column(name, "VARCHAR", last if name == "c" else name) for name in "abc"[: len(rows[0])]]
    db.execute(f"CREATE TABLE t ({', '.join(f'{each.name} VARCHAR' for each in columns)})")
    db.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(columns))})", rows)
    found = db.execute(profile("t", columns))
    counts = dict(zip([each[0] for each in found.description or ()], found.fetchone() or (), strict=True))
    return db, described("t", columns, counts, {"a": [row[0] for row in rows]}, question=question)


def told(rows: list[tuple[str, ...]], query: Query, question: str = "") -> Any:
    """What a query object comes to in such a table."""
    db, description = held(rows, question)
    return db.execute(compiled(query, description)).fetchone()[0]  # type: ignore[index]


@pytest.mark.parametrize("label", ["1월 소계", "영업부 합계", "Seoul subtotal", "Grand Total", "총계", "소계"])
def test_a_total_of_what_is_named_before_it_is_not_summed_again(label) -> None:
    rows = [("F1", "승인", "100"), ("F2", "취소", "50"), ("F3", "승인", "20"), (label, "", "170")]
    assert told(rows, Query("rows", (), "number", "total c")) == 170
    assert told(rows, Query("rows", (Filter("b", "!=", "취소"),), "number")) == 2


def test_words_about_totals_in_other_columns_mark_no_row() -> None:
    rows = [("F1", "3월 급여 합계", "100"), ("F2", "간식", "50"), ("F3", "간식", "20")]
    assert told(rows, Query("rows", (), "number", "total c")) == 170


def test_days_of_months_before_years_are_dates() -> None:
    rows = [("04/15/2025", "x", "1"), ("2025-04-30", "x", "2"), ("05/01/2025", "y", "4"), ("4/2/2025", "y", "8")]
    april = (Filter("a", ">=", "2025-04"), Filter("a", "<=", "2025-04"))
    assert told(rows, Query("rows", april, "number", "total c")) == 11


def test_a_row_of_totals_that_the_question_names_is_a_row() -> None:
    rows = [("F1", "승인", "100"), ("F2", "취소", "50"), ("1월 소계", "", "151"), ("합계", "", "151")]
    named = Query("rows", (Filter("a", "=", "1월 소계"),), "number", "total c")
    assert told(rows, named, "1월 소계에 적힌 c는?") == 151
    assert told(rows, Query("rows", (), "number", "total c"), "c 합계는?") == 150


def test_rows_are_counted_by_what_the_question_counts_them_by() -> None:
    rows = [("가람", "1", "x"), ("누리", "2", "x")]
    questions = {"몇 개야?": "개", "몇 a야?": "a", "몇곳인가요": "곳", "얼마나 많아?": "건"}
    questions |= {"전체의 몇 프로야?": "건", "몇퍼센트?": "건", "몇 미터 차이나?": "건"}
    assert {each: held(rows, each)[1].counter["ko"] for each in questions} == questions


def test_it_is_known_which_columns_have_empty_cells_and_which_of_them_no_0() -> None:
    rows = [("F1", "승인", "100"), ("F2", "취소", ""), ("F3", "승인", "30"), ("F5", "승인", ""), ("소계", "", "130")]
    _, description = held(rows)
    assert [(each.full, each.zeros) for each in description.fields] == [(True, False), (True, False), (False, False)]
    assert [each.zeros for each in held([*rows, ("F4", "승인", "0")])[1].fields] == [False, False, True]


def test_what_rows_of_totals_share_groups_no_others() -> None:
    rows = [("E1", "영업", "10"), ("E2", "영업", "5"), ("소계", "", "15"), ("E3", "생산", "7"), ("소계", "", "7")]
    assert [each.group for each in held(rows)[1].fields] == ["", "b", ""]
    assert held([*rows, ("E3", "생산", "1")])[1].fields[0].group == "a"


@pytest.mark.parametrize(
    ("day", "within"), [("2015", True), ("2018-03", True), ("2019-04-02", False), ("2014", False), ("2019", True)]
)
def test_which_days_a_table_tells_of(day: str, within: bool) -> None:
    days = [("2015-03-01", "x", "1"), ("2019. 4. 1.", "x", "2"), ("1 Mar 2018", "y", "3"), ("2016-01-01", "y", "1")]
    assert held(days)[1].spans(day) == within
    assert not held([("F1", "x", "1")])[1].spans(day)


@pytest.mark.parametrize(
    ("cells", "sum_", "unit"),
    [
        (["8병", "2", "0병", "3"], 13, "병"),
        (["140 명", "1,200명", "35", "12"], 1387, "명"),
        (["12kg", "3 kg", "5", "1", "-"], 21, "kg"),
        (["12kg", "3 kg", "5kg", "1kg"], 21, "kg"),
    ],
)
def test_cells_with_one_unit_are_numbers(cells, sum_, unit) -> None:
    rows = [(f"F{at}", "x", each) for at, each in enumerate(cells)]
    assert told(rows, Query("rows", (), "number", "total c")) == sum_
    assert held(rows)[1].field("c").unit == unit


@pytest.mark.parametrize(
    ("head", "unit"), [("매출(천원)", "천원"), ("매출 (단위: 천원)", "천원"), ("Fee (unit: USD)", "USD")]
)
def test_the_head_of_a_column_has_its_unit(head, unit) -> None:
    field = held([("F1", "x", "100"), ("F2", "y", "50")], last=head)[1].fields[2]
    assert (field.name, field.unit) == (head.partition("(")[0].strip(), unit)


@pytest.mark.parametrize(
    "cells",
    [
        ["1반", "1반", "3반", "3반"],
        ["100 g", "4 L", "5 g", "100 g"],
        ["A1", "B2", "A1", "B2"],
        ["1층", "2층", "B1층", "로비"],
    ],
)
def test_cells_with_several_units_other_letters_or_a_few_labels_are_none(cells) -> None:
    assert held([(f"F{at}", "x", each) for at, each in enumerate(cells)])[1].field("c").kind != "number"


@pytest.mark.parametrize(
    ("question", "filters", "rows"),
    [
        ("1반하고 2반 중에 어느 반이 점수가 높아?", [("반", "1"), ("반", "2")], [(2, 30.0), (1, 20.0)]),
        ("반별 점수 평균은?", [], [(3, 40.0), (2, 30.0), (1, 20.0)]),
    ],
)
def test_whole_numbers_may_be_labels_where_the_question_says_so(question, filters, rows) -> None:
    db, columns = duckdb.connect(), [Column("반", "BIGINT", "반"), Column("점수", "DOUBLE", "점수")]
    db.execute("CREATE TABLE t (반 BIGINT, 점수 DOUBLE)")
    db.executemany("INSERT INTO t VALUES (?, ?)", [(at % 3 + 1, 20 + 10 * (at % 3)) for at in range(12)])
    found = db.execute(profile("t", columns))
    counts = dict(zip([each[0] for each in found.description or ()], found.fetchone() or (), strict=True))
    description = described("t", columns, counts, {}, question=question)
    assert description.kinds_of_rows == ["rows"]
    links = link(question, description)
    offered = schema(description, links, small=True)["properties"]["rows"]["enum"]
    asked = Query(offered[0], tuple(Filter(name, "=", value) for name, value in filters), "number", "average 점수")
    assert db.execute(compiled(settled(asked, description, links), description)).fetchall() == rows
