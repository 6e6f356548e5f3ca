"""Numbers of a question in the units of the columns, and columns in those of the question."""

from dataclasses import replace
from typing import Any

import duckdb
import pytest

from dure.data.questions.description import Description, Field, aggregated
from dure.data.questions.linking import link
from dure.data.questions.query import Filter, Query, schema
from dure.data.questions.sql import compiled
from dure.data.questions.understanding import understand
from dure.data.questions.units import asked_for, converted, noted
from dure.data.questions.unread import strange

LABEL = {"ko": "작업", "en": "jobs"}


def number(name: str, unit: str = "") -> Field:
    return Field(name, "number", f'"{name}"', {"ko": name, "en": name}, unit=unit)


JOBS = Description(
    "jobs",
    "rows",
    LABEL,
    {"ko": "건", "en": " jobs"},
    "(VALUES (90, 12, 3000), (240, 70, 90000)) AS jobs(took, fuel, fee)",
    "took",
    (number("took", "min"), number("fuel", "L"), number("fee")),
    "",
)


@pytest.mark.parametrize(
    ("question", "fields"),
    [
        ("60리터 넘게 쓴 작업은?", {"fuel"}),
        ("fee가 60리터 넘는 작업은?", {"fuel", "fee"}),
        ("2시간 넘게 걸린 작업은?", {"took"}),
        ("jobs of more than 90 min", {"took"}),
        ("60원 넘는 작업은?", {"fee"}),
        ("60 넘는 작업은?", {"took", "fuel", "fee"}),
    ],
)
def test_a_number_is_of_the_columns_in_its_unit(question, fields) -> None:
    description = converted(JOBS, question)
    conditions = schema(description, link(question, description))["properties"]["filters"]["items"]["anyOf"]
    offered = [each["properties"] for each in conditions]
    assert {each["field"]["const"] for each in offered if set(each["value"]["enum"]) - {"0", "1", ""}} == fields


@pytest.mark.parametrize(
    ("question", "took", "value"),
    [
        ("2시간 넘게 걸린 작업은 몇 건?", "2", 1),
        ("90분 넘게 걸린 작업은 몇 건?", "90", 1),
        ("두 시간 넘게 걸린 작업은 몇 건?", "2", 1),
        ("How many jobs took more than 1.5 hours?", "1.5", 1),
    ],
)
def test_hours_of_the_question_are_hours_of_a_column_in_minutes(question, took, value) -> None:
    description = converted(JOBS, question)
    sql = compiled(Query("rows", (Filter("took", ">", took),), "number"), description)
    assert duckdb.sql(sql).fetchall() == [(value,)]


@pytest.mark.parametrize(
    ("question", "unit", "value", "count"),
    [
        ("연봉이 6000만원 이상인 사람은?", "만원", "60000000", 2),
        ("연봉이 6천만 원 이상인 사람은?", "만원", "60000000", 2),
        ("연봉이 6000 이상인 사람은?", "만원", "6000", 2),
        ("연봉이 6백만원 이상인 사람은?", "천원", "6000000", 2),
        ("연봉이 1억원 넘는 사람은?", "백만 원", "100000000", 3),
    ],
)
def test_sums_of_money_are_compared_with_columns_in_thousands_of_it(question, unit, value, count) -> None:
    people = replace(
        JOBS, base="(VALUES (5400), (6000), (9200)) AS people(연봉)", title="연봉", fields=(number("연봉", unit),)
    )
    description = converted(people, question)
    assert [each.value for each in link(question, description).numbers] == [value]
    op = ">" if "넘" in question else ">="
    sql = compiled(Query("rows", (Filter("연봉", op, value),), "number"), description)
    assert duckdb.sql(sql).fetchall() == [(count,)]


@pytest.mark.parametrize(
    ("question", "total", "unit"),
    [
        ("모두 몇 시간 걸렸어?", 5.5, "시간"),
        ("How long in hours?", 5.5, "hours"),
        ("4월 3일에 걸린 시간은 모두?", 330, "min"),
    ],
)
def test_a_result_is_told_in_the_unit_that_is_asked_for(question, total, unit) -> None:
    description = converted(JOBS, question)
    sql = compiled(Query("rows", (), "number", "total took"), description)
    assert duckdb.sql(sql).fetchall() == [(total,)]
    assert description.field("took").unit == unit


def test_minutes_and_hours_in_one_question_are_not_mixed_up() -> None:
    description = converted(JOBS, "2시간 넘고 300분 안 되는 작업은?")
    links = link("2시간 넘고 300분 안 되는 작업은?", description)
    assert [(each.value, "took" in each.of) for each in links.numbers] == [("2", True), ("300", False)]


def test_the_unit_of_a_number_is_read_with_it() -> None:
    question = "How many jobs took longer than two hours?"
    description = converted(JOBS, question)
    assert "hours" not in {each[0] for each in strange(description, link(question, description), frozenset())}


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("몇 시간 걸렸어?", {"time"}),
        ("how many kilos in all?", {"weight"}),
        ("몇 키로나 나갔어?", {"weight", "length"}),
        ("며칠 걸렸어? 몇 일?", set()),
        ("손님은 몇 분 오셨어?", set()),
        ("몇 시에 시작해?", set()),
        ("몇 건?", set()),
        ("what is it in dollars?", set()),
    ],
)
def test_what_is_asked_for_in_a_unit(question: str, kinds: set[str]) -> None:
    assert {kind for kind, _ in asked_for(question)} == kinds


@pytest.mark.parametrize(
    ("question", "fields"),
    [
        ("몇 시간 걸렸어?", {"took"}),
        ("몇 리터 썼어?", {"fuel"}),
        ("몇 키로 갔어?", {"fee"}),
        ("작업은 몇 건?", {"count", "took", "fuel", "fee"}),
        ("A가 B보다 몇 리터 더 썼어?", {"fuel"}),
    ],
)
def test_what_is_asked_for_in_a_unit_is_a_number_in_it_and_no_count(question: str, fields: set[str]) -> None:
    """Or one in none, which may be in any."""
    machine = Field(
        "machine", "category", "m", LABEL, values={"A": (), "B": ()}, group="machine", count="number_of_rows"
    )
    jobs = replace(JOBS, fields=(*JOBS.fields, machine))
    form = schema(jobs, link(question, jobs), small=True)["properties"]["measure"]
    told = form.get("enum", [form.get("const")])
    assert {aggregated(each)[1] for each in told} - {"machine"} == fields
    assert "count" in fields or {aggregated(each)[0] for each in told} == {"total"}


async def test_without_a_number_in_that_unit_nobody_is_asked() -> None:
    jobs = replace(JOBS, fields=JOBS.fields[:2])

    async def ask(*_: Any, **__: Any) -> Any:
        pytest.fail("asked")

    assert (await understand(jobs, link("몇 그램 썼어?", jobs), ask, frozenset())).query is None


@pytest.mark.parametrize(
    ("note", "name"),
    [
        ("설비 투자 (천 원)", "천 원"),
        ("2026년 예산 (단위: 천원)", "천원"),
        ("2025년 12월 18일 이사회 의결 / 단위 천 원", "천 원"),
        ("적용 기간 2026. 1. 1. ~ / 부가가치세 별도 / 원", "원"),
        ("Budget 2026 [in: USD]", "USD"),
        ("세트 가격 (소비자가, 원)", ""),
        ("반품 수량 원", ""),
        ("안전 교육 (5 일)", ""),
        ("협력업체 평가 (2026년 1분기)", ""),
    ],
)
def test_the_unit_that_a_line_at_a_table_gives(note: str, name: str) -> None:
    assert noted(note) == name
