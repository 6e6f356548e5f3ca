"""The lines of a paper that a model chooses from, what they are called, and the form that it fills in."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dure.data.questions.linking import places
from dure.knowledge.excerpt import words
from dure.knowledge.units import COLUMN
from dure.sources import Passage
from dure.tooling import an_object

FIGURE = re.compile(r"\d")
BRACKETS = re.compile(r"\([^)]*\)")


def asked_rows(units: Iterable[Passage], question: str, names: Sequence[str] = ()) -> dict[str, Passage]:
    """Sentences and rows by their text, each once. Where the question names a row of a table, its other rows are left
    out: a small model takes one for another. names: of the paper, whose own row is meant where no other is named."""
    found = {" ".join(unit.text.split()): unit for unit in units}
    named: dict[tuple[str, ...], str] = {}

    def meant(label: str) -> tuple[bool, int]:
        return bool(label) and not any(any(places(label, name)) for name in names), len(label)

    for line, unit in found.items():
        table, label = _row(unit, line)
        if label and meant(label) > meant(named.get(table, "")) and any(places(label, question)):
            named[table] = label
    return {line: unit for line, unit in found.items() if named.get((row := _row(unit, line))[0], row[1]) == row[1]}


def cells(text: str) -> dict[str, str]:
    """The cells of a row of a table behind its name, by their columns; of anything else none."""
    parts = [part.partition(": ") for part in text.split(COLUMN)]
    return {name: cell for name, told, cell in parts[1:] if told}


def _row(unit: Passage, text: str) -> tuple[tuple[str, ...], str]:
    """What tells a row's table, its names of columns, and what the row is called; nothing of a sentence."""
    if COLUMN not in text:
        return (), ""
    head, told, label = text.partition(COLUMN)[0].partition(": ")
    return (unit.document_id, unit.context, *cells(text)), label if told else head


def cell_named(lines: Mapping[str, Passage], question: str) -> tuple[str, str] | None:
    """The row and the column of a table that a question names each before all others of it; of several tables the one
    of which it names most. What stands in brackets behind a column's name, often a unit, names none by itself."""
    tables: dict[tuple[str, ...], list[str]] = {}
    for line, unit in lines.items():
        if cells(line):
            tables.setdefault(_row(unit, line)[0], []).append(line)
    found: list[tuple[float, str, str]] = []
    for rows in tables.values():
        columns, like = list(cells(rows[0])), replace(lines[rows[0]], title="", context="", page=None, url=None)
        row = _first(question, [replace(like, text=_row(like, line)[1]) for line in rows])
        column = _first(question, [replace(like, text=name) for name in columns])
        if row and column and any(words(question, [replace(like, text=BRACKETS.sub("", columns[column[0]]))])):
            found.append((row[1] + column[1], rows[row[0]], columns[column[0]]))
    return max(found)[1:] if found else None


def _first(question: str, names: list[Passage]) -> tuple[int, float] | None:
    """Which of the names has more words of the question than the others, and their share of these."""
    shares = words(question, names)
    first, *others = sorted(shares, reverse=True)
    return (shares.index(first), first) if first > max(others, default=0.0) else None


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
        *(cell_form(rows, list(names)) for names, rows in tables.items()),
    ]


def cell_form(rows: list[str], columns: list[str]) -> dict[str, Any]:
    return _form("cell", rows, "column", {"type": "string", "enum": columns})


def _form(asks: str, quotes: list[str], last: str, told: dict[str, Any]) -> dict[str, Any]:
    # Whether it is just what is asked comes before the answer, and behind what chooses it.
    exact = {"exact": {"type": "string", "enum": ["yes", "no"]}}
    first = {"asks": {"type": "string", "enum": [asks]}, "quote": {"type": "string", "enum": quotes}}
    return an_object(first | (exact | {last: told} if last == "answer" else {last: told} | exact))
