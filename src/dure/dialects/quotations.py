"""What tells a quotation from a call. All that looks like a call and is none is text: shown, noted, and never run.

- By its place, whoever reads: in quotation marks, in a block quote, a table, a list, or in code within a line. (Fences,
  links and comments are read by formats of their own, which give no calls.)
- By what the model had read: a call whose characters stand in a message, a document or a result. They are compared
  without white space, quotation marks, escapes and Markdown's marks, since models lay out anew what they quote.
- Where what the model had read is known, a call amid text is an example, and one in a form that this model never
  writes, though it calls natively, is text: both come back to the model with the reason.
"""

import html
import json
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import Any

from dure.dialects.formats.base import Call, Format, Found, Source
from dure.dialects.formats.pythonic import CODE
from dure.dialects.formats.special import in_code
from dure.patterns import later

QUOTES = frozenset("\"'“‘「『")
_QUOTED_LINE = later(r"\s*(?:[>|]|//|/\*|--\s|[#%;$]+\s)")
_BULLET = later(r"\s*(?:[-*•]|\d{1,3}[.)])\s+$")
_ITEM = later(r"(?:[-*•]|\d{1,3}[.)])\s")
_LAST_ITEM = later(rf"(?:\A|\n)[ \t]*{_ITEM.pattern}[^\n]*\s*\Z")
_NEXT_ITEM = later(rf"\n[ \t]*{_ITEM.pattern}")
_REACH = 4000
"""No item of a list that holds a call is longer."""
_CLOSING = later(r"[\"'”’」』]|`(?!`)")
_SAMPLE = later(r'"(?:<[^<>"]{1,80}>|\.\.\.|\\u2026)"')
"""A value that stands for one: `"<city>"`, `"..."`."""
_SENTENCE_ENDS = ".!?。…~"
LISTED = "it stands in a list"
_MARKS = later(r"[\s\\>`~*\"'“”‘’|]+")
_OPENS = later(r"[({<\[]")
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
    for certain: calls in others, where native calls come, are text. own: the format learnt from its template."""

    def __init__(
        self, texts: Iterable[str | None] = (), forms: Collection[str] = (), own: Format | None = None
    ) -> None:
        self.own = own
        self._texts = [text for text in texts if text]
        self.forms = forms

    @cached_property
    def _plain(self) -> str:
        return plain("\n".join(self._texts)[-_LONGEST:])

    def says(self, written: str) -> bool:
        """Whether what was written stands there."""
        return bool(self._texts) and plain(written) in self._plain

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


NOTHING = Heard()
"""What is heard by who reads replies without knowing what the model had read."""


class Quotations:
    """The quotations of one reply."""

    def __init__(self, heard: Heard) -> None:
        self.heard = heard
        self.told: list[dict[str, str]] = []
        """What looks like calls and is text: the `text`, the `reader` that read it, and `why` it did not run."""
        self.open = False
        """A quotation mark stands before that none has closed yet."""
        self._opened = False
        self._gap = ""

    def placed(self, src: Source, at: int, line: str) -> str:
        """Why what begins at `at`, with `line` before it, is a quotation by its place; "" for none."""
        if at and src.text[at - 1] in QUOTES:
            return "it stands in quotation marks"
        if not line:
            return ""
        if _QUOTED_LINE.match(line):
            return "it stands in a block quote, a table or a comment"
        if in_code(src, at, line):
            return "it stands in code"
        return LISTED if _BULLET.match(line) else ""

    def judged(self, src: Source, at: int, found: Found, placed: str = "") -> Found:
        """What was found at `at`, as text where it is a quotation. Calls of it that must not run say why."""
        calls = [call for call in found.calls if call.certain or src.tools.resolve(call.name)[0] in src.tools]
        raw = src.text[at : found.end]
        if calls and self.heard is not NOTHING:
            placed = placed or self._heard(found, calls, raw)
        if not (calls and placed):
            return found
        self.told.append({"text": raw.strip(), "reader": calls[0].reader or "react", "why": placed})
        return Found(found.end, text=raw)

    def _heard(self, found: Found, calls: list[Call], raw: str) -> str:
        if self.open and raw.count('"') % 2:
            return "it stands in quotation marks"
        for call in calls:
            if "native" in self.heard.forms and call.reader not in self.heard.forms:
                call.refused, found.last = FOREIGN, True
        heard = [call for call in calls if self.heard.holds(call.name, call.args)]
        for call in heard:
            call.refused = QUOTED
        return "it stands in what the model had read" if len(heard) == len(calls) or self.heard.says(raw) else ""

    def begin(self, calls: list[Call], *, behind: bool, line: str, fenced: bool) -> None:
        """Calls were read. behind: text for the reader stands before them, so those with a value still to be filled in
        are examples. line: what of it stands on the same line. Where what the model had read is known, calls within a
        sentence, in a fence or as a line of code, and those in a form that is not this model's, are text too."""
        self._gap, self._opened = "", self.open
        forms, inline = self.heard.forms, behind and line.strip() != ""
        within = inline and line.rstrip()[-1] not in _SENTENCE_ENDS
        self._misplace(call for call in calls if behind and _SAMPLE.search(json.dumps(call.args)))
        for call in calls:
            call.behind, call.inline = behind, inline
            if behind and forms and call.reader not in forms:
                call.refused = call.refused or FOREIGN
            elif self.heard is not NOTHING and behind and (within or (not forms and (fenced or call.reader == CODE))):
                self._misplace([call])

    def follow(self, calls: list[Call], text: str) -> None:
        """Text for the reader comes behind `calls`: those between quotation marks, before the next item of a list, or,
        where what the model had read is known, amid a line are examples."""
        core = text.lstrip()
        self._gap += text[: len(text) - len(core)]
        if not (calls and core):
            return
        if _ITEM.match(core) or (not self._gap and _CLOSING.match(core)) or (self.open and '"' in core):
            self._misplace(calls)
        elif "\n" not in self._gap and self.heard is not NOTHING:
            self._misplace(call for call in calls if call.inline)

    def end(self, calls: list[Call], content: list[str], *, quiet: bool, unfinished: bool) -> None:
        """The reply is over. content: its text for the reader. quiet: none of it came behind the last call; else those
        amid it are examples, as are those in a list that goes on. unfinished: it breaks off in a call, with the
        closing quotation mark or the list's next item where one was open."""
        torn = unfinished or any(call.unread for call in calls)
        for call in calls:
            item = _LAST_ITEM.search("".join(content[: call.place])[-_REACH:])
            if item and (torn or _NEXT_ITEM.search("".join(content[call.place :])[:_REACH])):
                self._misplace(calls)
        if self._opened and torn:
            self._misplace(calls)
        elif self.heard is not NOTHING and (not quiet or len({call.reader for call in calls}) > 1):
            self._misplace(each for each in calls if each.behind or each.reader not in self.heard.forms)

    def _misplace(self, calls: Iterable[Call]) -> None:
        for call in calls:
            call.refused = call.refused or MISPLACED


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
