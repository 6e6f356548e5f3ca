"""Words of Hangul that the lines of a PDF broke, known by the other words of the same document."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from dure.knowledge.parse.parsed import width

_WORD, _HANGUL = re.compile(r"[^\W\d_]+"), re.compile("[가-힣]+")
_END = re.compile("[가-힣]+$")
_APART = re.compile("(?=([가-힣]) ([가-힣]))")
_LONG = 40
"""Columns of a page's last line from which it goes on on the next page."""


class Words:
    """The words of a document, and how often letters stand in one, are one, end one and stand on both sides of a
    blank. Words at the ends of lines, which may be parts, are none that a word is known by."""

    def __init__(self, pages: Sequence[str]) -> None:
        lines = [line for page in pages for line in page.split("\n") if _HANGUL.search(line)]
        self._whole = Counter(word for line in lines for word in _WORD.findall(line)[1:-1])
        self._alone = Counter(word for line in lines for word in _HANGUL.findall(line))
        self._inside, self._ends = Counter[str](), Counter[str]()
        for word, count in self._whole.items():
            for n in (2, 3):
                for i in range(len(word) + 1 - n):
                    self._inside[word[i : i + n]] += count
        for word, count in self._alone.items():
            for i in range(1, len(word)):
                self._ends[word[i:]] += count
        self._apart = Counter(a + b for line in lines for a, b in _APART.findall(line))

    def broken(self, line: str, after: str) -> bool:
        """Whether a line's last word goes on in the next line. It does where the document has the whole word; or, where
        the letters at the break stand beside each other as often as apart, three of them within a word or what comes
        after the break more often at the end of a word than alone, as particles and endings do."""
        first, second = _END.search(line), _HANGUL.match(after)
        if not first or not second:
            return False
        a, b = first[0], second[0]
        if a + b in self._whole:
            return True
        pair = a[-1] + b[0]
        three = any(len(each) == 3 and each in self._inside for each in (a[-2:] + b[0], a[-1] + b[:2]))
        return self._inside[pair] >= self._apart[pair] and (three or self._ends[b] > self._alone[b])

    def whole(self, pages: Sequence[str]) -> Iterator[str]:
        """The pages, a word that goes on on the next page whole on the first."""
        rest = ""
        for page, after in zip(pages, [*pages[1:], ""], strict=True):
            page, rest = page.removeprefix(rest).lstrip() if rest else page, ""
            last = page[page.rfind("\n") + 1 :]
            if width(last) >= _LONG and self.broken(last, after):
                rest = after.split(maxsplit=1)[0]
            yield page + rest
