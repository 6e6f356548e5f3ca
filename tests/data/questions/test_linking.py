"""What of a question is known before any model reads it."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from fixtures.cafe import CAFE, TODAY
from fixtures.shop import shop
from hypothesis import given
from hypothesis import strategies as st

from dure.data.questions.description import Description, Field, paired
from dure.data.questions.linking import link, places
from dure.data.questions.query import asked, rules, schema

LABEL = {"ko": "-", "en": "-"}
MARKS = ("국어", "수학")
VENUES = {"NeurIPS": ("뉴립스",), "ACL": (), "EMNLP Findings": (), "EMNLP": ()}
PAPERS = Description(
    "papers",
    "papers",
    {"ko": "논문", "en": "papers"},
    {"ko": "편", "en": " papers"},
    "papers",
    "title",
    (
        Field("year", "number", "year", {"ko": "연도", "en": "year"}),
        Field("venue", "category", "venue", {"ko": "학회", "en": "venue"}, values=VENUES),
        Field("field", "category", "field", {"ko": "분야", "en": "field"}, values={"vision": ("비전", "컴퓨터 비전")}),
        Field("read", "date", "read_at", {"ko": "읽은 날", "en": "read on"}),
    ),
    "",
)


CODES = {"WB-08": (), "WB-12": (), "MT-10": ()}
GYM = Description(
    "회원",
    "rows",
    {"ko": "회원", "en": "members"},
    {"ko": "명", "en": " members"},
    "회원",
    "이름",
    (
        Field("결제금액", "number", "결제금액", {"ko": "결제금액", "en": "결제금액"}, unit="원"),
        Field("정상가", "number", "정상가", {"ko": "정상가", "en": "정상가"}, unit="원"),
        Field("유입경로", "category", "유입경로", {"ko": "유입경로", "en": "유입경로"}),
        Field("등록지점", "category", "등록지점", {"ko": "등록지점", "en": "등록지점"}),
        Field("등록일", "date", "등록일", {"ko": "등록일", "en": "등록일"}),
        Field("Parcels", "number", "Parcels", {"ko": "Parcels", "en": "Parcels"}, unit="box"),
        Field("code", "text", "code", {"ko": "code", "en": "code"}, values=CODES, open=True),
    ),
    "",
)


def linked(question: str) -> list[tuple[str, str]]:
    return [(each.field, each.value) for each in link(question, PAPERS, today=TODAY).values]


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("뉴립스랑 acl 논문", [("venue", "NeurIPS"), ("venue", "ACL")]),
        ("EMNLP Findings는?", [("venue", "EMNLP Findings")]),
        ("NAACL에 실린 논문", []),
        ("컴퓨터비전 분야", [("field", "vision")]),
        ("텔레비전 논문", []),
        ("neurps papers", [("venue", "NeurIPS")]),
        # Of several words as a whole.
        ("EMNLP Findigs의 논문", [("venue", "EMNLP Findings")]),
    ],
)
def test_values_are_linked_by_their_spelling(question, values) -> None:
    assert linked(question) == values


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("저자가 셋 이상인 논문", [("3", (">=",), "")]),
        ("저자가 세 명 이상인 논문", [("3", (">=",), "")]),
        ("1990년대 논문", [("1990", (), "1999")]),
        ("90년대 논문", [("1990", (), "1999")]),
        ("papers of the 1980s", [("1980", (), "1989")]),
        ("2015년부터 2018년까지", [("2015", (">=",), ""), ("2018", ("<=",), "")]),
        ("more than 400 citations", [("400", (">",), "")]),
        ("400 citations or more", [("400", (">=",), "")]),
        ("10 bottles or fewer", [("10", ("<=",), "")]),
        ("20~29회 인용", [("20", (">=",), ""), ("29", ("<=",), "")]),
        ("나이가 20~29세 회원", [("20", (">=",), ""), ("29", ("<=",), "")]),
        ("5만원에서 10만원 사이", [("50000", (">=",), ""), ("100000", ("<=",), "")]),
        ("between $200 and $500", [("200", (">=",), ""), ("500", ("<=",), "")]),
        ("2019 and 2021", [("2019", (), ""), ("2021", (), "")]),
        ("400만원이 넘는", [("4000000", (">",), "")]),
        ("before 2010", [("2010", ("<",), "")]),
        ("작년 논문", [("2025", (), "")]),
        ("재작년 논문", [("2024", (), "")]),
        # What "from" says of a year alone may be either; of any other number it is the least.
        ("How many are from 2024, and which are cited most?", [("2024", (">=", "="), "")]),
        ("papers from the year 2024", [("2024", (">=", "="), "")]),
        ("papers from last year", [("2025", (">=", "="), "")]),
        ("papers from 2024 on robots", [("2024", (">=", "="), "")]),
        ("papers not from 2024", [("2024", ("<", "!="), "")]),
        ("papers from the 1990s", [("1990", (), "1999")]),
        ("papers since 2024", [("2024", (">=",), "")]),
        ("papers from 2024 on", [("2024", (">=",), "")]),
        ("papers from 2024 on, by venue", [("2024", (">=",), "")]),
        ("papers from 2024 that cite BERT", [("2024", (">=", "="), "")]),
        ("papers from 2024 till now", [("2024", (">=",), "")]),
        ("papers from 2024 onwards about robots", [("2024", (">=",), "")]),
        ("papers from 2024 or later", [("2024", (">=",), "")]),
        ("papers starting from 2024", [("2024", (">=",), "")]),
        ("papers from 2020 to 2022", [("2020", (">=",), ""), ("2022", (), "")]),
        ("papers from 2020 until 2022", [("2020", (">=",), ""), ("2022", ("<=",), "")]),
        ("papers from 2020-2022", [("2020", (">=",), ""), ("2022", (), "")]),
        ("rooms from 50 dollars", [("50", (">=",), "")]),
    ],
)
def test_numbers_come_with_their_comparison(question, numbers) -> None:
    found = link(question, PAPERS, today=TODAY).numbers
    assert [(each.value, each.ops, each.to) for each in found] == numbers


@pytest.mark.parametrize(
    ("question", "dates"),
    [
        ("2025년 2월부터 4월까지", [("2025-02", (">=",)), ("2025-04", ("<=",))]),
        ("2024. 3. 5. 이후", [("2024-03-05", (">=", ">"))]),
        ("in March 2024", [("2024-03", ())]),
        ("read on 5 March 2024", [("2024-03-05", ())]),
        ("since the 5th of March 2024", [("2024-03-05", (">=",))]),
        ("those from May 2024", [("2024-05", (">=", "="))]),
        ("those from May 2024 on", [("2024-05", (">=",))]),
        ("2024년 십이월에 읽은", [("2024-12", ())]),
        ("2019년에 읽은", [("2019", ())]),
        ("2025년 상반기에 읽은", [("2025-01", ())]),
        ("2025년 3분기 이후", [("2025-07", (">=", ">"))]),
        ("read in Q2 2024", [("2024-04", ())]),
        ("H2 of 2024", [("2024-07", ())]),
        ("2024 and December 2024", [("2024", ()), ("2024-12", ())]),
        ("5월에서 7월까지", [("2026-05", (">=",)), ("2026-07", ("<=",))]),
        ("작년 5월에 읽은", [("2025-05", ())]),
        ("재작년 12월 3일 이후", [("2024-12-03", (">=", ">"))]),
        ("read in may", [("2026-05", ())]),
        ("read last May", [("2026-05", ())]),
        ("May I read these?", []),
        ("what may be read?", []),
    ],
)
def test_dates(question, dates) -> None:
    found = link(question, PAPERS, today=TODAY).dates
    assert sorted((each.value, each.ops) for each in found) == sorted(dates)


@pytest.mark.parametrize(
    ("question", "fields"), [("수학 시험 결시한 사람은?", ["수학"]), ("결시한 사람은?", ["국어", "수학"])]
)
def test_a_value_of_several_fields_is_of_the_one_that_is_named(question, fields) -> None:
    marks = tuple(Field(name, "number", name, {"ko": name, "en": name}, values={"결시": ()}) for name in MARKS)
    school = replace(PAPERS, fields=marks)
    assert [each.field for each in link(question, school, today=TODAY).values] == fields


def test_a_name_with_a_particle_is_a_value_of_all_fields_that_have_it() -> None:
    cited = tuple(Field(name, "link", name, {"ko": name, "en": name}, values={"Bridge": ()}) for name in ("of", "by"))
    links = link("Bridge를 인용한 논문은?", replace(PAPERS, fields=cited), today=TODAY).values
    assert [(each.field, each.end, each.sure) for each in links] == [("of", 6, True), ("by", 6, True)]


@given(st.text(max_size=80))
def test_any_text_is_linked_within_itself(question) -> None:
    links = link(question, PAPERS, today=TODAY)
    for each in (*links.values, *links.numbers, *links.dates, *links.fields):
        assert 0 <= each.start < each.end <= len(question)


def test_a_month_alone_is_one_of_the_years_that_the_data_tell_of() -> None:
    """What is recorded of 2024 is not asked of this year."""
    fields = tuple(replace(each, last=date(2024, 11, 2)) if each.kind == "date" else each for each in PAPERS.fields)
    for question in ("3월에 읽은 논문", "read in March"):
        found = link(question, replace(PAPERS, fields=fields), today=TODAY).dates
        assert [each.value for each in found] == ["2024-03"]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("지역별 금액을 차트로 그려줘", ["지역"]),
        ("total 금액 by 지역", ["지역"]),
        ("지역이 서울인 주문은 몇 건이야?", None),
        # Of two nobody knows which.
        ("지역별 상품별 금액은?", None),
    ],
)
def test_by_a_field_is_a_row_for_each_of_its_values(question: str, rows: list[str] | None) -> None:
    _, description = shop()
    form = schema(description, link(question, description), small=True)
    assert form["properties"]["rows"]["enum"] == (rows or description.kinds_of_rows)


def test_a_name_of_one_syllable_is_found_before_its_particles() -> None:
    assert [list(places("월", each)) for each in ("월별 매출", "월은", "월요일")] == [[(0, 1)], [(0, 1)], []]


@pytest.mark.parametrize(
    ("question", "fields"),
    [
        ("실제 결제한 금액의 합계는?", ["결제금액"]),
        ("결제 금액은?", ["결제금액"]),
        # A part of one name alone names it; of two it names neither.
        ("경로가 빈칸인 사람은?", ["유입경로"]),
        ("금액은?", ["결제금액"]),
        ("등록한 사람은?", []),
        ("경로당 회원은?", []),
        ("parcel이 제일 많은 곳은?", ["Parcels"]),
        ("parcelling", []),
    ],
)
def test_a_field_is_named_in_words_of_its_name(question: str, fields: list[str]) -> None:
    assert [each.field for each in link(question, GYM, today=TODAY).fields] == fields


@pytest.mark.parametrize(
    ("question", "ops"),
    [
        ("WB-08부터 WB-12까지", [(">=",), ("<=",)]),
        ("WB-08~WB-12", [(">=",), ("<=",)]),
        ("WB-08, WB-12", [(), ()]),
        ("WB-08하고 WB-12", [(), ()]),
        ("WB-08부터 MT-10까지", [(), ()]),
    ],
)
def test_codes_bound_a_range(question: str, ops: list[tuple[str, ...]]) -> None:
    found = link(question, GYM, today=TODAY)
    assert [each.ops for each in found.values] == ops
    form = schema(GYM, found)["properties"]["filters"]["items"]["anyOf"]
    bounds = next(each["properties"]["op"]["enum"] for each in form if each["properties"]["field"]["const"] == "code")
    assert (bounds == [">=", "<="]) == (ops[0] != ())


@pytest.mark.parametrize(
    ("named", "pairs"),
    [
        (["정상가", "결제금액"], ["정상가 - 결제금액", "결제금액 - 정상가", "정상가 + 결제금액"]),
        # One may be meant in other words.
        (["결제금액"], ["결제금액 - 정상가", "정상가 - 결제금액", "결제금액 + 정상가"]),
        # Won and boxes make no sum.
        (["Parcels"], []),
        (["유입경로"], []),
        ([], []),
    ],
)
def test_two_numbers_of_which_one_is_named_have_a_difference_and_a_sum(named: list[str], pairs: list[str]) -> None:
    both = paired(GYM, named)
    assert [each.name for each in both.fields[len(GYM.fields) :]] == pairs
    links = link("정상가", both, today=TODAY)
    measures = schema(both, links)["properties"]["measure"]["enum"]
    assert all(f"total {pair}" in measures for pair in pairs)
    # The rules are the same for each question, so that an engine reads them once.
    assert rules(both) == rules(GYM)


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("한 번도 안 온 사람은?", ["0"]),
        ("하나도 안 산 사람은?", ["0"]),
        ("한 번 온 사람은?", ["1"]),
        ("1도 넘는 날은?", ["1"]),
    ],
)
def test_not_even_one_is_none(question: str, numbers: list[str]) -> None:
    assert [each.value for each in link(question, GYM, today=TODAY).numbers] == numbers


def test_what_denies_even_one_says_no_more_than_that() -> None:
    (none,) = link("결제가 한 건도 없었던 회원은?", GYM, today=TODAY).numbers
    assert (none.value, none.start, none.end) == ("0", 4, 12)


TEAMS = replace(
    GYM,
    fields=(
        Field(
            "팀장",
            "text",
            "팀장",
            {"ko": "팀장", "en": "팀장"},
            values=dict.fromkeys(["김누리 부장", "이가람 부장", "박다솜 과장"], ()),
        ),
        Field("팀", "text", "팀", {"ko": "팀", "en": "팀"}, values=dict.fromkeys(["해외영업팀", "재무팀"], ())),
        Field("해외 건수", "number", "해외", {"ko": "해외 건수", "en": "해외 건수"}),
    ),
    examples_of="another table",
)


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("팀장이 부장인 팀은 몇 개야?", [("부장", ("contains",))]),
        ("박다솜 과장 팀은?", [("박다솜 과장", ())]),
        # What a column is called by too says nothing of a value.
        ("해외 건수가 많은 팀은?", []),
        ("국내와 해외를 더하면?", []),
        ("해외영업팀은?", [("해외영업팀", ())]),
    ],
)
def test_what_several_values_have_beside_their_names_is_said_of_all_of_them(question: str, values: list[Any]) -> None:
    assert [(each.value, each.ops) for each in link(question, TEAMS, today=TODAY).values] == values


ORDERS = Description(
    "order book",
    "rows",
    LABEL,
    LABEL,
    "orders",
    "item",
    (
        Field("item", "text", "item", LABEL, values=dict.fromkeys(["Syringe 5 ml", "Nylon suture 3-0", "Book"], ())),
        Field("지급", "text", "지급", LABEL, values=dict.fromkeys(["노트북 가방", "노트북 15인치", "모니터"], ())),
        Field("note", "text", "note", LABEL, values={"the syringe box came in two parcels and one was torn": ()}),
    ),
    "",
    examples_of="another table",
)


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("when did the syringes arrive?", [("item", "syringe", ("contains",))]),
        ("who sells the 3-0 suture?", [("item", "suture", ("contains",))]),
        ("노트북은 몇 개야?", [("지급", "노트북", ("contains",))]),
        # A part of a word, of a note, of the table's name, and what is a whole value.
        ("노트는 몇 개야?", []),
        ("how many parcels?", []),
        ("how many orders?", []),
        ("모니터는 몇 개야?", [("지급", "모니터", ())]),
    ],
)
def test_a_word_of_names_of_several_is_said_of_all_that_have_it(question: str, values: list[Any]) -> None:
    assert [(each.field, each.value, each.ops) for each in link(question, ORDERS, today=TODAY).values] == values


def test_what_the_name_of_the_data_says_is_said_of_all_rows() -> None:
    """Of 방문예약 each row is an 예약, whatever its state, unless the state is named."""
    state = Field("상태", "category", "상태", {"ko": "상태", "en": "상태"}, values={"예약": (), "취소": ()})
    visits = replace(GYM, name="방문예약", fields=(state,))
    found = link("취소 아닌 예약은 몇 건?", visits, today=TODAY)
    assert ([each.value for each in found.values], [each.value for each in found.rows]) == (["취소"], ["예약"])
    assert [each.value for each in link("상태가 예약인 건은?", visits, today=TODAY).values] == ["예약"]
    jobs = replace(GYM, name="jobs", fields=(replace(state, values={"B": (), "jobs": ()}),))
    found = link("how many jobs are B", jobs, today=TODAY)
    assert ([each.value for each in found.values], [each.value for each in found.rows]) == (["B"], ["jobs"])


def offered(question: str, description: Description) -> dict[str, list[str]]:
    """The values of each field that a condition may have."""
    form = schema(description, link(question, description, today=TODAY))["properties"]["filters"]["items"]
    found: dict[str, list[str]] = {}
    for each in (condition["properties"] for condition in form.get("anyOf", [])):
        found.setdefault(each["field"]["const"], []).extend(each["value"]["enum"])
    return found


def test_no_condition_is_offered_that_the_question_holds_no_word_of() -> None:
    _, description = shop()
    assert offered("주문이 가장 많은 지역은?", description) == {}
    assert offered("주문을 두 번 넘게 한 고객은?", description)["number_of_rows"] == ["2"]
    assert "number_of_rows" not in offered("2024년에 주문은 몇 건이야?", description)
    # Each order has a price; a fee may be 0.
    assert offered("금액이 가장 큰 고객은?", description) == {}
    fields = tuple(replace(each, zeros=True) for each in description.fields)
    assert offered("금액이 없는 고객은?", replace(description, fields=fields)) == {"금액": ["0", "1", "max", "min"]}


def test_where_there_is_no_condition_the_schema_is_one_that_engines_read() -> None:
    gym = replace(GYM, fields=GYM.fields[:1])
    filters = schema(gym, link("모두 몇 명이야?", gym, today=TODAY))["properties"]["filters"]
    assert filters == {"type": "array", "items": {"type": "string"}, "maxItems": 0}


def test_a_word_of_several_names_says_of_none_that_it_is_empty() -> None:
    fields = tuple(Field(name, "number", name, {"ko": name, "en": name}) for name in ("대여료", "대여일수", "보증금"))
    assert offered("대여는 했는데 보증금이 없는 건은?", replace(GYM, fields=fields)) == {
        "보증금": ["0", "1", "max", "min", ""]
    }


@pytest.mark.parametrize(("question", "values"), [("Is the shed insured?", ["Y", "N", ""]), ("Is the shed old?", None)])
def test_a_column_of_yes_and_no_that_is_named_has_both(question: str, values: list[str] | None) -> None:
    insured = Field("Insured", "category", "Insured", LABEL, values={"Y": (), "N": ()}, flag=True)
    sheds = replace(GYM, name="sheds", fields=(insured,))
    assert offered(question, sheds).get("Insured") == values


def test_what_is_by_yes_or_no_need_not_be_a_row_for_each() -> None:
    """Who is covered by insurance is insured."""
    insured = Field("Insured", "category", "Insured", LABEL, values={"Y": (), "N": ()}, flag=True, group="Insured")
    sheds = replace(GYM, name="sheds", fields=(insured,))
    for flag, rows in ((True, ["rows", "Insured"]), (False, ["Insured"])):
        of = replace(sheds, fields=(replace(insured, flag=flag),))
        assert (
            schema(of, link("How many are covered by insured?", of), small=True)["properties"]["rows"]["enum"] == rows
        )


def test_the_model_is_told_dates_and_numbers_as_they_were_read() -> None:
    _, description = shop()
    question = "3월에 두 번 넘게 주문한 고객은?"
    told = asked(description, link(question, description, today=TODAY))
    assert told == f"Q: {question}\n(known: 주문일 = 2024-03; number > 2)"
    question = "orders from March 2024"
    told = asked(description, link(question, description, today=TODAY))
    assert told == f"Q: {question}\n(known: 주문일 >= 2024-03 or = 2024-03)", "either may be meant"
    for plain in ("2개 넘게 주문한 고객은?", "한 건당 평균 금액은?"):
        assert "(" not in asked(description, link(plain, description, today=TODAY))


@pytest.mark.parametrize(
    ("question", "ops"),
    [
        ("금액이 5만원 이상은 빼고", "<"),
        ("금액이 5만원을 넘지 않는 주문", "<="),
        ("금액이 5만원 이하가 아닌 주문", ">"),
        ("orders not more than 50000", "<="),
        ("수량이 3개가 아닌 주문", "!="),
        ("2024년이 아닌 주문", "!="),
        ("금액이 5만원 이상인 주문", ">="),
        ("orders of no more than 50000", "<="),
        ("수량이 3개인 건 빼고", "!="),
        ("수량이 3개인 주문", ""),
        # Their values are left out, not the number's.
        ("금액이 5만원 넘는 서울 주문은 빼고", ">"),
    ],
)
def test_a_comparison_that_is_left_out_is_the_other_one(question: str, ops: str) -> None:
    links = link(question, shop()[1], today=TODAY)
    found = [each.ops for each in (*links.dates, *links.numbers)]
    assert found[0] == ((ops,) if ops else ())


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("3월 매출은?", []),
        ("토요일 매출은?", [("요일", "토", ())]),
        ("bad pieces off line 2", [("Line", "L2", ())]),
        ("2025년 3월 1일 매출은?", []),
        ("scrap cost in total", []),
        ("취소 다 뺀 건 몇 건?", [("상태", "취소", ("!=",))]),
        ("취소랑 반려 빼면 몇 건?", [("상태", "취소", ("!=",)), ("상태", "반려", ("!=",))]),
        ("not scrap or rework", [("Disposition", "Scrap", ("!=",)), ("Disposition", "Rework", ("!=",))]),
        ("취소 반려된 것도 다 포함해서 몇 건?", []),
        ("취소 포함해서 모두 몇 건?", []),
        ("취소는 빼고 반려는 넣어줘", [("상태", "취소", ("!=",))]),
        (
            "for neither a scrap nor a rework",
            [("Disposition", "Scrap", ("!=",)), ("Disposition", "Rework", ("!=",))],
        ),
        ("완료 말고 취소는 몇 건?", [("상태", "완료", ("!=",)), ("상태", "취소", ())]),
    ],
)
def test_values_are_told_from_what_they_are_a_part_of_and_left_out_together(question: str, values: list[Any]) -> None:
    found = link(question, CAFE, today=TODAY).values
    assert [(each.field, each.value, each.ops) for each in found] == values


@pytest.mark.parametrize(
    ("question", "fields"),
    [
        ("디저트로만 얼마 팔았어?", ["디저트매출"]),
        ("손님이 몇 명이야?", ["손님수"]),
        ("지금 몇 병 있어?", ["병수"]),
        ("매출은 얼마야?", []),
    ],
)
def test_a_field_is_named_before_any_particles_and_by_its_unit(question: str, fields: list[str]) -> None:
    assert [each.field for each in link(question, CAFE, today=TODAY).fields] == fields


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        # Both there are, a time of day and a span of time are numbers of no field.
        ("두 지점 합쳐서", []),
        ("두 달 동안", [("2", frozenset([""]))]),
        ("여섯시 이후", [("06:00", frozenset([""]))]),
        ("한 병 이하로 남은", [("1", frozenset(["병수"]))]),
        ("매출이 80만원 넘는", [("800000", frozenset(["음료매출", "디저트매출"]))]),
    ],
)
def test_numbers_are_of_the_fields_that_they_may_be_of(question: str, numbers: list[Any]) -> None:
    gym = replace(CAFE, fields=tuple(each for each in CAFE.fields if each.name != "Scrap cost"))
    found = link(question, gym, today=TODAY).numbers
    assert [(each.value, each.of) for each in found] == numbers


@pytest.mark.parametrize("question", ["15그루 넘게 있는 곳", "15 그루를 넘는 곳", "15그루보다 많은 곳"])
def test_a_counter_that_is_not_known_stands_before_a_comparison(question: str) -> None:
    assert [(each.value, each.ops) for each in link(question, CAFE, today=TODAY).numbers] == [("15", (">",))]


@pytest.mark.parametrize(
    "question", ["3월 10일부터 23일까지 매출", "3월 10~23일 매출", "2025년 3월 10일에서 23일까지 매출"]
)
def test_the_last_day_of_a_range_is_of_its_month(question: str) -> None:
    found = link(question, CAFE, today=TODAY)
    days = [(each.value, each.ops) for each in found.dates if len(each.value) == 10]
    assert days == [("2025-03-10", (">=",)), ("2025-03-23", ("<=",))]
    assert not found.numbers


def test_a_comparison_is_offered_as_it_stands_and_no_more_conditions_than_are_said() -> None:
    _, description = shop()
    form = schema(description, link("금액이 5만원 넘는 서울 주문", description, today=TODAY))["properties"]["filters"]
    of_5 = [each["properties"] for each in form["items"]["anyOf"] if each["properties"]["value"]["enum"] == ["50000"]]
    assert {tuple(each["op"]["enum"]) for each in of_5} == {(">",)}
    assert form["maxItems"] == 2


def test_the_model_is_told_which_field_a_part_of_its_name_means() -> None:
    told = asked(CAFE, link("디저트로만 얼마 팔았어?", CAFE, today=TODAY))
    assert told.endswith("(known: 디저트 is 디저트매출)")


@pytest.mark.parametrize(
    ("question", "numbers", "ops"),
    [
        ("취소랑 반려 둘 중에 뭐가 많아?", [], ()),
        ("셋 중에 뭐가 커?", [], ()),
        ("취소랑 반려 둘 빼고", [], ("!=",)),
        ("scrap and rework are done, how many except those two?", [], ("!=",)),
        ("취소랑 반려 중 두 건 이상", ["2"], ()),
        ("scrap and rework of two pieces", ["2"], ()),
        ("취소 둘", ["2"], ()),
    ],
)
def test_how_many_are_named_is_no_condition(question: str, numbers: list[str], ops: tuple[str, ...]) -> None:
    links = link(question, CAFE, today=TODAY)
    assert [each.value for each in links.numbers] == numbers
    assert {each.ops for each in links.values} <= {ops}


def test_what_bounds_a_range_is_told_in_one_unit() -> None:
    found = link("between 40k and 60k won", CAFE, today=TODAY).numbers
    assert [(each.value, each.ops, each.unit) for each in found] == [
        ("40000", (">=",), ("won", 1.0)),
        ("60000", ("<=",), ("won", 1.0)),
    ]
