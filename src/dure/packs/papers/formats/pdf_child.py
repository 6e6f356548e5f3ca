"""The process that looks at a PDF's first page: `python -m dure.packs.papers.formats.pdf_child`, driven by `pdf.py`."""

from contextlib import closing
from typing import Any

from dure.child import Message, serve
from dure.knowledge.parse.parsed import clean
from dure.knowledge.parse.pdf import opened, page_text
from dure.knowledge.parse.problems import answering

MEMORY = 3 << 30
"""Bytes of address space."""
_CHARS = 12_000
_LAST = 12
"""Pages at the end that references are looked for in."""
_LARGEST = 0.1
"""Points by which letters of one size may differ."""


def front(request: Message, data: bytes) -> Message:
    """`{title, author, lines, headline, end}`: `title` and `author` as the file's properties say; `lines` of the first
    page; `headline`: its largest letters; `end`: the text of the last pages."""
    with opened(data) as document, closing(document[0]) as page, closing(page.get_textpage()) as textpage:
        said = document.get_metadata_dict()
        text = clean(textpage.get_text_range(0, min(textpage.count_chars(), _CHARS)).replace("\ufffe", ""))
        return {
            "title": clean(said.get("Title", "")),
            "author": clean(said.get("Author", "")),
            "lines": [line.strip() for line in text.split("\n") if line.strip()],
            "headline": headline(letters(textpage)),
            "end": "\n".join(page_text(document[at]) for at in range(max(len(document) - _LAST, 0), len(document))),
        }


def letters(textpage: Any) -> list[tuple[str, float]]:
    """The first page's characters with their size in points, without those that stand upright or upside down (arXiv's
    stamp at the margin)."""
    import pypdfium2.raw as raw

    count = min(textpage.count_chars(), _CHARS)
    found = []
    for i in range(count):
        # One by one: of a text, characters beyond 16 bits shift the places.
        letter = chr(raw.FPDFText_GetUnicode(textpage, i))
        if abs(raw.FPDFText_GetCharAngle(textpage, i)) > 0.1:
            continue
        found.append((letter, round(raw.FPDFText_GetFontSize(textpage, i), 1)))
    return found


def headline(sized: list[tuple[str, float]]) -> str:
    """The first run of the largest letters that has at least eight of them; "" where all are of one size."""
    runs: list[tuple[float, list[str]]] = []
    for letter, size in sized:
        if letter.isspace() or letter in "\r\n":
            if runs:
                runs[-1][1].append(" ")
        elif runs and abs(runs[-1][0] - size) <= _LARGEST:
            runs[-1][1].append(letter)
        else:
            runs.append((size, [letter]))
    words = [(size, " ".join("".join(run).split())) for size, run in runs]
    long = [(size, run) for size, run in words if sum(c.isalpha() for c in run) >= 8]
    if not long or max(size for size, _ in long) - min(size for size, _ in long) < 1:
        return ""
    largest = max(size for size, _ in long)
    return next(run for size, run in long if size == largest)[:500]


if __name__ == "__main__":
    serve(answering(front), memory=MEMORY)
