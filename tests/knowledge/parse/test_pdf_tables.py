"""Tables of PDFs: real files with tables that are ruled and not, in one column and two."""

from pathlib import Path

import pytest

from dure.knowledge.parse import join, kinds
from dure.knowledge.parse.pdf_tables import Box, Cell, Table, tables, without

DATA = Path(__file__).parents[3] / "benchmarks" / "data"


def lines(name: str) -> list[str]:
    return join(kinds.parse("pdf", (DATA / name).read_bytes())).text.split("\n")


def test_a_ruled_table_has_its_header_and_its_group_in_every_row() -> None:
    told = lines("company/여비규정_2024-03-01.pdf")
    at = told.index("구분 | 직급 | 숙박(1 박) | 식비(1 일) | 일비(1 일)")
    assert (
        told[at + 2]
        == "구분: 국내 출장 | 직급: 부장·차장 | 숙박(1 박): 90,000 | 식비(1 일): 30,000 | 일비(1 일): 25,000"
    )
    assert not any("90,000" in line for n, line in enumerate(told) if n != at + 2 and line.startswith("부장"))


def test_a_header_of_two_rows_is_one() -> None:
    told = lines("reading/qfade-2022.pdf")
    [row] = [line for line in told if line.startswith("Model: Q-Fade |")]
    assert "Capacity RMSE primary test: 1.42" in row
    assert row.endswith("EOL MAPE primary test: 9.1 | EOL MAPE secondary test: 12.8")


def test_a_header_that_stands_above_the_table_is_found() -> None:
    assert "종류: 지하차도 | 링크 수: 24 | GateFlow(재학습): 11.92 | RainGate: 9.05" in lines(
        "reading/KITS-2023-041.pdf"
    )


def test_tables_beside_each_other_on_a_page_of_two_columns_stay_two() -> None:
    told = lines("reading/calia2022-morphdense.pdf")
    assert "Set: KoWikiQA dev | Questions: 940 | Passages: 1,263,408 | Length: 9.5" in told
    # One that reaches over both columns is whole.
    assert any(line.startswith("System: MorphDense | ") and line.endswith("MRR@10 (test): 60.7") for line in told)


def test_text_of_two_columns_is_no_table() -> None:
    told = lines("company/DH시리즈_사용설명서.pdf")
    assert not any(" | " in line and "운전 중에 흡입구와" in line for line in told)


def test_a_title_above_a_table_is_what_its_rows_stand_under() -> None:
    whole = join(kinds.parse("pdf", (DATA / "reading/okafor23-nowcast.pdf").read_bytes()))
    assert any(words.startswith("Table A1. The catchments") for _, _, words in whole.headings)


@pytest.mark.parametrize("rows", [["Kim 7", "Lee 8"], ["Kim 7", "Lee 8", "Park 9", "and more that stands nowhere"]])
def test_what_its_cells_do_not_hold_is_left_as_it_stands(rows: list[str]) -> None:
    text = "Name Age\nKim 7\nLee 8\nPark 9\n"
    letters = [(letter, 100.0, 100.0) for letter in text]
    cells = [[Cell(word) for word in row.split(maxsplit=1)] for row in ("Name Age", *rows)]
    found = Table(Box(90, 90, 110, 110), cells, headed=True)
    assert without(letters, [found], lambda middle: []) == text.rstrip("\n") + "\n"


def test_its_cells_take_the_place_of_its_letters() -> None:
    text = "before\nName Age\nKim 7\nLee 8\nafter"
    inside = range(text.index("Name"), text.index("after"))
    letters = [(letter, 100.0, 100.0 if n in inside else 300.0) for n, letter in enumerate(text)]
    cells = [[Cell(word) for word in row.split()] for row in ("Name Age", "Kim 7", "Lee 8")]
    found = Table(Box(90, 90, 110, 110), cells, headed=True)
    assert without(letters, [found], lambda middle: []).split("\n") == [
        "before",
        "Name | Age",
        "Name: Kim | Age: 7",
        "Name: Lee | Age: 8",
        "after",
    ]


def test_what_liteparse_cannot_read_has_no_tables() -> None:
    assert tables(b"%PDF-1.4 no such thing") == {}
