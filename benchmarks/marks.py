"""Answers of a large model that are right: how many of their sentences are marked all the same, and how many are where
a digit of a figure is changed.

    python benchmarks/marks.py [FILE ...] [--changed N] [--show]

FILE: as `benchmarks/data/marks/README.md` describes them, all there by default. Each answer is cited as after a run,
without an encoder, so that what is in another language than its passages is compared by figures and names alone.
Prints by file the answers, their citations, the sentences in `checks` with something missing and without; then, of N
figures with another digit, how many were named missing: by their digits, and in rows of tables.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any
from unittest.mock import patch

from dure.agents.found import Sources
from dure.knowledge.sentences import sentences
from dure.sources import Passage

DATA = Path(__file__).parent / "data" / "marks"
_FIGURE = re.compile(r"(?<![\d.,\[A-Za-z-])\d+(?:,\d{3})*(?:\.\d+)?(?![\d\]])")
_IN_MARKER = re.compile(r"\[[\d, ]*$")


class Played(date):
    """Dates, of which this day is today's: an answer may tell it unasked, so that figures would differ from day to
    day."""

    @classmethod
    def today(cls) -> "Played":
        return cls(2026, 11, 30)


@dataclass(slots=True)
class Case:
    """An answer as the model wrote it, what was asked, and what it had found."""

    asked: str
    reply: str
    passages: list[Passage]
    told: list[str]
    results: dict[int, list[str]]

    def cited(self, reply: str) -> Any:
        with patch("dure.agents.found.date", Played), patch("dure.knowledge.days.date", Played):
            return self._cited(reply)

    def _cited(self, reply: str) -> Any:
        return Sources(passages=[*self.passages], told=[*self.told], results=self.results).cited(reply, self.asked)


def cases(file: Path) -> list[Case]:
    data = json.loads(file.read_text("utf-8"))
    passages = [
        Passage(
            each["document"],
            each["title"],
            each["page"],
            each["start"],
            each["start"] + len(each["text"]),
            each["text"],
            context=each["context"],
        )
        for each in data["passages"]
    ]
    return [
        Case(
            a["asked"],
            a["reply"],
            [passages[n] for n in a["found"]],
            [data["told"][n] for n in a["told"]],
            {int(number): [data["told"][n] for n in made] for number, made in a.get("results", {}).items()},
        )
        for a in data["answers"]
    ]


def figures(reply: str) -> Iterator[tuple[int, int, int, int]]:
    """Where figures that are said stand in an answer, each with its sentence; no markers, no numbers of items."""
    for start, end in sentences(reply):
        for found in _FIGURE.finditer(reply, start, end):
            marker = _IN_MARKER.search(reply, start, found.start())
            if not marker and found.start() > start and reply[found.end() : found.end() + 2] not in (". ", ") "):
                yield start, end, *found.span()


def changed(written: str, chance: random.Random) -> str:
    """A figure with another digit, never a zero, in the place of one of its own."""
    places = [at for at, each in enumerate(written) if each.isdigit()]
    at = chance.choice(places)
    return written[:at] + chance.choice([each for each in "123456789" if each != written[at]]) + written[at + 1 :]


def marked(known: list[Case], show: bool = False) -> tuple[int, Counter[str]]:
    """How many citations the answers have, and how many sentences are marked: `missing` and `general`."""
    citations, counts = 0, Counter[str]()
    for case in known:
        cited = case.cited(case.reply)
        citations += len(cited.citations)
        for each in cited.checks or ():
            counts["missing" if each["missing"] else "general"] += 1
            if show:
                print("  marked", each["missing"], each["sentence"][:150].replace("\n", " "))
    return citations, counts


def caught(known: list[Case], most: int, show: bool = False) -> tuple[Counter[str], Counter[str]]:
    """Of so many figures with another digit how many are named missing, and how many there are, by kind."""
    chance, named, all_of = random.Random(1), Counter[str](), Counter[str]()
    places = [(case, place) for case in known if case.passages for place in figures(case.reply)]
    for case, (start, end, at, to) in chance.sample(places, min(most, len(places))):
        wrong = changed(case.reply[at:to], chance)
        digits = sum(map(str.isdigit, wrong))
        kind = "in rows" if case.reply[start] == "|" else ("one digit", "two digits", "more")[min(digits, 3) - 1]
        checks = case.cited(case.reply[:at] + wrong + case.reply[to:]).checks or ()
        hit = any(wrong in its or its in wrong for each in checks for its in each["missing"])
        all_of[kind] += 1
        named[kind] += hit
        if show and not hit:
            print("  not caught", case.reply[at:to], "->", wrong, case.reply[start:end][:150].replace("\n", " "))
    return named, all_of


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("file", nargs="*", type=Path, default=sorted(DATA.glob("*.json")))
    options.add_argument("--changed", type=int, default=200, help="figures that are changed in each file")
    options.add_argument("--show", action="store_true", help="what is marked, and what is not caught")
    given = options.parse_args()
    for file in given.file:
        known = cases(file)
        citations, counts = marked(known, given.show)
        told = f"{counts['missing']} with something missing, {counts['general']} without a source"
        print(f"{file.stem}: {len(known)} answers, {citations} citations, marked: {told}")
        named, all_of = caught(known, given.changed, given.show)
        by = ", ".join(f"{kind} {named[kind]} of {count}" for kind, count in sorted(all_of.items()))
        print(f"  changed figures named missing: {named.total()} of {all_of.total()} ({by})")


if __name__ == "__main__":
    main()
