"""The sentences and rows of a passage, each under what it stands under within the passage too."""

from collections.abc import Iterator
from dataclasses import replace

from dure.knowledge.parse.parsed import CAPTION, headings_in
from dure.knowledge.sentences import sentences
from dure.sources import SUB, Passage

COLUMN = " | "
"""Between the cells of a row."""


def units_of(passage: Passage) -> Iterator[Passage]:
    """The sentences and rows of a passage, each under the headings that it stands under, which are none themselves."""
    text, at = passage.text, passage.start
    # What is numbered only may be a list.
    inner = {start: (level, words) for level, start, words in headings_in(text) if not words[0].isdigit()}
    parts = passage.context.split(SUB) if passage.context else []
    path = [(next((level for level, _, _ in headings_in(part)), i), part) for i, part in enumerate(parts, 1)]
    for a, b in sentences(text):
        level, words = inner.get(a, (0, ""))
        if text[a:b].endswith("?") and text[b : b + 1] == "\n" and text[a - 1 : a] in ("", "\n"):
            # A question that a document puts on a line of its own is what the answer below it stands under.
            level, words = CAPTION + 1, text[a:b]
        if level:
            path = [above for above in path if above[0] < level] + [(level, words)]
        if text[a:b].strip("# \t") != words or b == len(text):
            context = SUB.join(part for _, part in path)
            yield replace(passage, start=at + a, end=at + b, text=text[a:b], context=context)


def columns(row: str) -> list[str]:
    """The names of the columns of a table's row, of its head its cells."""
    return [cell.partition(": ")[0] for cell in row.split(COLUMN)]
