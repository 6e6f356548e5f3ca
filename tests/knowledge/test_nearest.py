"""Sentences and rows that are nearest to a question in several phrasings."""

from dure.knowledge.excerpt import nearest
from dure.sources import Passage

TEXT = "Labelling was slow. Two lawyers spent 310 hours on it. The rooms were painted blue."
PASSAGES = [
    Passage("d", "Paper", 1, 0, len(TEXT), TEXT, score=1.0),
    Passage("d", "Paper", 2, 200, 230, "Colours are not our matter.", score=0.5),
]


def best(units: list[Passage]) -> str:
    return max(units, key=lambda unit: unit.score).text


async def test_all_come_in_their_order_and_the_nearest_counts_one() -> None:
    units = await nearest(["What colour were the rooms?"], PASSAGES)
    assert [unit.text for unit in units] == [
        "Labelling was slow.",
        "Two lawyers spent 310 hours on it.",
        "The rooms were painted blue.",
        "Colours are not our matter.",
    ]
    assert max(unit.score for unit in units) == 1.0
    assert best(units) == "The rooms were painted blue."


async def test_another_phrasing_leads_where_the_question_has_no_word_of_it() -> None:
    asked = "벽은 무슨 색이었대?"
    assert best(await nearest([asked, "The walls of the rooms were painted white."], PASSAGES)) == (
        "The rooms were painted blue."
    )


async def test_a_figure_that_is_asked_for_counts() -> None:
    assert best(await nearest(["얼마나 걸렸대?"], PASSAGES)) == "Two lawyers spent 310 hours on it."


async def test_of_nothing_nothing_is_nearest() -> None:
    assert await nearest(["What?"], []) == []
