"""Questions about what papers say: each paper that is meant is read for the question alone (`within`), and what it says
is told with its page and the sentence that says it, of several papers a row each."""

import re
from collections.abc import Sequence
from itertools import groupby

from dure import markdown
from dure.errors import DureError
from dure.knowledge.claims import unsupported_numbers
from dure.knowledge.question import QUANTITY
from dure.knowledge.worked import worked_out
from dure.messages import language_of
from dure.packs.papers.stages import lying, ours, prompt, text
from dure.packs.papers.stages.lines import FIGURE, named
from dure.packs.papers.stages.papers import shortened
from dure.packs.papers.stages.quoted import Statement
from dure.packs.papers.stages.within import Reading, readings_of
from dure.teams.stages.stage import Done, Paper, Stage

_PIECES = re.compile(r"[,;:]\s+")
_ASKED = 150
"""Characters of a question that are told again, where a paper does not answer it."""
_BRACKET, _APART = re.compile(r"(?<=[\[【])(?=\d)"), "\u202f"
"""Where a narrow blank keeps a number from being taken for a citation."""


async def read(stage: Stage, papers: list[Paper], beside: Sequence[str] = ()) -> Done:
    """Answer the message from the papers, one by one. beside: sentences about what is not read."""
    asked = zip(papers, parts(stage.run.message, papers), strict=True)
    readings = await readings_of(stage, list(asked))
    found = [each.paper for each in readings]
    missing = stage.known.missing
    left = [*beside, *([ours(stage.run, "missing", names=missing)] if missing else [])]
    left += lying(stage.run, stage.known.documents)
    cards = [str(each.paper["title"]) for each in readings if not each.full]
    if len(readings) > 1 or readings[0].told or _places(stage, readings[0]):
        left = [*of_cards(stage, cards, len(readings)), *left]
    if len(readings) == 1:
        return stage.done("\n\n".join([_told(stage, readings[0]), *left]), papers=found)
    return await _compared(stage, readings, found, left)


def of_cards(stage: Stage, titles: Sequence[str], most: int) -> list[str]:
    """A sentence about the papers, `titles` of all `most`, that an answer knows by their cards alone."""
    key = "card_only" if len(titles) == most else "cards_of"
    return [ours(stage.run, key, titles=" / ".join(titles))] if titles else []


def parts(message: str, papers: Sequence[Paper]) -> list[str]:
    """What a message asks of each of several papers: the part with its name, where each has one that asks for
    something ("how many cells in Q-Fade, how many speakers in Tidal?"), else the whole."""
    pieces = [piece for piece in _PIECES.split(message) if QUANTITY.search(piece)]
    own = [
        [piece for piece in pieces if [each for each in papers if named(each, piece)] == [paper]] for paper in papers
    ]
    alone = len(papers) > 1 and all(len(each) == 1 for each in own)
    return [each[0] for each in own] if alone else [message] * len(papers)


def _places(stage: Stage, reading: Reading) -> bool:
    """Whether of a paper that says nothing the nearest places are named; of a card that a small model read, what stands
    there would be taken for the answer."""
    return bool(reading.near) and (reading.full or stage.run.way.window is None)


def _told(stage: Stage, reading: Reading) -> str:
    language, paper, able = stage.run.language, reading.paper, stage.run.way.window is None
    if not reading.told and _places(stage, reading):
        pages = [text("page_of", language, page=each.page) if each.page else paper["title"] for each in reading.near]
        marks = [stage.run.number(each) for each in reading.near]
        where = "\n".join(f"- {page} [{mark}]" for page, mark in zip(pages, marks, strict=True))
        return stage.run.own(f"{text('not_found', language, title=paper['title'])}\n\n{where}")
    if not reading.told:
        key = "not_said" if reading.full else "not_on_card"
        absent = text("absent", language, names=", ".join(reading.absent)) if reading.absent else ""
        asked = shortened(" ".join(reading.asks.split()), _ASKED)
        return stage.run.own(f"{text(key, language, title=paper['title'], asked=asked)} {absent}".strip())
    page = _pages(reading)
    place = text("page", language, title=paper["title"], page=page) if page else paper["title"]
    if able:
        said = []
        for (lined, columns), some in groupby(reading.told, key=lambda each: (bool(each.lines), each.columns)):
            marked = [_marked(stage, [each]) for each in some]
            shown = markdown.table(columns, [each.split("|") for each in marked]) if columns else " ".join(marked)
            # It was held against its lines more closely than citations are; what has none is less sure.
            said.append(stage.run.own(shown) if lined else shown)
        return "\n\n".join([*said, stage.run.own(f"({place})")])
    if FIGURE.search(reading.answer):
        return f"{_marked(stage, reading.told)}\n\n({place})"
    # Words of a small model's own are less sure than the paper's: these come first.
    [line] = reading.lines
    quote = [Statement(f"“{' '.join(line.text.split())}”", [line])]
    own = "" if language_of(line.text) == language else f"\n\n{reading.answer}"
    return f"{_marked(stage, quote)}{own}\n\n({place})"


def _marked(stage: Stage, told: Sequence[Statement]) -> str:
    """What a paper says, the numbers of the lines that tell it behind each statement."""
    said = []
    for each in told:
        marks = "".join(f"[{stage.run.number(line)}]" for line in each.lines)
        # A number in brackets of the paper's own would lead to what we cite.
        said.append(f"{_BRACKET.sub(_APART, each.says)} {marks}".strip())
    return " ".join(said)


def _pages(reading: Reading) -> str:
    return ", ".join(map(str, sorted({line.page for line in reading.lines if line.page})))


async def _compared(stage: Stage, readings: list[Reading], papers: list[Paper], left: list[str]) -> Done:
    """A row for each paper, in the columns that were asked for its rows, and what a model that tells makes of them.
    left: sentences about what was left out."""
    language = stage.run.language
    heads = [each.columns for reading in readings for each in reading.told if each.lines]
    wide = heads[0] if len({len(head) for head in heads}) == 1 else ()
    first, second, last = (text(key, language) for key in ("paper", "says", "page_number"))
    columns = [first, *(wide or [second]), last]
    rows, shown = [], []
    for each in readings:
        none = text("not_found_short" if each.near else "not_said_short", language)
        title, page = str(each.paper["title"]), _pages(each)
        parts = [[one] for one in each.told] if wide else [each.told]
        for part in parts or [[]]:
            says = " ".join(one.says for one in part) or none
            both, row = (says, _marked(stage, part) or none), part and part[0].columns
            cells, marked = (of.split("|") if wide and row else [of] for of in both)
            open_cells = [""] * (len(columns) - len(cells) - 2)
            rows.append([title, *(cell.strip() for cell in cells), *open_cells, page])
            shown.append([title, *marked, *open_cells, page])
    table, reason = markdown.table(columns, shown), None
    told = stage.run.own(table) if stage.run.way.window is None else table
    if stage.last and stage.run.way.tells and any(each.answer for each in readings):
        try:
            summed = await stage.write(prompt("read.compare"), f"{stage.run.message}\n\n{table}", said=f"{table}\n\n")
            lacking = unsupported_numbers(summed, [table, stage.run.message])
            told += f"\n\n{summed}" if all(worked_out(each, summed, [table]) for each in lacking) else ""
        except DureError as error:
            reason = error.code
    said, whole = "\n\n".join([told, *left]), {"columns": columns, "rows": rows}
    return stage.done(said, papers=papers, table=whole, reason=reason)
