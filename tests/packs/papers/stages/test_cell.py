"""The cell of a table that a question names."""

import pytest

from dure.packs.papers.stages.cell import cell_named, in_unit, narrowed
from dure.sources import Passage


def rows(*lines: str) -> dict[str, Passage]:
    return {text: Passage("d", "Seeds", None, 0, 1, text, context="Table 1: Errors (in %)") for text in lines}


ROWS = rows(
    "System: Rules | Micro dev: 0.60 | Micro test: 0.58 | Macro test: 0.51",
    "System: LLM, zero-shot | Micro dev: 0.75 | Micro test: 0.74 | Macro test: 0.70",
    "Rules with a majority vote are weak.",
)
SOWN = rows(
    "씨앗 비율: 10% | 괭이: 4.02 | 쟁기: 2.58",
    "씨앗 비율: 25% | 괭이: 3.41 | 쟁기: 2.17",
    "씨앗 비율: 100% | 괭이: 2.64 | 쟁기: 1.87",
)
DAYS = rows(
    "Window: 0–100% | Days: 50 | RMSE (%): 1.35",
    "Window: 40–80% | Days: 50 | RMSE (%): 1.58",
    "Window: 40–80% | Days: 10 | RMSE (%): 2.20",
)
ASKED = rows(
    "질의: 옆 밭 울타리가 창문을 가려요 | 근거 조문: 제217조 | 판정: 관련",
    "질의: 봄에 뿌린 씨앗이 안 나요 | 근거 조문: 제654조 | 판정: 무관",
)


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("macro F1 of the LLM without examples?", "System: LLM, zero-shot"),
        ("LLM은 macro가 얼마야?", "System: LLM, zero-shot"),
        ("F1 of the LLM on test?", None),
        ("macro F1 of the transformer?", None),
        ("why are rules weak?", None),
    ],
)
def test_a_row_is_named_with_one_of_its_columns(question, row) -> None:
    found = cell_named(ROWS, question)
    assert (found and (found.row.partition(" | ")[0], found.column)) == (row and (row, "Macro test"))
    assert found is None or not found.by_figure


@pytest.mark.parametrize(
    ("lines", "question", "row", "column"),
    [
        (SOWN, "씨앗을 4분의 1만 뿌렸을 때 괭이 오차는?", 1, "괭이"),
        (SOWN, "쟁기는 씨앗 25%에서 얼마야?", 1, "쟁기"),
        (SOWN, "error of 괭이 with a quarter of the seeds?", 1, "괭이"),
        (DAYS, "RMSE of the window 40-80% after 50 days?", 1, "RMSE (%)"),
        (DAYS, "what RMSE with 10 days?", 2, "RMSE (%)"),
        # Two rows have the figure, none has both or any, or no column is named.
        (DAYS, "RMSE of the window 0-100% after 10 days?", None, None),
        (DAYS, "what RMSE after 50 days?", None, None),
        (SOWN, "씨앗을 3분의 1만 뿌렸을 때 괭이 오차는?", None, None),
        (SOWN, "씨앗 25%에서 오차는?", None, None),
        # Figures of names and of the very cells that are asked for tell no row.
        (SOWN, "괭이 오차가 3.41인 것은?", None, None),
        (DAYS, "RMSE@10?", None, None),
    ],
)
def test_a_row_is_named_by_the_figures_that_it_alone_has(lines, question, row, column) -> None:
    found = cell_named(lines, question)
    assert found == (None if row is None else ([*lines][row], column, True))


def test_letters_that_words_share_name_no_row() -> None:
    assert cell_named(ASKED, "조문을 보고 이름이 덜 가려져서 뺀 것이 몇 건이야?") is None
    assert cell_named(ASKED, "울타리 질의의 근거 조문은?") is None
    found = cell_named(ASKED, "옆 밭 울타리가 나오는 질의의 근거 조문은?")
    assert found == (next(iter(ASKED)), "근거 조문", False)


@pytest.mark.parametrize(
    ("question", "told"),
    [("몇 퍼센트였어?", True), ("몇 명이야?", False), ("how many days did it take?", True), ("how long?", False)],
)
def test_a_table_says_in_its_names_what_its_figures_count(question, told) -> None:
    [*_, (row, unit)] = DAYS.items()
    assert in_unit(unit, row, question) == told
    assert not in_unit(unit, "The window grew by 3 % in 10 days.", question)


MODELS = rows(
    "System: SowNet | Error (test): 4.2",
    "System: Rain (old) | Error (test): 5.3",
    "System: SowNet + Rain | Error (test): 3.8",
)


@pytest.mark.parametrize(
    ("question", "row"),
    [("error of SowNet, leaving out rain?", None), ("error of SowNet + rain?", 2)],
)
def test_of_a_row_whose_words_name_another_too_nothing_is_sure(question, row) -> None:
    found = cell_named(MODELS, question)
    assert (found and found.row) == (None if row is None else [*MODELS][row])


@pytest.mark.parametrize(
    ("lines", "question", "shown"),
    [
        (SOWN, "씨앗을 4분의 1만 뿌렸을 때 괭이 오차는?", "씨앗 비율: 25% | 괭이: 3.41"),
        (DAYS, "what RMSE with 10 days?", "Window: 40–80% | Days: 10 | RMSE (%): 2.20"),
        (ROWS, "macro F1 of the LLM without examples?", "System: LLM, zero-shot | Macro test: 0.70"),
    ],
)
def test_a_cell_is_shown_without_the_figures_of_other_columns(lines, question, shown) -> None:
    found = cell_named(lines, question)
    assert found is not None
    assert narrowed(found, question) == shown


def test_a_row_is_not_named_by_words_where_others_have_figures_of_the_question() -> None:
    both = ROWS | DAYS
    assert cell_named(both, "macro F1 of the LLM?") is not None
    assert cell_named(both, "macro F1 of the LLM after 10 and 50 days?") is None
