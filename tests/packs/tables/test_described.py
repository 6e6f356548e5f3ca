"""Which table a question is about."""

from typing import Any

import pytest

from dure.data.questions.likeness import likeness
from dure.models.embeddings import NanoEmbedder, SentenceEncoder
from dure.packs.tables.described import chosen, of_document


def table(name: str, *heads: str):
    return {
        "name": name,
        "document": f"{name}.csv",
        "sheet": "",
        "columns": [(each, "VARCHAR", each) for each in heads],
    }


def profile(**values: list[str]):
    counts: dict[str, int] = {"n": 10}
    for at in range(3):
        none = ("numbers", "units", "dates", "last", "times", "totals", "zeros", "coded")
        counts |= {f"filled{at}": 10, f"different{at}": 3, **{f"{key}{at}": 0 for key in none}}
    return {"counts": counts, "values": values}


def listed(profiles: Any) -> dict[str, Any]:
    """As `list_tables` tells of them."""
    return {"profiles": profiles, "noted": {name: {"notes": {}, "made": False} for name in profiles}}


TABLES = [table("급여대장", "성명", "부서", "입사일"), table("성적", "이름", "반", "동아리")]
PROFILES = {"급여대장": profile(부서=["영업부", "생산부"]), "성적": profile(반=["1반", "2반"], 동아리=["미술부"])}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("영업부 사람은 몇 명이야?", "급여대장"),
        ("2반은 몇 명이야?", "성적"),
        ("2019년에 입사한 사람은?", "급여대장"),
        ("성적표에 몇 명 있어?", "성적"),
        ("몇 명이야?", None),
    ],
)
async def test_the_table_that_the_question_says_most_of(question, name) -> None:
    found = await chosen(TABLES, listed(PROFILES), question)
    assert (found and found[0].name) == name


@pytest.mark.parametrize(("year", "name"), [("2017", "급여대장"), ("2025", "성적")])
async def test_the_days_of_a_table_tell_of_it(year: str, name: str) -> None:
    spans = {"급여대장": ("2009-01-05", "2019-12-30"), "성적": ("2025-03-02", "2025-12-20")}
    profiles = {each: profile() for each in spans}
    for each, (first, last) in spans.items():
        profiles[each]["counts"] |= {"dates2": 10, "first2": first, "last2": last}
    found = await chosen(TABLES, listed(profiles), f"{year}년에는 모두 몇 명이야?")
    assert (found and found[0].name) == name


async def test_of_a_workbooks_sheets_the_one_that_the_question_names() -> None:
    sheets = ["1월", "2월", "1분기 합계"]
    tables = [
        table(f"경비_1분기_{each}", "본부", "팀") | {"document": "경비_1분기.xlsx", "sheet": each} for each in sheets
    ]
    profiles = {each["name"]: profile(팀=["가람팀"]) for each in tables}
    found = await chosen(tables, listed(profiles), "1분기에 경비가 없던 팀은 몇 팀이야?")
    assert found is not None
    assert found[0].name == "경비_1분기_1분기 합계"


async def test_a_sheet_of_two_syllables_is_named_too() -> None:
    tables = [table(f"장부_{each}", "이름") | {"document": "장부.xlsx", "sheet": each} for each in ("호텔", "미용")]
    profiles = {each["name"]: profile(이름=["감자"]) for each in tables}
    like = likeness(NanoEmbedder(second=SentenceEncoder()))
    found = await chosen(tables, listed(profiles), "호텔에 제일 오래 있던 애는?", like)
    assert found is not None
    assert found[0].name == "장부_호텔"


async def test_the_only_table_needs_no_naming() -> None:
    found = await chosen(TABLES[:1], listed(PROFILES), "몇 명이야?")
    assert found is not None
    assert found[0].name == "급여대장"


async def test_a_value_says_more_of_a_table_than_the_name_of_a_column() -> None:
    tables = [table("예산", "항목", "1분기", "2분기"), table("접수_1분기", "번호", "유형", "상태")]
    profiles = {"예산": profile(항목=["교육"]), "접수_1분기": profile(유형=["소음", "누수"])}
    found = await chosen(tables, listed(profiles), "1분기에 소음으로 들어온 것은 몇 건?")
    assert found is not None
    assert found[0].name == "접수_1분기"


async def test_words_of_one_column_say_more_than_another_columns_name() -> None:
    """결제한 금액 is 결제금액, and no 금액 of another table."""
    tables = [table("비품", "품명", "금액", "구매일"), table("회원", "이름", "결제금액", "등록일")]
    found = await chosen(tables, listed({"비품": profile(), "회원": profile()}), "실제 결제한 금액의 중간값은?")
    assert found is not None
    assert found[0].name == "회원"


async def test_the_table_is_the_one_whose_names_mean_most_of_the_question() -> None:
    like = likeness(NanoEmbedder(second=SentenceEncoder()))
    tables = [table("tickets", "Ticket", "Agent", "Priority"), table("visits", "Pet", "Owner", "Vet")]
    profiles = {"tickets": profile(), "visits": profile()}
    found = await chosen(tables, listed(profiles), "How many of the animals came twice?", like)
    assert found is not None
    assert found[0].name == "visits"
    assert await chosen(tables, listed(profiles), "How many were there in all?", like) is None


@pytest.mark.parametrize(
    ("question", "name"),
    [("실패한 건은 몇 건이야?", None), ("Failed는 몇 건이야?", None), ("실패한 건의 승인자는?", "결재")],
)
async def test_a_value_of_several_tables_says_which_in_no_language(question: str, name: str | None) -> None:
    like = likeness(NanoEmbedder(second=SentenceEncoder()))
    tables = [table("결재", "문서", "승인자", "결과"), table("claims", "Claim", "Filed", "Result")]
    profiles = {"결재": profile(결과=["실패", "승인"]), "claims": profile(Result=["Failed", "Approved"])}
    found = await chosen(tables, listed(profiles), question, like)
    assert (found and found[0].name) == name


@pytest.mark.parametrize(
    ("question", "name"),
    [("지역별 매출 합계는?", "지역별매출_2025"), ("월별매출은?", "실적_월별매출"), ("부산 매출은?", None)],
)
async def test_of_tables_with_the_same_columns_the_one_that_is_named(question: str, name: str | None) -> None:
    like = likeness(NanoEmbedder(second=SentenceEncoder()))
    tables = [table("실적_월별매출", "월", "지역", "매출액"), table("지역별매출_2025", "월", "지역", "매출액")]
    profiles = {each["name"]: profile(지역=["부산", "서울"]) for each in tables}
    found = await chosen(tables, listed(profiles), question, like)
    assert (found and found[0].name) == name


async def test_words_of_a_files_name_are_its_own_whatever_stands_between_them() -> None:
    like = likeness(NanoEmbedder(second=SentenceEncoder()))
    tables = [table("a-mun", "Tag", "Cost"), table("a-bok", "Tag", "Paid")]
    profiles = {each["name"]: profile() for each in tables}
    found = await chosen(tables, listed(profiles), "bok cost in all?", like)
    assert found is None or found[0].name != "a-mun"


SHEETS = [
    table(f"지점매출_{year}", "지점", "매출액") | {"document": "지점매출.xlsx", "sheet": year}
    for year in ("2025", "2024")
]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("지점매출.xlsx에서 2025년에 매출액이 가장 많은 지점은?", "지점매출_2025"),
        ("지점매출에서 2024년에 매출액이 가장 많은 지점은?", "지점매출_2024"),
        ("지점매출.xlsx에서 매출액이 가장 많은 지점은?", None),
        ("매출액이 가장 많은 지점은?", None),
    ],
)
async def test_of_a_document_that_is_named_the_sheet_that_is_named_too(question: str, name: str | None) -> None:
    others = [table("강남매출", "지점", "매출액"), *TABLES]
    profiles = {each["name"]: profile() for each in [*others, *SHEETS]}
    found = await chosen([*others, *SHEETS], listed(profiles), question)
    assert (found and found[0].name) == name
    among = {each["document"] for each in of_document([*others, *SHEETS], question)}
    assert (among == {"지점매출.xlsx"}) == question.startswith("지점매출")
