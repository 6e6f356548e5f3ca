"""The cell of a table that a question names: its row by words or by figures, its column by words."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from dure.data.questions.linking import places
from dure.knowledge.claims import counted, figures_in, names_unit
from dure.knowledge.excerpt import words
from dure.knowledge.names import NAME, ORDINAL
from dure.knowledge.question import content_words
from dure.knowledge.units import COLUMN
from dure.packs.papers.stages.lines import AT, BRACKETS, bare, cells, row_name, row_of
from dure.sources import Passage
from dure.storage.terms import counter, normal

_FIGURES = re.compile(r"[\d.,%+±−–-]+")
"""A cell that is a figure and nothing else."""
_SHARE = 1 / 3
"""Of the words of a name, so many have to stand in a question that names it: `LLM` of `LLM, zero-shot`."""


class Cell(NamedTuple):
    """A row as its line has it, and a column. by_figure: whether figures of the question tell the row from all others
    (`4분의 1` that of `25%`), which is surer than words are: these may tell of anything."""

    row: str
    column: str
    by_figure: bool


def cell_named(lines: Mapping[str, Passage], question: str) -> Cell | None:
    """The row of a table and its column which a question names before all others of it; of several tables one whose
    row it names by figures, else that of which it names most. What stands in brackets behind a column's name, often a
    unit, names none by itself."""
    tables: dict[tuple[str, ...], list[str]] = {}
    for line, unit in lines.items():
        if cells(line):
            tables.setdefault(row_of(unit, line)[0], []).append(line)
    found = list[tuple[bool, float, str, str]]()
    given = _values(question) & _values("\n".join(line for rows in tables.values() for line in rows))
    for rows in tables.values():
        like, labels = lines[rows[0]], [row_of(lines[line], line)[1] for line in rows]
        at, row = _by_figures(question, rows), None
        if at is None and (row := _first(question, labels, like)) and _alone(row[0], labels, question):
            at = row[0]
        if at is not None and row and not given <= _values(f"{like.context}\n{rows[at]}"):
            continue  # The question is about what another row tells, by that row's figures.
        if at is not None and (column := _column(question, rows[at], like)):
            found.append((row is None, column[1] + (row[1] if row else 0.0), rows[at], column[0]))
    if not found:
        return None
    by_figure, _, line, name = max(found)
    return Cell(line, name, by_figure)


def _column(question: str, row: str, like: Passage) -> tuple[str, float] | None:
    """Which column the question asks for, and its share of the question's words; none whose figure the question gives:
    it asks with that."""
    given = _values(question)
    names = [name for name, cell in cells(row).items() if not given & _values(cell)]
    column = _first(question, names, like) if names else None
    if column is None or not _named(BRACKETS.sub("", names[column[0]]), question):
        return None
    return names[column[0]], column[1]


def narrowed(named: Cell, question: str) -> str:
    """The row of a cell without the figures of other columns, which a small model takes for it; those that the question
    gives stay, since they tell the row."""
    given = _values(question)
    first, *parts = named.row.split(COLUMN)
    kept = (
        part
        for part in parts
        for name, _, cell in [part.partition(": ")]
        if name == named.column or not _FIGURES.fullmatch(cell) or given & _values(cell)
    )
    return COLUMN.join([first, *kept])


def in_unit(unit: Passage, row: str, question: str) -> bool:
    """Whether a row's table says in its names or above that its figures are in what a question asks for: `RMSE (%)` of
    a question in percent."""
    columns = cells(row)
    return bool(columns) and names_unit(f"{unit.context} {' '.join(columns)}", question)


def _first(question: str, names: Sequence[str], like: Passage) -> tuple[int, float] | None:
    """Which of the names has more words of the question than the others, and their share of these."""
    shares = words(question, [bare(like, name) for name in names])
    first, *others = sorted(shares, reverse=True)
    return (shares.index(first), first) if first > max(others, default=0.0) else None


def _alone(at: int, labels: Sequence[str], question: str) -> bool:
    """Whether a question names one of the rows and no other: where it has all words of another too, as of `SowNet`
    beside `SowNet + rain`, it may want either, unless it says the longer name as it stands."""
    others = [label for n, label in enumerate(labels) if n != at]
    either = any(_held(label, question) == 1 for label in others) and not any(places(labels[at], question))
    return _named(labels[at], question) and not either


def _named(name: str, question: str) -> bool:
    """Whether a question has enough of a name, in whole words: two letters that a word of it shares with one of the
    question's name nothing."""
    return _held(name, question) >= _SHARE


def _held(name: str, question: str) -> float:
    """The share of a name's words, brackets apart, that stand in a question."""
    asked, own = normal(question), content_words(BRACKETS.sub("", name).strip() or name)
    held = sum(all(counter(term)(asked) for term in word) for word in own)
    return held / len(own) if own else 0.0


def _by_figures(question: str, rows: Sequence[str]) -> int | None:
    """Which row alone has all of the question's figures that any of the rows has."""
    asked = _values(question)
    held = [asked & _values(" ".join([row_name(row), *cells(row).values()])) for row in rows]
    every = frozenset[Decimal]().union(*held)
    having = [n for n, its in enumerate(held) if its == every]
    return having[0] if every and len(having) == 1 else None


def _values(text: str) -> frozenset[Decimal]:
    """The figures of a text, those of names and parts apart; a percentage also as the fraction that it is."""
    plain = NAME.sub(" ", ORDINAL.sub(" ", AT.sub(" ", text)))
    shares = (value / 100 for value, unit, _ in counted(plain) if unit == "%")
    return figures_in(plain).union(shares)
