"""Words that say nothing of which rows count are told from conditions by what a question means without them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dure.data.questions.description import Description, Field
from dure.data.questions.likeness import Likeness, translated
from dure.data.questions.linking import link

QUESTIONS = [
    json.loads(line)["question"]
    for line in (Path(__file__).parents[3] / "benchmarks/data/numbers/dev.jsonl").read_text("utf-8").splitlines()
]
# fmt: off
CONDITIONS = [
    "강화학습", "그래프", "자연어처리", "뉴립스", "ICML", "ECCV", "speech", "graph", "retrieval", "2021", "2016",
    "여성", "acceptance", "영업부", "생산부", "사원", "주민번호", "나이", "supplier", "zero", "Safety", "NordTool",
    "color", "수학", "과학", "국어", "중앙값", "CVPR", "ICLR", "Kaiming", "Scholar", "2반", "결시한", "비싼",
]
IDLE = [
    "양쪽", "포함", "안에서", "사이에서", "아니니까", "모아둔", "기준", "줄은", "총액이", "사람은", "점수가",
    "맞은", "Leave", "좀요", "알려주세요", "궁금해요", "here", "Just", "전부", "모두", "이번", "누구임",
    "얼마예요", "우리", "Which", "어디가",
]
# fmt: on


async def idle(like: Likeness, words: list[str]) -> list[str]:
    found = []
    for word in words:
        question = next(each for each in QUESTIONS if word in each)
        at = question.index(word)
        found += [word] * (await like.idle(question, [(at, at + len(word))]))[0]
    return found


async def test_no_condition_says_nothing(like: Likeness) -> None:
    # What is 제일 of a price needs no 비싼.
    assert await idle(like, CONDITIONS) == ["비싼"]


async def test_most_words_that_are_none_do(like: Likeness) -> None:
    assert len(await idle(like, IDLE)) > len(IDLE) / 2


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("정규직 사원의 평균 기본급은?", "정규직"),
        ("전학 온 2반 학생은 몇 명이야?", "전학"),
        ("2020년에 퇴사한 영업부 직원 수는?", "퇴사한"),
        ("오픈소스 코드가 공개된 ICML 논문은 몇 편?", "공개된"),
        ("야간 주문은 몇 건이야?", "야간"),
        ("How many award-winning ICLR papers are there?", "award"),
        ("Which expired items are in the warehouse?", "expired"),
        ("How many items were ordered by Kim?", "Kim"),
        ("신입 직원의 식대 합계는?", "신입"),
        ("서울에서 반품된 주문은 몇 건이야?", "반품된"),
        ("How many unpaid invoices are from Busan?", "unpaid"),
        ("온라인으로 낸 신청서는 몇 장이에요?", "온라인으로"),
    ],
)
async def test_conditions_of_other_data_do_not(like: Likeness, question: str, word: str) -> None:
    at = question.index(word)
    assert await like.idle(question, [(at, at + len(word))]) == [False]


LABEL = {"ko": "-", "en": "-"}
DESK = ("Hardware", "Software", "Warehouse", "HR", "Delivered", "Pending", "Failed", "Open", "Closed", "High", "Low")
FIELDS = (
    Field("Kind", "category", "Kind", LABEL, values=dict.fromkeys(DESK, ())),
    Field("상태", "category", "상태", LABEL, values=dict.fromkeys(("완료", "진행", "해지", "영업1팀", "총무팀"), ())),
)
TICKETS = Description("tickets", "rows", LABEL, LABEL, "t", "t", FIELDS, examples="")


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("하드웨어는 몇 건이야?", ["Hardware"]),
        ("실패한 건 중에 소프트웨어는?", ["Failed", "Software"]),
        ("how many are completed?", ["완료"]),
        # What is only near is no value: another team, another state, a word beside it.
        ("법무팀은 몇 건?", []),
        ("출고된 건은 몇 건?", []),
        ("평균 처리시간은? 아직 안 끝난 건은 빼고", []),
        ("how many did the sales team lose?", []),
        # In one script spelling decides.
        ("hardwear of the legal team", []),
    ],
)
async def test_a_value_may_be_named_in_the_other_language(like: Likeness, question: str, values: list[str]) -> None:
    found = await translated(TICKETS, link(question, replace(TICKETS, fields=FIELDS)), like)
    assert [each.value for each in found] == values


VISITS = Description(
    "visits",
    "rows",
    LABEL,
    LABEL,
    "t",
    "t",
    tuple(Field(each, "category", each, LABEL) for each in ("Insured", "Wait", "Paid By", "Owner", "No")),
    examples="",
)


@pytest.mark.parametrize(
    ("question", "fields"),
    [
        ("What share of visits had insurance?", ["Insured"]),
        ("How many had a microchip?", []),
        ("How much was not settled?", []),
        # The nearest name is No, which says nothing by itself.
        ("아예 죽은 애들은 몇이야?", []),
    ],
)
async def test_a_column_may_be_named_in_another_word(like: Likeness, question: str, fields: list[str]) -> None:
    found = await translated(VISITS, link(question, VISITS), like)
    assert [(each.field, each.value) for each in found] == [(name, "") for name in fields]
