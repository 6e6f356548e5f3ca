"""Markdown as DOCX (Office Open XML), by markdown-it-py and python-docx: headings, lists, tables, quotes, code."""

import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dure.errors import Language

if TYPE_CHECKING:
    from markdown_it.token import Token

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_HANGUL = "맑은 고딕"
_FONT: dict[Language, str] = {"ko": _HANGUL, "en": "Calibri"}
_LOCALE: dict[Language, str] = {"ko": "ko-KR", "en": "en-GB"}
_MONO = "Consolas"
_STYLES = {"Normal": 10.5, "Title": 20, "Heading 1": 14, "Heading 2": 12, "Heading 3": 10.5, "Footer": 9}
"""Point sizes."""
_DEEPEST = 3
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
"""What XML cannot hold."""


def to_docx(markdown: str, title: str, language: Language, *, notice: str = "", signed: bool = False) -> bytes:
    """The file, its pages numbered; `title` and `notice` go into its properties. A heading `# title` is its title, the
    headings below it are of level 1 on then. signed: the rows of the last table leave room to sign in. What is not
    known of Markdown becomes plain text."""
    import docx
    from docx.shared import Cm
    from markdown_it import MarkdownIt

    document = docx.Document()
    _set_up(document, language)
    properties = document.core_properties
    properties.title, properties.comments, properties.language = (
        _CONTROL.sub("", title)[:250],
        notice,
        _LOCALE[language],
    )
    properties.author = properties.last_modified_by = "Dure"
    markdown = _CONTROL.sub("", markdown)
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    titled = len(tokens) > 1 and tokens[0].tag == "h1" and tokens[1].content == title
    lists: list[str] = []
    style: str | None = None
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.type in ("bullet_list_open", "ordered_list_open"):
            lists.append("List Bullet" if token.type.startswith("bullet") else "List Number")
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif token.type == "heading_open":
            level = int(token.tag[1]) - titled
            style = f"Heading {min(level, _DEEPEST)}" if level else "Title"
        elif token.type == "blockquote_open":
            style = "Quote"
        elif token.type == "inline":
            depth = f" {min(len(lists), _DEEPEST)}" if len(lists) > 1 else ""
            _add_text(
                document.add_paragraph(style=style or (lists[-1] + depth if lists else None)), token.children or ()
            )
            style = None
        elif token.type == "html_block":
            document.add_paragraph(token.content.strip())
        elif token.type in ("fence", "code_block"):
            document.add_paragraph().add_run(token.content.rstrip()).font.name = _MONO
        elif token.type == "table_open":
            at = _add_table(document, tokens, at)
        at += 1
    for row in document.tables[-1].rows[1:] if signed else ():
        row.height = Cm(1.6)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _set_up(document: Any, language: Language) -> None:
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn
    from docx.shared import Pt, RGBColor

    for name, size in _STYLES.items():
        style = document.styles[name]
        style.font.size, style.font.name, style.font.color.rgb = Pt(size), _FONT[language], RGBColor(0, 0, 0)
        fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
        # Themes win over names: without this Word takes the theme's font for Hangul.
        for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
            fonts.attrib.pop(qn(f"w:{theme}"), None)
        fonts.set(qn("w:eastAsia"), _HANGUL)
    document.styles["Title"].paragraph_format.alignment = WD_ALIGN_PARAGRAPH.CENTER
    footer = document.sections[0].footer.paragraphs[0]
    footer.alignment = WD_ALIGN_PARAGRAPH.CENTER
    page = OxmlElement("w:fldSimple")
    page.set(qn("w:instr"), "PAGE")
    footer._p.append(page)


def _add_text(paragraph: Any, children: "Sequence[Token]", *, bold: bool = False) -> None:
    italic = False
    for child in children:
        if child.type in ("strong_open", "strong_close"):
            bold = child.type == "strong_open"
        elif child.type in ("em_open", "em_close"):
            italic = child.type == "em_open"
        elif child.type in ("softbreak", "hardbreak"):
            paragraph.add_run("\n")
        elif child.type == "link_close":
            paragraph.add_run(f" ({link})" if (link := _href(children, child)) else "")
        elif child.content:
            run = paragraph.add_run(child.content)
            run.bold, run.italic = bold or None, italic or None
            if child.type == "code_inline":
                run.font.name = _MONO


def _href(children: "Sequence[Token]", closing: "Token") -> str:
    """The address of the link that `closing` closes, unless its text is the address."""
    at = next(n for n, child in enumerate(children) if child is closing)
    opened = next(n for n in range(at, -1, -1) if children[n].type == "link_open")
    address = str(children[opened].attrs.get("href", ""))
    return "" if any(child.content == address for child in children[opened:at]) else address


def _add_table(document: Any, tokens: "Sequence[Token]", at: int) -> int:
    """Add the table that begins at `at`; the place of its end."""
    rows: list[list[Token]] = []
    while tokens[at].type != "table_close":
        if tokens[at].type == "tr_open":
            rows.append([])
        elif tokens[at].type == "inline":
            rows[-1].append(tokens[at])
        at += 1
    added = document.add_table(rows=0, cols=len(rows[0]), style="Table Grid")
    for number, row in enumerate(rows):
        for cell, token in zip(added.add_row().cells, row, strict=False):
            _add_text(cell.paragraphs[0], token.children or (), bold=number == 0)
    # A table that touches the next paragraph reads badly; Word also wants a paragraph between two tables.
    document.add_paragraph()
    return at
