"""Hangul documents, Office files of before 2007, presentations; OpenDocument, RTF and EPUB of the same content."""

import gzip
from functools import partial
from pathlib import Path

import pytest

from dure.knowledge.parse import Unreadable, join, kind_of, kinds, office, table

SHARED = Path(__file__).parents[4] / "shared" / "data" / "hwp"
OFFICE = Path(__file__).parents[2] / "fixtures" / "office"
ROW = "구분: 해외 출장 | 직급: 직원 | 항목: 숙박 | 금액: 25만 원"
parse = partial(kinds.parse, "pptx")


def read(name: str):
    data = gzip.decompress((OFFICE / f"{name}.gz").read_bytes())
    return kinds.parse(kind_of(name, data), data)


def test_slides_are_pages_with_their_notes(files):
    parsed = parse(
        files.pptx([["첫 출근", "9시 30분까지 오십시오."], ["장비", "노트북", "사원증"]], notes="천천히 말할 것")
    )
    assert [(page.number, page.text) for page in parsed.pages] == [
        (1, "첫 출근\n9시 30분까지 오십시오.\n천천히 말할 것"),
        (2, "장비\n노트북\n사원증\n천천히 말할 것"),
    ]


def test_broken(files):
    with pytest.raises(Unreadable) as caught:
        parse(files.zip({"ppt/presentation.xml": b"<x/>"}))
    assert caught.value.problem == "broken"


@pytest.mark.parametrize("name", ["rules.doc", "rules.odt", "rules.epub"])
def test_each_row_of_a_table_has_the_cell_that_was_merged_over_it(name):
    assert ROW in read(name).pages[0].text.split("\n")


@pytest.mark.parametrize("name", ["rules.doc", "rules.odt"])
def test_headings_keep_their_levels(name):
    headings = [(level, words) for level, _, words in join(read(name)).headings]
    assert headings[-3:] == [(1, "출장비 규정"), (2, "숙박비"), (2, "교통비")]


@pytest.mark.parametrize("name", ["budget.xls", "budget.ods"])
def test_workbooks(name):
    first, second = read(name).pages
    assert first.text.split("\n")[-2:] == ["부서: 영업 | 항목: 접대 | 금액: 300000", "부서: 합계 | 금액: 1500000"]
    assert (second.number, second.text) == (2, "[메모]\n2024년 예산이다")


@pytest.mark.parametrize("name", ["talk.ppt", "talk.odp"])
def test_presentations(name):
    pages = read(name).pages
    assert [page.number for page in pages] == [1, 2]
    assert pages[0].text.startswith("분기 실적\n")
    assert "130억" in pages[0].text
    assert pages[1].text.endswith("내년 목표는 600억이다.")


def test_rtf():
    assert "출장비는 등급에 따라 지급한다." in read("rules.rtf").pages[0].text


@pytest.mark.skipif(not SHARED.exists(), reason="the shared set of Hangul documents is not there")
@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("tool-textextractor-Table.hwpx", "이름: 칠득이 | 국어: 77 | 영어: 77 | 수학: 77"),
        ("reader_writer-SimpleTable.hwpx", "5 | 4"),
        ("merging-cell.hwp", "6,0 | 6,1 | 6,2 | 6,3 | 6,4 | 6,5 | 6,6"),
        ("distribution.hwp", "강남세움복지관 공고 제 2024-08호"),
        ("error-20240626-no_manifest.hwpx", "울산광역시 남구 구세 조례 일부개정조례안"),
        ("changing-paragraph-text.hwp", "이것은 샘플입니다."),
        ("reader_writer-HeaderFooter.hwpx", "머리말 테스트"),
    ],
)
def test_hangul_documents(name, line):
    data = (SHARED / name).read_bytes()
    assert line in join(kinds.parse(kind_of(name, data), data)).text.split("\n")


def test_cells_that_stand_empty_below_merged_ones_shift_no_row():
    """As dochan gives tables of HWP."""
    from dochan.model.document import Paragraph, TextRun
    from dochan.model.table import Cell

    def cell(text="", rows=1, columns=1):
        return Cell([Paragraph(runs=[TextRun(text=text)])] * bool(text), row_span=rows, col_span=columns)

    rows = [
        [cell("구분"), cell("대상"), cell("금액"), cell("비고")],
        [cell("국내", 2), cell("임원"), cell("15만"), cell()],
        [cell(), cell("직원"), cell("9만"), cell("실비")],
        [cell("국외"), cell("협의", 1, 2), cell(), cell("사전 승인")],
    ]
    lines = list(table.lines(table.spanned(office._rows(rows))))
    assert lines[2] == "구분: 국내 | 대상: 직원 | 금액: 9만 | 비고: 실비"
    assert lines[3] == "구분: 국외 | 대상: 협의 | 비고: 사전 승인"


def problem(name: str, data: bytes) -> str:
    """Why a file cannot be read; "" where it can."""
    try:
        join(kinds.parse(kind_of(name, data), data))
    except Unreadable as error:
        return error.problem
    return ""


@pytest.mark.skipif(not SHARED.exists(), reason="the shared set of Hangul documents is not there")
def test_all_hangul_documents_are_read_or_hold_nothing():
    told = {path.name: problem(path.name, path.read_bytes()) for path in SHARED.glob("*.hwp*")}
    silent = {"basic-blank.hwp", "making_caption.hwp", "reader_writer-SimplePicture.hwpx", "tool-blank.hwpx"}
    assert {name for name, each in told.items() if each == "no_text"} == silent
    assert set(told.values()) == {"", "no_text"}


@pytest.mark.parametrize("cut", [600, 3000, 12_000])
@pytest.mark.parametrize("name", ["rules.doc", "budget.xls", "rules.odt", "talk.odp", "rules.epub"])
def test_what_was_cut_off_says_so_or_is_read_in_part(name, cut):
    data = gzip.decompress((OFFICE / f"{name}.gz").read_bytes())
    # Compound files tell nothing at their end.
    told = "cut" if data.startswith(b"PK") else "broken"
    assert problem(name, data[:cut]) in ((told, "no_text") if cut < len(data) else ("",))
