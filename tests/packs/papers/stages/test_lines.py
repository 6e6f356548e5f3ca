"""The lines that a model chooses from."""

from dure.packs.papers.stages.read import asked_rows
from dure.sources import Passage

LINES = [
    "Model | RMSE | MAE",
    "Model: Kriging | RMSE: 4.02 | MAE: 2.97",
    "Model: RainNet | RMSE: 3.38 | MAE: 2.11",
    "Model: RainNet + gauges | RMSE: 3.11 | MAE: 1.98",
    "We measured 48\ntowns.",
]
ROWS = LINES[1:4]


def units(lines: list[str], context: str = "Table 1") -> list[Passage]:
    return [Passage("d", "Rain", 2, 9 * n, 9 * n + len(text), text, context=context) for n, text in enumerate(lines)]


def told(question: str) -> list[str]:
    return list(asked_rows(units(LINES), question))


def test_lines_are_told_once_and_on_one_line_with_their_place() -> None:
    found = asked_rows(units(LINES) + units(LINES), "what was measured?")
    assert list(found) == [*LINES[:4], "We measured 48 towns."]
    assert all(" ".join(unit.text.split()) == text for text, unit in found.items())


def test_of_a_table_whose_row_the_question_names_the_others_are_left_out() -> None:
    assert [line for line in told("RainNet의 MAE는?") if line in ROWS] == [ROWS[1]]
    assert [line for line in told("MAE of RainNet + gauges?") if line in ROWS] == [ROWS[2]]
    assert [line for line in told("MAE가 가장 작은 모형은?") if line in ROWS] == ROWS
    assert "We measured 48 towns." in told("RainNet의 MAE는?")


def test_rows_of_another_table_stay() -> None:
    other = ["Model: Kriging | Hours: 7"]
    assert other[0] in asked_rows(units(LINES) + units(other, "Table 2"), "RainNet의 MAE는?")
