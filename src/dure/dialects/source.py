"""The text a format's scan function reads, which may still be growing, and the budget that keeps reading linear."""

import re
from typing import TYPE_CHECKING

from dure.dialects.json_scan import Json, look
from dure.dialects.lenient import More, past

if TYPE_CHECKING:
    from dure.dialects.offered import Offered


SPACE = re.compile(r"\s*")


class Spent(Exception):
    """Too much has been looked at more than once: the rest of the text is taken as text."""


class BrokenOff(Exception):
    """`BrokenOff(name)`: the text ends inside the call of `name`, which therefore is not made."""


FACTOR = 8
"""How often the text may be looked at altogether, in its lengths; a reply that is not hostile needs about two."""


class Source:
    """A text and whether it is all there.

    Scan functions look at it through these methods, which raise `More` where the answer hangs on text that has not
    come yet, and count what they look at.
    """

    __slots__ = ("_absent", "final", "named", "repair", "text", "tools", "work")

    def __init__(self, text: str, tools: "Offered", *, final: bool = True, repair: bool = True) -> None:
        self.text = text
        self.tools = tools
        self.final = final
        self.repair = repair
        self.work = 0
        """Characters looked at by scan functions, since the text last grew."""
        self.named: list[str] = []
        """Names of calls that became certain during the scan under way."""
        self._absent: set[str] = set()

    def spend(self, characters: int) -> None:
        """Count `characters` as looked at; raises `Spent` when the budget is used up."""
        self.work += characters
        if self.work > FACTOR * len(self.text) + 20_000:
            raise Spent

    def find(self, needle: str, at: int) -> int:
        """Where `needle` next stands, -1 if nowhere."""
        found = self.text.find(needle, at)
        self.spend((found if found >= 0 else len(self.text)) - at)
        if found < 0 and not self.final:
            raise More
        return found

    def ahead(self, needle: str, at: int) -> bool:
        """Whether `needle` stands anywhere from `at` on in what is known of the text.

        Reading only goes forward, so that what is nowhere ahead of a whole text is looked for once.
        """
        if needle in self._absent:
            return False
        found = self.text.find(needle, at)
        self.spend((found if found >= 0 else len(self.text)) - at)
        if found < 0 and self.final:
            self._absent.add(needle)
        return found >= 0

    def search(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        """The next match of `pattern`, which must look at most a few characters ahead."""
        match = pattern.search(self.text, at)
        self.spend((match.end() if match else len(self.text)) - at)
        if not self.final and (match is None or match.end() == len(self.text)):
            raise More
        return match

    def match(self, pattern: re.Pattern[str], at: int, reach: int = 64) -> re.Match[str] | None:
        """`pattern` matched at `at`; `reach` is how many characters it needs to fail for good."""
        match = pattern.match(self.text, at)
        self.spend((match.end() - at if match else 0) + 16)
        if not self.final:
            if match is None:
                if len(self.text) - at < reach:
                    raise More
            elif match.end() == len(self.text):
                raise More
        return match

    def starts(self, prefix: str, at: int) -> bool:
        """Whether `prefix` stands at `at`."""
        if self.text.startswith(prefix, at):
            return True
        rest = self.text[at : at + len(prefix)]
        if not self.final and len(rest) < len(prefix) and prefix.startswith(rest):
            raise More
        return False

    def end(self) -> int:
        """The end of the whole text, for what is dropped up to there."""
        if not self.final:
            raise More
        return len(self.text)

    def broken_off(self, at: int, reach: int = 400) -> bool:
        """Whether the whole text ends so soon after `at`, on the same line, that a head may be cut short there."""
        return self.final and len(self.text) - at < reach and self.text.find("\n", at) < 0

    def space(self, at: int) -> int:
        """The place of the next character that is no white space."""
        end = past(SPACE, self.text, at)
        self.spend(end - at)
        if end == len(self.text) and not self.final:
            raise More
        return end

    def json(self, at: int, of: str = "") -> Json | None:
        """The JSON object or array at `at`, however malformed; None where there is none.

        of: the name of the call whose arguments it is: raises `BrokenOff` where the text ends in the middle of them.
        """
        found, looked = look(self.text, at, self.final)
        self.spend(looked)
        if of and found is not None and found.inside:
            raise BrokenOff(of)
        return found

    def name(self, written: str) -> str:
        """Say that the name of a call is certain. Gives the tool's name that is meant by it."""
        name = self.tools.resolve(written)[0]
        self.named.append(name)
        return name
