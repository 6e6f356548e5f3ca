"""Which papers a message means: the named ones, those the last answer told of, or a text it brings along."""

import pytest

from dure.teams.stages.known import Known, _listed, _paper, _titles

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


def test_a_list_keeps_its_order_where_a_paper_is_not_in_the_library() -> None:
    answer = (
        "두 편입니다.\n\n1. **A study of seeds** — Ada (1843)\n2. **Attention Is All You Need** — Vaswani\n   덧붙임\n"
    )
    found = [{"id": "x", "title": "Attention is all you need", "aliases": []}]
    listed = [_paper(line, found) for line in _listed(answer)]
    assert [(p["id"], p["title"]) for p in listed] == [("", "A study of seeds"), ("x", "Attention is all you need")]
    assert Known("두 번째 논문 요약해줘", earlier=listed).meant()[0]["id"] == "x"
    assert _listed("1. 하나뿐이다") == []
