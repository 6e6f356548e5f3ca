"""Which papers a message means: the named ones, those of an answer before, or a text; alone and over a conversation."""

from typing import Any

import pytest

from dure.models import ChatClient, Model
from dure.packs.papers.stages.known import Known, _listed, _paper, _titles
from dure.testing import ScriptedServer

EARLIER = [{"id": "a", "title": "A"}, {"id": "b", "title": "B"}, {"id": "c", "title": "C"}]
BERT = {"id": "bert", "title": "BERT: Pre-training of Deep Bidirectional Transformers", "aliases": ["BERT"]}
ROBERTA = {"id": "roberta", "title": "RoBERTa: A Robustly Optimized BERT Approach", "aliases": ["RoBERTa"]}


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("첫 번째 논문 요약해줘", "a"),
        ("두번째 거 핵심만", "b"),
        ("Summarize the second one", "b"),
        ("마지막 논문의 한계는?", "c"),
        ("그 논문 자세히 설명해줘", "a"),
        ("위에 나온 논문들 비교해줘", "abc"),
        ("how do those papers differ?", "abc"),
        ("첫 번째와 세 번째를 비교해줘", "ac"),
        ("compare the first two", "ab"),
        ("그 두 논문을 각각 요약해줘", "ab"),
        ("열 번째 논문 요약해줘", ""),
        ("강화학습 논문 요약해줘", ""),
        ("그래프 신경망 논문 요약해줘", ""),
        ("Summarize the paper that introduced graph attention", ""),
    ],
)
def test_the_last_answer_is_pointed_to(message: str, meant: str) -> None:
    assert "".join(p["id"] for p in Known(message, earlier=EARLIER).meant()) == meant


def test_a_place_beyond_the_list_means_none_of_it_and_no_search() -> None:
    known = Known("다섯 번째 논문 요약해줘", earlier=EARLIER)
    assert known.meant() == []
    assert known.settled


def test_a_name_wins_over_the_last_answer() -> None:
    assert Known("그 X 논문 요약해줘", named=[BERT], earlier=EARLIER).meant() == [BERT]


def test_a_name_is_compared_with_what_is_pointed_to() -> None:
    assert Known("그 논문을 BERT와 비교해줘", named=[BERT], earlier=EARLIER).meant() == [BERT, EARLIER[0]]


def test_what_was_spoken_of_is_compared_with_a_place_of_the_list_before() -> None:
    known = Known("그 논문이랑 첫 번째 논문을 비교해줘", earlier=[BERT], listed=EARLIER)
    assert known.meant() == [BERT, EARLIER[0]]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("다음 글을 요약해줘: " + "우리는 새로운 방법을 제안한다. " * 3, "우리는 새로운 방법을 제안한다. " * 3),
        ("방금 답을 한 문장으로 요약해줘", "The answer."),
        ("Summarize your last answer", "The answer."),
        ("그거 요약해줘", "The answer."),
        ("그래프 신경망 논문 요약해줘", ""),
        ("BERT 논문 요약해줘. " + "저는 다음 주에 세미나에서 발표해야 합니다. " * 20, ""),
    ],
)
def test_a_text_is_meant(message: str, text: str) -> None:
    known = Known(message, answer="The answer.")
    assert known.text == text.strip()
    assert known.given is bool(text)


def test_titles_are_what_is_set_in_bold() -> None:
    answer = (
        '1. **Attention Is All You Need** — Vaswani\n2. **BERT: Pre-training** — Devlin\nand "Deep Residual Learning"'
    )
    assert _titles(answer).splitlines() == ["Attention Is All You Need", "BERT: Pre-training", "Deep Residual Learning"]
    assert _titles("Plain words.") == "Plain words."
    assert _listed("1. 하나뿐이다") == []


@pytest.mark.parametrize(
    ("head", "id"),
    [
        ("BERT: Pre-training of Deep Bidirectional Transformers", "bert"),
        ("RoBERTa: A Robustly Optimized BERT Approach", "roberta"),
        ("RoBERTa", "roberta"),
        ("The BERT paper", "bert"),
        ("BERT 논문", "bert"),
        ("DistilBERT, a distilled version of BERT", ""),
        ("BERT Rediscovers the Classical NLP Pipeline", ""),
        ("BERT-based ranking", ""),
        ("A study of seeds", ""),
    ],
)
def test_a_line_of_a_list_is_its_own_paper(head: str, id: str) -> None:
    assert _paper(head, [BERT, ROBERTA])["id"] == id


LANGUAGE = """1. **BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding** — Devlin (2019)
2. **RoBERTa: A Robustly Optimized BERT Pretraining Approach** — Liu (2019)
3. **A paper that is nowhere** — Nobody (2020)
4. **Deep Residual Learning for Image Recognition** — He (2016)"""
SUMMARY = "이 논문의 요점입니다.\n1. 문제: 학습이 어렵다.\n2. 방법: 잔차를 쓴다.\n3. 결과: **BERT**보다 깊다."


def read(answer: Any) -> list[str]:
    return [call["args"]["paper"] for call in answer.tool_calls if call["name"] == "read_paper"]


async def test_follow_up_after_follow_up_points_to_the_list(opened, make_scholar, ask) -> None:
    scholar = make_scholar(LANGUAGE)
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        await ask(dure, "언어 모델 논문 찾아줘", session_id="s")
        scholar.words = SUMMARY
        answer, agents = await ask(dure, "두 번째 논문 요약해줘", session_id="s")
        assert agents == ["summarize"]
        assert "RoBERTa: A Robustly Optimized BERT" in answer.response
        answer, agents = await ask(dure, "Summarize the first one", session_id="s")
        assert agents == ["summarize"]
        assert "BERT: Pre-training of Deep" in answer.response
        answer, _ = await ask(dure, "그 논문이랑 네 번째 논문을 비교해줘", session_id="s")
        assert "BERT: Pre-training of Deep" in answer.response
        assert "Deep Residual Learning" in answer.response
        answer, agents = await ask(dure, "세 번째 논문 요약해줘", session_id="s")
        assert read(answer) == ["A paper that is nowhere"], (
            "one that the library does not have is not replaced by another"
        )
        answer, agents = await ask(dure, "아홉 번째 논문 요약해줘", session_id="s")
        assert (agents, read(answer)) == (["summarize"], [])
        assert "4편" in answer.response


async def test_a_topic_after_a_list_is_searched_for(opened, make_scholar, ask) -> None:
    scholar = make_scholar(
        "1. **Deep Residual Learning for Image Recognition**\n2. **Denoising Diffusion Probabilistic Models**"
    )
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        await ask(dure, "이미지에 관한 논문 찾아줘", session_id="s")
        scholar.words = "요약입니다."
        answer, agents = await ask(dure, "그래프 신경망 논문 요약해줘", session_id="s")
    assert agents == ["search_paper", "summarize"]
    assert "Deep Residual" not in answer.response


async def test_the_last_answer_is_summarised(opened, make_scholar, ask) -> None:
    scholar = make_scholar("과적합은 모델이 훈련 자료를 외워서 생깁니다.")
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        await ask(dure, "과적합은 왜 생기는 거야?", session_id="s")
        for message in ("방금 답을 한 문장으로 요약해줘", "그 설명을 요약해줘", "Summarize your last answer"):
            answer, agents = await ask(dure, message, session_id="s")
            assert (agents, read(answer)) == (["summarize"], [])
            assert "과적합은 모델이 훈련 자료를 외워서 생깁니다." in scholar.given[-1]


async def test_a_long_message_may_name_a_paper(opened, make_scholar, ask) -> None:
    scholar = make_scholar("요약입니다.")
    scholar.needs = ["summarize"]
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        about_me = "저는 자연어 처리를 처음 공부하는 대학원생이고 다음 주에 연구실 세미나에서 발표해야 합니다. " * 6
        answer, agents = await ask(dure, f"BERT 논문 요약해줘. {about_me}", session_id="s")
    assert agents == ["summarize"]
    assert len(read(answer)) == 1
    assert "BERT: Pre-training of Deep" in answer.response


async def test_a_small_models_conversation_keeps_its_list(opened, make_scholar, ask) -> None:
    async with ScriptedServer(respond=make_scholar("답")) as server:
        dure = await opened(model=Model(ChatClient(server.url, "scripted"), dialect="schema", small=True))
        answer, _ = await ask(dure, "물체 탐지 논문 찾아줘", session_id="s")
        titles = [line.split("**")[1] for line in answer.response.splitlines() if line[:1].isdigit()]
        for message, title in zip(
            ("첫 번째 논문 요약해줘", "두 번째 논문 요약해줘", "Summarize the third one"), titles, strict=False
        ):
            answer, agents = await ask(dure, message, session_id="s")
            assert agents == ["summarize"]
            assert len(read(answer)) == 1
            assert title in answer.response
