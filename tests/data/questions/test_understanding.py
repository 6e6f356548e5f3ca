"""Which words of a question an object has read: by spelling, by what they mean, and no others."""

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from fixtures.shop import shop

from dure.data.questions.likeness import Likeness
from dure.data.questions.linking import link
from dure.data.questions.query import Filter, Query, asked, schema
from dure.data.questions.telling import caveats, refusal
from dure.data.questions.understanding import Understood, understand
from dure.data.questions.unread import strange

PLAIN: dict[str, Any] = {
    "rows": "rows", "filters": [], "answer": "number", "measure": "count", "order": "none", "limit": 0
}  # fmt: skip


BOTH = [{"field": "지역", "op": "=", "value": name} for name in ("서울", "부산")]


async def understood(
    question: str, *objects: dict[str, Any], like: Likeness | None = None, column: str = "none", sure: float = 0.01
) -> Understood:
    """What comes of a model that writes these objects, one a turn, and says that this column is asked for, or the first
    of several the next time, how `sure` it is. `least` of an object: how probable it is to the model."""
    _, description = shop()
    written, columns = iter(objects), column.split()

    async def ask(messages: Any, schema: Any, **more: Any) -> tuple[Any, float]:
        if "column" in schema["properties"]:
            return {"column": columns.pop() if len(columns) > 1 else columns[0]}, sure
        own = PLAIN | next(written)
        return json.loads(json.dumps(own)), own.pop("least", 1.0)

    return await understand(description, link(question, description), ask, frozenset(), like)


@pytest.mark.parametrize(
    ("question", "query", "unread"),
    [
        ("How many clients are there?", {"rows": "고객", "measure": "count"}, []),
        ("How many products were sold?", {"filters": [{"field": "상품", "op": "!=", "value": ""}]}, ["sold"]),
        ("What is the average quantity?", {"measure": "average 수량"}, []),
        ("서울 손님은 몇 명이야?", {"filters": [{"field": "지역", "op": "=", "value": "서울"}]}, ["손님은"]),
        ("야간 주문은 몇 건이야?", {}, ["야간"]),
        ("How many customers are there?", {}, []),
        ("How many businesses are there?", {}, ["businesses"]),
        ("주문은 서울하고 부산 중에 어디가 많아?", {"rows": "지역", "filters": BOTH, "answer": "list"}, []),
    ],
)
async def test_words_that_mean_what_was_read_are_read(
    like: Likeness, question: str, query: dict[str, Any], unread: list[str]
) -> None:
    found = await understood(question, query, like=like)
    assert found.query is not None
    assert found.unread == unread


async def test_without_an_encoder_only_spelling_counts() -> None:
    found = await understood("How many clients are there?", {"rows": "고객"})
    assert found.unread == ["clients"]


async def test_a_measure_that_nothing_names_is_refused(like: Likeness) -> None:
    found = await understood("평균 혈압이 얼마야?", {"measure": "average 금액"}, like=like)
    assert (found.query, found.faults) == (None, ['"혈압이"'])


@pytest.mark.parametrize(
    ("question", "said"), [("비율은?", "세지 않았습니다."), ("서울은?", '세지 않았습니다 ("서울").')]
)
async def test_a_person_is_not_told_what_is_told_to_the_model(question: str, said: str) -> None:
    share = {"answer": "share_percent"}
    found = await understood(question, share, share, share)
    assert said in refusal(found, shop()[1], "ko")
    assert "filter" not in refusal(found, shop()[1], "ko")


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("What is the acceptance rate of 서울?", '"acceptance"'),
        ("서울 반품률이 얼마야?", '"반품률이"'),
        ("서울 손님은 몇 명이야?", ""),
    ],
)
async def test_what_is_asked_for_and_was_not_read_is_refused(question: str, word: str) -> None:
    found = await understood(question, {"filters": BOTH[:1]})
    assert found.faults == [word] * bool(word)


@pytest.mark.parametrize(
    ("question", "query", "assumed"),
    [
        ("평균은 얼마야?", {"measure": "average 금액"}, ["금액", "수량"]),
        ("주문 평균은 얼마야?", {"measure": "average 금액"}, ["금액", "수량"]),
        ("수량 평균은 얼마야?", {"measure": "average 수량"}, []),
        ("What is the average quantity?", {"measure": "average 수량"}, []),
        ("수량 알려줘. 모두 몇 건?", {}, []),
    ],
)
async def test_a_measure_that_nothing_names_is_told_with_those_that_would_do_as_well(
    like: Likeness, question: str, query: dict[str, Any], assumed: list[str]
) -> None:
    found = await understood(question, query, like=like)
    assert found.query is not None
    assert [each.name for each in found.assumed] == assumed


@pytest.mark.parametrize("least", [1.0, 0.01])
@pytest.mark.parametrize(
    ("question", "word"),
    [("지역별 평균 나이를 구해줘", "나이를"), ("할인율 평균은?", "할인율"), ("What is the average age?", "age")],
)
async def test_an_average_of_what_there_is_no_column_of_is_none_of_another_column(
    like: Likeness, question: str, word: str, least: float
) -> None:
    asked = {"measure": "average 금액", "least": least}
    found = await understood(question, asked, {"answer": "cannot"}, column="금액", like=like)
    assert (found.query, found.faults, found.assumed) == (None, [f'"{word}"'], [])


@pytest.mark.parametrize(("column", "assumed"), [("금액", ["금액", "수량"]), ("수량", []), ("none", [])])
async def test_a_measure_in_words_of_its_own_is_the_one_that_the_model_says_twice(
    column: str, assumed: list[str]
) -> None:
    paid = {"filters": BOTH[:1], "measure": "total 금액"}
    found = await understood("서울 손님들이 낸 돈을 다 합치면?", paid, column=column)
    assert (found.query is not None) == bool(assumed)
    assert [each.name for each in found.assumed] == assumed


async def test_of_two_measures_that_a_model_says_it_chooses_one() -> None:
    paid = {"filters": BOTH[:1], "measure": "total 금액"}
    found = await understood("서울 손님들이 낸 돈을 다 합치면?", paid, column="금액 수량")
    assert [each.name for each in found.assumed] == ["금액", "수량"]


async def test_a_word_of_groups_that_names_no_column_is_the_one_that_a_model_says(like: Likeness) -> None:
    grouped = {"rows": "지역", "answer": "list", "measure": "total 금액"}
    found = await understood("관할별로 금액 합계 뽑아줘", grouped, like=like, column="지역", sure=0.9)
    assert (found.query and found.query.rows, found.unread) == ("지역", [])
    unsure = await understood("관할별로 금액 합계 뽑아줘", grouped, like=like, column="지역")
    assert unsure.unread == ["관할별로"]


async def test_a_word_of_one_syllable_may_be_a_condition(like: Likeness) -> None:
    found = await understood("흙 주문 금액 다 합치면?", {"measure": "total 금액"}, like=like)
    assert found.unread == ["흙"]


async def test_what_leaves_a_value_out_is_read_with_it(like: Likeness) -> None:
    both = [each | {"op": "!="} for each in BOTH]
    found = await understood("서울 부산 빼고 주문 몇 건이야?", {"filters": both}, like=like)
    assert found.unread == []


async def test_a_share_is_meant_more_surely(like: Likeness) -> None:
    share = {"answer": "share_percent", "filters": BOTH[:1], "least": 0.03}
    found = await understood("서울 언제야?", share, {"answer": "cannot"}, like=like)
    assert found.query is None


async def test_a_question_about_something_else_is_no_question_of_the_one_word_that_was_read(like: Likeness) -> None:
    found = await understood("서울 시험편 가마 유약 온도", {"filters": BOTH[:1]}, like=like)
    assert found.query is None
    assert '"유약"' in found.faults


@pytest.mark.parametrize(
    ("op", "value", "outside"),
    [
        ("=", "2031", True),
        ("<", "2001-05", True),
        (">=", "2031-01-02", True),
        ("<", "2031", False),
        ("!=", "2031", False),
    ],
)
def test_a_date_of_which_the_data_hold_nothing_is_told(op: str, value: str, outside: bool) -> None:
    _, description = shop()
    day = Query("rows", (Filter("주문일", op, value),), "number")
    dated = [
        replace(f, first=date(2025, 1, 3), last=date(2025, 12, 30)) for f in description.fields if f.kind == "date"
    ]
    description = replace(description, fields=(*dated, *(f for f in description.fields if f.kind != "date")))
    said = caveats(Understood(day), description, "ko")
    assert said == ("주문일: 데이터에는 2025-01-03부터 2025-12-30까지만 있습니다." if outside else "")


def test_how_much_more_one_has_is_neither_a_date_nor_a_count() -> None:
    _, description = shop()
    more, all_of = (
        schema(description, link(question, description), small=True)["properties"]
        for question in ("서울이 부산보다 얼마나 더 벌었어?", "서울과 부산은 얼마나 벌었어?")
    )
    assert more["answer"] == {"const": "difference"}
    assert {"금액", "total 금액"} <= set(more["measure"]["enum"])
    assert not {"주문일", "count"} & set(more["measure"]["enum"])
    assert {"주문일", "count"} <= set(all_of["measure"]["enum"])


@pytest.mark.parametrize(
    ("question", "query", "least", "column", "assumed"),
    [
        ("서울 주문값이 모두 얼마야?", {"measure": "total 금액"}, 0.01, "금액", ["금액", "수량"]),
        ("서울 주문값이 모두 얼마야?", {"measure": "total 금액"}, 0.01, "수량", []),
        ("서울 주문값이 모두 얼마야?", {"measure": "total 금액"}, 0.0001, "금액", []),
        # What is told of a number that is named, or of a count, was not meant.
        ("서울 주문은 몇 건?", {}, 0.01, "금액", []),
    ],
)
async def test_a_number_that_the_model_says_twice_is_told(
    question: str, query: dict[str, Any], least: float, column: str, assumed: list[str]
) -> None:
    asked = query | {"filters": BOTH[:1], "least": least}
    found = await understood(question, asked, {"answer": "cannot"}, column=column)
    assert (found.query is not None) == bool(assumed)
    assert [each.name for each in found.assumed] == assumed


async def test_what_is_left_out_as_the_question_says_is_asked_again_with_it() -> None:
    """A model that writes one of two values twice has no other way then."""
    _, description = shop()
    neither = [each | {"op": "!="} for each in BOTH]
    forms = []

    async def ask(messages: Any, schema: Any, **more: Any) -> tuple[Any, float]:
        forms.append(schema["properties"]["filters"])
        return PLAIN | {"filters": forms[-1].get("const", [neither[0]] * 2)}, 0.9 if len(forms) > 1 else 0.001

    found = await understand(description, link("서울도 부산도 아닌 주문은 몇 건?", description), ask, frozenset())
    assert forms[1:] == [{"const": neither}]
    assert found.query is not None
    assert [each.value for each in found.query.filters] == ["서울", "부산"]


async def test_an_object_whose_conditions_stand_in_the_question_needs_less_likelihood() -> None:
    seoul, zero = (
        {"filters": each, "least": 0.04} for each in (BOTH[:1], [{"field": "금액", "op": "=", "value": "0"}])
    )
    assert (await understood("서울 주문은 몇 건?", seoul, {"answer": "cannot"})).query is not None
    total = {"measure": "total 금액", "least": 0.04}
    assert (await understood("금액은 모두 얼마야?", total, {"answer": "cannot"})).query is not None
    for other in ({"least": 0.04}, zero, {"measure": "total 수량", "least": 0.04}):
        assert (await understood("금액이 없는 주문은 몇 건?", other, {"answer": "cannot"})).query is None


async def test_a_condition_on_a_field_that_nothing_names_is_asked_about(like: Likeness) -> None:
    above = {"filters": [{"field": "금액", "op": ">", "value": "50000"}]}
    found = await understood("5만 넘는 건 몇 건?", above, like=like)
    assert (found.query, [each.name for each in found.which]) == (None, ["금액", "수량"])


async def test_groups_that_nothing_names_are_told_with_those_that_would_do_as_well(like: Likeness) -> None:
    found = await understood(
        "제일 많은 곳은?", {"rows": "지역", "answer": "list", "order": "highest", "limit": 1}, like=like
    )
    assert found.query is not None
    assert [each.name for each in found.assumed] == ["지역", "상품"]


async def test_an_aggregate_is_asked_for_in_other_words_too(like: Likeness) -> None:
    tries = {"measure": "average 금액"}, {"measure": "median 금액"}
    found = await understood("금액의 중간값이 얼마예요?", *tries, like=like)
    assert found.query is not None
    assert (found.query.measure, found.unread) == ("median 금액", [])
    total = {"measure": "total 금액", "filters": BOTH[:1]}
    assert (await understood("서울 금액 다 합치면 얼마야?", total, like=like)).unread == []


async def test_a_field_that_is_named_and_left_out_is_told() -> None:
    found = await understood("금액이 적힌 서울 주문은 몇 건이야?", {"filters": BOTH[:1]})
    assert "금액이" in found.unread


@pytest.mark.parametrize(
    ("question", "able"), [("서울 주문 금액은 모두 얼마야?", False), ("서울 혈압은 모두 얼마야?", True)]
)
async def test_what_is_all_there_is_not_said_to_be_nowhere(question: str, able: bool) -> None:
    _, description = shop()
    answers = list[str]()

    async def ask(messages: Any, schema: Any, **more: Any) -> tuple[Any, float]:
        answers[:] = schema["properties"]["answer"]["enum"]
        return PLAIN | {"answer": "cannot"}, 1.0

    assert (await understand(description, link(question, description), ask, frozenset())).query is None
    assert ("cannot" in answers) == able


def test_strange_words() -> None:
    _, description = shop()
    known, quoted, other = "서울 주문 금액", "지역이 '서울'인 주문 금액", "담당자별 주문 금액"
    assert not strange(description, link(known, description), frozenset())
    assert not strange(description, link(quoted, description), frozenset())
    assert strange(description, link(other, description), frozenset())


def test_what_only_the_examples_hold_is_strange_to_another_table() -> None:
    """`취소` is a value of the table that the examples are of; `얼마` says nothing of any."""
    description = replace(shop()[1], fields=tuple(each for each in shop()[1].fields if each.name != "상태"))
    assert [each[0] for each in strange(description, link("서울 취소빼고 얼마야", description), frozenset())] == [
        "취소빼고"
    ]


def test_a_part_of_the_rows_name_names_the_same_rows() -> None:
    description = replace(shop()[1], names=("고객불만",))
    assert not strange(description, link("서울 불만은 몇 건이야?", description), frozenset())
    for other in ("서울 만족은 몇 건이야?", "서울 불만족은 몇 건이야?"):
        assert strange(description, link(other, description), frozenset())


@pytest.mark.parametrize("least", [1.0, 0.01])
async def test_what_is_asked_of_groups_is_asked_again_with_groups_alone(least: float) -> None:
    """The second form leaves the model no rows but those that have a number of rows, whether it meant the first object
    or not."""
    _, description = shop()
    forms = []

    async def ask(messages: Any, schema: Any, **more: Any) -> tuple[Any, float]:
        forms.append(schema["properties"]["rows"]["enum"])
        having = {"filters": [{"field": "number_of_rows", "op": ">", "value": "2"}]}
        return (PLAIN | having, least) if len(forms) == 1 else (PLAIN | having | {"rows": forms[-1][0]}, 1.0)

    found = await understand(description, link("두 번 넘게 시킨 데는 몇 곳?", description), ask, frozenset())
    assert [description.rows in each for each in forms] == [True, False]
    assert found.query is not None
    assert found.query.rows == forms[1][0]
    assert found.assumed


@pytest.mark.parametrize("least", [1.0, 0.01])
async def test_a_share_without_a_condition_is_asked_again_with_one(least: float) -> None:
    _, description = shop()
    asked = []

    async def ask(messages: Any, schema: Any, **more: Any) -> tuple[Any, float]:
        asked.append(schema["properties"]["filters"].get("minItems", 0))
        said = {"answer": "share_percent", "filters": [{"field": "지역", "op": "=", "value": "서울"}] * asked[-1]}
        return PLAIN | said, 1.0 if asked[-1] else least

    question = "서울 비율이 어떻게 돼?"
    found = await understand(description, link(question, description), ask, frozenset())
    assert asked == [0, 1]
    assert found.query is not None


@pytest.mark.parametrize(
    ("question", "unread"),
    [
        ("서울이 아닌 주문은? 지역이 빈 건 빼고.", True),
        ("지역이 서울이 아닌 주문은? 몇 건이야?", False),
        ("지역이 제일 많은 곳은? 서울은 아니고.", False),
    ],
)
async def test_a_field_in_a_sentence_without_its_value_may_be_another_condition(question: str, unread: bool) -> None:
    rows = "지역" if "곳" in question else "rows"
    filters = [{"field": "지역", "op": "!=", "value": "서울"}]
    first = {"order": "highest", "limit": 1} if "제일" in question else {}
    found = await understood(question, {"rows": rows, "answer": "list", "filters": filters, **first})
    assert found.query is not None
    assert ("지역" in found.unread) == unread


async def test_which_aggregate_is_asked_again_alone() -> None:
    _, description = shop()
    forms = []

    async def ask(messages: Any, schema: Any, **more: Any) -> tuple[Any, float]:
        forms.append(schema["properties"])
        return PLAIN | {"filters": BOTH[:1], "measure": "금액" if len(forms) == 1 else "total 금액"}, 1.0

    found = await understand(description, link("서울 금액을 다 합하면?", description), ask, frozenset())
    assert found.query is not None
    assert found.query.measure == "total 금액"
    assert forms[1]["measure"]["enum"] == ["average 금액", "median 금액", "total 금액"]
    assert forms[1]["filters"] == {"const": BOTH[:1]}


async def test_a_span_of_time_that_no_field_tells_of_is_told_as_unread() -> None:
    found = await understood("서울 주문은 두 달 동안 몇 건?", {"filters": BOTH[:1]})
    assert found.query is not None
    assert "두 달" in found.unread


def test_a_year_is_told_once() -> None:
    _, description = shop()
    assert asked(description, link("작년에 주문은?", description, today=date(2024, 5, 1))).count("2023") == 1


@pytest.mark.parametrize("least", [1.0, 0.01])
async def test_what_another_form_mends_is_asked_again_in_it(least: float) -> None:
    """What is most of all is a list with an order from the first; single rows are ranked by no count."""
    _, description = shop()
    asked = []

    async def ask(messages: Any, schema: Any, **more: Any) -> tuple[Any, float]:
        if "column" in schema["properties"]:
            return {"column": "none"}, 1.0
        asked.append(schema["properties"])
        ranking = {"answer": "list", "order": "highest", "limit": 1}
        return (PLAIN | ranking, least) if len(asked) == 1 else (PLAIN | ranking | {"rows": "지역"}, 1.0)

    found = await understand(description, link("주문이 제일 많은 데는?", description), ask, frozenset())
    assert {"answer": {"const": "list"}, "order": {"enum": ["highest", "lowest"]}}.items() <= asked[0].items()
    assert "고객" not in asked[0]["measure"]["enum"]
    assert asked[1]["rows"] == {"enum": ["지역", "상품"]}
    assert found.query is not None
    assert (found.query.rows, found.query.order) == ("지역", "highest")


@pytest.mark.parametrize(
    ("question", "column", "least", "rows", "limit"),
    [
        ("주문을 제일 많이 한 데 두 곳만", "지역", 0.31, "지역", 2),
        ("주문을 제일 많이 한 데 두 곳만", "지역", 0.29, None, 2),
        ("주문을 제일 많이 한 사람", "고객", 0.9, "rows", None),
        ("주문을 제일 많이 한 사람", "none", 0.9, None, None),
        ("주문을 제일 많이 한 사람", "지점", 0.9, None, None),
        ("서울하고 부산 중에 주문이 더 많은 데는?", None, 1.0, "지역", 1),
        ("김하나랑 이두리 중에 누가 더 늦게 샀어?", None, 1.0, "rows", 1),
        ("주문은 몇 건?", None, 1.0, None, None),
    ],
)
async def test_what_a_ranking_is_of_is_asked_alone(
    question: str, column: str | None, least: float, rows: str | None, limit: int | None
) -> None:
    """It, and how many are asked for, is not left to the object then; a column that there is not says nothing."""
    _, description = shop()
    asked, forms = [], list[Any]()

    async def ask(messages: Any, schema: Any, **more: Any) -> tuple[Any, float]:
        if "column" in schema["properties"]:
            asked.append(schema["properties"]["column"]["enum"])
            return {"column": column}, least
        forms.append(schema["properties"])
        return PLAIN | {"answer": "cannot"}, 1.0

    await understand(description, link(question, description), ask, frozenset())
    assert bool(asked) == (column is not None)
    assert forms[0]["rows"].get("const") == rows
    assert forms[0]["limit"].get("const") == limit
    assert "number_of_rows" not in str(forms[0]["filters"]) or limit is None


def test_single_rows_are_ranked_by_what_each_has() -> None:
    _, description = shop()
    links = link("금액이 제일 큰 주문", description)
    form = schema(description, links, small=True, rows=description.rows)["properties"]
    assert form["measure"]["enum"] == ["금액", "수량", "주문일"]
    words = replace(description, fields=description.fields[:3])
    form = schema(words, link("제일 긴 주문", words), small=True, rows=words.rows)["properties"]
    assert form["measure"]["enum"], "an empty list would be no schema to an engine"


@pytest.mark.parametrize(
    ("question", "offered"), [("금액이 없는 주문", True), ("금액 뺀 나머지", False), ("금액 다 빼고", False)]
)
def test_a_number_that_is_taken_off_is_no_condition(question: str, offered: bool) -> None:
    _, description = shop()
    description = replace(description, fields=tuple(replace(f, full=False) for f in description.fields))
    filters = schema(description, link(question, description))["properties"]["filters"]["items"].get("anyOf", ())
    zeros = [each["properties"] for each in filters if "0" in each["properties"]["value"].get("enum", ())]
    assert ("금액" in {each["field"]["const"] for each in zeros}) == offered


async def test_of_numbers_in_the_words_of_a_comparison_those_are_meant_and_not_what_is_taken_off() -> None:
    _, description = shop()
    fields = [replace(f, name={"수량": "주문할인"}.get(f.name, f.name), unit="") for f in description.fields]
    fields += [
        replace(fields[3], name=name, label={"ko": name, "en": name}, names=()) for name in ("점심매출", "저녁매출")
    ]
    sales = replace(description, fields=tuple(fields))
    [number] = link("매출(주문할인 뺀 것)이 80만원 넘은 적이 있나", sales).numbers
    assert number.of == {"점심매출", "저녁매출"}


async def test_a_server_that_holds_no_model_to_a_schema_is_no_fault_of_ours() -> None:
    _, description = shop()

    async def ask(messages: Any, schema: Any, **more: Any) -> tuple[Any, float]:
        return PLAIN | {"measure": "total 수량", "least": 0.001}, 0.004

    found = await understand(description, link("모두 얼마야?", description), ask, frozenset())
    assert found.query is None


@pytest.mark.parametrize(
    ("question", "column", "rows"),
    [
        ("취소한 적이 있는 지역 이름을 뽑아줘", "지역", "지역"),
        ("취소한 적이 있는 지역 이름을 뽑아줘", "고객", "rows"),
        ("지역이 서울인 주문 목록", "지역", "rows"),
    ],
)
async def test_what_a_list_is_of_is_asked_where_the_question_names_a_group(
    question: str, column: str, rows: str
) -> None:
    _, description = shop()

    async def ask(messages: Any, schema: Any, **more: Any) -> tuple[Any, float]:
        if "column" in schema["properties"]:
            return {"column": column}, 0.9
        filters = BOTH[:1] if "서울" in question else []
        kinds = schema["properties"]["rows"]
        return PLAIN | {"answer": "list", "filters": filters, "rows": kinds.get("const", "rows")}, 0.9

    found = await understand(description, link(question, description), ask, frozenset())
    assert found.query is not None
    assert found.query.rows == rows


@pytest.mark.parametrize(
    ("question", "filters", "unread"),
    [
        ("나오지 않은 주문은 몇 건?", [], ["않은"]),
        ("나오지 않은 주문(서울)은 몇 건?", BOTH[:1], ["않은"]),
        ("서울이 아닌 주문은 몇 건?", [BOTH[0] | {"op": "!="}], []),
        ("금액이 10만원이 안 되는 주문은?", [{"field": "금액", "op": "<", "value": "100000"}], []),
        ("서울 아니면 부산 주문은 몇 건?", BOTH, []),
    ],
)
async def test_what_is_denied_of_no_condition_is_told(question: str, filters: Any, unread: list[str]) -> None:
    found = await understood(question, {"filters": filters}, {"filters": filters})
    assert found.query is not None
    assert [each for each in found.unread if each in ("않은", "않", "아닌", "아니면", "안")] == unread
