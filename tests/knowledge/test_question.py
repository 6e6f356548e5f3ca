"""What a question is about."""

import pytest

from dure.knowledge.question import content_terms


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("연차는 무엇인가요?", ["연차", "차는"]),
        ("회사 휴가 정책 알려줘", ["회사", "휴가", "정책"]),
        ("How many days of annual leave do I get?", ["day", "annual", "leave", "get"]),
        ("어디 있나요", ["어디", "있나", "나요"]),
        ("몇몇 회사", ["몇몇", "회사"]),
        ("?!", []),
    ],
)
def test_content_terms(question, wanted):
    assert content_terms(question) == wanted
