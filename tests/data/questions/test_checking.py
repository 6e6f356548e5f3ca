"""What code finds wrong with a query object."""

from dataclasses import replace
from typing import Any

import pytest
from fixtures.shop import shop

from dure.data.questions.checking import Fault, faults, slots, standing
from dure.data.questions.description import Field, paired
from dure.data.questions.linking import Link, link
from dure.data.questions.query import Filter, Query, read, schema
from dure.data.questions.settling import settled

BOTH = (Filter("지역", "=", "서울"), Filter("지역", "=", "부산"))


@pytest.mark.parametrize(
    ("question", "query", "fault"),
    [
        ("서울 주문은 몇 건?", Query("rows", (Filter("지역", "=", "서울"),), "number"), ""),
        ("서울 주문은 몇 건?", Query("rows", (), "number"), "is not in filters"),
        ("서울 말고 다른 주문은?", Query("rows", (Filter("지역", "!=", "서울"),), "number"), ""),
        (
            "부산 말고 서울 주문은?",
            Query("rows", (Filter("지역", "=", "서울"), Filter("지역", "!=", "부산")), "number"),
            "",
        ),
        ("금액이 5만원 넘는 주문은?", Query("rows", (), "number"), "is neither in filters nor the limit"),
        ("금액 상위 3건", Query("rows", (), "list", "금액", "highest", 3), ""),
        ("2024년 2월 주문", Query("rows", (), "number"), "is not in filters"),
        (
            "2024년 상반기(1월~6월) 주문",
            Query("rows", (Filter("주문일", ">=", "2024-01"), Filter("주문일", "<=", "2024-06")), "number"),
            "",
        ),
        ("2024년 상반기 주문", Query("rows", (Filter("주문일", ">=", "2024-01"),), "number"), "is not in filters"),
        ("주문은 몇 건?", Query("rows", (Filter("수량", "=", "0"),), "number"), "nothing in the question says"),
        ("서울과 부산의 차이", Query("rows", (Filter("지역", "=", "서울"),), "difference"), "needs two values"),
        ("비율은?", Query("rows", (), "share_percent"), "needs a filter"),
        ("금액은 얼마?", Query("rows", (), "number", "금액"), "a number is a count"),
        ("금액 중앙값은?", Query("rows", (), "number", "total 금액"), "asks for the median"),
        ("금액 상위 3건", Query("rows", (), "list", "금액", "none", 3), "a limit needs an order"),
        (
            "금액이 큰 건?",
            Query("rows", (Filter("금액", "=", ""),), "list", "금액", "highest"),
            "cannot be the measure",
        ),
        ("주문이 3건 넘는 고객", Query("rows", (Filter("number_of_rows", ">", "3"),), "list"), "is one of groups"),
        ("금액 평균은?", Query("rows", (), "number"), "asks for the average"),
        ("금액은 얼마?", Query("rows", (), "number", "median 금액"), "asks for no median"),
        ("평균 금액이 10만원 넘는 지역", Query("지역", (Filter("average 금액", ">", "100000"),), "list"), ""),
        (
            "상품이 적힌 주문은?",
            Query("rows", (Filter("상품", "=", ""), Filter("상품", "!=", "")), "number"),
            "and not be it at once",
        ),
        ("서울 주문", Query("rows", (BOTH[0], Filter("지역", "!=", "서울")), "number"), "and not be it at once"),
        ("which customer is the oldest?", Query("고객", (), "number"), "what is most or least"),
        ("금액이 가장 큰 주문은?", Query("rows", (), "list", "금액", "highest", 1), ""),
        ("서울하고 부산 평균 금액 차이는?", Query("rows", BOTH, "number", "average 금액"), "asks for a difference"),
        ("total 금액 of 서울", Query("rows", BOTH[:1], "number"), "asks for the total of 금액"),
        ("total orders from 서울", Query("rows", BOTH[:1], "number"), ""),
        (
            "주문이 제일 많은 것은?",
            Query("rows", (), "list", "count", "highest", 1),
            "is one of groups: rows is what has it",
        ),
        ("두 달 동안 주문은?", Query("rows", (), "number"), ""),
        ("두 달 넘는 주문은?", Query("rows", (), "number"), "is neither in filters nor the limit"),
    ],
)
def test_faults(question, query, fault) -> None:
    _, description = shop()
    found = faults(query, description, link(question, description))
    assert any(fault in each.said for each in found) if fault else not found


@pytest.mark.parametrize(
    ("question", "op", "wanted"),
    [
        ("금액이 50000원 넘는 주문", ">=", ">"),
        ("금액이 50000원 이하인 주문", "<", "<="),
        ("orders of at least 50000", ">", ">="),
        ("금액이 50000원인 주문", "=", "="),
        ("금액이 50000원 이하는 빼고", "<=", ">"),
        ("금액이 50000원이 아닌 주문", "=", "!="),
        ("2024년 이후 주문", ">", ">"),
    ],
)
def test_a_comparison_says_what_stands_beside_the_number(question, op, wanted) -> None:
    _, description = shop()
    links = link(question, description)
    value = "2024" if "2024" in question else "50000"
    query = settled(Query("rows", (Filter("금액", op, value),), "number"), description, links)
    assert query.filters[0].op == wanted


@pytest.mark.parametrize("question", ["서울이 아닌 주문은?", "orders not from 서울", "서울 건 빼고 몇 건?"])
def test_what_is_left_out_is_no_condition_that_is_met(question) -> None:
    _, description = shop()
    query = Query("rows", (Filter("지역", "=", "서울"),), "number")
    assert settled(query, description, link(question, description)).filters == (Filter("지역", "!=", "서울"),)


def test_a_limit_that_nobody_asked_for_is_none() -> None:
    _, description = shop()
    second = settled(Query("rows", (), "list", "금액", "highest", 1), description, link("금액이 2위는?", description))
    assert (second.limit, second.only) == (2, True)
    query = settled(Query("rows", (), "list", "금액", "highest", 7), description, link("금액이 큰 주문", description))
    assert query.limit == 0


@pytest.mark.parametrize(
    ("question", "kept"), [("주문이 많은 지역 상위 두 곳", False), ("주문이 2건인 지역 상위 두 곳", True)]
)
def test_how_many_are_asked_for_is_not_how_many_rows_they_have(question: str, kept: bool) -> None:
    _, description = shop()
    query = Query("지역", (Filter("number_of_rows", "=", "2"), BOTH[0]), "list", "count", "highest", 2)
    found = settled(query, description, link(question, description)).filters
    assert (query.filters[0] in found, BOTH[0] in found) == (kept, True)


@pytest.mark.parametrize(
    ("question", "query", "wanted"),
    [
        (
            "평균 금액이 10만원 넘는 지역은?",
            Query("지역", (Filter("금액", ">", "100000"),), "list", "average 금액"),
            Query("지역", (Filter("average 금액", ">", "100000"),), "list", "average 금액"),
        ),
        (
            "금액이 1000원 넘는 주문의 지역별 평균 금액",
            Query("지역", (Filter("금액", ">", "1000"),), "list", "average 금액"),
            Query("지역", (Filter("금액", ">", "1000"),), "list", "average 금액"),
        ),
        (
            "결품은 빼고 평균 수량",
            Query("rows", (Filter("수량", "=", "결품"),), "number", "average 수량"),
            Query("rows", (Filter("수량", "!=", "결품"),), "number", "average 수량"),
        ),
        (
            "평균 금액은 서울하고 부산 중에 어디가 더 커?",
            Query("rows", (Filter("지역", "=", "서울"), Filter("지역", "=", "부산")), "number", "average 금액"),
            Query("지역", (Filter("지역", "=", "서울"), Filter("지역", "=", "부산")), "list", "average 금액"),
        ),
        (
            "서울하고 부산 금액 합계",
            Query("rows", (Filter("지역", "=", "서울"), Filter("지역", "=", "부산")), "number", "total 금액"),
            Query("지역", (Filter("지역", "=", "서울"), Filter("지역", "=", "부산")), "list", "total 금액"),
        ),
        ("금액 중앙값", Query("rows", (), "list", "median 금액"), Query("rows", (), "number", "median 금액")),
        (
            "서울하고 부산 중 평균 금액이 더 큰 쪽은?",
            Query("지역", (Filter("지역", "=", "서울"), Filter("지역", "=", "부산")), "number", "average 금액"),
            Query("지역", (Filter("지역", "=", "서울"), Filter("지역", "=", "부산")), "list", "average 금액"),
        ),
        (
            "서울과 부산의 평균 금액 차이",
            Query("rows", (Filter("지역", "=", "서울"), Filter("지역", "=", "부산")), "difference", "금액"),
            Query("rows", (Filter("지역", "=", "서울"), Filter("지역", "=", "부산")), "difference", "average 금액"),
        ),
        (
            "서울에서 주문이 몇 번 들어왔어?",
            Query("지역", (Filter("지역", "=", "서울"),), "number"),
            Query("rows", (Filter("지역", "=", "서울"),), "number"),
        ),
    ],
)
def test_what_an_aggregate_can_mean(question, query, wanted) -> None:
    _, description = shop()
    assert settled(query, description, link(question, description)) == wanted


@pytest.mark.parametrize(
    ("question", "query", "wanted"),
    [
        ("금액이 5만 넘는 주문", Query("rows", (Filter("금액", ">", "50000"),), "list"), []),
        ("5만 넘는 주문", Query("rows", (Filter("금액", ">", "50000"),), "list"), [("금액", ["수량"])]),
        ("평균은?", Query("rows", (), "number", "average 수량"), [("수량", ["금액"])]),
        ("2024년 주문", Query("rows", (Filter("주문일", "=", "2024"),), "number"), []),
        ("서울 주문", Query("rows", (Filter("지역", "=", "서울"),), "number"), []),
        ("어디가 제일 많아?", Query("지역", (), "list", "count", "highest", 1), [("지역", ["상품"])]),
        ("서울과 부산 중 많은 곳", Query("지역", (Filter("지역", "=", "서울"),), "list"), []),
    ],
)
def test_what_no_word_of_the_question_names(question, query, wanted) -> None:
    _, description = shop()
    found = slots(query, description, link(question, description))
    assert [(each.name, [other.name for other in others]) for each, others in found] == wanted


def test_a_value_of_two_columns_is_of_either() -> None:
    _, description = shop()
    fields = tuple(replace(f, values={"서울": ()}) if f.name in ("지역", "고객") else f for f in description.fields)
    links = link("서울 주문은 몇 건?", both := replace(description, fields=fields))
    [(own, others)] = slots(Query("rows", (Filter("지역", "=", "서울"),), "number"), both, links)
    assert (own.name, [each.name for each in others]) == ("지역", ["고객"])


def test_a_difference_of_two_numbers_is_one_of_their_sums() -> None:
    description = paired(shop()[1], ["금액", "수량"])
    links = link("금액하고 수량 차이는?", description)
    for measure in ("금액", "total 수량", "total 금액 - 수량"):
        query = settled(Query("rows", (), "difference", measure), description, links)
        assert (query.answer, query.measure) == ("number", "total 금액 - 수량")
    between = Query("rows", (Filter("지역", "=", "서울"), Filter("지역", "=", "부산")), "difference", "total 금액")
    assert settled(between, description, links) == between


def test_a_code_that_bounds_a_range_says_so_itself() -> None:
    codes = Field("번호", "text", "번호", {"ko": "번호", "en": "no"}, values={"A-9": (), "A-11": ()})
    description = replace(shop()[1], fields=(codes,))
    same = Query("rows", (Filter("번호", "=", "A-9"), Filter("번호", "=", "A-11")), "number")
    ops = [each.op for each in settled(same, description, link("A-9부터 A-11까지", description)).filters]
    assert ops == [">=", "<="]
    assert settled(same, description, link("A-9랑 A-11", description)) == same


@pytest.mark.parametrize("written", [None, [], "x", {}, {"rows": "rows"}, {"filters": 3}])
def test_what_is_no_object_is_none(written) -> None:
    assert read(written) is None


@pytest.mark.parametrize(
    "question",
    [
        "서울 지역이 부산 지역보다 금액을 더 썼어?",
        "서울이 부산보다 금액을 얼마나 더 썼어?",
        "How much more 금액 has 서울 than 부산?",
    ],
)
def test_one_group_told_from_another_is_their_difference(question: str) -> None:
    _, description = shop()
    links = link(question, description)
    for written in (Query("rows", BOTH, "number", "total 금액"), Query("rows", BOTH, "difference", "금액")):
        assert settled(written, description, links) == Query("rows", BOTH, "difference", "total 금액")


@pytest.mark.parametrize(
    ("question", "blank", "value"),
    [("수량이 없는 건?", True, ""), ("수량이 없는 건?", False, "0"), ("수량 0인 건?", True, "0")],
)
def test_none_of_a_number_is_empty_where_no_row_has_0(question: str, blank: bool, value: str) -> None:
    _, description = shop()
    fields = tuple(replace(each, full=False, zeros=not blank) for each in description.fields)
    described = replace(description, fields=fields)
    found = settled(Query("rows", (Filter("수량", "=", "0"),), "number"), described, link(question, described))
    assert found.filters == (Filter("수량", "=", value),)


def test_a_condition_that_is_the_highest_is_a_ranking() -> None:
    _, description = shop()
    links = link("서울에서 금액이 제일 큰 주문은? 상위 1건", description)
    best, seoul = Filter("금액", "=", "max"), Filter("지역", "=", "서울")
    offered = schema(description, links)["properties"]["filters"]["items"]["anyOf"]
    assert {"enum": ["max", "min"]} in [each["properties"]["value"] for each in offered]
    ranked = Query("rows", (seoul,), "list", "금액", "highest", 1)
    assert settled(Query("rows", (best, seoul), "number"), description, links) == ranked
    by = Query("지역", (best,), "list", "average 금액")
    assert settled(by, description, links) == Query("지역", (), "list", "average 금액", "highest", 1)
    for other in (Query("rows", (best, replace(best, value="min")), "list"), Query("rows", (best, seoul), "yes_no")):
        assert any(
            "is no filter" in each.said for each in faults(settled(other, description, links), description, links)
        )


def test_a_list_of_names_is_ranked_by_nothing() -> None:
    _, description = shop()
    links = link("주문을 2번 넘게 한 고객 이름", description)
    assert "고객" in schema(description, links)["properties"]["measure"]["enum"]
    having = (Filter("number_of_rows", ">", "2"),)
    named = Query("지역", having, "list", "고객")
    assert settled(named, description, links) == replace(named, measure="count")
    for other in (replace(named, order="highest"), replace(named, answer="number")):
        assert any(
            "is no number" in each.said for each in faults(settled(other, description, links), description, links)
        )


@pytest.mark.parametrize(
    ("question", "op"),
    [
        ("2024년 주문은 몇 건?", "="),
        ("2024년에 들어온 주문은 몇 건?", "="),
        ("How many rows in 2024?", "="),
        ("2024년이 지나고 들어온 건 몇 건?", ">="),
    ],
)
def test_a_year_that_nothing_compares_is_that_year(question: str, op: str) -> None:
    _, description = shop()
    description = replace(description, label={"ko": "주문", "en": "rows"})
    query = Query("rows", (Filter("주문일", ">=", "2024"),), "number")
    assert [each.op for each in settled(query, description, link(question, description)).filters] == [op]


def test_an_average_of_one_group_is_a_number() -> None:
    _, description = shop()
    links = link("서울 금액 중앙값", description)
    one = Query("지역", BOTH[:1], "list", "median 금액")
    for answer in ("list", "number"):
        assert settled(replace(one, answer=answer), description, links) == replace(one, rows="rows", answer="number")
    for other in (replace(one, filters=BOTH), replace(one, order="highest"), replace(one, filters=())):
        assert settled(other, description, links).answer == "list"


def test_a_word_in_place_of_a_number_has_none_to_add_up() -> None:
    _, description = shop()
    fee = Field("요금", "number", "요금", {"ko": "요금", "en": "요금"}, values={"면제": ()}, raw="요금")
    description = replace(description, fields=(*description.fields, fee))
    links = link("요금 합계는? 면제는 0원으로 치고", description)
    query = Query("rows", (Filter("요금", "=", "면제"),), "list", "요금")
    assert any("has no number" in each.said for each in faults(query, description, links))


def test_what_is_counted_in_a_numbers_unit_is_that_number_and_its_comparison_is_with_it() -> None:
    _, description = shop()
    bottles = Field("병수", "number", "병수", {"ko": "병수", "en": "병수"}, unit="병")
    description = replace(description, fields=(*description.fields, bottles))
    links = link("서울에 몇 병 있어?", description)
    rows = Query("rows", BOTH[:1], "number")
    assert faults(rows, description, links) == [
        Fault("the question asks for the total of 병수", {"measure": {"enum": ["total 병수"]}})
    ]
    assert not faults(replace(rows, measure="total 병수"), description, links)
    links = link("한 병 이하인 고객은 한 줄이 하나", description)
    single = Query("고객", (Filter("number_of_rows", "<=", "1"),), "list")
    assert any("neither in filters" in each.said for each in faults(single, description, links))
    assert not faults(Query("rows", (Filter("병수", "<=", "1"),), "list"), description, links)


def test_a_word_of_the_measures_name_is_no_condition_that_is_missed() -> None:
    _, description = shop()
    cost = Field("Scrap cost", "number", "cost", {"ko": "-", "en": "-"})
    kind = Field("Disposition", "category", "d", {"ko": "-", "en": "-"}, values={"Scrap": (), "Rework": ()})
    description = replace(description, fields=(*description.fields, cost, kind))
    links = link("the scrap money in total", description)
    assert not faults(Query("rows", (), "number", "total Scrap cost"), description, links)
    assert faults(Query("rows", (), "number", "total 금액"), description, links)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("서울이 많아 부산이 많아?", True),
        ("서울하고 부산 중에 금액이 더 적은 곳은?", True),
        ("서울이 부산보다 더 많아?", False),
        ("서울이나 부산 주문이 있어?", False),
    ],
)
def test_which_of_two_has_more_is_a_ranking_of_them(question: str, asked: bool) -> None:
    """Whether there are any of either is no answer to it."""
    _, description = shop()
    links = link(question, description)
    both = (Filter("지역", "=", "서울"), Filter("지역", "=", "부산"))
    found = faults(Query("rows", both, "yes_no"), description, links)
    assert any("what is most or least" in each.said for each in found) == asked
    assert (schema(description, links, small=True)["properties"]["answer"] == {"const": "list"}) == asked
    # A larger model says itself that the data hold no answer.
    assert "cannot" in schema(description, links)["properties"]["answer"]["enum"]
    ranked = Query("rows", both, "list", "금액", "lowest", 1)
    assert settled(ranked, description, links).rows == ("지역" if asked else "rows")


def test_a_number_that_the_question_names_is_not_left_for_another() -> None:
    _, description = shop()
    links = link("금액은 모두 얼마야?", description)
    [fault] = faults(Query("rows", (), "number", "total 수량"), description, links)
    assert fault.said == "the question names 금액, not 수량"
    assert faults(Query("rows", (), "number", "total 금액"), description, links) == []


@pytest.mark.parametrize(
    ("question", "filters", "stated"),
    [
        # What the question leaves out twice, and one of them stands twice.
        ("서울도 부산도 아닌 주문은?", [BOTH[0]], [("지역", "!=", "서울"), ("지역", "!=", "부산")]),
        ("서울도 부산도 아닌 주문은?", [BOTH[0], Filter("수량", "=", "0")], None),
        ("서울 주문은?", [BOTH[0]], None),
        ("금액이 5만원 넘는 주문은?", [Filter("금액", ">", "50000")], None),
        # How it is meant is not known.
        ("서울 주문은?", [], None),
        ("서울 남자 주문은?", [BOTH[0], Filter("고객", "=", "남자")], None),
    ],
)
def test_conditions_that_the_question_states(question: str, filters: list[Filter], stated: object) -> None:
    _, description = shop()
    filters = [replace(each, op="!=") if "아닌" in question else each for each in filters]
    found = standing(Query("rows", tuple(filters), "number"), link(question, description))
    wanted = stated and [dict(zip(("field", "op", "value"), each, strict=True)) for each in stated]
    assert (found and found["filters"]["const"]) == wanted


@pytest.mark.parametrize(("question", "op"), [("서울 주문만은 몇 건?", "="), ("서울 말고 다른 주문은?", "!=")])
def test_a_value_that_is_meant_and_left_out_is_one_of_them(question: str, op: str) -> None:
    _, description = shop()
    query = Query("rows", (BOTH[0], replace(BOTH[0], op="!=")), "number")
    assert settled(query, description, link(question, description)).filters == (replace(BOTH[0], op=op),)


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ("수량이 2개 이하인 주문은 몇 건?", "수량"),
        ("수량 합계가 2개 이하인 데는?", "total 수량"),
        ("수량이 2개 이하인 지역은?", "total 수량"),
    ],
)
def test_without_a_word_of_groups_a_condition_is_one_on_each_row(question: str, field: str) -> None:
    _, description = shop()
    query = Query("rows", (Filter("total 수량", "<=", "2"),), "number")
    assert [each.field for each in settled(query, description, link(question, description)).filters] == [field]


def test_whether_one_has_more_is_a_difference_with_what_is_told_from_the_other_first() -> None:
    _, description = shop()
    links = link("부산이 서울보다 주문이 많아?", description)
    query = settled(Query("rows", BOTH, "difference"), description, links)
    assert ([each.value for each in query.filters], query.whether) == (["부산", "서울"], ">")
    [fault] = faults(Query("rows", BOTH, "yes_no"), description, links)
    assert "told from each other" in fault.said
    assert schema(description, links, small=True)["properties"]["answer"] == {"const": "difference"}


def test_how_many_of_two_that_are_named_there_are_is_not_asked() -> None:
    _, description = shop()
    query = Query("지역", BOTH, "number")
    assert "is not asked" in str(faults(query, description, link("서울하고 부산 중 어디?", description)))


@pytest.mark.parametrize(
    ("question", "filters", "fault"),
    [
        ("Which of those two has the highest 금액?", BOTH, ""),
        ("그 두 곳 중 금액이 가장 큰 곳은?", BOTH, ""),
        ("그 세 곳 중 금액이 가장 큰 곳은?", BOTH, '"세" is neither'),
        ("그 두 곳 중 금액이 가장 큰 곳은?", (*BOTH, Filter("고객", "=", "서울")), '"서울" stands once'),
        (
            "그 두 곳 중 금액이 가장 큰 곳은?",
            (),
            "지역 = 서울 or 고객 = 서울 or 지역 = 부산 or 고객 = 부산 is not in filters",
        ),
    ],
)
def test_what_is_pointed_to_stands_nowhere_and_is_meant_once(question: str, filters: Any, fault: str) -> None:
    """`"" stands once in the question, and in several filters` was said of it."""
    _, description = shop()
    links = link(question, description)
    links.values += [Link(name, value, 0, 0) for value in ("서울", "부산") for name in ("지역", "고객")]
    found = [each.said for each in faults(Query("rows", filters, "list", "금액", "highest", 1), description, links)]
    assert not any('""' in each for each in found)
    assert any(each.startswith(fault) for each in found) if fault else not found
