"""What a model had read before it replied, and how it writes its calls: what tells a quotation from a call.

A call whose characters stand in a message, a document or a result is a quotation. Characters are compared without
white space, quotation marks, escapes and Markdown's marks, since models lay out anew what they quote.
"""

import html
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from dure.dialects.formats.base import Call

_MARKS = re.compile(r"[\s\\>`~*\"'“”‘’|]+")
_OPENS = re.compile(r"[({<\[]")
_BETWEEN = 48
"""So many characters of markup at most stand between a call's name, a key and a value."""
_LONGEST = 4_000_000
"""Characters of messages that are compared, the latest."""

QUOTED = "stands word for word in what you have read, so it was not run. If it is meant, make the call alone"
MISPLACED = "has text around it, so it was taken for an example and not run. If it is meant, write it again at the end"
FOREIGN = "was written as text and not run. Call the tool again as you did before"
"""Why a call does not run, for the model."""


class Heard:
    """texts: what was read, oldest first. forms: the formats in which this model's calls have come, where that is known
    for certain: calls in others, where native calls come, are text."""

    def __init__(self, texts: Iterable[str | None] = (), forms: Collection[str] = ()) -> None:
        self._texts = [text for text in texts if text]
        self._forms = forms

    @cached_property
    def _plain(self) -> str:
        return plain("\n".join(self._texts)[-_LONGEST:])

    def says(self, written: str) -> bool:
        """Whether what was written stands there."""
        return bool(self._texts) and plain(written) in self._plain

    def quotes(self, written: str, calls: Sequence[Call]) -> bool:
        """Whether what was written, or any of its calls, stands there."""
        return self.says(written) or any(self.holds(call.name, call.args) for call in calls)

    def names(self, name: str) -> bool:
        """Whether a name stands there."""
        return bool(self._texts) and plain(name) in self._plain

    def holds(self, name: str, args: Any) -> bool:
        """Whether a call stands there in whichever format: name, keys and values in order, and only markup between."""
        if not self._texts:
            return False
        words = [word for word in (plain(name), *_words(args)) if word]
        if len(words) < 2:
            return False
        at = self._plain.find(words[0])
        while at >= 0:
            if self._follow(words[1:], at + len(words[0])):
                return True
            at = self._plain.find(words[0], at + 1)
        return False

    def _follow(self, words: list[str], at: int) -> bool:
        for number, word in enumerate(words):
            here = self._plain.find(word, at, at + len(word) + _BETWEEN)
            if here < 0 or (number == 0 and not _OPENS.search(self._plain, at, here)):
                return False
            at = here + len(word)
        return True

    def foreign(self, reader: str) -> bool:
        """Whether this model, which calls natively, has never written a call so."""
        return "native" in self._forms and reader not in self._forms


NOTHING = Heard()


def plain(text: str) -> str:
    """The characters that count."""
    return _MARKS.sub("", html.unescape(text)).casefold()


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield plain(str(key))
            yield from _words(each)
    elif isinstance(value, list):
        for each in value:
            yield from _words(each)
    elif value is not None:
        yield plain(value if isinstance(value, str) else str(value).lower())
