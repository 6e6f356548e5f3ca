"""When a message wants a term added, and when it only speaks of something like it."""

import pytest

from dure.packs.papers.stages.glossary import _ADDS


@pytest.mark.parametrize(
    ("message", "adds"),
    [
        ("용어집에 추가해줘", True),
        ("이 말을 용어집에 새로 등록해 주세요", True),
        ("용어집에 넣어줘", True),
        ("용어집에 '온길'을 추가해줘. 뜻은 전자결재 시스템이야.", True),
        ("용어집에 그래프 풀링을 등록해 주세요", True),
        ("용어집에 없는 말을 추가로 설명해줘", False),
        ("사전에 추가해줘", True),
        ("add it to the glossary", True),
        ("please put this word in my glossary", True),
        ("사전 등록 연구가 뭐야?", False),
        ("사전에 등록된 실험이란?", False),
        ("사전 추가 학습이 뭐야?", False),
        ("용어집이 뭐야?", False),
    ],
)
def test_who_wants_a_term_added_says_so(message: str, adds: bool) -> None:
    assert (_ADDS.search(message) is not None) == adds
