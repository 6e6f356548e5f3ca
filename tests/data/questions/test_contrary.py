"""What a small model makes of a question that denies something, names a column whole or a value that there is not: the
contrary of what was asked is counted under no caveat."""

import json
from datetime import date
from typing import Any

import pytest

from dure.data.questions.description import Description, Field
from dure.data.questions.linking import link
from dure.data.questions.understanding import Understood, understand


def _field(name: str, kind: Any, *values: str, **more: Any) -> Field:
    return Field(name, kind, f'"{name}"', {"ko": name, "en": name}, values=dict.fromkeys(values, ()), **more)


def _table(name: str, *fields: Field) -> Description:
    label: Any = {"ko": name, "en": name}
    return Description(name, "rows", label, {"ko": "건", "en": " rows"}, name, "1", fields, "", examples_of="x")


LOANS = _table(
    "loans",
    _field("Branch", "category", "Northgate", "Quayside", group="Branch", count="number_of_rows"),
    _field("State", "category", "Returned", "Overdue"),
    _field("Reservation", "text", "R-01", "R-02"),
    _field("First Reminder", "number", unit="days"),
    _field("Loan Days", "number", unit="days"),
    _field("Fine", "number", unit="won"),
)
GREENHOUSE = _table(
    "온실_작업일지",
    _field("품종", "category", "방울토마토", "파프리카", group="품종", count="number_of_rows"),
    _field("동", "category", "가온동", "나래동"),
    _field("상태", "category", "출하", "보류"),
    _field("검사표", "text", "T-1", "T-2"),
    _field("일자", "date", first=date(2026, 1, 2), last=date(2026, 9, 30)),
    _field("수확량", "number", unit="kg"),
    _field("폐기량", "number", unit="kg"),
)


def _object(*filters: tuple[str, str, str], **more: Any) -> dict[str, Any]:
    written = [dict(zip(("field", "op", "value"), each, strict=True)) for each in filters]
    plain = {"rows": "rows", "filters": written, "answer": "number", "measure": "count", "order": "none", "limit": 0}
    return plain | more


async def _understood(
    description: Description, question: str, *written: dict[str, Any]
) -> tuple[Understood, list[dict[str, Any]]]:
    """What comes of it, and the schemas that the model was asked under; the last object is written again."""
    forms = list[dict[str, Any]]()

    async def ask(messages: Any, schema: Any, **more: Any) -> tuple[Any, float]:
        if "column" in schema["properties"]:
            return {"column": "none"}, 0.01
        forms.append(schema["properties"])
        return json.loads(json.dumps(written[min(len(forms), len(written)) - 1])), 1.0

    return await understand(description, link(question, description), ask, frozenset()), forms


@pytest.mark.parametrize(
    ("description", "question", "filters", "refused"),
    [
        (LOANS, "How many loans do not have a reservation?", ("Reservation", "!=", ""), True),
        (LOANS, "How many loans do not have a reservation?", ("Reservation", "=", ""), False),
        (LOANS, "How many loans are without a reservation?", ("Reservation", "!=", ""), True),
        (LOANS, "How many loans have a reservation?", ("Reservation", "!=", ""), False),
        (LOANS, "How many loans were never returned?", ("State", "=", "Returned"), True),
        (LOANS, "How many loans were not returned?", ("State", "!=", "Returned"), False),
        (GREENHOUSE, "검사표 안 붙은 작업은 몇 건이야?", ("검사표", "!=", ""), True),
        (GREENHOUSE, "검사표 안 붙은 작업은 몇 건이야?", ("검사표", "=", ""), False),
        (GREENHOUSE, "검사표가 없는 작업은 몇 건이야?", ("검사표", "!=", ""), True),
        (GREENHOUSE, "아직 출하 안 나간 작업은 몇 건?", ("상태", "=", "출하"), True),
        (GREENHOUSE, "출하되지 않은 작업은 몇 건?", ("상태", "!=", "출하"), False),
        (GREENHOUSE, "아직 안 나간 것(보류)은 몇 건?", ("상태", "=", "보류"), False),
        # What leaves it out stands behind other words.
        (GREENHOUSE, "가온동에서만 거둔 것 말고 작업은 몇 건?", ("동", "=", "가온동"), True),
        (GREENHOUSE, "나래동 작업은 제외 품목 없이 몇 건?", ("동", "!=", "나래동"), False),
    ],
)
async def test_the_contrary_of_what_is_denied_is_refused(
    description: Description, question: str, filters: tuple[str, str, str], refused: bool
) -> None:
    found, _ = await _understood(description, question, _object(filters))
    assert (found.query is None) == refused
    # A person is told which word it is about.
    assert bool(found.faults) == refused


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ("What is the average first reminder in days of overdue loans?", "Loan Days"),
        ("average first reminder, overdue, counted in loan days?", "Fine"),
    ],
)
async def test_a_column_that_is_named_whole_comes_before_one_that_is_not(question: str, wrong: str) -> None:
    overdue = ("State", "=", "Overdue")
    right = _object(overdue, measure="average First Reminder")
    found, forms = await _understood(LOANS, question, _object(overdue, measure=f"average {wrong}"), right)
    assert len(forms) == 2
    assert found.query is not None
    assert found.query.of == ("average", "First Reminder")


async def test_of_a_column_that_is_named_whole_the_model_is_asked_alone() -> None:
    wrong = _object(("State", "=", "Overdue"), measure="average Loan Days")
    found, forms = await _understood(LOANS, "What is the average first reminder in days of overdue loans?", wrong)
    assert found.query is None
    assert forms[1]["measure"]["enum"] == ["average First Reminder"]


def test_a_number_within_the_name_of_a_column_is_none() -> None:
    assert not link("average first reminder of overdue loans", LOANS).numbers


async def test_a_kind_that_is_asked_for_and_not_held_is_refused() -> None:
    found, _ = await _understood(LOANS, "average fine of the harbour branch?", _object(measure="average Fine"))
    assert (found.query, found.faults) == (None, ['"harbour"'])
    found, _ = await _understood(GREENHOUSE, "흑토마토 품종의 수확량 합계는?", _object(measure="total 수확량"))
    assert (found.query, found.faults) == (None, ['"흑토마토"'])
    found, _ = await _understood(
        LOANS, "average fine of each branch?", _object(rows="Branch", answer="list", measure="average Fine")
    )
    assert found.query is not None


@pytest.mark.parametrize(
    ("description", "question", "field"),
    [(GREENHOUSE, "가온동 수확량 총합은? 폐기량까지 포함해서", "폐기량")],
)
async def test_a_number_that_is_to_be_counted_too_is_no_condition(
    description: Description, question: str, field: str
) -> None:
    _, forms = await _understood(description, question, _object(("동", "=", "가온동"), measure="total 수확량"))
    conditions = forms[0]["filters"]["items"]["anyOf"]
    assert field not in {each["properties"]["field"]["const"] for each in conditions}


async def test_that_a_value_is_none_of_the_blanks_says_nothing() -> None:
    found, _ = await _understood(
        GREENHOUSE, "검사표 T-1인 작업은 몇 건?", _object(("검사표", "=", "T-1"), ("검사표", "!=", ""))
    )
    assert found.query is not None
    assert len(found.query.filters) == 1
