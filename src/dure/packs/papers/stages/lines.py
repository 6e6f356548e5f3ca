"""The lines of passages that can tell what is asked: sentences, and rows of tables."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dure.data.questions.linking import places
from dure.knowledge.excerpt import units_of
from dure.sources import Passage

_SHORTEST = 8
_ROW = re.compile(r"(?P<label>.*?[^\W\d_].*?)(?:\s+[±+−–-]?[\d.,:]*\d[\d.,:]*\s?[%°]?(?:\s?[±–-]\s?[\d.]+)?)+")
"""A row of a table as PDFs give it: what it is called, then figures alone."""


@dataclass(slots=True)
class Line:
    """`text`: on one line. `source`: the line alone, with its place. `label`: what a row of a table is called; "" of a
    sentence. `table`: the same for rows that stand together."""

    text: str
    source: Passage
    label: str = ""
    table: int = 0


def lines_of(passages: Iterable[Passage], question: str) -> list[Line]:
    """The lines of passages, each once. Where the question names a row of a table, its other rows are left out: a small
    model takes one for another."""
    found: dict[str, Line] = {}
    table = 0
    for passage in passages:
        for unit in units_of(passage):
            text = " ".join(unit.text.split())
            row = _ROW.fullmatch(text)
            table += row is None
            if len(text) >= _SHORTEST:
                found.setdefault(text, Line(text, unit, row["label"] if row else "", table))
    named: dict[int, str] = {}
    for line in found.values():
        if line.label and len(line.label) > len(named.get(line.table, "")) and any(places(line.label, question)):
            named[line.table] = line.label
    return [line for line in found.values() if not line.label or named.get(line.table, line.label) == line.label]
