"""What runs found: the passages of one, which its answer cites, and what earlier ones of the session were told."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from dure.knowledge.cite import Cited, cite
from dure.knowledge.parse.kinds import KINDS
from dure.knowledge.sentences import COLUMN, sentences
from dure.knowledge.tabled import NO_TABLE
from dure.sources import Citation, Passage, Place, place_of
from dure.tooling import ToolResult

_ENDINGS = "|".join([*(each[1:] for kind in KINDS.values() for each in kind.extensions), "json", "svg", "py", "bib"])
_FILE = re.compile(rf"(?<![^\s`*\"'“‘(])[^\s`*\"'“”‘’<>|/\\()\[\],:;]+\.(?:{_ENDINGS})(?![A-Za-z0-9_.])", re.IGNORECASE)
_ENDED = re.compile(rf"\.(?:{_ENDINGS})", re.IGNORECASE)
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


@dataclass(slots=True)
class Earlier:
    """A run of the session that was answered. `found`: the tools' names and `data`, in their order. `citations`: of the
    answer, by their numbers. `passages` and `told`: what it cites from, and what tools gave besides."""

    answer: str
    found: list[tuple[str, Any]] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def cited(self) -> list[Passage]:
        """What the answer's citations are from, in their order: the passage, where it is known, else the quote."""
        return [self._around(each) for each in sorted(self.citations, key=lambda each: each.marker or 0)]

    def _around(self, cited: Citation) -> Passage:
        place = (cited.document_id, cited.title, cited.page, cited.start, cited.end, cited.quote)
        whole = (
            each
            for each in self.passages
            if each.document_id == cited.document_id and each.start <= cited.start and cited.end <= each.end
        )
        return next(whole, Passage(*place, url=cited.url, sheet=cited.sheet, slide=cited.slide))

    @property
    def tables(self) -> list[str]:
        """What its tools made of tables, a text each."""
        made = [data for _, data in self.found if isinstance(data, dict) and {"columns", "values"} <= data.keys()]
        rows = ([each["columns"], *each["values"]] for each in made)
        return ["\n".join(COLUMN.join(map(str, row)) for row in each) for each in rows]


@dataclass(slots=True)
class Sources:
    """All passages a run has found, numbered once: `[n]` means the same passage to every agent and in the answer."""

    passages: list[Passage] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    """What Dure itself says in answers, which claims nothing of what the passages tell."""
    told: list[str] = field(default_factory=list)
    """What tools gave beside passages: its figures may be told, and its files named."""
    results: dict[int, list[str]] = field(default_factory=dict)
    """What of that was made of tables, by the numbers of the passages that these are."""
    lists: list[str] = field(default_factory=list)
    """What tools told of what others can be asked: it may be told too, and counts nothing."""
    said: list[str] = field(default_factory=list)
    """What people said with decisions, which may be told as what the message says may."""
    _numbers: dict[Place, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._numbers = {place_of(passage): number for number, passage in enumerate(self.passages, 1)}

    def number(self, passage: Passage) -> tuple[int, bool]:
        """The passage's number, from 1, and whether it is new; the same passage found again keeps its number."""
        place = place_of(passage)
        new = place not in self._numbers
        if new:
            self.passages.append(passage)
            self._numbers[place] = len(self.passages)
        return self._numbers[place], new

    def made_of(self, result: ToolResult, numbers: Iterable[int]) -> str:
        """What a result was made of, by the numbers of these places, in one line; its figures are theirs."""
        headings: dict[str, str] = {}
        for number, each in zip(numbers, result.places, strict=True):
            headings[each.heading] = f"{headings.get(each.heading, '')}[{number}]"
            self.results.setdefault(number, []).append(result.text)
        return ", ".join(f"{marks} {heading}" for heading, marks in headings.items())

    def cited(self, answer: str, asked: str, encode: Any = None, said: Sequence[str] = ()) -> Cited:
        """An answer as it is shown, with what it cites. encode: as of `cite`; said: by the user before `asked`."""
        # Where nothing was looked up there is nothing to hold an answer against.
        found = [*self.told, *self.lists]
        told = [*found, *self.said, *said] if self.passages or found else []
        told += [text for texts in self.results.values() for text in texts if text not in told]
        results = {**self.results, NO_TABLE: [*self.lists, *self.said, *said]}
        return cite(answer, self.passages, "\n".join([asked, *_days(answer)]), self.own, encode, told, results)

    def unknown_files(self, answer: str, said: Iterable[str]) -> list[dict[str, Any]]:
        """As `checks` of `cite` the sentences that name files which neither a tool nor a document named, nor any of
        what was `said` in the conversation: nobody made them."""
        plain = unicodedata.normalize("NFC", _CODE.sub("", answer))
        if not _ENDED.search(plain):
            return []
        named = {
            (plain[start:end], name) for start, end in sentences(plain) for name in _FILE.findall(plain[start:end])
        }
        if not named:
            return []
        told = [*said, *self.own, *self.told, *self.lists, *self.said]
        told += [f"{each.heading}\n{each.text}" for each in self.passages]
        known = unicodedata.normalize("NFC", "\n".join(told)).casefold()
        return [{"sentence": said, "missing": [name]} for said, name in sorted(named) if name.casefold() not in known]


def _days(answer: str) -> list[str]:
    """Where today's date stands in an answer, however it is written, also without the year: the model was told it."""
    now = date.today()
    written = rf"(?:{now.year} ?[-./년] ?)?0?{now.month} ?[-./월] ?0?{now.day}(?!\d)(?: ?일)?"
    english = rf"\b{now:%B} {now.day}\b(?:, {now.year})?|\b{now.day} {now:%B}\b(?: {now.year})?"
    return re.findall(rf"(?<![\d.]){written}|{english}", answer)
