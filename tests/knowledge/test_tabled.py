"""What is told of results that were made of tables: the rows that it quotes, and its figures that are missing."""

import pytest

from dure.knowledge.cite import Cited, cite
from dure.sources import Passage

HEAD = ["run", "oven", "date", "yield_pct", "minutes", "zone"]
RUNS = [
    ("R-101", "KF-1", "2026-03-05", "91.5", "40", "3"),
    ("R-102", "KF-2", "2026-03-12", "88.2", "55", "1"),
    ("R-103", "KF-1", "2026-03-17", "93.0", "65", "2"),
    ("R-104", "KF-3", "2026-03-19", "76.4", "35", "3"),
    ("R-105", "KF-2", "2026-04-02", "84.1", "50", "1"),
    ("R-106", "KF-3", "2026-04-09", "79.8", "45", "2"),
    ("R-107", "KF-1", "2026-04-17", "90.3", "70", "2"),
]


def sheet(rows: list[tuple[str, ...]], head: list[str], name: str = "", page: int = 1) -> Passage:
    lines = [" | ".join(head), *(" | ".join(f"{n}: {c}" for n, c in zip(head, row, strict=True)) for row in rows)]
    text = "\n".join(lines)
    start = 1000 * page
    return Passage("d", "가마_기록_2026H1", page, start, start + len(text), text, context=name and f"[{name}]")


def result(*rows: tuple[str, ...]) -> str:
    head, *others = rows
    lines = [head, tuple("---" for _ in head), *others]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines) + f"\n\n({len(others)} rows)"


def told(reply: str, passages: list[Passage], *results: str, asked: str = "?") -> Cited:
    made = {number: [*results] for number, _ in enumerate(passages, 1)}
    return cite(reply, passages, asked, told=[*results], results=made)


def missing(cited: Cited) -> list[str]:
    return [name for each in cited.checks or () for name in each["missing"]]


OVENS = result(
    ("oven", "middle", "runs", "share"),
    ("KF-1", "91.47", "17", "60"),
    ("KF-2", "86.2", "12", "5"),
    ("KF-3", "78", "9", "35"),
)
TABLE = "| oven | middle | runs | share |\n|---|---|---|---|\n| KF-1 | 91.47 | 17 | 60% |\n| KF-2 | 86.20 | 12 | 5% |\n"


@pytest.mark.parametrize(
    "said",
    [
        TABLE,
        "KF-1 had 17 runs and KF-2 had 12, 5 of a hundred [1].",
        "KF-1은 17회, KF-2는 12회로 전체의 5%입니다 [1].",
    ],
)
def test_no_row_whose_day_or_number_is_a_count_is_quoted_for_it(said: str) -> None:
    cited = told(said, [sheet(RUNS, HEAD)], OVENS)
    assert [each.quote.split("\n")[0] for each in cited.citations] == [" | ".join(HEAD)]
    assert cited.text.count("[1]") == 1
    assert not missing(cited)


def test_rows_are_quoted_of_which_a_figure_is_the_average_the_most_or_the_sum() -> None:
    made = result(("oven", "average", "longest", "all"), ("KF-2", "86.15", "55", "105"))
    for said in ("KF-2는 평균 86.15%입니다 [1].", "KF-2 took 105 minutes in all [1]."):
        cited = told(said, [sheet(RUNS, HEAD)], made)
        assert [each.quote[:5] + each.quote[5:10] for each in cited.citations] == ["run: R-102", "run: R-105"]
    cited = told("The longest of KF-2 took 55 minutes [1].", [sheet(RUNS, HEAD)], made)
    assert [each.quote[:10] for each in cited.citations] == ["run: R-102"]


SHOPS = ["지점", "품목", "매출"]
MARCH = sheet([("동부", "차", "350"), ("동부", "빵", "420"), ("서부", "차", "260")], SHOPS, "3월", 1)
APRIL = sheet(
    [("동부", "차", "510"), ("서부", "차", "610"), ("남부", "빵", "180"), ("서부", "빵", "90")], SHOPS, "4월", 2
)


@pytest.mark.parametrize(
    ("said", "asked"),
    [("동부의 매출은 770원입니다.", "3월 지점별 매출은?"), ("3월 동부 매출은 770원입니다 [1][2].", "얼마야?")],
)
def test_no_row_of_another_sheet_is_quoted_than_the_one_that_is_asked_of(said: str, asked: str) -> None:
    cited = told(said, [MARCH, APRIL], result(("지점", "합"), ("동부", "770"), ("서부", "260")), asked=asked)
    assert [(each.page, each.quote) for each in cited.citations] == [
        (1, "지점: 동부 | 품목: 차 | 매출: 350\n지점: 동부 | 품목: 빵 | 매출: 420")
    ]
    assert not missing(cited)


def test_each_of_several_things_has_its_own_row() -> None:
    made = result(("지점", "최대"), ("서부", "610"), ("동부", "510"), ("남부", "180"))
    cited = told("4월에는 서부가 610원, 동부가 510원, 남부가 180원으로 가장 컸습니다 [1].", [APRIL], made)
    quoted = "\n".join(each.quote for each in cited.citations)
    assert all(each in quoted for each in ("동부 | 품목: 차", "서부 | 품목: 차", "남부 | 품목: 빵"))
    assert "서부 | 품목: 빵" not in quoted


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("| 17 |", "| 19 |"), ("| 12 |", "| 17 |"), ("91.47", "86.20"), ("5%", "7%"), ("| 17 |", "| 12 |")],
)
def test_a_cell_is_held_against_the_row_that_a_row_names(right: str, wrong: str) -> None:
    assert not missing(told(TABLE, [sheet(RUNS, HEAD)], OVENS))
    assert missing(told(TABLE.replace(right, wrong), [sheet(RUNS, HEAD)], OVENS))


def test_figures_of_another_row_are_named_in_a_sentence_too() -> None:
    passages = [sheet(RUNS, HEAD)]
    assert missing(told("KF-2는 17회, KF-3은 9회입니다.", passages, OVENS)) == ["17"]
    assert missing(told("KF-2 had 17 runs [1].", passages, OVENS)) == ["17"]
    # What is said of several is of any of these, and what is asked may be said again.
    assert not missing(told("KF-1 and KF-2 had 17 and 12 runs.", passages, OVENS))
    assert not missing(told("In 2026 KF-2 had 12 of 50 runs.", passages, OVENS, asked="How many of 50 in 2026?"))


def test_what_an_answer_works_out_in_a_column_of_its_own_is_no_other_rows() -> None:
    made = result(("지점", "합"), ("동부", "770"), ("서부", "230"))
    said = (
        "| 지점 | 합 | 비중 |\n|---|---|---|\n| 동부 | 770 | 77.0% |\n| 서부 | 230 | 23.0% |\n| 합계 | 1,000 | 100% |"
    )
    assert not missing(told(said, [MARCH], made, asked="1,000원 가운데 몫은?"))


def test_the_name_of_a_file_is_known_as_a_whole_and_by_its_part() -> None:
    passages = [sheet(RUNS, HEAD)]
    assert not missing(told("결과입니다 (표: 가마_기록_2026H1).", passages, OVENS))
    assert not missing(told("The record of H1 has KF-1 at 91.47 [1].", passages, OVENS))
    assert missing(told("The record of H2 has KF-1 at 91.47 [1].", passages, OVENS)) == ["H2"]


def general(cited: Cited) -> list[str]:
    return [each["sentence"] for each in cited.checks or () if not each["missing"]]


GAPS = result(("oven", "runs", "note"), ("KF-1", "17", "late"), ("KF-2", "12", ""), ("KF-3", "9", ""))


@pytest.mark.parametrize(
    ("said", "made", "sourced"),
    [
        ("이 가운데 2건은 비고 칸이 비어 있습니다.", GAPS, True),
        ("Of these 2 have nothing written beside them.", GAPS, True),
        ("정전으로 멈추었던 가마는 한 대도 없었습니다.", result(("oven", "stops")), True),
        ("표: 가마_기록_2026H1의 전체 [1]. 뺀 줄이나 덜 적힌 칸은 없습니다.", GAPS, True),
        ("온도가 높을수록 세라믹 소성 속도는 빨라지게 마련입니다.", GAPS, False),
        ("세라믹은 급하게 식히면 금이 가므로 서두르지 않아야 합니다.", GAPS, False),
    ],
)
def test_what_is_told_of_empty_cells_and_of_no_rows_needs_no_source(said: str, made: str, sourced: bool) -> None:
    cited = told(f"KF-1은 17회입니다 [1].\n\n{said}", [sheet(RUNS, HEAD)], made)
    assert bool(general(cited)) == (not sourced)


MEMBERS = ["번호", "이름", "구분", "이체", "납입액"]
NAMED = [
    ("M-01", "노가온", "정조합원", "Y", "5000000"),
    ("M-02", "류솔", "정조합원", "N", "3000000"),
    ("M-03", "민들레", "준조합원", "N", "5000000"),
]


def test_the_row_that_a_result_names_is_quoted_not_another_one_with_its_figure() -> None:
    whole, row = sheet(NAMED, MEMBERS), sheet([("M-09", "봉하늘", "정조합원", "N", "5000000")], MEMBERS, page=2)
    made = {1: [result(("n",), ("26",))], 2: [result(("번호", "이름", "납입액"), ("M-09", "봉하늘", "5000000"))]}
    row = Passage("d", row.title, 1, row.start, row.end, row.text.split("\n")[1])
    said = "이체하지 않는 정조합원 26명 가운데 봉하늘(M-09, 5,000,000원)이 가장 많습니다 [1]."
    cited = cite(said, [whole, row], "?", told=[*made[1], *made[2]], results=made)
    assert not any("노가온 | 구분: 정조합원 | 이체: Y" in each.quote.split("\n")[-1] for each in cited.citations)


def test_a_group_is_of_the_key_of_the_results_row() -> None:
    head = ["plant", "type", "alarm", "cost"]
    rows = [
        ("H-2", "repair", "E03", "680000"),
        ("H-2", "cleaning", "", "90000"),
        ("H-4", "repair", "E09", "680000"),
        ("H-4", "cleaning", "E04", "1900000"),
        ("H-5", "repair", "E03", "410000"),
    ]
    made = result(("plant", "sum", "n"), ("H-2", "680000", "1"), ("H-4", "680000", "1"), ("H-5", "410000", "1"))
    for said in ("| plant | sum |\n|---|---|\n| H-4 | 680,000 [1] |", "H-4 cost 680,000 won [1]."):
        (cited,) = told(said, [sheet(rows, head)], made).citations
        assert cited.quote == "plant: H-4 | type: repair | alarm: E09 | cost: 680000"


def test_a_row_of_totals_is_of_all_that_a_result_names() -> None:
    made = result(("지점", "합"), ("동부", "770"), ("서부", "260"), ("합계", "1030"))
    said = "동부는 770원으로 전체 1,030원의 {}%입니다 [1]."
    assert not missing(told(said.format("74.8"), [MARCH], made))
    assert "260" in missing(told(said.format("74.8").replace("1,030", "260"), [MARCH], made))


@pytest.mark.parametrize("said", ["가마는 모두 {}대입니다.", "The kilns number {}. The best is KF-1 [1]."])
def test_what_is_counted_of_a_table_is_a_figure_of_a_result_wherever_the_marker_stands(said: str) -> None:
    one = result(("n", "best"), ("14", "KF-1"))
    cited = [missing(told(said.format(n), [sheet(RUNS, HEAD)], one)) for n in ("14", "15", "41", "7", "1")]
    assert [bool(each) for each in cited] == [False, True, True, True, False]
    # Rows of a result may be counted, those of one cell, and what a column adds up to.
    several = [missing(told(said.format(n), [sheet(RUNS, HEAD)], OVENS)) for n in ("3", "38", "37")]
    assert [bool(each) for each in several] == [False, False, True]


@pytest.mark.parametrize(
    ("head", "row", "wrong"),
    [
        ("oven | middle | runs | share", "KF-2 | 86.2 | 21 | 5", ["21"]),
        ("oven | middle | runs | share", "KF-2 | 86.2 | 12 | 5", []),
        # Another name for a column whose other cells are the result's; fewer places.
        ("가마 | 중앙값 | 횟수 | 비율", "KF-2 | 86 | 8 | 5", ["8"]),
        ("가마 | 중앙값 | 횟수 | 비율", "KF-2 | 86 | 12 | 5", []),
        # What is worked out has a column of its own.
        ("가마 | 중앙값 | 누계", "KF-2 | 86.2 | 177.67", []),
        # The first column may count the rows.
        ("순위 | oven | runs", "2 | KF-2 | 21", ["21"]),
    ],
)
def test_a_cell_that_a_result_has_in_the_row_and_column_is_made_of_no_others(
    head: str, row: str, wrong: list[str]
) -> None:
    first, last = {
        "순위": ("1 | KF-1 | 17", "3 | KF-3 | 9"),
        "가마 | 중앙값": ("KF-1 | 91.47 | 91.47", "KF-3 | 78 | 255.67"),
    }.get(head.rpartition(" | ")[0].removesuffix(" | oven"), ("KF-1 | 91.47 | 17 | 60", "KF-3 | 78 | 9 | 35"))
    rows = [head, "|".join(["---"] * (head.count("|") + 1)), first, row, last]
    cited = told("\n".join(f"| {each} |" for each in rows) + "\n", [sheet(RUNS, HEAD)], OVENS)
    assert missing(cited) == wrong
