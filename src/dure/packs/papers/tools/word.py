"""Markdown as DOCX (Office Open XML), by markdown-it-py and python-docx: headings, lists, tables, quotes, code."""

import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it.token import Token

_FONT = "맑은 고딕"
_MONO = "Consolas"
_DEEPEST = 3
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
"""What XML cannot hold."""


def to_docx(markdown: str, title: str) -> bytes:
    """The file; `title` goes into its properties. What is not known of Markdown becomes plain text."""
    import docx
    from markdown_it import MarkdownIt

    document = docx.Document()
    _set_up(document, title)
    tokens = MarkdownIt("commonmark").enable("table").parse(_CONTROL.sub("", markdown))
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
            style = f"Heading {min(int(token.tag[1]), _DEEPEST)}"
        elif token.type == "blockquote_open":
            style = "Quote"
        elif token.type == "inline":
            _add_text(document.add_paragraph(style=style or _list_style(lists)), token.children or ())
            style = None
        elif token.type == "html_block":
            document.add_paragraph(token.content.strip())
        elif token.type in ("fence", "code_block"):
            document.add_paragraph().add_run(token.content.rstrip()).font.name = _MONO
        elif token.type == "table_open":
            at = _add_table(document, tokens, at)
        at += 1
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _list_style(lists: list[str]) -> str | None:
    if not lists:
        return None
    depth = min(len(lists), _DEEPEST)
    return lists[-1] if depth == 1 else f"{lists[-1]} {depth}"


def _set_up(document: Any, title: str) -> None:
    from docx.oxml.ns import qn

    for name in ("Normal", "Heading 1", "Heading 2", "Heading 3"):
        fonts = document.styles[name].element.get_or_add_rPr().get_or_add_rFonts()
        # Themes win over names: without this Word takes the theme's font for Hangul.
        fonts.attrib.pop(qn("w:eastAsiaTheme"), None)
        fonts.set(qn("w:eastAsia"), _FONT)
    document.core_properties.title = _CONTROL.sub("", title)[:250]
    document.core_properties.author = "Dure"


def _add_text(paragraph: Any, children: "Sequence[Token]") -> None:
    bold = italic = False
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
    for row in rows:
        for cell, token in zip(added.add_row().cells, row, strict=False):
            _add_text(cell.paragraphs[0], token.children or ())
    # A table that touches the next paragraph reads badly.
    document.add_paragraph()
    return at
