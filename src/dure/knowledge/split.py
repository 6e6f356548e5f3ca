"""A document's text cut into passages of whole sentences, and of whole items of lists where these are short."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from dure.knowledge.parse.parsed import CAPTION, ITEM, DocumentText, behind_rows, is_sheet, is_table
from dure.knowledge.sentences import COLUMN, sentences
from dure.sources import SCANNED, SUB
from dure.storage.documents import NewPassage

TARGET = 400
"""Characters at which a passage is long enough to end before a new paragraph."""
LIMIT = 600
"""Longest passage in characters; only a longer sentence is cut inside, at a blank."""
_BLANKS = re.compile(r"\s*")
_SMALL = 120
_NAMED = 12
"""Characters above a table's caption, such as the name of a sheet, that stay with it."""
_WORDS = 80
"""Characters of a heading in a passage's context, of `_DEPTH` headings at most."""
_DEPTH = 4


def split(document: DocumentText) -> list[NewPassage]:
    """Passages in order, none crossing the start of a page but by a sentence that does.

    `document.text[p.start:p.end] == p.text` for each; their page is that of their first character.
    """
    text = document.text
    passages: list[NewPassage] = []
    starts = [start for _, start in document.pages]
    paths = _paths(document)
    sure = dict(document.sure)
    heads = [start for start, _ in paths]
    listed = _listed(document)
    parts = {start: _SMALL for level, start, _ in document.headings if level <= CAPTION and start not in listed}
    named = {start: words for _, start, words in document.headings}
    for level, start, _ in document.headings:
        above = text.rfind("\n", 0, max(start - 1, 0)) + 1
        # A heading right above a table stays with it.
        if level == CAPTION and text[above:start].strip("# \t\n") != named.get(above, ""):
            parts[start] = _NAMED
    for i, begin in enumerate(starts):
        end = starts[i + 1] if i + 1 < len(starts) else len(text)
        begin = max(begin, passages[-1].end if passages else 0)
        if end < len(text):
            end = sentence_end(text, begin, end)
        for start, stop in _pack(text, _pieces(text, begin, end), parts, named):
            number, at = document.pages[bisect_right(starts, start) - 1]
            above = bisect_right(heads, start) - 1
            marks = [SCANNED.format(sure[at])] if at in sure else []
            context = SUB.join(marks + ([paths[above][1]] if above >= 0 else []))
            passages.append(NewPassage(number, start, stop, text[start:stop], context))
    return passages


def _listed(document: DocumentText) -> set[int]:
    """Where the items of lists begin that look like headings: numbered, one right below the other."""
    numbered = [each for each in document.headings if each[2][0].isdigit()]
    beside = (
        (a[1], b[1]) for a, b in pairwise(numbered) if a[0] == b[0] and "\n" not in document.text[a[1] : b[1]].strip()
    )
    return {start for pair in beside for start in pair}


def _paths(document: DocumentText) -> list[tuple[int, str]]:
    """Of each heading its offset and the words of all that it stands under, itself the last; where the rows of a
    numbered table end what stood above its caption. A sheet behind the text stands under nothing."""
    path: list[tuple[int, str]] = []
    found = []
    tables = [start for level, start, words in document.headings if level == CAPTION and is_table(words)]
    ends = [(CAPTION, behind_rows(document.text, start), "") for start in tables]
    for level, start, words in sorted([*ends, *document.headings], key=itemgetter(1)):
        path = [(above, name) for above, name in path if above < level and not (level == CAPTION and is_sheet(words))]
        path += [(level, " ".join(words.split())[:_WORDS])] if words else []
        found.append((start, SUB.join(name for _, name in path[-_DEPTH:])))
    return found


def sentence_end(text: str, begin: int, end: int) -> int:
    """`end`, or the end of the sentence that runs on over it (pages joined by a blank)."""
    if text[end - 1] == "\n" or begin >= end:
        return end
    spans = list(sentences(text, begin, min(len(text), end + LIMIT)))
    crossing = next((stop for start, stop in spans if start < end < stop), end)
    return crossing if crossing < end + LIMIT else end


def _pieces(text: str, begin: int, end: int) -> list[tuple[int, int]]:
    """Short items of lists, the sentences of all else, and the parts of those longer than a passage may be."""

    def line(span: tuple[int, int]) -> int:
        return text.rfind("\n", max(begin, span[0] - LIMIT), span[0])

    spans: list[tuple[int, int]] = []
    for _, group in groupby(sentences(text, begin, end), line):
        (first, _), *_ = its = [*group]
        whole = ITEM.match(text, first) and its[-1][1] - first <= LIMIT // 2
        spans += [(first, its[-1][1])] if whole else its
    pieces: list[tuple[int, int]] = []
    for start, stop in spans:
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


def _pack(
    text: str, pieces: Sequence[tuple[int, int]], heads: Mapping[int, int], named: Mapping[int, str]
) -> list[tuple[int, int]]:
    """Spans of passages; `heads`: where headings begin, which a passage of so many characters does not run over;
    `named`: the words of all headings."""

    def leads(piece: tuple[int, int]) -> bool:
        """Whether it is a heading or has the names of a table's columns, so is nothing without what stands below."""
        words, above = text[slice(*piece)], text.rfind("\n", 0, max(piece[0] - 1, 0)) + 1
        if COLUMN in words:
            return ": " not in words.partition(COLUMN)[0] and COLUMN not in text[above : piece[0]]
        return words.strip("# \t") == named.get(piece[0])

    packed: list[list[tuple[int, int]]] = []
    for piece in pieces:
        # The rest of a part that was too long goes with what is before it, not with the next part.
        rest = len(packed) > 1 and piece[0] in heads and packed[-1][0][0] not in named
        if packed and not rest and not _breaks(text, packed[-1], piece, heads):
            packed[-1].append(piece)
            continue
        packed.append([piece])
        while len(packed) > 1 and len(packed[-2]) > 1 and leads(packed[-2][-1]):
            packed[-1].insert(0, packed[-2].pop())
    for i in range(len(packed) - 1):
        _even_out(packed[i], packed[i + 1], heads)
    return [(passage[0][0], passage[-1][1]) for passage in packed]


def _breaks(text: str, passage: list[tuple[int, int]], piece: tuple[int, int], heads: Mapping[int, int]) -> bool:
    """Whether a passage ends before the item or sentence `piece`."""
    first, last = passage[0][0], passage[-1][1]
    if piece[1] - first > LIMIT:
        return True
    if last - first >= heads.get(piece[0], LIMIT):
        return True
    return last - first >= TARGET and "\n\n" in text[last : piece[0]]


def _even_out(one: list[tuple[int, int]], two: list[tuple[int, int]], heads: Mapping[int, int]) -> None:
    """Give a short rest some of the items or sentences before it, so that no passage is a mere scrap."""
    while len(one) > 1 and two[-1][1] - two[0][0] < _SMALL and two[0][0] not in heads:
        if two[-1][1] - one[-1][0] > LIMIT or one[-1][1] - one[0][0] <= two[-1][1] - two[0][0]:
            return
        two.insert(0, one.pop())
