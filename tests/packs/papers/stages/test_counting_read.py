"""What is read of a question of counting without a model, and what is left to one."""

import pytest

from dure.packs.papers.stages.counting_read import BEYOND, read
from dure.packs.papers.stages.known import Known

BERT = {"id": "b", "title": "BERT: Pre-training of Deep Bidirectional Transformers", "aliases": ["BERT"]}
GPT = {"id": "g", "title": "Language Models are Few-Shot Learners", "aliases": ["GPT-3"]}


def form_of(message: str, **known):
    reading = read(Known(message, **known))
    assert not reading.left, reading.left
    assert not reading.unmet
    return reading.form


@pytest.mark.parametrize(
    ("message", "rows", "measure"),
    [
        ("논문이 모두 몇 편이야?", "all", "papers"),
        ("How many papers are there?", "all", "papers"),
        ("저자는 몇 명이야?", "all", "authors"),
        ("How many different journals are there?", "all", "venues"),
        ("용어집에 용어가 몇 개야?", "all", "terms"),
        ("용어집의 분야별 용어 수", "field", "terms"),
        ("연도별 논문 수", "year", "papers"),
        ("papers per venue", "venue", "papers"),
        ("rank venues by paper count", "venue", "papers"),
        ("가장 많이 인용된 논문은?", "paper", "citations"),
        ("Which author has the most papers?", "author", "papers"),
        ("저자가 가장 많은 논문", "paper", "authors"),
        ("논문을 가장 많이 쓴 저자", "author", "papers"),
        ("어느 해에 논문이 가장 많이 나왔어?", "year", "papers"),
        ("인용 수가 가장 높은 저자는 누구야?", "author", "citations"),
        ("the oldest paper", "paper", None),
    ],
)
def test_what_is_counted_by_what(message: str, rows: str, measure: str | None) -> None:
    form = form_of(message)
    assert (form.rows, form.measure) == (rows, measure)
    assert form.fits()


@pytest.mark.parametrize(
    ("message", "rows", "measure", "total"),
    [
        ("Which field has the highest average number of citations?", "field", "citations", "mean"),
        ("평균 저자 수가 가장 많은 학회는?", "venue", "authors", "mean"),
        ("Which field has the largest share of papers?", "field", "papers", "share"),
        ("논문 비율이 가장 높은 분야는?", "field", "papers", "share"),
        ("논문 한 편당 평균 저자 수", "all", "authors", "mean"),
    ],
)
def test_the_highest_mean_and_share_are_those_of_groups(message: str, rows: str, measure: str, total: str) -> None:
    form = form_of(message)
    assert (form.rows, form.measure, form.total) == (rows, measure, total)
    assert form.fits()


@pytest.mark.parametrize(
    ("message", "order", "limit", "one"),
    [
        ("가장 많이 인용된 논문 5편은?", "most", 5, False),
        ("Top ten authors", "most", 10, False),
        ("most cited papers", "most", 10, False),
        ("Which paper is cited the most?", "most", 5, True),
        ("논문이 제일 적은 학회는?", "least", 5, True),
        ("가장 최근 논문 세 편", "newest", 3, False),
        ("rank the fields by number of papers", "most", None, False),
        ("연도별 논문 수", None, None, False),
    ],
)
def test_order_and_number(message: str, order: str | None, limit: int | None, one: bool) -> None:
    form = form_of(message)
    assert (form.order, form.limit, form.one) == (order, limit, one)


@pytest.mark.parametrize(
    ("message", "how"),
    [
        ("BERT를 인용한 논문은 몇 편이야?", "citing"),
        ("BERT 논문을 인용한 논문들 목록", "citing"),
        ("BERT는 몇 번 인용됐어?", "citing"),
        ("How often is BERT cited?", "citing"),
        ("Which papers cite the BERT paper?", "citing"),
        ("BERT가 인용한 논문은 몇 편이야?", "cited_by"),
        ("BERT는 논문을 몇 편 인용했어?", "cited_by"),
        ("How many papers does BERT cite?", "cited_by"),
        ("papers cited by BERT", "cited_by"),
        ("BERT의 저자는 몇 명이야?", "only"),
        ("How many authors does BERT have?", "only"),
    ],
)
def test_how_it_is_about_a_paper(message: str, how: str) -> None:
    form = form_of(message, named=[BERT])
    found = {name: getattr(form, name) for name in ("only", "citing", "cited_by")}
    assert found == {"only": [], "citing": [], "cited_by": []} | {how: [BERT]}


@pytest.mark.parametrize(
    "message",
    [
        "BERT를 가장 많이 인용한 저자는?",
        "BERT나 GPT-3를 인용한 논문은 몇 편이야?",
        "BERT를 인용하지 않은 논문은 몇 편이야?",
        "How many papers do not cite BERT?",
        "Which is cited more, BERT or GPT-3?",
    ],
)
def test_what_is_not_read_of_a_paper_is_beyond_the_form(message: str) -> None:
    reading = read(Known(message, named=[BERT, GPT] if "GPT" in message else [BERT]))
    assert BEYOND.search(" ".join(reading.left)), reading


@pytest.mark.parametrize(
    "message",
    [
        "NeurIPS와 ICML 논문은 각각 몇 편?",
        "2020년과 2021년 논문은 모두 몇 편이야?",
        "nlp 분야와 비전 분야 논문은 몇 편이야?",
        "How many papers by Kaiming He and by Ross Girshick?",
        "논문이 가장 많은 해와 가장 적은 해",
        "한 저자당 평균 논문 수",
        "첫 저자로 논문을 가장 많이 쓴 사람",
        "비전 분야 논문 중 NeurIPS 비율",
    ],
)
def test_more_than_the_form_holds_is_beyond_it(message: str) -> None:
    assert BEYOND.search(" ".join(read(Known(message)).left)), read(Known(message))


def test_several_papers() -> None:
    both = form_of("How many papers cite BERT and GPT-3?", named=[BERT, GPT])
    assert both.citing == [BERT, GPT]
    assert form_of("BERT와 GPT-3를 모두 인용한 논문은 몇 편이야?", named=[BERT, GPT]).citing == [BERT, GPT]
    each = form_of("BERT와 GPT-3의 저자는 각각 몇 명이야?", named=[BERT, GPT])
    assert (each.rows, each.measure, each.only) == ("paper", "authors", [BERT, GPT])


def test_that_paper_is_one_though_papers_are_counted() -> None:
    form = form_of("How many papers cite that paper?", earlier=[BERT, GPT], answer="…")
    assert form.citing == [BERT]
    form = form_of("How many papers cite the second paper?", earlier=[BERT, GPT], answer="…")
    assert form.citing == [GPT]


def test_a_topic_is_looked_for_in_titles() -> None:
    assert form_of("BERT 논문은 몇 편이야?", named=[BERT]).title == "BERT"
    korean = BERT | {"aliases": ["버트", "BERT"]}
    assert form_of("버트 논문은 몇 편이야?", named=[korean]).title == "BERT"
    assert form_of("Which venue has the most BERT papers?", named=[BERT]).title == "BERT"
    assert form_of('제목에 "attention"이 들어간 논문은 몇 편이야?').title == "attention"
    assert form_of("How many papers have attention in the title?").title == "attention"


def test_filters_are_read_by_rule() -> None:
    filters = form_of("How many NeurIPS papers since 2020 in the field of reinforcement learning?").filters
    assert filters.as_args() == {"year_from": 2020, "venue": "NeurIPS", "field": "rl"}


@pytest.mark.parametrize(
    "message",
    [
        "저자가 5명 이상인 논문 비율은?",
        "who has more than five papers?",
        "arXiv 번호가 없는 논문은 몇 개예요?",
        "What's the median publication year?",
        "논문 인용 수의 중앙값은?",
        "저자 수 중앙값이 얼마야?",
        "확산 모델 논문은 몇 편이야?",
        "now the same per venue",
        "oldest and newest year in the library",
        "그중에 2023년 게 몇 퍼센트야?",
    ],
)
def test_what_is_not_understood_is_kept(message: str) -> None:
    reading = read(Known(message))
    assert reading.left or not reading.form.fits()


@pytest.mark.parametrize(
    ("message", "topic"),
    [
        ("How many papers about contrastive learning?", "contrastive learning"),
        ("diffusion papers per year", "diffusion"),
        ("확산 모델 관련 논문은 몇 편이야?", "확산 모델"),
        ("혹시 논문이 몇 편인지 여쭤봐도 될까요?", ""),
        ("저자가 5명 이상인 논문 비율은?", ""),
    ],
)
def test_topics(message: str, topic: str) -> None:
    assert read(Known(message)).topic() == topic


def test_a_paper_that_is_nowhere() -> None:
    assert read(Known("그 논문을 인용한 논문은 몇 편이야?")).unmet
    reading = read(Known("How many papers did Geoffrey E. Hinton and FooNet cite?"))
    assert reading.phrases() == ["Geoffrey E Hinton", "FooNet"]
    reading.understood(["Geoffrey E Hinton"])
    assert reading.left == ["FooNet"]
