"""Markdown as DOCX (Office Open XML), by markdown-it-py and python-docx: headings, lists, tables, quotes, code,
pictures and charts."""

import io
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from dure.charted import CONTROL, Chart, to_office
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
_WIDEST, _HIGHEST = 15.0, 20.0
"""Centimetres of a picture at most."""
_CHART = (15.0, 9.0)
"""Centimetres."""
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/chart"
_PARTS = "application/vnd.openxmlformats-officedocument."
Pictures = Mapping[str, bytes | Chart]
"""By what `pictures_in` calls them: PNG, JPEG or GIF, or a chart, which Office draws and people can go on editing."""


def to_docx(
    markdown: str,
    title: str,
    language: Language,
    *,
    notice: str = "",
    signed: bool = False,
    pictures: Pictures = MappingProxyType({}),
) -> bytes:
    """The file, its pages numbered; `title` and `notice` go into its properties. A heading `# title` is its title, the
    headings below it are of level 1 on then. signed: the rows of the last table leave room to sign in. Of a picture
    that is not among `pictures` stands what it is called there; what is not known of Markdown becomes plain text."""
    import docx
    from docx.shared import Cm
    from markdown_it import MarkdownIt

    document = docx.Document()
    _set_up(document, language)
    properties = document.core_properties
    properties.title, properties.comments, properties.language = (
        CONTROL.sub("", title)[:250],
        notice,
        _LOCALE[language],
    )
    properties.author = properties.last_modified_by = "Dure"
    markdown = CONTROL.sub("", markdown)
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    for image in _images(tokens):
        image.meta["picture"] = pictures.get(_named(image))
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


def pictures_in(markdown: str) -> list[str]:
    """The pictures that a text shows, each once: by the name of their file, or as their address on the web."""
    from markdown_it import MarkdownIt

    return list(dict.fromkeys(map(_named, _images(MarkdownIt("commonmark").enable("table").parse(markdown)))))


def _images(tokens: "Sequence[Token]") -> "Iterator[Token]":
    return (each for token in tokens for each in token.children or () if each.type == "image")


def _named(image: "Token") -> str:
    address = unquote(str(image.attrs.get("src", "")))
    return address if "://" in address else address.rpartition("/")[2]


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
    italic, link = False, ""
    for child in children:
        if child.type in ("strong_open", "strong_close"):
            bold = child.type == "strong_open"
        elif child.type in ("em_open", "em_close"):
            italic = child.type == "em_open"
        elif child.type in ("softbreak", "hardbreak"):
            paragraph.add_run("\n")
        elif child.type == "link_open":
            link = str(child.attrs.get("href", ""))
        elif child.type == "link_close":
            paragraph.add_run(f" ({link})" if link else "")
        elif child.type == "image" and (picture := child.meta.get("picture")):
            _add_picture(paragraph.add_run(), picture, child.content)
        elif child.content:
            # An address that is its own text is not told again.
            link = link if child.content != link else ""
            run = paragraph.add_run(child.content)
            run.bold, run.italic = bold or None, italic or None
            if child.type == "code_inline":
                run.font.name = _MONO


def _add_picture(run: Any, picture: bytes | Chart, said: str) -> None:
    """Put a picture into a run; said: what it shows, for who does not see it."""
    from docx.shared import Cm

    if isinstance(picture, Chart):
        _add_chart(run, picture, said)
        return
    shape = run.add_picture(io.BytesIO(picture))
    shape._inline.docPr.set("descr", said)
    scale = min(1, Cm(_WIDEST) / max(shape.width, 1), Cm(_HIGHEST) / max(shape.height, 1))
    shape.width, shape.height = int(shape.width * scale), int(shape.height * scale)


def _add_chart(run: Any, chart: Chart, said: str) -> None:
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part
    from docx.oxml import OxmlElement, parse_xml
    from docx.oxml.ns import nsdecls
    from docx.shared import Cm

    package, number = run.part.package, run.part.next_id
    drawn, numbers = to_office(chart, "rId1")
    part = Part(PackURI(f"/word/charts/chart{number}.xml"), f"{_PARTS}drawingml.chart+xml", drawn, package)
    book = Part(PackURI(f"/word/embeddings/chart{number}.xlsx"), f"{_PARTS}spreadsheetml.sheet", numbers, package)
    part.relate_to(book, RELATIONSHIP_TYPE.PACKAGE)
    id, (width, height) = run.part.relate_to(part, RELATIONSHIP_TYPE.CHART), map(Cm, _CHART)
    inline = parse_xml(
        f'<wp:inline {nsdecls("wp", "a", "r")}><wp:extent cx="{width}" cy="{height}"/>'
        f'<wp:docPr id="{number}" name="Chart {number}"/><wp:cNvGraphicFramePr/><a:graphic><a:graphicData '
        f'uri="{_DRAWING}"><c:chart xmlns:c="{_DRAWING}" r:id="{id}"/></a:graphicData></a:graphic></wp:inline>'
    )
    inline.docPr.set("descr", said or chart.title)
    drawing = OxmlElement("w:drawing")
    drawing.append(inline)
    run._r.append(drawing)


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
