"""The lines of passages that a model chooses from."""

from dure.packs.papers.stages.lines import lines_of
from dure.sources import Passage

TEXT = """Table 1: Errors on test data
Model RMSE MAE
Kriging 4.02 2.97
RainNet 3.38 2.11
RainNet + gauges 3.11 1.98
We measured 48 towns. Nights were left out, since dew blinds
the sensor."""
PASSAGE = Passage("d", "Rain", 2, 100, 100 + len(TEXT), TEXT)


def told(question: str) -> list[str]:
    return [line.text for line in lines_of([PASSAGE], question)]


def test_sentences_and_rows_are_lines_with_their_place() -> None:
    lines = lines_of([PASSAGE, PASSAGE], "what was measured?")
    assert [line.label for line in lines if line.label] == ["Kriging", "RainNet", "RainNet + gauges"]
    assert [line.text for line in lines][-2:] == [
        "We measured 48 towns.",
        "Nights were left out, since dew blinds the sensor.",
    ]
    for line in lines:
        assert TEXT[line.source.start - 100 : line.source.end - 100] == line.source.text
        assert line.source.page == 2


def test_of_a_table_whose_row_the_question_names_the_others_are_left_out() -> None:
    rows = ["Kriging 4.02 2.97", "RainNet 3.38 2.11", "RainNet + gauges 3.11 1.98"]
    assert [line for line in told("RainNet의 MAE는?") if line in rows] == [rows[1]]
    assert [line for line in told("MAE of RainNet + gauges?") if line in rows] == [rows[2]]
    assert [line for line in told("MAE가 가장 작은 모형은?") if line in rows] == rows
    assert "We measured 48 towns." in told("RainNet의 MAE는?")
