"""The lines of a paper that a model chooses from, what they are called, and the form that it fills in."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from dure.data.questions.linking import places
from dure.errors import Language
from dure.knowledge.question import content_words
from dure.knowledge.units import COLUMN
from dure.messages import language_of
from dure.sources import Passage
from dure.storage.terms import counter, normal
from dure.teams.stages.stage import Paper
from dure.tooling import an_object

FIGURE = re.compile(r"\d")
NUMBER = re.compile(r"\d[\d.,]*")
HAN = re.compile("[\u4e00-\u9fff]")
SHORTEST = 8
"""Characters of a line that can tell something."""
AT = re.compile(r"[A-Za-z][\w-]*@\d+", re.ASCII)
"""A name with a figure that is none by itself: `Recall@5`."""
BRACKETS = re.compile(r"\([^)]*\)")


def names_of(paper: Paper) -> list[str]:
    """What a paper is called: its title, and its other names."""
    return [str(paper["title"]), *map(str, paper.get("aliases") or ())]


def once(papers: Iterable[Paper]) -> list[Paper]:
    """Papers in their order, each once."""
    return list({paper["id"]: paper for paper in papers}.values())


def named(paper: Paper, text: str) -> bool:
    """Whether a text has one of a paper's names."""
    return any(any(places(name, text)) for name in names_of(paper))


def asked_rows(units: Iterable[Passage], question: str, names: Sequence[str] = ()) -> dict[str, Passage]:
    """Sentences and rows by their text, each once. Where the question names a row of a table, its other rows are left
    out: a small model takes one for another. names: of the paper, whose own row is meant where no other is named."""
    found = {" ".join(unit.text.split()): unit for unit in units}
    named: dict[tuple[str, ...], str] = {}

    def meant(label: str) -> tuple[bool, int]:
        return bool(label) and not any(any(places(label, name)) for name in names), len(label)

    for line, unit in found.items():
        table, label = row_of(unit, line)
        if label and meant(label) > meant(named.get(table, "")) and any(places(label, question)):
            named[table] = label
    return {line: unit for line, unit in found.items() if named.get((row := row_of(unit, line))[0], row[1]) == row[1]}


def portions(units: Iterable[Passage], room: int) -> Iterator[list[Passage]]:
    """Sentences and rows, each once, in their order, those with the highest scores first, `room` characters at a time.
    The rows of a table stay together where they fill no more than half of that."""
    lines = {text: unit for unit in units if len(text := " ".join(unit.text.split())) >= SHORTEST}
    tables: dict[tuple[str, ...], list[str]] = {}
    for text, line in lines.items():
        tables.setdefault(row_of(line, text)[0] or (text,), []).append(text)
    whole = [rows for rows in tables.values() if sum(map(len, rows)) <= room // 2]
    parts = [*whole, *([row] for rows in tables.values() if rows not in whole for row in rows)]
    left = sorted(parts, key=lambda rows: -max(lines[row].score for row in rows))
    while left:
        free, chosen, later = room, set[str](), list[list[str]]()
        for rows in left:
            size = sum(len(row) + 1 for row in rows)
            if size <= free or not chosen:
                chosen.update(rows)
                free -= size
            else:
                later.append(rows)
        yield [line for text, line in lines.items() if text in chosen]
        left = later


def own_words(answer: str, line: str, asks: str, language: Language) -> bool:
    """Whether an answer keeps to the reader's language, where its line does; a model falls out of it into another, also
    into Chinese."""
    own = all(letter in f"{line} {asks}" for letter in HAN.findall(answer))
    return own and (language_of(answer) == language or language_of(line) != language)


def cells(text: str) -> dict[str, str]:
    """The cells of a row of a table behind its name, by their columns; of anything else none."""
    parts = [part.partition(": ") for part in text.split(COLUMN)]
    return {name: cell for name, told, cell in parts[1:] if told}


def row_of(unit: Passage, text: str) -> tuple[tuple[str, ...], str]:
    """What tells a row's table, its names of columns, and what the row is called; nothing of a sentence."""
    if COLUMN not in text:
        return (), ""
    return (unit.document_id, unit.context, *cells(text)), row_name(text)


def row_name(text: str) -> str:
    """What a row is called: its first cell."""
    head, told, name = text.partition(COLUMN)[0].partition(": ")
    return name if told else head


def bare(line: Passage, text: str | None = None) -> Passage:
    """A line, or another text as one, without what it stands under."""
    return replace(line, text=line.text if text is None else text, title="", context="", page=None, url=None)


def another_row(line: Passage, units: Iterable[Passage], question: str, names: Sequence[str]) -> bool:
    """Whether the question names a row of a table by what it is called, of which the line tells nothing; not the
    paper's own."""
    here = [line.text, line.context, *names]
    labels = {row_of(unit, " ".join(unit.text.split()))[1] for unit in units} - {""}
    return any(any(places(label, question)) and not any(any(places(label, each)) for each in here) for label in labels)


def only_there(line: Passage, units: Iterable[Passage], question: str, names: Sequence[str]) -> bool:
    """Whether a line alone has a word of the question, its ending aside, that is none of the paper's names: what is
    asked about stands nowhere else."""
    own, here = normal(" ".join(names)), " ".join(line.text.split())
    others = [normal(each.text) for each in units if " ".join(each.text.split()) != here]

    def stands(word: Sequence[str], text: str) -> bool:
        return all(counter(term)(text) for term in word)

    wanted = (word[: max(len(word) - 1, 1)] for word in content_words(question) if len(word[0]) > 1)
    return any(
        stands(word, normal(here)) and not stands(word, own) and not any(stands(word, other) for other in others)
        for word in wanted
    )


def forms(lines: list[str]) -> list[dict[str, Any]]:
    """What the model fills in: words of any of the lines, a figure of those that hold one, or a cell of a table."""
    tables: dict[tuple[str, ...], list[str]] = {}
    for line in lines:
        tables.setdefault(tuple(cells(line)), []).append(line)
    figures = filter(FIGURE.search, tables.pop((), []))
    answer: dict[str, Any] = {"type": "string"}
    return [
        _form("words", [*lines, ""], "answer", answer),
        _form("figure", [*figures, ""], "answer", answer),
        *(_form("cell", rows, "column", {"type": "string", "enum": [*names]}) for names, rows in tables.items()),
    ]


def _form(asks: str, quotes: list[str], last: str, told: dict[str, Any]) -> dict[str, Any]:
    # Whether it is just what is asked comes before the answer, and behind what chooses it.
    exact = {"exact": {"type": "string", "enum": ["yes", "no"]}}
    first = {"asks": {"type": "string", "enum": [asks]}, "quote": {"type": "string", "enum": quotes}}
    return an_object(first | (exact | {last: told} if last == "answer" else {last: told} | exact))
