"""PDF through PDFium: text page by page, lines of a paragraph joined again."""

import re

from dure.knowledge.parse.parsed import Page, Parsed, width
from dure.knowledge.parse.problems import Unreadable

_END = re.compile(r"[.!?。:;…|][)\]\"'”’」』]*$")
_NEW = re.compile(r"\s*([-*•·▪■□○●◦※▶▷]|\(?\d+[.)]|[가-하][.)]|[①-⑳]|제\s*\d+\s*[조장항])")


def parse(data: bytes) -> Parsed:
    """Raises Unreadable for damaged and encrypted files."""
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        raise Unreadable("encrypted" if "password" in str(error).lower() else "broken") from error
    try:
        return Parsed([Page(i + 1, _page(document, i)) for i in range(len(document))], flows=True)
    except pdfium.PdfiumError as error:
        raise Unreadable("broken") from error
    finally:
        document.close()


def _page(document: "object", index: int) -> str:
    page = document[index]  # type: ignore[index]
    try:
        textpage = page.get_textpage()
        try:
            # PDFium marks a hyphen at a line's end with U+FFFE (older) or U+0002.
            text = re.sub("[\ufffe\x02]\r?\n?", "", textpage.get_text_bounded())
        finally:
            textpage.close()
    finally:
        page.close()
    return unwrap(text.replace("\r\n", "\n").replace("\r", "\n"))


def unwrap(text: str) -> str:
    """Join lines that a page's width broke: a line goes on when it is nearly full and ends no sentence."""
    lines = [line.strip() for line in text.split("\n")]
    full = 0.8 * max((width(line) for line in lines), default=0)
    joined = ""
    for i, line in enumerate(lines):
        joined += line
        if i + 1 == len(lines):
            break
        after = lines[i + 1]
        goes_on = line and after and width(line) >= max(full, 30) and not _END.search(line) and not _NEW.match(after)
        joined += " " if goes_on else "\n"
    return joined
