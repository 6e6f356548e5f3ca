"""Words of a question: their stems, and those that say nothing by themselves."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Protocol

WORD = re.compile(r"(?-i:[가-힣])+|[a-z]+", re.IGNORECASE)
PARTICLE = re.compile("(?<=..)(?:에서|[은는이가을를에의도으로와과만랑들])+$|(?<=^.)[은는이가을를에의도로와과]$")
"""What may follow a noun of two syllables, one or several: `지점에서만`; of one syllable one alone."""
_FOLLOWS = re.compile("[은는이가을를에의도으로와과만랑들서까지부터든나인하고보다마처럼한테게]*")

_CLOSES = frozenset("'’\"”」』》")

Span = tuple[int, int]


class Placed(Protocol):
    """What stands in a question."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def span(each: Placed) -> Span:
    """Its place: where it starts and where it ends."""
    return each.start, each.end


def within(place: Span, spans: Iterable[Span]) -> bool:
    """Whether a place is one of these or a part of one."""
    return any(start <= place[0] and place[1] <= end for start, end in spans)


def over(place: Span, spans: Iterable[Span]) -> bool:
    """Whether a place shares letters with one of these."""
    return any(start < place[1] and place[0] < end for start, end in spans)


@cache
def function_words() -> frozenset[str]:
    from stopwordsiso import stopwords

    return frozenset(stopwords(["ko", "en"]))


def stems(texts: Iterable[str]) -> frozenset[str]:
    """The words of questions, their beginnings alone: endings are many, and say who speaks to whom."""
    return frozenset(stem(word) for text in texts for word in WORD.findall(text))


def stem(word: str) -> str:
    return word[:2] if word[0] >= "가" else word[:5].lower().removesuffix("s")


def is_ending(word: re.Match[str]) -> bool:
    """Whether it only follows what is quoted before it: `'검토할 것'인`."""
    return word.string[word.start() - 1 : word.start()] in _CLOSES and bool(_FOLLOWS.fullmatch(word[0]))


def cuts(word: str) -> Iterator[str]:
    """The word, and what it may be without the particles that follow it, longest first. Which it is, only names that
    are known tell: 회의 ends as 고객의 does."""
    for end in range(len(word), 1, -1):
        if end < len(word) and (word[end] < "가" or not _FOLLOWS.fullmatch(word, end)):
            return
        yield word[:end]
