"""Where a result of SQL is from, as passages of the documents: its rows as these have them, else the table."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from dure.data.placed import Place
from dure.errors import NotFound
from dure.knowledge.base import Knowledge
from dure.knowledge.parse.kinds import part_of
from dure.knowledge.parse.parsed import clean
from dure.knowledge.units import COLUMN
from dure.sources import Passage

_RUNS = 5
"""Rows apart from each other that are passages of their own."""
_MOST = 6_000
"""Characters of rows that are kept of one sheet."""

Span = tuple[int, int]


async def sources(
    knowledge: Knowledge, owner: str, places: Iterable[Place], files: Sequence[Mapping[str, Any]]
) -> list[Passage]:
    """The passages of what a query read. files: those that it read, as `Files` has them."""
    found, given = list[Passage](), {each["key"]: each.get("rows") for each in files}
    for each in places:
        id, kept = each.key.partition(" ")[0], given.get(each.key)
        with suppress(NotFound):  # deleted a moment ago
            document = await knowledge.slice(owner, id, 0, 1 << 30)
            text = document["text"]
            page, context, lines = _within(text, kept) if kept else _of_sheet(document, each.sheet)
            rows = [lines[at] for at in (each.first + row for row in each.rows) if at < len(lines)]
            spans = _runs(text, rows if len(rows) == len(each.rows) else []) or _table(text, lines, each.first)
            number = next((p["page"] for p in document["pages"] if p["start"] <= page < p["end"]), None)
            title, part = document["title"], part_of(document["kind"], number, context)
            found += [Passage(id, title, number, at, to, text[at:to], context=context, **part) for at, to in spans]
    return found


def _of_sheet(document: Mapping[str, Any], sheet: str) -> tuple[int, str, list[Span]]:
    """Where a sheet begins in the text of its document, its name as it stands there, and its rows."""
    text, pages, name = document["text"], document["pages"], clean(f"[{sheet}]")
    named = (each for each in pages if not sheet or text.startswith(f"{name}\n", each["start"]))
    own = next(named, {"start": 0, "end": len(text)})
    lines = _lines(text, own["start"], own["end"])
    # A workbook's sheets begin with their names.
    context = text[slice(*lines.pop(0))] if pages and lines else ""
    return own["start"], context, lines


def _table(text: str, lines: Sequence[Span], first: int) -> list[Span]:
    """A table with its header, and the line above it that names it; as much of it as is kept. first: its first row."""
    own = lines[max(first - 1, 0) :]
    above = [each for each in lines[max(first - 2, 0) : max(first - 1, 0)] if COLUMN not in text[slice(*each)]]
    kept = [end for at, (_, end) in enumerate(own) if not at or end - own[0][0] <= _MOST]
    return [((above or own)[0][0], kept[-1])] if own else []


def _within(text: str, rows: Sequence[Sequence[str]]) -> tuple[int, str, list[Span]]:
    """The same of a table within a text, whose header may not stand there: the place of its first row stands for it."""
    names, *others = rows
    told = (COLUMN.join(f"{n}: {cell}" for n, cell in zip(names, row, strict=True) if cell) for row in others)
    found = [(at, at + len(each)) for each in told if (at := text.find(each)) >= 0]
    whole = found if len(found) == len(others) else []
    return (found[0][0] if found else 0), "", [*found[:1], *whole]


def _lines(text: str, start: int, end: int) -> list[Span]:
    lines = list[Span]()
    for line in text[start:end].split("\n"):
        lines += [(start, start + len(line))] if line.strip() else []
        start += len(line) + 1
    return lines


def _runs(text: str, rows: Sequence[Span]) -> list[Span]:
    """Rows as passages: those below each other are one, and so are all where they are many; none where that is long."""
    runs = list[Span]()
    for start, end in rows:
        if runs and not text[runs[-1][1] : start].strip():
            runs[-1] = runs[-1][0], end
        else:
            runs.append((start, end))
    if len(runs) > _RUNS:
        runs = [(runs[0][0], runs[-1][1])]
    return runs if sum(end - start for start, end in runs) <= _MOST else []
