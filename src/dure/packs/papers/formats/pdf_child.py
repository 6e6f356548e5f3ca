"""The process that looks at a PDF's first page: `python -m dure.packs.papers.formats.pdf_child`, driven by `pdf.py`."""

from contextlib import closing
from typing import Any

from dure.knowledge.parse.parsed import clean
from dure.knowledge.parse.pdf import opened, page_text
from dure.knowledge.parse.problems import answering
from dure.serving import Message, serve

MEMORY = 3 << 30
"""Bytes of address space."""
_CHARS = 12_000
_LAST = 12
"""Pages at the end that references are looked for in."""
_WIDE = 0.9
"""Of the letters' size: what is wider than that is no space between words."""
_LARGEST = 0.1
"""Points by which letters of one size may differ."""
_LOWERED = 3
"""Letters below or above a line at most, as in LiNiO₂, between which and the next it is the same line."""


def front(request: Message, data: bytes) -> Message:
    """`{title, author, lines, headline, end}`: `title` and `author` as the file's properties say; `lines` of the first
    page, with more than one blank where the gap is wide; `headline`: its largest letters; `end`: the text of the last
    pages."""
    with opened(data) as document, closing(document[0]) as page, closing(page.get_textpage()) as textpage:
        said = document.get_metadata_dict()
        text = clean(spaced(textpage))
        return {
            "title": clean(said.get("Title", "")),
            "author": clean(said.get("Author", "")),
            "lines": [line.strip() for line in text.split("\n") if line.strip()],
            "headline": headline(textpage),
            "end": "\n".join(page_text(document[at]) for at in range(max(len(document) - _LAST, 0), len(document))),
        }


def spaced(textpage: Any) -> str:
    """The text of the first page, its wide gaps as three blanks: names may be parted by nothing else."""
    import pypdfium2.raw as raw

    # One by one: of a text, characters beyond 16 bits shift the places.
    text = [chr(raw.FPDFText_GetUnicode(textpage, i)) for i in range(min(textpage.count_chars(), _CHARS))]
    found: list[str] = []
    for i, letter in enumerate(text):
        if letter == " " and 0 < i < len(text) - 1 and text[i + 1] not in " \r\n":
            gap = textpage.get_charbox(i + 1)[0] - textpage.get_charbox(i - 1)[2]
            letter = "   " if gap > _WIDE * raw.FPDFText_GetFontSize(textpage, i - 1) else letter
        found.append(letter)
    return "".join(found).replace("\ufffe", "")


def headline(textpage: Any) -> str:
    """The first run of the largest letters that has at least eight of them; "" where all are of one size. Letters that
    stand upright or upside down (arXiv's stamp at the margin) are none."""
    import pypdfium2.raw as raw

    runs: list[tuple[float, list[str]]] = []
    for i in range(min(textpage.count_chars(), _CHARS)):
        letter = chr(raw.FPDFText_GetUnicode(textpage, i))
        size = round(raw.FPDFText_GetFontSize(textpage, i), 1)
        if abs(raw.FPDFText_GetCharAngle(textpage, i)) > 0.1 or (letter.isspace() and not runs):
            continue
        if letter.isspace() or (runs and abs(runs[-1][0] - size) <= _LARGEST):
            runs[-1][1].append(" " if letter.isspace() else letter)
        elif len(runs) > 1 and abs(runs[-2][0] - size) <= _LARGEST and len(runs[-1][1]) <= _LOWERED:
            runs[-2][1].extend([*runs.pop()[1], letter])
        else:
            runs.append((size, [letter]))
    long = [(size, run) for size, run in runs if sum(map(str.isalpha, run)) >= 8]
    largest, smallest = (each((size for size, _ in long), default=0.0) for each in (max, min))
    found = next((run for size, run in long if size == largest), [])
    return " ".join("".join(found).split())[:500] if largest - smallest >= 1 else ""


if __name__ == "__main__":
    serve(answering(front), memory=MEMORY)
