"""Word documents."""

from functools import partial

import pytest
from docx.enum.text import WD_BREAK
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsmap, qn

from dure.knowledge.parse import Unreadable, kinds
from dure.knowledge.parse.parsed import join

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


def test_items_of_a_list_are_marked_and_name_no_table(files):
    def build(document):
        document.add_paragraph("점검 순서는 이렇다.")
        document.add_paragraph("전원을 끈다", style="List Number")
        deeper = document.add_paragraph("덮개를 연다", style="List Number")._p.get_or_add_pPr().get_or_add_numPr()
        deeper.get_or_add_ilvl().val, deeper.get_or_add_numId().val = 1, 3
        document.add_heading("기록", 1).style.element.get_or_add_pPr().get_or_add_numPr().get_or_add_numId().val = 3
        document.add_paragraph("적는다", style="List Bullet")
        for cell, text in zip(document.add_table(rows=2, cols=2)._cells, ["항목", "값", "가", "1"], strict=True):
            cell.text = text

    parsed = parse(files.docx(build))
    assert parsed.pages[0].text == (
        "점검 순서는 이렇다.\n- 전원을 끈다\n  - 덮개를 연다\n기록\n- 적는다\n항목 | 값\n항목: 가 | 값: 1"
    )
    assert [words for _, _, words in join(parsed).headings] == ["기록"]


_NAMES = "http://schemas.openxmlformats.org"
_NOTES = f"""<w:footnotes xmlns:w="{_NAMES}/wordprocessingml/2006/main">
<w:footnote w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>
<w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> 대여품도 장비다.</w:t></w:r></w:p>
</w:footnote></w:footnotes>"""


def test_a_footnote_stands_below_the_paragraph_that_it_belongs_to(files):
    def build(document):
        for text in ("장비는 해마다 점검한다.", "이상."):
            document.add_paragraph(text)
        mark = OxmlElement("w:footnoteReference")
        mark.set(qn("w:id"), "2")
        document.paragraphs[0].add_run()._r.append(mark)
        part = Part(PackURI("/word/footnotes.xml"), "application/xml", _NOTES.encode(), document.part.package)
        document.part.relate_to(part, f"{_NAMES}/officeDocument/2006/relationships/footnotes")

    [page] = parse(files.docx(build)).pages
    assert page.text == "장비는 해마다 점검한다.\n대여품도 장비다.\n이상."


SPACES = f'xmlns:w="{nsmap["w"]}" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'


def control(ticked: int, content: str) -> str:
    box = f'<w14:checkbox><w14:checked w14:val="{ticked}"/><w14:checkedState w14:val="2612"/></w14:checkbox>'
    return f"<w:sdt><w:sdtPr>{box}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def run(content: str) -> str:
    return f"<w:r>{content}</w:r>"


@pytest.mark.parametrize(
    ("ticked", "shown", "old"),
    [
        (1, "<w:t>☒</w:t>", "<w:checked/>"),
        (1, '<w:sym w:font="Wingdings" w:char="F0FE"/>', '<w:default w:val="1"/>'),
        (0, "<w:t>☐</w:t>", '<w:default w:val="1"/><w:checked w:val="0"/>'),
        (0, '<w:sym w:font="Wingdings" w:char="F0A8"/>', '<w:default w:val="0"/>'),
    ],
)
def test_boxes_are_read_as_they_are_ticked_in_lines_and_in_cells(files, ticked: int, shown: str, old: str):
    box = control(ticked, run(shown))
    cell = control(ticked, f"<w:tc><w:p>{run(shown)}</w:p></w:tc>")
    field = f'<w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox>{old}</w:checkBox></w:ffData></w:fldChar>'
    named = [f"<w:tc><w:p>{run(f'<w:t>{name}</w:t>')}</w:p></w:tc>" for name in ("항목", "동의", "초상권")]
    told = run('<w:t xml:space="preserve"> 동의함</w:t><w:sym w:font="Wingdings" w:char="F04A"/>')
    rows = f"<w:tr>{named[0]}{named[1]}</w:tr><w:tr>{named[2]}{cell}</w:tr>"

    def build(document):
        for xml in (f"<w:p {SPACES}>{box}{told}</w:p>", f"<w:p {SPACES}>{run(field)}{told}</w:p>"):
            document.element.body.insert_element_before(parse_xml(xml), "w:sectPr")
        document.element.body.insert_element_before(parse_xml(f"<w:tbl {SPACES}>{rows}</w:tbl>"), "w:sectPr")

    sign = "☒" if ticked else "☐"
    lines = [f"{sign} 동의함", f"{sign} 동의함", "항목 | 동의", f"항목: 초상권 | 동의: {sign}"]
    assert parse(files.docx(build)).pages[0].text.split("\n") == lines


def test_broken(files):
    data = files.docx(lambda document: document.add_paragraph("글"))
    with pytest.raises(Unreadable) as caught:
        parse(data[: len(data) // 2])
    assert caught.value.problem == "cut"


def test_zip_without_a_document_is_broken(files):
    with pytest.raises(Unreadable) as caught:
        parse(files.zip({"word/document.xml": b"<x/>"}))
    assert caught.value.problem == "broken"
