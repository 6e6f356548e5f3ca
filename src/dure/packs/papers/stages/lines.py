"""Which of the lines that were found can tell what is asked."""

from collections.abc import Iterable

from dure.data.questions.linking import places
from dure.knowledge.units import COLUMN
from dure.sources import Passage


def asked_rows(units: Iterable[Passage], question: str) -> dict[str, Passage]:
    """Sentences and rows by their text, each once. Where the question names a row of a table, its other rows are left
    out: a small model takes one for another."""
    found = {" ".join(unit.text.split()): unit for unit in units}
    named: dict[tuple[str, ...], str] = {}
    for text, unit in found.items():
        table, label = _row(unit, text)
        if len(label) > len(named.get(table, "")) and any(places(label, question)):
            named[table] = label
    return {text: unit for text, unit in found.items() if named.get((row := _row(unit, text))[0], row[1]) == row[1]}


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
