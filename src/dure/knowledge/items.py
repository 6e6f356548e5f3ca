"""What is quoted of an item of a list: also the sentences of it that say what it is of, or more of what is stated."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from dure.errors import Language
from dure.knowledge.units import COLUMN
from dure.knowledge.weighed import Source, Weighed, said_in
from dure.messages import language_of

_LISTED = re.compile(r"(?:[-*•]|\(?\d{1,2}[.)]|[가-하][.)]|[①-⑳])\s")
_HANGUL, _WORD = re.compile(r"[가-힣]+"), re.compile(r"[가-힣]+|[A-Za-z]{2,}")
_MOST = 240
"""Characters of an item that are quoted at most."""
_SENTENCES = 8
"""Of an item before and behind one of it that are looked at."""
_OWN = 0.15
"""Share of a sentence's weight that stands in a statement and not in what is quoted for it."""


class Items(Weighed):
    """The sentences of all passages, and the items of lists that they are of."""

    def in_items(self, statement: str, quotes: Iterable[Source]) -> list[Source]:
        """The quotes of a statement, each one of an item with those of the item's sentences up to the last that
        have words of the statement besides, in another language with the first."""
        once = {(each.passage, each.start, each.end): each for each in quotes}
        found = [self._in_item(statement, quote) for quote in once.values()]
        return [each for each in found if not any(_holds(other, each) for other in found)]

    def _in_item(self, statement: str, quote: Source) -> Source:
        passage, its = self._passages[quote.passage], self._item(quote)
        if len(its) < 2:
            return quote
        foreign, said = _language(statement) != language_of(passage.text), said_in(statement) - quote.terms
        more = [s for s in its if s is quote or self._overlap(said, s)[1] >= _OWN or (foreign and s is its[0])]
        if len(more) < 2 or more[-1].end - more[0].start > _MOST:
            return quote
        # Where the item begins stands what it is of.
        start, end = (its if more[-1].end - its[0].start <= _MOST else more)[0].start, more[-1].end
        terms = frozenset[str]().union(*(each.terms for each in more))
        text = passage.text[start - passage.start : end - passage.start]
        return replace(more[0], start=start, end=end, text=text, terms=terms)

    def _item(self, quote: Source) -> Sequence[Source]:
        """The sentences of the item of a list that a quote is one of; none where it is of none."""
        near = self._sources[max(0, quote.at - _SENTENCES) : quote.at + _SENTENCES]
        its = [each for each in near if (each.passage, each.item) == (quote.passage, quote.item)]
        return its if quote in its and COLUMN not in quote.text and _LISTED.match(its[0].text) else []


def _language(statement: str) -> Language:
    """The language of most words of a statement, which may name something in another."""
    return "ko" if 2 * len(_HANGUL.findall(statement)) >= len(_WORD.findall(statement)) else "en"


def _holds(quote: Source, other: Source) -> bool:
    """Whether a quote has all of another one and more."""
    place, its = (quote.start, quote.end), (other.start, other.end)
    return quote.passage == other.passage and place != its and place[0] <= its[0] and its[1] <= place[1]
