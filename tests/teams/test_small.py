"""Plans of small models, made by rule."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dure import Dure
from dure.agents import RunContext
from dure.teams.small import pieces, steps_of

PIECES = [
    ("안녕하세요", ["안녕하세요"]),
    ("지역별 매출 합계를 표와 그래프로 보여줘", ["지역별 매출 합계를 표와 그래프로 보여줘"]),
    ("매출 합계를 구하고, 평균을 파이썬으로 계산해줘", ["매출 합계를 구하고", "평균을 파이썬으로 계산해줘"]),
    (
        "합계를 구한 뒤 내 승인을 받은 다음, 코드를 실행해줘",
        ["합계를 구한 뒤", "내 승인을 받은 다음", "코드를 실행해줘"],
    ),
    ("Sum up my table, and then run code.", ["Sum up my table", "run code."]),
    ("Sum up my table. Run code on it.", ["Sum up my table.", "Run code on it."]),
]


@pytest.mark.parametrize(("message", "found"), PIECES)
def test_a_message_is_cut_where_work_ends(message: str, found: list[str]) -> None:
    assert pieces(message) == found


@pytest.mark.parametrize(
    ("begin", "unit", "end"),
    [("", ",;", ""), ("a and then", ",;", ""), ("", "!;", ""), ("", "ab then ", ""), ("", "a;b", ""), ("", " ", ";")],
)
def test_cutting_is_linear_in_the_message(begin: str, unit: str, end: str, assert_linear: Callable[..., None]) -> None:
    assert_linear(pieces, lambda n: begin + unit * (n // len(unit)) + end, 100_000)


def test_of_many_pieces_the_last_is_the_rest() -> None:
    found = pieces("; ".join(f"do thing {n}" for n in range(1000)))
    assert len(found) == 20
    assert found[:2] == ["do thing 0", "do thing 1"]
    assert found[-1].startswith("do thing 19; do thing 20")


def test_the_readmes_examples_are_planned_as_they_say() -> None:
    """Those with several pieces; what one piece is for, its examples tell."""
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    said = re.findall(r'--team office (?:--session \w+ )?"(.+?)"', readme)
    cut = [pieces(message) for message in said]
    assert [len(each) for each in cut] == [1, 1, 1, 3]
    assert cut[-1] == ["표에서 지역별 합계를 구하고", "내 승인을 받은 뒤", "그 평균을 파이썬 코드로 계산해줘"]


STEPS = [
    ("1부터 100까지 소수의 합을 파이썬으로 계산해줘", [("code", [])]),
    ("표에서 합계를 구하고, 그 평균을 파이썬 코드로 계산해줘", [("data", []), ("code", [1])]),
    ("표에서 합계를 구하고, 표의 평균도 구해줘", [("data", [])]),
    (
        "표에서 합계를 구한 뒤 내 승인을 받은 다음, 코드를 실행해줘",
        [("data", []), ("hitl", [1]), ("code", [1, 2])],
    ),
    ("뭔가를 하고, 다른 것을 해줘", [("code", [])]),
]


@pytest.mark.parametrize(("message", "expected"), STEPS)
async def test_each_piece_goes_to_whom_its_words_name(message: str, expected: list[tuple[str, list[int]]]) -> None:
    run = RunContext("o", "r", "s", message, None, {}, lambda event: None)  # type: ignore[arg-type]
    steps = await steps_of(Dure().teams["office"], run, "code", 3)
    assert [(s["agent"], s["depends_on"]) for s in steps] == expected
    assert [s["step"] for s in steps] == [*range(1, len(steps) + 1)]
    assert [s["requires_approval"] for s in steps] == [s["agent"] == "hitl" for s in steps]
