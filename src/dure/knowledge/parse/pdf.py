"""PDF through PDFium: text page by page, lines of a paragraph joined again, tables as rows."""

import ctypes
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from statistics import median
from typing import Any

from dure.knowledge.parse import ocr
from dure.knowledge.parse.parsed import LETTERS, NOTES, Page, Parsed, width
from dure.knowledge.parse.pdf_pieces import Letter, Rule, with_notes
from dure.knowledge.parse.pdf_tables import Tabled
from dure.knowledge.parse.pdf_words import Words
from dure.knowledge.parse.problems import Unreadable

_END = re.compile(rf"[.!?。:;…|][)\]\"'”’」』]*{NOTES}$")
_EDGE = 2
"""Lines at the top and bottom of a page that may be running heads."""
_PAGE = re.compile(r"\W*(\d{1,4})(?:\s*/\s*\d+)?\W*")
_NEW = re.compile(r"\s*([-*•·▪■□○●◦※▶▷]|\(?\d+[.)]|\[\d+\]|[①-⑳]|제\s*\d+\s*[조장항])")
_ROW = re.compile(r"(?:\s[-−+]?\d[\d,.]*%?){2,}$")
"""The end of a row of figures."""
_LETTERED = re.compile(rf"[{LETTERS}](?=[.)])")
_AROUND = 8
"""Lines before and behind a line that tell how wide its column is."""
_PIXELS = 25_000_000
"""Of the picture of a page."""
_THIN, _DRAWN = 1.5, 500
"""Points that a drawn line may stray from upright or level; lines of a path, of more of which it is a drawing."""
_NARROW = 30
"""Columns below which a line is never full."""


def parse(data: bytes) -> Parsed:
    with opened(data) as document:
        tabled = Tabled()
        pages = without_running_heads(without_numbers([page_text(each, tabled) for each in document]))
        scans = {page.number: page for page in _scans(document, pages)}
        author = document.get_metadata_value("Author")
    known = Words(pages)
    read = [Page(number, unwrap(text, known)) for number, text in enumerate(known.whole(pages), 1)]
    return Parsed([scans.get(page.number, page) for page in read], flows=True, author=author)


def _scans(document: Any, pages: list[str]) -> list[Page]:
    """The pages without text that have pictures, read by OCR; where there is none, told of beside pages with text."""
    empty = [n for n, text in enumerate(pages) if not any(map(str.isalnum, text)) and _drawn(document[n])]
    if not empty:
        return []
    pictures = ((n + 1, picture(document[n])) for n in empty)
    try:
        return list(ocr.pages_of(pictures))
    except Unreadable as error:
        if len(empty) == len(pages):
            raise
        return [Page(n + 1, f"({error.message('ko')} · {error.message('en')})") for n in empty]


def _drawn(opened_page: Any) -> bool:
    with closing(opened_page) as page:
        return next(page.get_objects(max_depth=1), None) is not None


def picture(opened_page: Any) -> Any:
    """A page, which is closed, as OCR reads it best."""
    with closing(opened_page) as page:
        scale = min(ocr.DPI / 72, (_PIXELS / (page.get_width() * page.get_height())) ** 0.5)
        return page.render(scale=scale, grayscale=True).to_pil()


@contextmanager
def opened(data: bytes) -> Iterator[Any]:
    """A document of PDFium. Raises Unreadable for an encrypted one."""
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        raise Unreadable("encrypted" if "password" in str(error).lower() else "broken") from error
    with closing(document):
        yield document


def page_text(opened_page: Any, tabled: Tabled | None = None) -> str:
    """The text of a page, which is closed; lines as they stand, words cut at their ends whole, and with `tabled` tables
    as rows."""
    import pypdfium2.raw as raw

    with closing(opened_page) as page, closing(page.get_textpage()) as textpage:
        if tabled is None or page.get_rotation():
            return _lines(textpage.get_text_bounded())
        left, _, _, top = page.get_bbox()
        letters: list[Letter] = []
        for i in range(textpage.count_chars()):
            a, bottom, b, above = textpage.get_charbox(i, loose=True)
            text = chr(raw.FPDFText_GetUnicode(textpage, i))
            letters.append(Letter(text, a - left, b - left, top - above, top - bottom))
        return _lines(tabled.text(list(with_notes(letters)), list(_rules(page, left, top))))


def _rules(page: Any, left: float, top: float) -> Iterator[Rule]:
    """The lines that are drawn on a page, edges of boxes too."""
    import pypdfium2.raw as raw

    x, y = ctypes.c_float(), ctypes.c_float()
    for path in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=1):
        count = raw.FPDFPath_CountSegments(path)
        if count > _DRAWN:
            continue
        matrix = path.get_matrix()
        start = before = (0.0, 0.0)
        for n in range(count):
            segment = raw.FPDFPath_GetPathSegment(path, n)
            raw.FPDFPathSegment_GetPoint(segment, x, y)
            point = matrix.on_point(x.value, y.value)
            point = (point[0] - left, top - point[1])
            kind = raw.FPDFPathSegment_GetType(segment)
            if kind == raw.FPDF_SEGMENT_MOVETO:
                start = point
            elif kind == raw.FPDF_SEGMENT_LINETO:
                yield from _rule(before, point)
            if raw.FPDFPathSegment_GetClose(segment):
                yield from _rule(point, start)
            before = point


def _rule(a: tuple[float, float], b: tuple[float, float]) -> Iterator[Rule]:
    wide, high = abs(a[0] - b[0]), abs(a[1] - b[1])
    if wide < _THIN < high:
        yield Rule(True, (a[0] + b[0]) / 2, min(a[1], b[1]), max(a[1], b[1]))
    elif high < _THIN < wide:
        yield Rule(False, (a[1] + b[1]) / 2, min(a[0], b[0]), max(a[0], b[0]))


def _lines(text: str) -> str:
    # PDFium marks a hyphen at a line's end with U+FFFE (older) or U+0002.
    return re.sub("[\ufffe\x02]\r?\n?", "", text).replace("\r\n", "\n").replace("\r", "\n").strip()


def without_numbers(pages: list[str]) -> list[str]:
    """Pages without their numbers, which count on from page to page or are that of the page in the file. An empty line
    is left of each, over which no other goes on."""
    lines = [page.split("\n") for page in pages]
    edges = [[i for i in range(len(page)) if not _EDGE <= i < len(page) - _EDGE] for page in lines]
    ahead = [{i: int(m[1]) - n for i in edge if (m := _PAGE.fullmatch(lines[n][i]))} for n, edge in enumerate(edges)]
    counts = Counter(each for found in ahead for each in {*found.values()})
    usual = {1} | {each for each, count in counts.items() if count >= 2 and count >= 0.6 * len(pages)}
    return [
        "\n".join("" if ahead[n].get(i) in usual else line for i, line in enumerate(page)).strip("\n")
        for n, page in enumerate(lines)
    ]


def without_running_heads(pages: list[str]) -> list[str]:
    """Pages without the lines that stand at the top or bottom of most of them; the first page keeps its own."""
    lines = [page.split("\n") for page in pages]
    edges = [{_repeatable(line) for line in (*page[:_EDGE], *page[-_EDGE:])} for page in lines]
    counts = Counter(line for edge in edges for line in edge if line)
    running = {line for line, count in counts.items() if count >= 3 and count >= 0.6 * len(pages)}
    return pages[:1] + [
        "\n".join(
            line for i, line in enumerate(page) if _repeatable(line) not in running or _EDGE <= i < len(page) - _EDGE
        ).strip("\n")
        for page in lines[1:]
    ]


def _repeatable(line: str) -> str:
    """What of a line is the same on every page: without its digits, where it is little but a page number."""
    plain = re.sub(r"\d+", "#", line.strip())
    return plain if sum(c.isalpha() for c in plain) <= 5 else line.strip()


def unwrap(text: str, known: Words) -> str:
    """Join lines that the width of a page or of its column broke: a line goes on when it is nearly as wide as the lines
    around it and ends no sentence, and no row of figures."""
    lines = [line.strip() for line in text.split("\n")]
    # Rows of tables tell nothing of how wide a column is.
    widths = [0 if " | " in line else width(line) for line in lines]
    joined = ""
    for i, line in enumerate(lines):
        joined += line
        if i + 1 == len(lines):
            break
        after = lines[i + 1]
        around = [each for each in widths[max(i - _AROUND, 0) : i + _AROUND + 1] if each >= _NARROW]
        full = max(0.85 * median(around), _NARROW) if around else _NARROW
        goes_on = line and after and widths[i] >= full and not _END.search(line) and not _NEW.match(after)
        if (
            not goes_on
            or _is_lettered(after, lines)
            or any(_ROW.search(each) or " | " in each for each in (line, after))
        ):
            joined += "\n"
        elif joined.endswith("\u2010"):
            # A word that was cut; what the text hyphenates itself has another sign.
            joined = joined[:-1]
        elif not known.broken(line, after):
            joined += " "
    return joined


def _is_lettered(line: str, lines: list[str]) -> bool:
    """Whether a line begins with an item's letter: `다.` may end a word, not where there is `나.` too."""
    letter = _LETTERED.match(line)
    before = LETTERS.partition(letter[0])[0][-1:] if letter else ""
    return letter is not None and (not before or any(each.startswith((f"{before}.", f"{before})")) for each in lines))
