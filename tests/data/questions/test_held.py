"""Whatever object no fault is found with, its SQL holds all of its conditions, and it has SQL."""

import random
from dataclasses import replace
from typing import Any, get_args

import pytest
from fixtures.cafe import CAFE

from dure.data.questions.checking import Doubt, faults
from dure.data.questions.description import Description
from dure.data.questions.linking import Links
from dure.data.questions.query import Answer, Filter, Query
from dure.data.questions.settling import settled
from dure.data.questions.sql import compiled, quoted, select

PLAIN = replace(CAFE, fields=tuple(replace(each, sql=quoted(each.name)) for each in CAFE.fields))
GROUPS = {name: {"group": name, "count": "number_of_rows"} for name in ("지점", "상태")}
GROUPED = replace(PLAIN, fields=tuple(replace(each, **GROUPS.get(each.name, {})) for each in PLAIN.fields))
_VALUES = {"number": ("3", "100000"), "date": ("2025", "2025-03", "2025-03-09", "")}
_OPS = ("=", "!=", ">", ">=", "<", "<=")


def _filter(pick: random.Random, description: Description) -> Filter:
    known, name = description.known, pick.choice([*description.known, *description.of_groups])
    kind = known[name].kind if name in known else "number"
    values = _VALUES.get(kind) or (*known[name].values, "")
    return Filter(name, pick.choice(_OPS if kind in _VALUES else _OPS[:2]), pick.choice(values))


def _query(pick: random.Random, description: Description) -> Query:
    filters = [_filter(pick, description) for _ in range(pick.randint(0, 3))]
    if pick.random() < 0.3:
        filters += [Filter("지점", "=", value) for value in ("본점", "대학점")]
    order: Any = pick.choice(("none", "none", "highest", "lowest"))
    answer: Any = pick.choice(get_args(Answer)[:-1])
    rows, measure = pick.choice(description.kinds_of_rows), pick.choice(["count", *description.measures])
    filters = list({(each.field, each.value): each for each in filters}.values())
    return Query(rows, tuple(filters), answer, measure, order, pick.choice((0, 3)))


def _is_faultless(query: Query, description: Description) -> bool:
    return all(isinstance(each, Doubt) for each in faults(query, description, Links("")))


@pytest.mark.parametrize("description", [GROUPED, PLAIN], ids=["groups", "none"])
def test_sql_holds_each_condition_of_a_faultless_object(description: Description) -> None:
    pick, held = random.Random(7), 0
    for _ in range(1000):
        query = _query(pick, description)
        if not _is_faultless(query, description):
            continue
        for each in (query, settled(query, description, Links(""))):
            sql = select(each, description)
            assert held % 20 or compiled(each, description)
            for at in range(len(each.filters)) if _is_faultless(each, description) else ():
                less = replace(each, filters=(*each.filters[:at], *each.filters[at + 1 :]))
                # What cannot do without a condition uses it.
                assert not _is_faultless(less, description) or select(less, description) != sql, (each, at)
                held += 1
    assert held > 100


@pytest.mark.parametrize(
    ("answer", "measure", "filters"),
    [
        ("yes_no", "average 음료매출", (Filter("average 음료매출", ">", "100000"),)),
        ("share_percent", "total 음료매출", (Filter("total 음료매출", ">", "100000"),)),
        ("number", "average 손님수", (Filter("number_of_rows", ">", "3"),)),
        ("list", "count", (Filter("median 음료매출", ">", "3"), Filter("상태", "=", "취소"))),
        (
            "difference",
            "count",
            (Filter("지점", "=", "본점"), Filter("지점", "=", "대학점"), Filter("total 음료매출", ">", "100000")),
        ),
        ("number", "count", (Filter("온도", ">", "3"),)),
        ("yes_no", "total 음료매출", (Filter("음료매출", ">", "100000"),)),
    ],
)
def test_a_condition_that_sql_would_not_use_is_a_fault(answer: Any, measure: str, filters: tuple[Filter, ...]) -> None:
    query = Query("지점" if filters[0].field != "median 음료매출" else "rows", filters, answer, measure)
    assert not _is_faultless(query, GROUPED)


def test_whether_there_is_a_group_asks_nothing_of_its_measure() -> None:
    over = (Filter("average 음료매출", ">", "100000"),)
    query = settled(Query("지점", over, "yes_no", "average 음료매출"), GROUPED, Links(""))
    assert query == Query("지점", over, "yes_no")
    assert _is_faultless(query, GROUPED)
    assert "HAVING" in compiled(query, GROUPED)
