"""The markers in an answer, `[1]`, `[1-3]`, `【1】`, `[^1]`, `(출처 1)`, told from code, intervals and indices."""

import re
from bisect import bisect_left
from collections.abc import Sequence

from dure.patterns import later

# The blanks before a bracket are tried from their first one only, or a long run of them would take its square.
_NAMED = r"(?:출처|sources?)\s?:?\s?"
_BRACKET = later(
    rf"(?<![ \t])(?P<blank>[ \t]*)(?<![A-Za-z_])(?:[\[【](?:\^|{_NAMED})?|(?P<round>\(){_NAMED})"
    r"(?P<numbers>\d{1,3}(?:\s*[,;-]\s*\d{1,3})*)(?:†[^\]】\n]{0,20})?(?(round)\)|[\]】])(?!\()",
    re.IGNORECASE,
)
_FOOTNOTE = later(r"^(\[\^\d{1,3}\]):", re.MULTILINE)
"""What an answer says itself below."""
_SPANS = "구간|범위|벡터|배열|interval|range|vector"
_VALUE = later(r"(?:[=∈≈≤≥+×^]|\\in)\s*\Z")
"""What stands before an interval, a vector or a list of numbers."""
_VALUES = later(
    rf"(?:\b|(?=[가-힣]))(?:is|are|was|were|equals?|(?:{_SPANS}|list|array|리스트|행렬)s?)\s*\Z",
    re.I,
)
"""What may, where there are several numbers; one names a passage."""
_IN_WORDS = later(rf"(?!에)[A-Za-z가-힣]|[ \t]*(?:{_SPANS}|사이)(?![a-z])", re.I)
"""What stands behind them."""
_CLOSES = later(r"[ \t]*(?:\Z|[\n.,;:!?)。、|]|[\[【]\d)")
"""What follows a marker at the end of what it belongs to."""
ENDED = later(r"[.!?。…][)\]\"'”’」』》*_]*[ \t]*\Z")
_NEAR = 20
"""Characters before a bracket that are looked at."""
_CODE = later(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)


class Code:
    """The code in a text."""

    def __init__(self, text: str) -> None:
        spans = [match.span() for match in _CODE.finditer(text)]
        self._starts, self._ends = [start for start, _ in spans], [end for _, end in spans]

    def meet(self, start: int, end: int) -> bool:
        """Whether some of it stands in `[start:end]`."""
        last = bisect_left(self._starts, end) - 1
        return last >= 0 and start < self._ends[last]


def without_markers(answer: str, known: int) -> tuple[str, list[tuple[int, str, list[int]]]]:
    """The answer without its markers, and these in order: where each stood in what is left, the blank before it, its
    numbers. `known`: passages that there are."""
    code, notes = Code(answer), {*_FOOTNOTE.findall(answer)}
    pieces: list[str] = []
    marks: list[tuple[int, str, list[int]]] = []
    at = length = 0
    for match in _BRACKET.finditer(answer):
        numbers, noted = _expand(match["numbers"]), match[0].lstrip() in notes
        if noted or code.meet(*match.span("numbers")) or not _is_marker(answer, match, numbers, known):
            continue
        piece = answer[at : match.start()]
        pieces.append(piece)
        length += len(piece)
        at = match.end()
        marks.append((length, match["blank"], numbers))
    pieces.append(answer[at:])
    return "".join(pieces), marks


def _is_marker(answer: str, bracket: re.Match[str], numbers: Sequence[int], known: int) -> bool:
    """Whether a bracket is meant as a citation. Several numbers are where all of them name passages; one that names
    none is where it stands as citations do, behind what it belongs to."""
    before = answer[max(0, bracket.start() - _NEAR) : bracket.end("blank")]
    if _VALUE.search(before):
        return False
    if len(numbers) == 1:
        closes = bool(_CLOSES.match(answer, bracket.end()) or ENDED.search(before))
        return 0 < numbers[0] <= known or (closes and not _VALUES.search(before))
    if not numbers or not all(0 < number <= known for number in numbers):
        return False
    return not _VALUES.search(before) and not _IN_WORDS.match(answer, bracket.end())


def _expand(written: str) -> list[int]:
    numbers: list[int] = []
    for part in re.split(r"\s*[,;]\s*", written):
        first, _, last = part.partition("-")
        low, high = int(first), int(last or first)
        numbers.extend(range(low, min(high, low + 20) + 1))
    return numbers
