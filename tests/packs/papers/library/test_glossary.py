"""The glossary, on both stores."""

import asyncio

import pytest

from dure.errors import NotFound
from dure.packs.papers.library.glossary import Glossary, InvalidTerm, SharedTerm, Term, TermExists
from dure.packs.papers.storage import library
from dure.storage import Database

ME, YOU = "me", "you"


@pytest.fixture
def glossary(database: Database) -> Glossary:
    return Glossary(database)


def term(**values) -> Term:
    return Term(**({"term_ko": "다리 놓기 과제", "term_en": "bridging task", "easy_ko": "배운 뒤에 하는 일."} | values))


async def named(glossary: Glossary, text: str, owner: str = ME) -> list[str]:
    found = await glossary.lookup(owner, text)
    assert not (found.terms and (found.near or found.misspelled))
    return [each.term_en for each in found.terms]


async def test_terms_are_found_by_any_name_also_within_questions(glossary):
    for text in (
        "어텐션",
        "주의 집중",
        "ATTENTION",
        "attention mechanism",
        "어텐션이 뭐야?",
        "What is attention?",
        "Attention이란",
    ):
        assert await named(glossary, text) == ["attention mechanism"], text
    for text in (
        "RAG란?",
        "RAG가 뭔데",
        "rag",
        "ＲＡＧ",
        "RAG는 왜 쓰나요",
        "검색증강 생성에 대해 설명해줘",
        "RAG이뭐죠",
    ):
        assert await named(glossary, text) == ["retrieval-augmented generation"], text
    for text in ("LLMs", "과적합됐다는 말이 무슨 뜻이야", "어텐션이뭐야", "k평균", "F1점수란"):
        assert len(await named(glossary, text)) == 1, text


async def test_the_longest_name_wins_and_several_are_found(glossary):
    assert await named(glossary, "What is self-attention?") == ["self-attention"]
    assert await named(glossary, "멀티 헤드 어텐션이란 무엇인가요") == ["multi-head attention"]
    assert await named(glossary, "정밀도랑 재현율 차이 좀") == ["precision", "recall"]
    assert await named(glossary, "재현율이랑 정밀도 차이, 그리고 재현율 계산") == ["recall", "precision"]
    many = "어텐션 임베딩 드롭아웃 소프트맥스 토큰화 정밀도 재현율"
    assert len(await named(glossary, many)) == 5


async def test_short_names_are_whole_words(glossary):
    for text in ("organ transplant", "fragments", "gander", "오늘 날씨 어때?", "", "???", "ㄱㄴㄷ", "시간 모델"):
        found = await glossary.lookup(ME, text)
        assert (found.terms, found.misspelled) == ([], False), text
    assert await named(glossary, "what is a GAN") == ["generative adversarial network"]
    assert await named(glossary, "GAN들의 차이") == ["generative adversarial network"]


async def test_misspelled_terms_are_near(glossary):
    meant = {
        "어탠션이 뭐야": "attention mechanism",
        "atention": "attention mechanism",
        "trasnformer가 뭐임": "transformer",
        "LTSM 설명": "long short-term memory",
        "할루시네이숀": "hallucination",
        "드롭아우트": "dropout",
        "cross validaton": "cross-validation",
        "강화 학슴이 뭐예요": "reinforcement learning",
    }
    for text, term_en in meant.items():
        found = await glossary.lookup(ME, text)
        assert found.terms == [], text
        assert (found.misspelled, found.near[0].term_en) == (True, term_en), text


async def test_what_only_begins_so_is_no_misspelling(glossary):
    found = await glossary.lookup(ME, "정규화가 뭐야")
    assert not found.terms
    assert not found.misspelled
    assert "regularization" in [each.term_en for each in found.near]
    assert await glossary.lookup(ME, "블루투스가 뭐야") == await glossary.lookup(ME, "양자컴퓨터란?")


async def test_a_term_of_ones_own(glossary, database):
    before = await database.read(library.version, ME)
    added = await glossary.add(ME, term(aliases=["다리 과제", "Bridging  Task", "다리과제", " "], field=" NLP "))
    assert (added.aliases, added.field, added.shared) == (["다리 과제"], "nlp", False)
    for text in ("다리 과제가 뭐야", "bridging tasks", "다리 놓기 과제"):
        assert (await glossary.lookup(ME, text)).terms == [added], text
        assert (await glossary.lookup(YOU, text)).terms == [], text
    assert added in await glossary.list(ME)
    assert added not in await glossary.list(YOU)
    assert await database.read(library.version, ME) != before
    with pytest.raises(NotFound):
        await glossary.remove(YOU, added.id)
    assert await glossary.remove(ME, added.id) == added
    assert (await glossary.lookup(ME, "다리 과제")).terms == []
    with pytest.raises(NotFound):
        await glossary.remove(ME, added.id)


async def test_own_terms_stand_for_everybodys_of_the_same_name(glossary):
    shared = (await glossary.lookup(ME, "attention")).terms[0]
    own = await glossary.add(ME, Term(term_ko="어텐션", expert_ko="우리 팀의 정의."))
    for text in ("어텐션", "attention mechanism", "어텐션과 주의 집중"):
        assert (await glossary.lookup(ME, text)).terms == [own], text
        assert (await glossary.lookup(YOU, text)).terms == [shared], text
    assert (await glossary.lookup(ME, "어탠션")).near[0] == own
    mine = await glossary.list(ME)
    assert own in mine
    assert shared not in mine
    await glossary.remove(ME, own.id)
    assert (await glossary.lookup(ME, "어텐션")).terms == [shared]


async def test_everybodys_terms_stay(glossary):
    shared = (await glossary.list(ME))[0]
    assert shared.shared
    with pytest.raises(SharedTerm) as raised:
        await glossary.remove(ME, shared.id)
    assert shared.term_ko in raised.value.message("ko")


async def test_what_is_no_term_is_refused(glossary):
    wrong = [
        Term(term_ko="이름만"),
        Term(easy_ko="설명만"),
        term(term_ko="", term_en="?!"),
        term(term_en="x" * 201),
        term(aliases=[f"이름 {i}" for i in range(31)]),
        term(easy_en="x" * 4001),
    ]
    for each in wrong:
        with pytest.raises(InvalidTerm):
            await glossary.add(ME, each)
    await glossary.add(ME, term())
    with pytest.raises(TermExists):
        await glossary.add(ME, term(term_ko="", term_en="Bridging-Task"))
    await glossary.add(YOU, term())


async def test_the_same_term_added_at_once_is_added_once(glossary):
    ended = await asyncio.gather(*(glossary.add(ME, term()) for _ in range(4)), return_exceptions=True)
    assert sorted(type(each).__name__ for each in ended) == ["Term", "TermExists", "TermExists", "TermExists"]
