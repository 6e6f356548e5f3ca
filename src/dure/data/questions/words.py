"""Words of a question: their stems, and those that say nothing by themselves."""

import re
from collections.abc import Iterable
from functools import cache

WORD = re.compile(r"[가-힣]+|[a-z]+", re.IGNORECASE)
PARTICLE = re.compile("으?[은는이가을를에의도로와과]$")


@cache
def function_words() -> frozenset[str]:
    from stopwordsiso import stopwords

    return frozenset(stopwords(["ko", "en"]))


def stems(texts: Iterable[str]) -> frozenset[str]:
    """The words of questions, their beginnings alone: endings are many, and say who speaks to whom."""
    return frozenset(stem(word) for text in texts for word in WORD.findall(text))


def stem(word: str) -> str:
    return word[:2] if word[0] >= "가" else word[:5].lower().removesuffix("s")
