import io
import zipfile

import docx
import pytest
from docx.oxml.ns import qn

from dure.packs.contracts.document import files_of
from dure.packs.contracts.draft import draft
from dure.packs.contracts.template import NAMES, templates
from tests.packs.contracts.conftest import tables, tree


def opened(contract):
    return docx.Document(io.BytesIO(files_of(contract, "a", signed=True)[1].data))


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("name", NAMES)
def test_whole_contracts_open_again(name, language, fields):
    contract = draft(templates()[name], language, fields(name, language)).contract
    document = opened(contract)
    by_style = {}
    for each in document.paragraphs:
        by_style.setdefault(each.style.name, []).append(each.text)
    assert by_style["Title"] == [contract.title]
    assert by_style["Heading 1"] == contract.headings
    page = tree(contract.markdown)
    clauses = [each.get_text() for each in page.find_all("p") if each.parent.name != "blockquote"]
    texts = [each.text for each in document.paragraphs]
    assert [each for each in texts if each in clauses] == clauses
    items = [each.get_text() for each in page.find_all("li")]
    assert by_style.get("List Bullet", []) == items
    assert contract.notice in texts
    found = [[tuple(cell.text for cell in row.cells) for row in table.rows] for table in document.tables]
    assert found == tables(contract.markdown)


def test_hangul_has_a_font_of_its_own(fields):
    for language, latin in (("ko", "맑은 고딕"), ("en", "Calibri")):
        document = opened(draft(templates()["nda"], language, fields("nda", language)).contract)
        for style in ("Normal", "Title", "Heading 1"):
            fonts = document.styles[style].element.rPr.rFonts
            assert fonts.get(qn("w:eastAsia")) == "맑은 고딕"
            assert fonts.get(qn("w:ascii")) == latin
            assert fonts.get(qn("w:eastAsiaTheme")) is None
        assert document.core_properties.language == ("ko-KR" if language == "ko" else "en-GB")
        assert "python-docx" not in (document.core_properties.author + document.core_properties.comments)
    assert "PAGE" in document.sections[0].footer._element.xml


def test_hostile_text_stays_in_its_run(fields):
    hostile = '</w:t></w:r><w:r><w:t>x ]]> &amp; <b>"굵게"</b> \x00\x0b\ufffe\ud800 MERGEFIELD x \u202e끝'
    given = fields("nda", purpose=hostile, party_a={"name": hostile[:90], "address": hostile})
    done = draft(templates()["nda"], "ko", given)
    assert not done.wrong
    file = files_of(done.contract, "a", signed=True)[1].data
    document = docx.Document(io.BytesIO(file))
    shown = done.values["purpose"]
    assert any(each.text.endswith(shown) for each in document.paragraphs)
    assert document.tables[0].rows[2].cells[1].text == done.values["party_a"].address
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        assert archive.testzip() is None
        assert not [each for each in archive.namelist() if "vba" in each or "embed" in each]
