"""The lines that a model chooses from."""

from dataclasses import replace

import pytest

from dure.packs.papers.stages.lines import another_row, asked_rows, only_there, portions
from dure.sources import Passage

LINES = [
    "Model | RMSE | MAE",
    "Model: Kriging | RMSE: 4.02 | MAE: 2.97",
    "Model: RainNet | RMSE: 3.38 | MAE: 2.11",
    "Model: RainNet + gauges | RMSE: 3.11 | MAE: 1.98",
    "We measured 48\ntowns.",
]
OF_MODELS = LINES[1:4]


def units(lines: list[str], context: str = "Table 1") -> list[Passage]:
    return [Passage("d", "Rain", 2, 9 * n, 9 * n + len(text), text, context=context) for n, text in enumerate(lines)]


def told(question: str) -> list[str]:
    return list(asked_rows(units(LINES), question))


def test_lines_are_told_once_and_on_one_line_with_their_place() -> None:
    found = asked_rows(units(LINES) + units(LINES), "what was measured?")
    assert list(found) == [*LINES[:4], "We measured 48 towns."]
    assert all(" ".join(unit.text.split()) == text for text, unit in found.items())


def test_of_a_table_whose_row_the_question_names_the_others_are_left_out() -> None:
    assert [line for line in told("RainNet의 MAE는?") if line in OF_MODELS] == [OF_MODELS[1]]
    assert [line for line in told("MAE of RainNet + gauges?") if line in OF_MODELS] == [OF_MODELS[2]]
    assert [line for line in told("MAE가 가장 작은 모형은?") if line in OF_MODELS] == OF_MODELS
    assert "We measured 48 towns." in told("RainNet의 MAE는?")


def test_rows_of_a_table_stay_together_and_what_has_no_room_comes_next() -> None:
    near, far = "Near " * 20, "Far " * 25
    scores = (0.1, 0.2, 0.9, 0.3, 0.8)
    scored = [replace(u, score=s) for u, s in zip(units([far, *OF_MODELS, near]), scores, strict=True)]
    found = [[unit.text for unit in each] for each in portions([*scored, *scored], 252)]
    assert found == [[*OF_MODELS, near], [far]]


def test_of_a_table_that_fills_more_than_half_of_the_room_the_nearest_rows_come_first() -> None:
    scored = [replace(unit, score=score) for unit, score in zip(units(OF_MODELS), (0.2, 0.9, 0.3), strict=True)]
    found = [[unit.text for unit in each] for each in portions(scored, 100)]
    assert found == [OF_MODELS[1:], OF_MODELS[:1]]


def test_rows_of_another_table_stay() -> None:
    other = ["Model: Kriging | Hours: 7"]
    assert other[0] in asked_rows(units(LINES) + units(other, "Table 2"), "RainNet의 MAE는?")


def test_a_row_that_is_the_papers_own_gives_way_to_another_that_is_named() -> None:
    names, question = ["RainNet: Rain from Radar"], "RainNet 논문에서 Kriging의 MAE는?"
    assert [line for line in asked_rows(units(LINES), question, names) if line in OF_MODELS] == [OF_MODELS[0]]
    assert [line for line in asked_rows(units(LINES), "RainNet의 MAE는?", names) if line in OF_MODELS] == [OF_MODELS[1]]


@pytest.mark.parametrize(
    ("question", "of_another"),
    [
        ("RainNet 논문에서 Kriging은 몇 시간 걸렸어?", False),
        ("RainNet 논문에서 TideNet은 몇 시간 걸렸어?", True),
        ("RainNet은 몇 시간 걸렸어?", False),
        ("how many hours did the run take?", False),
    ],
)
def test_a_line_tells_nothing_of_a_row_that_is_named_elsewhere(question, of_another) -> None:
    [line] = units(["Model: Kriging | Hours: 7"], "Table 2")
    others = units([*LINES, "Model: TideNet | RMSE: 5.01 | MAE: 3.33"])
    assert another_row(line, [line, *others], question, ["RainNet: Rain from Radar"]) == of_another


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("how fast is it on a plain laptop?", True),
        ("노트북에서는 얼마나 빨라?", False),
        # Words that others have too, and the paper's own name.
        ("how fast on a server?", False),
        ("how fast is RainNet?", False),
    ],
)
def test_a_line_alone_has_a_word_of_the_question(question, told) -> None:
    line, *others = units(["RainNet takes 143 ms on a laptop server.", "A server takes 20 ms.", "It rains."])
    assert only_there(line, [line, *others], question, ["RainNet: Rain from Radar"]) == told


def test_a_word_of_hangul_stands_in_a_line_with_another_ending() -> None:
    line, other = units(["재순위화를 끄면 41 ms가 걸린다.", "순위는 표에 있다."])
    assert only_there(line, [line, other], "재순위화는 빼면 얼마나 걸려?", [])
    assert not only_there(line, [line, other], "순위는 어디에 있어?", [])
