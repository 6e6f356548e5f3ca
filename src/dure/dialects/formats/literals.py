"""What readers of nested values have in common that are neither JSON nor like it."""

import re
from collections.abc import Callable
from typing import NoReturn

from dure.dialects.lenient import More
from dure.dialects.source import SPACE, Source

_STRINGS = {quote: re.compile(rf"(?s)[^\\{quote}]*+(?:\\.[^\\{quote}]*+)*+{quote}") for quote in "\"'"}


class Broken(Exception):
    """What stands here is not the notation."""


class CutOff(Exception):
    """The text ends inside a value."""


class Literals:
    """A place in a text, from which values are read. Raises `Broken`, `CutOff`, or `More` where the text may go on."""

    def __init__(self, src: Source, at: int) -> None:
        self.src = src
        self.text = src.text
        self.at = at

    def char(self) -> str:
        """The next character that is no white space."""
        match = SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return self.text[self.at] if self.at < len(self.text) else self.out()

    def items(self, closing: str, read: Callable[[], object], *, loose: bool = False) -> None:
        """Past `closing`, with `read` called for each item before it. loose: commas may be too many or missing."""
        while (char := self.char()) != closing:
            if char == "," and loose:
                self.at += 1
                continue
            read()
            if self.char() == ",":
                self.at += 1
            elif self.char() != closing and not loose:
                raise Broken
        self.at += 1

    def closing(self, quote: str, at: int, follow: str) -> int:
        """Where the quote stands that ends the string whose text begins at `at`.

        Models forget to escape inner ones, so one counts that nothing, or one of the characters `follow`, comes after.
        """
        while True:
            match = _STRINGS[quote].match(self.text, at)
            if match is None:
                self.out()
            at = match.end()
            after = SPACE.match(self.text, at)
            assert after is not None
            char = self.text[after.end() : after.end() + 1]
            if not char and not self.src.final:
                raise More
            if char in follow:
                return at - 1

    def out(self) -> NoReturn:
        """The text ends here."""
        self.at = len(self.text)
        raise CutOff if self.src.final else More
