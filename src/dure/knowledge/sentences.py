"""Where sentences begin and end, in Korean and English."""

import re
from calendar import month_abbr, month_name
from collections.abc import Iterator

from dure.knowledge.parse.parsed import LETTERS, NOTES, ends, width
from dure.patterns import later

# An end mark with what closes it, before a blank; also a Korean ending run together with the next sentence. A run of
# marks is tried from its first one only: from each of them the time would grow with the square of its length.
_END = later(
    rf"(?<![.!?…])[.!?…]+[)\]\"'”’」』》]*{NOTES}(?=\s|\Z)"
    r"|[。！？]+[)\]\"'”’」』》]*"
    r"|(?<=[다요죠까함음임])[.!?](?=[가-힣A-Z“‘「『(])"
)
_CLOSING = "\"'”’」』》"
_QUOTED = later(r"\s*(?:이?라[고는며]|하[고며]|[고는며]\s)")
_LINE = later(r"\n\s*")
_WITHIN = later(r"(?:[\"'“‘「『(\[]|[:,] [가-힣]{1,2} ?)\d{1,2}\.\Z")
"""The number of what is quoted, `'4. Tasks'`, or listed behind a colon or comma: `: 안건 4. 예산`."""
_MONTHS = "|".join(short for short, name in zip(month_abbr, month_name, strict=True) if short != name)
_ABBREVIATION = later(
    r"(?:\b(?:[A-Za-z]|vs|No|Nos|Fig|Figs|Eq|Eqs|Sec|Vol|pp|ca|cf|al|e\.g|i\.e|etc|approx|Prof"
    rf"|Inc|Co|Corp|Sept|{_MONTHS}|[A-Za-z](?:\.[A-Za-z])+)|제\d+)\.$"
)
_SHORTENED = later(r"(?<!\d)(?<!\d )\b[A-Z][b-df-hj-np-tv-xz]+\.$")
"""A word without vowels, as `Sdn.` and `Ltd.`, that is no unit of a figure."""
_UNIT = later(r"(?:(?:^|\s)(?![A-Z])[^\s.]+ [^\w\s.]*\d[\d.,]* ?°?|[\d.]°|\w/)[A-Za-z]\.$")
"""A unit of one letter behind a figure or a bar, as in `at -60 C.`: no initial, as behind the number of a thing."""
_CAPITAL = later(r"\b[A-Z][a-z]{1,3}\.$")
_NEXT = later(r" ([A-Z][a-z]{1,4}\.)(?! [A-Z])")
"""A word with a stop that no name follows: `Ltd.` behind `Pte.`, not `Mr.`."""
_CODE = later(r" ?#?[A-Za-z]{0,4}-?\d")
"""A figure or the name of something, before which an abbreviation may be in small letters: `log no. R-06`."""
_FEW = later(r"(?:\b[a-z]|(?:^|\()[A-Z])[a-z]{1,3}\.$")
_CALLED = later(r" (?:\+\d|\d[\d–-]{2,}+(?! [A-Za-z])|\d{1,2}(?:[,;:)\]]|\.?(?:\n|\Z)))")
"""A number that goes with a few letters before it, whichever they are, as `ext. 4119`: behind one that begins a
sentence words follow, behind that of an item a stop."""
_REST = later(r" ?\([^()\n]*(?<![^\W\d][.!?])\)(?=[ \t]*(?:\n|\Z))")
"""What stands in brackets at the end of a line and is no sentence itself, of the one before it: `(owner: Kim)`."""
_NUMBERED = later(
    rf"\s*(?:[-*•#]\s*|\d{{1,3}}[.)]\s+)*\(?(?:(?:[가-힣A-Za-z]{{1,3}} ?)?\d{{1,3}}|[{LETTERS}]|[a-zA-Z])\."
    r"|\s*[-*•]\s*[가-힣A-Za-z]{1,12} \d{1,3}\."
)
_COUNTED = later(rf"\s*(\d{{1,2}}|[{LETTERS}])\.\s")
_COUNTS = later(rf"(?<![.\s]) (\d{{1,2}}|[{LETTERS}])\.\Z")
_DATE = later(r"\d\.$")
_WHOLE_DATE = later(r"(?:\d\. |\d{4}\.\d{1,2}\.)\d{1,2}\.$")
_BULLET = later(rf"[-*+•·▪■□○●◦※▶▷|#>]|\(?\d{{1,3}}[.)]\s|[{LETTERS}][.)]\s|[①-⑳]|\[|제\s*\d+\s*[조장항]")
COLUMN = " | "
"""Between the cells of a row."""
_AHEAD = 240
"""Characters behind an item's number in which that of the next one stands."""
_BEFORE = 40
"""Characters before an end mark that tell whether it is one."""
_WRAPPED = 60
"""Columns from which a line without an end mark counts as broken by an editor, not as a line of its own."""


def sentences(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Spans of the sentences in `text[start:end]`, in order, without the blanks around them.

    A line end parts sentences (list items, headings, rows of a table) unless a line was merely wrapped there.
    """
    end = len(text) if end is None else end
    at = start
    for cut in _cuts(text, start, end):
        span = _trim(text, at, cut)
        if span:
            yield span
        at = cut
    span = _trim(text, at, end)
    if span:
        yield span


def cut_at(text: str, start: int, most: int) -> int:
    """Where a piece of at most `most` characters from `start` ends: behind a line or a sentence, else a word, where one
    ends in its second half."""
    end = start + most
    if end >= len(text):
        return len(text)
    half = start + most // 2
    cut = max(text.rfind("\n", half, end), text.rfind(". ", half, end)) + 1 or text.rfind(" ", half, end)
    return cut if cut > start else end


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    marks = _END.finditer(text, start, end)
    lines = _LINE.finditer(text, start, end)
    mark, line = next(marks, None), next(lines, None)
    begin = start
    first, last = _bars(text, start, line.start() if line else end)
    while mark or line:
        if mark and (line is None or mark.end() <= line.start()):
            # A row goes on behind the sentences and dates of its cells.
            ends_here = mark.end() > begin and not first <= mark.end() <= last and _ends(text, begin, mark)
            if item := _next_item(text, begin, mark, ends_here):
                begin = item
                yield begin
            elif ends_here:
                rest = _REST.match(text, mark.end(), end)
                begin = rest.end() if rest else mark.end()
                yield begin
            mark = next(marks, None)
        elif line:
            if not _wrapped(text, line, end):
                begin = line.end()
                yield begin
            at, line = line.end(), next(lines, None)
            first, last = _bars(text, at, line.start() if line else end)


def _next_item(text: str, begin: int, mark: re.Match[str], ends_here: bool) -> int:
    """Where the number before an end mark begins that counts on from that of the item at `begin`, or, where a sentence
    would end, from which the line counts on, so that an item begins with it on the same line: `1. contracts 2. loans`.
    0: it is none, or of a date."""
    own = _COUNTS.search(text, max(begin, mark.start() - 4), mark.start() + 1)
    if not own:
        return 0
    first, ahead = _COUNTED.match(text, begin), text[mark.end() : mark.end() + _AHEAD * ends_here].partition("\n")[0]
    counts_on = (first and _following(first[1]) == own[1]) or re.search(rf"(?<!\d\.) {_following(own[1])}\. ", ahead)
    return own.start(1) if counts_on else 0


def _following(number: str) -> str:
    """The number or letter of the item behind that of a number or letter."""
    return str(int(number) + 1) if number.isdecimal() else (LETTERS + " ")[LETTERS.index(number) + 1]


def _bars(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the first and the last bar of a line stand; -1 where there is none."""
    return text.find(COLUMN, start, end), text.rfind(COLUMN, start, end)


def _ends(text: str, begin: int, mark: re.Match[str]) -> bool:
    """Whether an end mark ends a sentence: not after an abbreviation, in a date, or behind an item's number."""
    if mark.group()[-1] in _CLOSING and _QUOTED.match(text, mark.end()):
        return False
    if text[mark.start()] != "." or mark.group().startswith(".."):
        return True
    at = max(begin, mark.start() - _BEFORE)
    before = text[at : mark.start() + 1]
    after = text[mark.end() : mark.end() + 4].lstrip(" ")[:1]
    if _WITHIN.search(before) or (_abbreviated(before) and (after.islower() or not _UNIT.search(before))):
        return False
    if _CAPITAL.search(before) and (follows := _NEXT.match(text, mark.end())) and _abbreviated(follows[1]):
        return False
    if _CODE.match(text, mark.end()) and _ABBREVIATION.search(before.title()):
        return False
    if _CALLED.match(text, mark.end()) and _FEW.search(before):
        return False
    line = before.rfind("\n") + 1
    if (line or at == begin) and _NUMBERED.fullmatch(before, line):
        return False
    if mark.group() == "." and _WHOLE_DATE.search(before):
        # The line goes on behind the day, unless with a capital: `2026. 8. 1. 시행`.
        return not after.strip() or after.isupper()
    return not (_DATE.search(before) and after.isdigit())


def _abbreviated(text: str) -> bool:
    return bool(_ABBREVIATION.search(text) or _SHORTENED.search(text))


def _wrapped(text: str, line: re.Match[str], end: int) -> bool:
    if line.group().count("\n") > 1 or line.end() >= end:
        return False
    before = text[text.rfind("\n", 0, line.start()) + 1 : line.start()].strip()
    # What has bars is a row of a table. No character takes more than two columns.
    if 2 * len(before) < _WRAPPED or (len(before) < _WRAPPED and width(before) < _WRAPPED):
        return False
    if ends(before, ".!?。:;") or before.startswith("#") or "|" in before:
        return False
    return not _BULLET.match(text, line.end())


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    return (start + left, start + right) if right > left else None
