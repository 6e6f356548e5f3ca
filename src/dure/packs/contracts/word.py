"""A contract as DOCX (Office Open XML), by python-docx."""

import io
from typing import Any, Final

from dure.errors import Language
from dure.packs.contracts.document import Contract, Table
from dure.packs.contracts.texts import TEXTS

MEDIA_TYPE: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
EAST_ASIA_FONT: Final = "맑은 고딕"
_FONT: Final[dict[Language, str]] = {"ko": EAST_ASIA_FONT, "en": "Calibri"}
_LOCALE = TEXTS.one("word.locale")
_STYLES: Final = {"Normal": 10.5, "Title": 20, "Heading 1": 12, "List Bullet": 10.5, "Footer": 9}
"""Point sizes of the styles that are used."""
_CREATOR: Final = "Dure"


def to_docx(contract: Contract) -> bytes:
    """The whole contract: title, notice, parties, articles as headings of level 1, signatures; pages are numbered."""
    import docx
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.shared import Cm

    document = docx.Document()
    _set_up(document, contract)
    document.add_paragraph(contract.title, style="Title").alignment = WD_ALIGN_PARAGRAPH.CENTER
    document.add_paragraph().add_run(contract.notice).italic = True
    for each in contract.blocks:
        if each.heading:
            document.add_heading(each.text, level=1)
        elif each.text:
            document.add_paragraph(f"{each.number} {each.text}".strip())
        for item in each.items:
            document.add_paragraph(item, style="List Bullet")
        if each.table:
            _add_table(document, each.table)
    for row in document.tables[-1].rows[1:]:
        row.height = Cm(1.6)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _set_up(document: Any, contract: Contract) -> None:
    from docx.oxml.ns import qn
    from docx.shared import Pt, RGBColor

    language = contract.language
    for name, size in _STYLES.items():
        style = document.styles[name]
        style.font.size = Pt(size)
        style.font.name = _FONT[language]
        style.font.color.rgb = RGBColor(0, 0, 0)
        fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
        # Themes win over names: without this Word takes the theme's font for Hangul.
        for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
            fonts.attrib.pop(qn(f"w:{theme}"), None)
        fonts.set(qn("w:eastAsia"), EAST_ASIA_FONT)
    properties = document.core_properties
    properties.title = contract.title
    properties.author = properties.last_modified_by = _CREATOR
    properties.comments = contract.notice
    properties.language = _LOCALE[language]
    _number_pages(document)


def _number_pages(document: Any) -> None:
    """A PAGE field in the middle of the footer."""
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    paragraph = document.sections[0].footer.paragraphs[0]
    paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), "PAGE")
    paragraph._p.append(field)


def _add_table(document: Any, table: Table) -> None:
    added = document.add_table(rows=0, cols=len(table[0]), style="Table Grid")
    for at, row in enumerate(table):
        for cell, text in zip(added.add_row().cells, row, strict=True):
            cell.paragraphs[0].add_run(text).bold = at == 0
    # A table that touches the next paragraph reads badly; Word also wants a paragraph between two tables.
    document.add_paragraph()
