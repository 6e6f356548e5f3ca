"""An answer without the sentences whose numbers its sources don't give."""

import re
from collections.abc import Callable, Iterable, Iterator

from dure.knowledge.claims import MARKER, figures_in, numbers, outside
from dure.knowledge.sentences import sentences
from dure.knowledge.weighed import LISTED
from dure.knowledge.worked import FEW, worked_out

_BAR = re.compile(r"(?<!\\)(\|)")
_ROW = re.compile(r"^[^\S\n]*\|.*$", re.MULTILINE)
_MARKERS = re.compile(rf"(?:[^\S\n]*{MARKER.pattern})+")


def without_unsupported(answer: str, quotes: Callable[[str], Iterable[str]]) -> tuple[str, list[str]]:
    """The answer without the sentences that hold numbers which stand in none of the quotes for each; and these numbers,
    as written. A row of a table stays, with dashes for them: its quotes are asked for cell by cell; so does a sentence
    with twice as many that do stand there. What is worked out of two others of the sentence or row needs none."""
    kept = gap = ""
    at, left = 0, list[str]()
    for start, end in statements(answer):
        item = LISTED.match(answer, start, end)
        said = item.end() if item else start
        # Of what stood before sentences that are gone, the break that parts most: a line, a paragraph, an item's mark.
        gap, at = max(answer[at:said], gap, key=lambda each: each.count("\n")), end
        row = _ROW.match(answer, said)
        parts = _BAR.split(answer[said:end]) if row else [answer[said:end]]
        wrong = _wrong(parts, quotes)
        left += [written for each in wrong for written in each]
        if row or sum(len(numbers(each)) for each in parts) >= 3 * sum(map(len, wrong)):
            kept, gap = kept + gap + "".join(map(_dashed, parts, wrong)), ""
    return kept.strip(), list(dict.fromkeys(left))


def statements(answer: str) -> Iterator[tuple[int, int]]:
    """Spans of rows of Markdown tables, and of sentences with the markers behind them."""
    at = 0
    for row in (*_ROW.finditer(answer), None):
        for start, end in sentences(answer, at, row.start() if row else len(answer)):
            start = max(start, at)
            start += len(answer[start:end]) - len(answer[start:end].lstrip())
            if start < end:
                at = found.end() if (found := _MARKERS.match(answer, end)) else end
                yield start, at
        if row:
            yield row.span()
            at = row.end()


def _wrong(parts: list[str], quotes: Callable[[str], Iterable[str]]) -> list[list[str]]:
    """The numbers of each part of a statement that stand in no quote for it, and are not made of two that do."""
    said = [numbers(part) for part in parts]
    wrong = [
        outside(each, map(figures_in, quotes(part))) if each else [] for part, each in zip(parts, said, strict=True)
    ]
    held = [written for each, its in zip(said, wrong, strict=True) for written in each if written not in its]
    row, known = "".join(parts), [" ; ".join(held)]
    few = 1 < len({*held}) <= FEW
    return [[x for x in its if not (few and worked_out(x, row, known))] for its in wrong]


def _dashed(cell: str, wrong: list[str]) -> str:
    """A cell with dashes for some of its numbers."""
    written = "|".join(map(re.escape, sorted(wrong, key=len, reverse=True)))
    plain = rf"({MARKER.pattern})|(?<![\d.,])(?:{written})(?!\d|[.,]\d)"
    return re.sub(plain, lambda found: found[1] or "–", cell) if wrong else cell
