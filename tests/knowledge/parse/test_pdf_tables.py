"""Tables of PDFs: real files with tables that are ruled and not, in one column and two."""

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dure.knowledge.parse import join, kinds
from dure.knowledge.parse.pdf_pieces import Letter, Rule, with_notes
from dure.knowledge.parse.pdf_tables import Tabled

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


def test_names_over_several_columns_stand_in_each() -> None:
    told = lines("reading/GateFlow_camera_ready.pdf")
    [row] = [line for line in told if line.startswith("Model: DCGN |")]
    assert "DaeguLoop 60 min: 6.97 | PortoAVL 15 min: 3.81" in row
    assert row.endswith(" | Parameters: 371k")


def test_tables_of_one_column_of_a_page_are_read_without_what_stands_in_the_other() -> None:
    told = lines("company/DH시리즈_사용설명서.pdf")
    assert "항목: 소비 전력 | DH-120: 1,480 W | DH-240: 2,850 W" in told
    assert "표시: E7 | 뜻: 저압 이상 | 할 일: 냉매 점검 요청" in told
    # A name of two lines is one.
    assert "항목: 제습 능력(20 ℃ , 60%) | DH-120: 52 L/일 | DH-240: 108 L/일" in told


def test_a_table_that_goes_on_on_the_next_page_keeps_its_header() -> None:
    told = lines("company/품질보고서_2026_1분기.pdf")
    assert any(line.startswith("구분: 외부 실패 비용 | 2025 년 1 분기") for line in told)


def ruled(*rows: list[str]) -> tuple[list[Letter], list[Rule]]:
    """Rows of cells with lines between them."""
    cells = [(c, r) for r, row in enumerate(rows) for c in range(len(row))]
    return page(*rows), [rule for c, r in cells for rule in box(c * 100 - 5, r * 16 - 3, c * 100 + 95, r * 16 + 13)]


RECORDS = ["Record", "Kept", "Where"]


def test_rows_of_words_at_the_top_of_a_page_stand_under_the_names_of_the_page_before() -> None:
    tabled = Tabled()
    tabled.text(*ruled(RECORDS, ["Consent", "10 years", "Room A"], ["Forms", "3 years", "Room B"]))
    letters, rules = ruled(["Logs", "5 years", "Shop"], ["Minutes", "10 years", "Office"])
    told = tabled.text([*put("- 2 -", 200, -60), *letters], rules).strip().split("\n")
    assert told == [
        "- 2 -",
        "Record: Logs | Kept: 5 years | Where: Shop",
        "Record: Minutes | Kept: 10 years | Where: Office",
    ]


def test_a_table_with_names_of_its_own_or_below_a_line_of_its_own_is_another() -> None:
    for above, names, row in (
        ("", ["Post", "Grade", "Room"], ["Clerk", "7 years", "Room B"]),
        ("Annex 5", ["Logs", "5 years", "Shop"], ["Minutes", "10 years", "Office"]),
        ("", RECORDS, ["Logs", "5 years", "Shop"]),
    ):
        tabled = Tabled()
        tabled.text(*ruled(RECORDS, ["Consent", "10 years", "Room A"], ["Forms", "3 years", "Room B"]))
        letters, rules = ruled(names, row)
        told = tabled.text([*put(above, 0, -60), *letters], rules).strip().split("\n")
        assert told[-1] == " | ".join(f"{name}: {cell}" for name, cell in zip(names, row, strict=True))


def test_a_blank_stays_where_a_line_is_ended_behind_each_letter() -> None:
    letters = [each for n, c in enumerate("ablog") for each in put(c, n * 5 + 2 * (n > 1), 0)]
    assert Tabled().text(list(with_notes(letters)), []).strip() == "ab log"


def put(text: str, left: float, top: float, size: float = 10.0) -> list[Letter]:
    """A text's letters, half as wide as high, with the blank behind it that PDFium sets."""
    return [Letter(c, left + n * 5, left + n * 5 + 5, top, top + size) for n, c in enumerate(text)] + [
        Letter("\n", left, left, top, top)
    ]


def page(*rows: list[str], apart: float = 100.0) -> list[Letter]:
    """Rows of cells, each `apart` from the next."""
    return [
        letter for n, row in enumerate(rows) for c, cell in enumerate(row) for letter in put(cell, c * apart, n * 16)
    ]


def box(left: float, top: float, right: float, bottom: float) -> list[Rule]:
    """The edges of a cell."""
    return [
        *(Rule(False, y, left, right) for y in (top, bottom)),
        *(Rule(True, x, top, bottom) for x in (left, right)),
    ]


def test_what_stands_under_each_other_is_a_table() -> None:
    letters = page(["Name", "Age"], ["Kim", "7"], ["Lee", "8"])
    assert Tabled().text(letters, []).strip().split("\n") == ["Name | Age", "Name: Kim | Age: 7", "Name: Lee | Age: 8"]


def test_a_text_in_columns_is_none() -> None:
    said = "words of a text that goes on and on"
    letters = page([said, said], [said, said], [said, said], apart=300)
    assert " | " not in Tabled().text(letters, [])


def test_figures_beside_the_text_of_another_column_are_no_rows_of_it() -> None:
    text = [letter for n in range(12) for letter in put("the words of a text that fills its column", 0, n * 14)]
    rows = [["Dose", "Ohm", "Kept"], ["0", "221", "55.1"], ["1", "74", "84.6"], ["2", "63", "92.5"]]
    table = [
        letter for n, row in enumerate(rows) for c, cell in enumerate(row) for letter in put(cell, 230 + c * 95, n * 14)
    ]
    told = Tabled().text([*text, *table], []).split("\n")
    assert "Dose: 1 | Ohm: 74 | Kept: 84.6" in told
    assert told.count("the words of a text that fills its column") == 12


def test_rows_of_figures_that_stand_close_stay_rows() -> None:
    rows = [["Set", "Size"], ["news", "184"], ["web", "61"], ["chat", "21"], ["talk", "9"]]
    for tops in ([0, 13.2, 25.9, 39.1, 51.8], [0, 9.4, 18.8, 28.2, 37.6]):
        letters = [
            letter
            for y, row in zip(tops, rows, strict=True)
            for c, cell in enumerate(row)
            for letter in put(cell, c * 100, y)
        ]
        assert "Set: web | Size: 61" in Tabled().text(letters, []).split("\n")


def test_figures_alone_are_the_axes_of_a_drawing() -> None:
    letters = page(["10", "20"], ["30", "40"], ["50", "60"])
    assert " | " not in Tabled().text(letters, [])


def test_a_cell_over_several_rows_stands_in_each_of_them() -> None:
    letters = [*page(["", "Name", "Age"], ["", "Kim", "7"], ["", "Lee", "8"]), *put("Staff", 5, 24), *put("Of", 5, 0)]
    rules = [rule for c in (1, 2) for r in range(3) for rule in box(c * 100 - 5, r * 16 - 3, c * 100 + 95, r * 16 + 13)]
    rules += box(-5, -3, 95, 13) + box(-5, 13, 95, 45)
    assert Tabled().text(letters, rules).strip().split("\n")[:3] == [
        "Of | Name | Age",
        "Of: Staff | Name: Kim | Age: 7",
        "Of: Staff | Name: Lee | Age: 8",
    ]


def test_rows_that_no_lines_are_drawn_between_are_rows() -> None:
    letters = page(["Name", "Age", "Size"], ["Kim", "7", "120"], ["Lee", "8", "130"])
    rules = [rule for c in range(3) for rule in box(c * 100 - 5, -3, c * 100 + 95, 13)]
    rules += [rule for c in range(3) for rule in box(c * 100 - 5, 13, c * 100 + 95, 45)]
    assert "Name: Lee | Age: 8 | Size: 130" in Tabled().text(letters, rules)


places = st.floats(-50, 900, allow_nan=False)


@given(
    st.lists(st.tuples(st.text("ab1 .", min_size=1, max_size=9), places, places), max_size=25),
    st.lists(st.builds(Rule, st.booleans(), places, places, places), max_size=12),
)
def test_no_word_of_any_page_is_lost(texts: list[tuple[str, float, float]], rules: list[Rule]) -> None:
    letters = [letter for text, left, top in texts for letter in put(text, left, top)]
    told = Tabled().text(letters, rules)
    for text, _, _ in texts:
        for word in text.split():
            assert word in told or re.sub(r"\.{4,}", "", word) in told
