"""What several sentences of one item or paragraph say is told of by one statement."""

import pytest
from fixtures.passages import passage

from dure.knowledge.cite import cite

SAFETY = passage(
    "## 4. 사고의 보고\n"
    "- 사고가 나면 1시간 안에 안전팀에 알린다.\n"
    "- 아차사고는 한 달에 조마다 2건 이상 신고한다. 신고 한 건에 5,000원을 준다.\n"
    "- 훈련은 해마다 두 번 한다. 빠진 사람은 7일 안에 따로 받는다.",
    "안전수칙",
)
ACTIONS = passage(
    "1. Replace the pin every 50,000 strokes. Owner: Ga Onyu, due 30 April 2026.\n"
    "2. Measure the hole every 500 pieces. Owner: Yeo Minjae, due 24 April 2026.\n"
    "3. Add a position sensor to fixture F-12. Owner: Ga Onyu, due 30 June 2026, cost KRW 7,800,000.",
    "8D",
)


@pytest.mark.parametrize(
    ("said", "quotes"),
    [
        ("아차사고는 한 달에 조마다 2건 이상 신고합니다(건당 5,000원) [1].", ["아차사고는 한 달에", "신고 한 건에"]),
        (
            "사고가 나면 1시간 안에 안전팀에 알리고, 아차사고는 한 달에 조마다 2건 이상 신고합니다(건당 5,000원) [1].",
            ["사고가 나면", "아차사고는 한 달에", "신고 한 건에"],
        ),
        ("훈련은 해마다 두 번 하고 빠지면 7일 안에 따로 받습니다 [1].", ["훈련은", "빠진"]),
    ],
)
def test_what_an_item_says_in_two_sentences_is_quoted_from_both(said: str, quotes: list[str]) -> None:
    _, citations, found = cite(said, [SAFETY])
    assert found == []
    assert [any(quote in each.quote for each in citations) for quote in quotes] == [True] * len(quotes)


def test_a_name_and_what_the_next_sentence_tells_of_it() -> None:
    _, citations, found = cite("A position sensor for fixture F-12 costs KRW 7,800,000 by 30 June 2026 [1].", [ACTIONS])
    assert found == []
    assert [each.quote for each in citations] == [ACTIONS.text.rpartition("\n")[2]]


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("아차사고는 한 달에 조마다 2건 이상 신고합니다(건당 6,000원) [1].", ["6,000"]),
        ("아차사고는 7일 안에 2건 이상 신고합니다 [1].", ["7"]),
        ("A position sensor for fixture F-12 is due on 24 April 2026 [1].", ["24 April 2026"]),
    ],
)
def test_what_another_item_says_is_not_of_it(said: str, missing: list[str]) -> None:
    found = cite(said, [SAFETY if "아차" in said else ACTIONS]).checks
    assert [each["missing"] for each in found or []] == [missing]
