"""Query objects run over a table as people keep them: blanks, won signs, five kinds of dates, a row of totals."""

from dataclasses import replace

import duckdb
import pytest
from fixtures.shop import shop

from dure.data.questions.description import Description, Field, paired
from dure.data.questions.query import Filter, Query
from dure.data.questions.sql import compiled
from dure.data.questions.tables import Column, described, profile, values
from dure.data.questions.telling import reading, sentence


def run(query: Query):
    db, description = shop()
    description = paired(description, ["금액", "수량"])
    found = db.execute(compiled(query, description))
    columns = [each[0] for each in found.description]
    return columns, [list(row) for row in found.fetchall()], description


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        (Query("rows", (), "number"), [[5]]),
        (Query("rows", (), "number", "total 금액"), [[2_420_000.0]]),
        (Query("rows", (Filter("지역", "=", "서울"),), "number"), [[2]]),
        (Query("rows", (Filter("지역", "!=", "서울"),), "number"), [[3]]),
        (Query("rows", (Filter("지역", "=", "서울"), Filter("지역", "=", "대구")), "number"), [[3]]),
        (Query("rows", (Filter("상품", "=", ""),), "number"), [[1]]),
        # What is empty is no notebook.
        (Query("rows", (Filter("상품", "!=", "노트북"),), "number"), [[3]]),
        (Query("rows", (Filter("상품", "!=", ""),), "number"), [[4]]),
        (Query("rows", (Filter("주문일", ">=", "2024-02"), Filter("주문일", "<=", "2024-03")), "number"), [[2]]),
        (Query("rows", (Filter("주문일", "=", "2023"),), "number"), [[1]]),
        (Query("rows", (Filter("수량", "=", "결품"),), "number"), [[1]]),
        (Query("rows", (), "number", "average 수량"), [[7 / 4]]),
        (Query("rows", (), "number", "median 금액"), [[90_000.0]]),
        (Query("rows", (), "list", "금액", "highest", 1), [["김하나", 1_200_000.0]]),
        (Query("지역", (), "list", "count", "highest", 2), [["부산", 2], ["서울", 2]]),
        (Query("rows", (), "list", "금액", "highest", 2, only=True), [["정여섯", 1_000_000.0]]),
        # Where two are first, the next is second.
        (Query("지역", (), "list", "count", "highest", 2, only=True), [["대구", 1]]),
        (Query("지역", (Filter("average 금액", ">", "100000"),), "number"), [[2]]),
        (Query("지역", (Filter("number_of_rows", ">=", "2"),), "list"), [["부산", 2], ["서울", 2]]),
        # To the won: six digits of a sum are not enough.
        (Query("지역", (Filter("total 금액", ">", "1289999"),), "list", "total 금액"), [["서울", 1_290_000.0]]),
        # What is empty takes nothing from a sum, and is no part of an average.
        (Query("rows", (), "number", "total 금액 - 수량"), [[2_419_993.0]]),
        (Query("rows", (), "number", "total 금액 + 수량"), [[2_420_007.0]]),
        (Query("rows", (), "number", "average 금액 - 수량"), [[2_339_993 / 4]]),
        (
            Query("지역", (), "list", "total 금액 - 수량", "highest", 1),
            [["서울", 1_289_995.0]],
        ),
        (Query("rows", (Filter("지역", "=", "부산"),), "share_percent"), [[2, 5, 40.0]]),
        (Query("rows", (Filter("지역", "=", "서울"), Filter("지역", "=", "대구")), "difference"), [[2, 1, 1]]),
        (Query("rows", (Filter("금액", ">", "2000000"),), "yes_no"), [[False, 0]]),
        (
            Query("rows", (Filter("지역", "=", "서울"),), "share_percent", "total 금액"),
            [[1_290_000.0, 2_420_000.0, 53.31]],
        ),
        (Query("지역", (), "share_percent"), [["부산", 2, 40.0], ["서울", 2, 40.0], ["대구", 1, 20.0]]),
    ],
)
def test_what_a_query_gives(query, rows) -> None:
    assert run(query)[1] == rows


def test_groups_of_times_stand_in_their_order() -> None:
    label = {"ko": "-", "en": "-"}
    months = Field("월", "category", "월", label, group="월", values={"10월": (), "2월": (), "1월": ()})
    description = Description(
        "표", "rows", label, label, "표", "월", (months, Field("매출", "number", "매출", label)), examples=""
    )
    db = duckdb.connect()
    db.execute("CREATE TABLE 표 AS SELECT * FROM (VALUES ('10월', 9), ('2월', 3), ('1월', 5), ('2월', 4)) v(월, 매출)")
    found = db.execute(compiled(Query("월", (), "list", "total 매출"), description)).fetchall()
    assert found == [("1월", 5), ("2월", 7), ("10월", 9)]


def test_a_code_names_a_row_with_what_is_most_varied_beside_it() -> None:
    db = duckdb.connect()
    db.execute("CREATE TABLE 비품 (품번 VARCHAR, 분류 VARCHAR, 품명 VARCHAR)")
    rows = [("A-1", "가구", "책상"), ("A-2", "가구", "의자"), ("A-3", "전산", "의자"), ("A-4", "전산", "화면")]
    db.executemany("INSERT INTO 비품 VALUES (?, ?, ?)", rows)
    columns = [Column(name, "VARCHAR", name) for name in ("품번", "분류", "품명")]
    found = db.execute(profile("비품", columns))
    counts = dict(zip([each[0] for each in found.description], found.fetchone(), strict=True))
    description = described("비품", columns, counts, {"분류": ["가구", "전산"]})
    query = Query("rows", (Filter("분류", "=", "가구"),), "list")
    assert db.execute(compiled(query, description)).fetchall() == [("A-1 · 책상",), ("A-2 · 의자",)]


def test_a_range_of_codes_is_one_of_their_numbers() -> None:
    label = {"ko": "-", "en": "-"}
    codes = Field("번호", "text", "번호", label, values={"A-9": (), "A-11": ()})
    description = Description("표", "rows", label, label, "표", "번호", (codes,), examples="")
    db = duckdb.connect()
    db.execute("CREATE TABLE 표 (번호 VARCHAR)")
    db.executemany("INSERT INTO 표 VALUES (?)", [[code] for code in ("A-8", "A-9", "A-10", "A-11", "B-10", "A", None)])
    query = Query("rows", (Filter("번호", ">=", "A-9"), Filter("번호", "<=", "A-11")), "list")
    assert [code for (code,) in db.execute(compiled(query, description)).fetchall()] == ["A-10", "A-11", "A-9"]


@pytest.mark.parametrize("value", ["'; DROP TABLE 주문; --", "x' OR 'y'='y", "\0"])
def test_values_stay_values(value) -> None:
    assert run(Query("rows", (Filter("지역", "=", value),), "number"))[1] == [[0]]


@pytest.mark.parametrize(
    ("query", "language", "said"),
    [
        (Query("rows", (), "number"), "ko", "주문 · 조건 없음: **5건**"),
        (
            Query("rows", (Filter("지역", "=", "서울"),), "number", "average 금액"),
            "en",
            "주문 · 지역 서울 · no other condition · average 금액: **645,000**",
        ),
        (
            Query("rows", (Filter("상품", "=", ""),), "number"),
            "ko",
            "주문 · 상품: 비어 있음 · 다른 조건 없음: **1건**",
        ),
        (
            Query("rows", (), "list", "금액", "highest", 2, only=True),
            "en",
            "주문 · no condition · highest 금액 first · no. 2 alone: **정여섯** (1,000,000)",
        ),
        (
            Query("rows", (Filter("주문일", "=", "2020"),), "number", "total 금액"),
            "ko",
            "주문 · 주문일 2020 · 다른 조건 없음: 해당하는 것이 없습니다.",
        ),
        (
            Query("rows", (Filter("지역", "=", "부산"),), "share_percent"),
            "en",
            "주문 · 지역 부산 · no other condition: share **40 %** (2 of 5 rows)",
        ),
        (
            Query("지역", (Filter("지역", "=", "서울"), Filter("지역", "=", "부산")), "list", "total 금액"),
            "ko",
            "지역 · 지역 서울 · 지역 부산 · 다른 조건 없음: 2개, 합계 **2,370,000**",
        ),
        (
            Query("rows", (Filter("금액", ">", "2000000"),), "yes_no"),
            "ko",
            "주문 · 금액 > 2000000 · 다른 조건 없음: **아니요** (0건)",
        ),
        (
            Query("rows", (Filter("지역", "=", "부산"), Filter("지역", "=", "대구")), "difference", whether="<"),
            "ko",
            "주문 · 지역 부산 · 지역 대구 · 다른 조건 없음: **아니요** (부산 2, 대구 1, 차이 1건)",
        ),
        (
            Query("rows", (Filter("지역", "=", "부산"), Filter("지역", "=", "대구")), "difference", whether=">"),
            "en",
            "주문 · 지역 부산 · 지역 대구 · no other condition: **yes** (부산 2, 대구 1, difference 1 row)",
        ),
    ],
)
def test_the_answer_says_how_the_question_was_read(query, language, said) -> None:
    columns, rows, description = run(query)
    assert sentence(query, description, columns, rows, language) == said
    assert said.startswith(reading(query, description, language))


def test_a_years_thousands_are_not_apart() -> None:
    _, description = shop()
    fields = tuple(replace(each, whole=each.name == "수량") for each in description.fields)
    query = Query("rows", (), "list", "금액", "highest", 1, also=("수량",))
    said = sentence(
        query, replace(description, fields=fields), ["고객", "금액", "수량"], [["김하나", 2014, 2014]], "ko"
    )
    assert said.endswith("**김하나** (2,014, 2014)")


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        (Query("등급", (), "list", "count", "highest", 1), [["High", 4]]),
        (Query("등급", (Filter("number_of_rows", ">=", "3"),), "number"), [[1]]),
        (Query("등급", (), "share_percent"), [["High", 4, 80.0], ["low", 1, 20.0]]),
        (Query("등급", (), "list", "total 금액"), [["High", 10.0], ["low", 5.0]]),
    ],
)
def test_letters_of_either_case_make_one_group(query, rows) -> None:
    db = duckdb.connect()
    db.execute("CREATE TABLE t (등급 VARCHAR, 금액 BIGINT)")
    db.execute("INSERT INTO t VALUES ('High', 1), ('high ', 2), ('HIGH', 3), ('low', 5), ('High', 4)")
    columns = [Column("등급", "VARCHAR", "등급"), Column("금액", "BIGINT", "금액")]
    found = db.execute(profile("t", columns))
    counts = dict(zip([each[0] for each in found.description], found.fetchone(), strict=True))
    known = {"등급": [v for (v,) in db.execute(values("t", columns[0])).fetchall()]}
    sql = compiled(query, described("t", columns, counts, known))
    assert [list(row) for row in db.execute(sql).fetchall()] == rows
