"""A document's text cut into passages of whole sentences."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from dure.knowledge.parse.parsed import DocumentText
from dure.knowledge.sentences import sentences
from dure.storage.documents import NewPassage

TARGET = 400
"""Characters at which a passage is long enough to end before a new paragraph."""
LIMIT = 600
"""Longest passage in characters; only a longer sentence is cut inside, at a blank."""
_HEADING = re.compile(r"#{1,6}\s|제\s*\d+\s*[조장]|\[[^\]\n]+\]\n")
_BLANKS = re.compile(r"\s*")
_SMALL = 120


def split(document: DocumentText) -> list[NewPassage]:
    """Passages in order, none crossing the start of a page but by a sentence that does.

    `document.text[p.start:p.end] == p.text` for each; their page is that of their first character.
    """
    text = document.text
    passages: list[NewPassage] = []
    starts = [start for _, start in document.pages]
    for i, begin in enumerate(starts):
        end = starts[i + 1] if i + 1 < len(starts) else len(text)
        begin = max(begin, passages[-1].end if passages else 0)
        if end < len(text):
            end = _sentence_end(text, begin, end)
        for start, stop in _pack(text, _pieces(text, begin, end)):
            number, _ = document.pages[bisect_right(starts, start) - 1]
            passages.append(NewPassage(number, start, stop, text[start:stop]))
    return passages


def _sentence_end(text: str, begin: int, end: int) -> int:
    """`end`, or the end of the sentence that runs on over it (pages joined by a blank)."""
    if text[end - 1] == "\n" or begin >= end:
        return end
    spans = list(sentences(text, begin, min(len(text), end + LIMIT)))
    crossing = next((stop for start, stop in spans if start < end < stop), end)
    return crossing if crossing < end + LIMIT else end


def _pieces(text: str, begin: int, end: int) -> list[tuple[int, int]]:
    """Sentences, and the parts of those longer than a passage may be."""
    pieces: list[tuple[int, int]] = []
    for start, stop in sentences(text, begin, end):
        while stop - start > LIMIT:
            cut = max(text.rfind(mark, start + LIMIT // 2, start + LIMIT) for mark in (", ", "; ", " | ", "\n"))
            if cut < 0:
                cut = text.rfind(" ", start + LIMIT // 2, start + LIMIT)
            cut = cut + 1 if cut >= 0 else start + LIMIT
            pieces.append((start, start + len(text[start:cut].rstrip())))
            blanks = _BLANKS.match(text, cut, stop)
            start = blanks.end() if blanks else cut
        pieces.append((start, stop))
    return pieces


def _pack(text: str, pieces: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    packed: list[list[tuple[int, int]]] = []
    for piece in pieces:
        if packed and not _breaks(text, packed[-1], piece):
            packed[-1].append(piece)
        else:
            packed.append([piece])
    for i in range(len(packed) - 1):
        _even_out(text, packed[i], packed[i + 1])
    return [(passage[0][0], passage[-1][1]) for passage in packed]


def _breaks(text: str, passage: list[tuple[int, int]], piece: tuple[int, int]) -> bool:
    """Whether a passage ends before the sentence `piece`."""
    first, last = passage[0][0], passage[-1][1]
    if piece[1] - first > LIMIT:
        return True
    if _HEADING.match(text, piece[0]) and last - first >= _SMALL:
        return True
    return last - first >= TARGET and "\n\n" in text[last : piece[0]]


def _even_out(text: str, one: list[tuple[int, int]], two: list[tuple[int, int]]) -> None:
    """Give a short rest some of the sentences before it, so that no passage is a mere scrap."""
    while len(one) > 1 and two[-1][1] - two[0][0] < _SMALL and not _HEADING.match(text, two[0][0]):
        if two[-1][1] - one[-1][0] > LIMIT or one[-1][1] - one[0][0] <= two[-1][1] - two[0][0]:
            return
        two.insert(0, one.pop())
