"""Word documents."""

from functools import partial

import pytest
from docx.enum.text import WD_BREAK
from docx.oxml import OxmlElement

from dure.knowledge.parse import Unreadable, kinds

parse = partial(kinds.parse, "docx")


def test_paragraphs_and_tables_in_order(files):
    def build(document):
        document.add_heading("출장비 규정", 0)
        document.add_paragraph("출장비는 실비로 준다.")
        table = document.add_table(rows=2, cols=2)
        for cell, text in zip(table._cells, ["항목", "한도", "숙박비", "120,000원"], strict=True):
            cell.text = text
        document.add_paragraph("이상.")

    [page] = parse(files.docx(build)).pages
    assert page.number is None
    assert page.text == "출장비 규정\n출장비는 실비로 준다.\n항목 | 한도\n항목: 숙박비 | 한도: 120,000원\n이상."


def test_page_breaks_number_the_pages(files):
    def build(document):
        document.add_paragraph("첫째 쪽")
        document.add_paragraph().add_run().add_break(WD_BREAK.PAGE)
        document.add_paragraph("둘째 쪽")

    pages = [(page.number, page.text.strip()) for page in parse(files.docx(build)).pages]
    assert pages == [(1, "첫째 쪽"), (2, "둘째 쪽")]


def test_words_own_marks_count_a_break_once(files):
    def build(document):
        document.add_paragraph("첫째 쪽").add_run().add_break(WD_BREAK.PAGE)
        run = document.add_paragraph().add_run()
        run._r.append(OxmlElement("w:lastRenderedPageBreak"))
        run.add_text("둘째 쪽")

    pages = [(page.number, page.text.strip()) for page in parse(files.docx(build)).pages]
    assert pages == [(1, "첫째 쪽"), (2, "둘째 쪽")]


def test_broken(files):
    data = files.docx(lambda document: document.add_paragraph("글"))
    with pytest.raises(Unreadable) as caught:
        parse(data[: len(data) // 2])
    assert caught.value.problem == "broken"


def test_zip_without_a_document_is_broken(files):
    with pytest.raises(Unreadable) as caught:
        parse(files.zip({"word/document.xml": b"<x/>"}))
    assert caught.value.problem == "broken"
