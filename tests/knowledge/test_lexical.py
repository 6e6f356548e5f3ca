"""The lexical arm."""

import pytest

from dure.knowledge import lexical
from dure.knowledge.lexical import Lexical, Terms
from dure.storage import documents
from dure.storage.documents import NewPassage


async def stored(database, owner, texts):
    columns = {"name": "a", "title": "a", "kind": "text", "sha256": "a", "size": 1, "file": "a", "status": "queued"}
    await database.write(documents.add, owner, id=owner, **columns)
    new = [NewPassage(None, i, i + 1, text) for i, text in enumerate(texts)]
    await database.write(documents.store, owner, owner, title="a", text="a", pages=[(None, 0)], new=new)
    return {row["id"]: row["text"] for row in await database.read(documents.passages_of, owner, owner)}


def test_judging_counts_whole_words_and_any_bigram():
    terms = Terms({"휴가": 1, "15": 1, "leave": 1, "day": 0}, 10)
    assert terms.counts("연차휴가와 휴가, 150일 Leaves 15") == {"휴가": 2, "leave": 1, "15": 1}
    assert terms.known == 0.75


def test_coverage_is_the_share_of_idf():
    terms = Terms({"휴가": 2, "병가": 2}, 10)
    both, one, none = terms.judge(["휴가 병가", "휴가 휴가 휴가", "식대"])
    assert both.coverage == pytest.approx(1)
    assert one.coverage == pytest.approx(0.5)
    assert none.score == none.coverage == 0
    assert both.score > one.score > 0


def test_a_part_is_judged_by_its_own_terms_with_their_weight_in_the_query():
    terms = Terms({"휴가": 2, "병가": 2, "day": 0}, 10)
    texts = ["휴가 병가", "휴가 휴가 휴가", "식대"]
    part = terms.of("병가 식대")
    assert (part.idf, part.known) == ({"병가": terms.idf["병가"]}, 1)
    assert part.judge(texts, [terms.counts(text) for text in texts]) == part.judge(texts)
    assert [each.coverage for each in part.judge(texts)] == [1, 0, 0]
    assert terms.of("식대").judge(texts)[0].score == 0


async def test_finds_the_best_by_words(database):
    texts = await stored(database, "a", ["연차휴가는 15일이다", "병가는 60일이다", "식대는 20만 원이다"])
    ((terms, ids),) = await database.read(Lexical().find, ["a"], ["병가는 며칠인가요?"], 5)
    assert texts[ids[0]] == "병가는 60일이다"
    assert 0 < terms.known < 1


@pytest.mark.parametrize(("query", "known"), [("정산했나용", 1), ("병가 정산했나용", 0.5), ("출정산했나용", 0.5)])
async def test_what_a_known_word_goes_on_with_says_nothing(database, query, known):
    await stored(database, "a", ["출장 정산은 10일 안에 한다"])
    ((terms, _),) = await database.read(Lexical().find, ["a"], [query], 5)
    assert terms.known == known


async def test_nothing_known(database):
    await stored(database, "a", ["연차휴가는 15일이다"])
    ((terms, ids),) = await database.read(Lexical().find, ["a"], ["양자역학"], 5)
    assert (ids, terms.known) == ([], 0)
    for owner, query in (("b", "연차휴가"), ("a", "?!")):
        ((_, ids),) = await database.read(Lexical().find, [owner], [query], 5)
        assert ids == []


async def test_frequent_terms_are_looked_up_in_pairs(database, monkeypatch):
    monkeypatch.setattr(lexical, "_POSTINGS", 3)
    texts = ["회사 사람", "회사 건물", "회사 휴가 규정", "휴가 여행", "휴가 사진", "규정 목록", "규정 모음"]
    known = await stored(database, "a", texts)
    ((_, ids),) = await database.read(Lexical().find, ["a"], ["회사 휴가 규정"], 5)
    assert known[ids[0]] == "회사 휴가 규정"


async def test_counts_of_frequent_terms_are_remembered_until_much_has_changed(database, monkeypatch):
    monkeypatch.setattr(lexical, "_FREQUENT", 2)
    await stored(database, "a", ["휴가 하나", "휴가 둘"] * 60)
    finder = Lexical()
    ((terms, _),) = await database.read(finder.find, ["a"], ["휴가"], 5)
    weight = terms.idf["휴가"]
    await database.write(documents.delete, "a", "a")
    await stored(database, "a", ["휴가 하나", "병가 둘"] * 60)
    ((terms, _),) = await database.read(finder.find, ["a"], ["휴가"], 5)
    assert terms.idf["휴가"] == weight
    await database.write(documents.delete, "a", "a")
    await stored(database, "a", ["휴가 하나", "병가 둘"] * 30)
    ((terms, _),) = await database.read(finder.find, ["a"], ["휴가"], 5)
    assert terms.idf["휴가"] > weight


async def test_a_code_is_a_rare_term_of_its_own_however_frequent_its_parts_are(database):
    rows = [f"KX-{n} 발전소의 7월 발전량과 7명의 점검 {n}" for n in range(1, 6)] * 9
    texts = await stored(database, "a", [*rows, "KX-7 후보지는 타당성을 조사한다."])
    ((terms, ids),) = await database.read(Lexical().find, ["a"], ["KX-7 발전소는 언제 준공돼?"], 9)
    best = terms.judge([texts[id] for id in ids])
    assert texts[ids[max(range(len(ids)), key=lambda i: best[i].score * best[i].coverage)]].startswith("KX-7")
    assert terms.idf["kx-7"] == max(terms.idf[term] for term in ("kx", "7", "kx-7"))
    ((terms, _),) = await database.read(Lexical().find, ["a"], ["KX-8 발전소"], 9)
    assert "kx-8" not in terms.idf
