"""What one paper says to a question: it is searched, and of its sentences and rows those are found that tell what is
asked.

An able model quotes them (`quoted`). A small one chooses one, of the few that are nearest; where a figure is asked for,
of those that hold one. An answer with a figure that the chosen line has not is none. It says it in a few words first
(`briefly`), and what it chooses has to agree: that the paper says it, and where it was not sure of its words that it is
the line which they point at.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from sys import maxsize
from typing import Any

from dure.knowledge.claims import counts_otherwise, has_figure, unsupported_numbers
from dure.knowledge.excerpt import excerpt, nearest, told, words
from dure.knowledge.question import QUANTITY
from dure.knowledge.units import COLUMN
from dure.messages import language_of
from dure.packs.papers.stages import prompt
from dure.packs.papers.stages.briefly import guessed, said_of
from dure.packs.papers.stages.cell import cell_named, in_unit, narrowed
from dure.packs.papers.stages.lines import (
    BRACKETS,
    FIGURE,
    NUMBER,
    SHORTEST,
    another_row,
    asked_rows,
    bare,
    cells,
    forms,
    names_of,
    only_there,
    own_words,
    portions,
    row_name,
)
from dure.packs.papers.stages.quoted import Statement, quoted
from dure.packs.papers.stages.reading import window
from dure.sources import Passage
from dure.teams.give import side_by_side
from dure.teams.stages.stage import Paper, Stage
from dure.tooling import ToolResult, an_object

READ = "read_paper"
_AT_ONCE = 4
"""Papers that an able model reads side by side."""
_LOOKS = 3
"""How often an able model is shown what fills its window, where it finds nothing."""
_PASSAGE = 250
"""Characters of a short passage."""
_NEAREST = 8
"""Lines that a small model looks at, the nearest to the question."""
_NEAR = 0.4
"""How near to the question a line has to be, 1 the nearest, for a small model to tell from it; farther ones it has to
say and to choose, and they have to have a word of the question that no other line has."""
_SURE = 0.4
"""How sure a small model has to be of each token that it says, where it chooses another line than these stand in. Of 23
answers to strangers' questions that were as sure, from lines as near, 19 were right; of 31 others 6."""
_CERTAIN = 0.9
"""How sure it has to be of each token of a cell's, whose row and column the question names, to be asked no more."""
_PLACES = 3
"""Lines that are named where it tells from none."""
_TURN = 300


@dataclass(slots=True)
class Reading:
    """What a paper says to what is asked of it: `told` empty where it does not say."""

    paper: Paper
    asks: str
    told: list[Statement] = field(default_factory=list)
    full: bool = True
    absent: list[str] = field(default_factory=list)
    """Abbreviations of the question that stand nowhere in the paper."""
    near: list[Passage] = field(default_factory=list)
    """Where what it says may have been overlooked, nearest first."""

    @property
    def answer(self) -> str:
        return " ".join(each.says for each in self.told)

    @property
    def lines(self) -> list[Passage]:
        """Those that tell it."""
        return [line for each in self.told for line in each.lines]


async def readings_of(stage: Stage, asked: Sequence[tuple[Paper, str]]) -> list[Reading]:
    """What papers say to what is asked of each: all are searched at once, and an able model reads `_AT_ONCE` side by
    side. Raises the model's errors."""
    way = stage.run.way
    room = await window(stage, maxsize) if way.window is None else 0
    more = {"passages": _LOOKS * room // _PASSAGE} if room else {}
    words = [" ".join(_question(stage, asks).split()) for _, asks in asked]
    calls = [
        {"paper": paper["id"], "question": question[-500:], **more}
        for (paper, _), question in zip(asked, words, strict=True)
    ]
    gate = asyncio.Semaphore(_AT_ONCE if room else 1)

    async def reading_of(paper: Paper, asks: str, question: str, result: ToolResult) -> Reading:
        data = result.fields
        reading = Reading(paper, asks, full=bool(data.get("full")), absent=list(data.get("absent") or []))
        async with gate:
            if room:
                units = await excerpt(question, result.passages, maxsize, stage.run.embedder)
                await _quotes(stage, reading, units, room)
            elif result.passages and not reading.absent:
                guess = await guessed(stage, paper, asks)
                await _found(stage, reading, await nearest([question, guess], result.passages, stage.run.embedder))
        return reading

    results = await stage.calls(READ, calls)
    of = zip(asked, words, results, strict=True)
    return await side_by_side(reading_of(*each, question, found) for each, question, found in of)


async def _quotes(stage: Stage, reading: Reading, units: Sequence[Passage], room: int) -> None:
    """Note what an able model tells of the sentences and rows, `room` characters at a time. Raises its errors."""
    shown = list(portions(units, room))
    unsure = len(shown) > _LOOKS
    for lines in shown[:_LOOKS]:
        question = _question(stage, reading.asks)
        told = await quoted(stage, reading.paper, reading.asks, question, lines)
        if told:
            reading.told = told
            return
        unsure = unsure or told is None
    if unsure:
        reading.near = sorted(units, key=lambda unit: -unit.score)[:_PLACES]


async def _found(stage: Stage, reading: Reading, units: list[Passage]) -> None:
    """Note what a small model finds of what is asked in the sentences and rows. Raises its errors."""
    asks, names = reading.asks, names_of(reading.paper)
    lines = {text: unit for text, unit in asked_rows(units, asks, names).items() if len(text) >= SHORTEST}
    near = sorted(lines, key=lambda text: -lines[text].score)[:_NEAREST]
    reading.near = [lines[text] for text in near[:_PLACES]]
    named = cell_named(lines, asks)
    if named is not None and not named.by_figure and lines[named.row].score < _NEAR:
        named = None
    if named is not None:
        # It overlooks rows beside sentences, and takes one cell for another.
        lines = {narrowed(named, asks): lines[named.row]}
    else:
        lines = {text: unit for text, unit in lines.items() if text in near}
    if counted := {text for text in lines if has_figure(text, asks, surely=True)}:
        # Figures of something else than is asked for are none to choose from.
        counted |= {text for text, unit in lines.items() if in_unit(unit, text, asks)}
        lines = {text: each for text, each in lines.items() if text in counted or not FIGURE.search(text)}
    if not lines:
        return
    said = await said_of(stage, reading.paper, _question(stage, asks), lines)
    line = lines.get(said.quote)
    if line is None or another_row(line, units, asks, names):
        return
    near_by = named is not None or line.score >= _NEAR
    # What stands farther mostly tells of something else.
    if not (near_by or only_there(line, units, asks, names)):
        return
    form = said.form or {}
    surely = named is not None and said.sure >= _CERTAIN and form.get("column") == named.column
    if surely and _tells(stage, reading, form, lines):
        # It says surely the very cell that the question names.
        return
    # What it says and whether that is what is asked are two questions; a small model is heard where both agree.
    chosen = await _chosen(stage, reading, lines)
    agreed = chosen.get("quote") == said.quote and _same(said.says, chosen, asks)
    if chosen.get("exact") != "yes" or not (near_by or agreed):
        return
    if not (said.sure >= _SURE and _tells(stage, reading, form, lines)) and agreed:
        _tells(stage, reading, chosen, lines)


def _same(said: str, chosen: Mapping[str, Any], asks: str) -> bool:
    """Whether the cell that a small model chose is all that it said: of two cells it knows neither to be the one."""
    row, column = str(chosen.get("quote")), str(chosen.get("column"))
    cell = cells(row).get(column, "")
    return chosen.get("asks") != "cell" or not unsupported_numbers(said, [cell, column, row_name(row), asks])


def _tells(stage: Stage, reading: Reading, written: Mapping[str, Any], lines: Mapping[str, Passage]) -> bool:
    """Whether what the model chose tells what is asked, which is noted then."""
    line = lines.get(quote := str(written.get("quote")))
    if written.get("exact") != "yes" or line is None:
        return False
    if written.get("asks") == "cell":
        return _tells_cell(stage, reading, line, quote, str(written.get("column")))
    answer = " ".join(str(written.get("answer") or "").split())
    figures = bool(FIGURE.search(answer))
    # A figure of a table is told as a cell; one of something else than is asked for answers nothing.
    other = counts_otherwise(answer, reading.asks, lines)
    if not answer or other or (cells(quote) if figures else QUANTITY.search(reading.asks)):
        return False
    if unsupported_numbers(answer, [line.text, reading.asks]):
        # A small model copies one line and tells of another: of the one that holds its figures and its words.
        others = [each for text, each in lines.items() if not cells(text)]
        others = [each for each in others if not unsupported_numbers(answer, [each.text, reading.asks])]
        others = [each for each in others if any(words(NUMBER.sub(" ", answer), [bare(each)]))]
        if len(others) != 1:
            return False
        [line] = others
    own = own_words(answer, line.text, reading.asks, stage.run.language)
    reading.told = [Statement(answer if own else line.text, [line])]
    return True


def _tells_cell(stage: Stage, reading: Reading, line: Passage, row: str, column: str) -> bool:
    """As `_tells`, of a cell of a table. One whose row and column have no word of the question is any cell; in the
    question's language the row has to be named, where it is not the paper's own, and the column."""
    label = row.partition(COLUMN)[0]
    asked = " ".join([*_said(stage), reading.asks])
    names = " ".join([asked, *names_of(reading.paper)])

    def called(text: str, by: str) -> bool:
        return any(words(by, [bare(line, text)]))

    foreign, cell = language_of(line.text) != stage.run.language, cells(row).get(column)
    its = foreign or (called(BRACKETS.sub("", column), asked) and called(label.partition(": ")[2] or label, names))
    if cell is None or not its or not called(f"{label} {column}", asked):
        return False
    reading.told = [Statement(f"{label} · {column}: {cell}", [line])]
    return True


async def _chosen(stage: Stage, reading: Reading, lines: Mapping[str, Passage]) -> dict[str, Any]:
    """What the model fills in of the lines. Raises its errors."""
    of = (replace(unit, text=text) for text, unit in lines.items())
    title, shown = reading.paper["title"], told(of, attrgetter("context"))
    material = f"Paper: {title}\nPassages:\n{shown}\n{_question(stage, reading.asks)}"
    schema = an_object({"found": {"anyOf": forms(list(lines))}})
    part = str(reading.paper["id"])
    written = await stage.write_json(prompt("within.ask"), material, schema, purpose="read", history=False, part=part)
    found = written.get("found")
    return found if isinstance(found, dict) else {}


def _question(stage: Stage, asks: str) -> str:
    """What is asked, with what was said before it."""
    said = _said(stage)
    before = f"Said before: {' / '.join(said)}\n" if said else ""
    return f"{before}Question: {asks}"


def _said(stage: Stage) -> list[str]:
    return [str(turn["content"] or "")[:_TURN] for turn in list(stage.run.history)[-2:]]
