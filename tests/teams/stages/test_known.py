"""Which papers a message means: the named ones, those the last answer told of, or a text it brings along."""

import pytest

from dure.teams.stages.known import Known, _titles

EARLIER = [{"id": "a", "title": "A"}, {"id": "b", "title": "B"}, {"id": "c", "title": "C"}]


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
        ("열 번째 논문 요약해줘", ""),
        ("강화학습 논문 요약해줘", ""),
    ],
)
def test_the_last_answer_is_pointed_to(message: str, meant: str) -> None:
    assert "".join(p["id"] for p in Known(message, earlier=EARLIER).meant()) == meant


def test_an_ordinal_beyond_the_list_means_none_of_it() -> None:
    assert Known("다섯 번째 논문 요약해줘", earlier=EARLIER).meant() == []


def test_a_name_wins_over_the_last_answer() -> None:
    named = [{"id": "x", "title": "X"}]
    assert Known("그 X 논문 요약해줘", named=named, earlier=EARLIER).meant() == named


@pytest.mark.parametrize(
    ("message", "given"),
    [
        ("다음 글을 요약해줘: " + "우리는 새로운 문장 표현 방법을 제안한다. " * 3, True),
        ("요약해줘\n" + "x" * 400, True),
        ("Summarize the following text: we propose a method that is new.", True),
        ("BERT 논문 요약해줘", False),
        ("이 글 요약해줘", False),
    ],
)
def test_a_message_may_bring_its_text(message: str, given: bool) -> None:
    assert Known(message).given is given


def test_titles_are_what_is_set_in_bold() -> None:
    answer = (
        '1. **Attention Is All You Need** — Vaswani\n2. **BERT: Pre-training** — Devlin\nand "Deep Residual Learning"'
    )
    assert _titles(answer).splitlines() == ["Attention Is All You Need", "BERT: Pre-training", "Deep Residual Learning"]
    assert _titles("Plain words.") == "Plain words."
