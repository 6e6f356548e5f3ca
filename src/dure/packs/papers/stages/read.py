"""Questions about what papers say: each paper that is meant is read for the question alone (`within`), and what it says
is told with its page and the sentence that says it, of several papers a row each."""

import re
from collections.abc import Sequence

from dure import markdown
from dure.errors import DureError
from dure.knowledge.claims import unsupported_numbers
from dure.knowledge.question import QUANTITY
from dure.messages import language_of
from dure.packs.papers.stages import text
from dure.packs.papers.stages.lines import FIGURE, named
from dure.packs.papers.stages.within import Reading, reading_of
from dure.teams.stages.stage import Done, Paper, Stage

_PIECES = re.compile(r"[,;:]\s+")
_COMPARE = """In one to three sentences, say what the table tells in answer to the message. Every figure must stand in \
the table. Do not repeat the table: it is shown above."""


async def read(stage: Stage, papers: list[Paper]) -> Done:
    """Answer the message from the papers, one by one."""
    asked = zip(papers, parts(stage.run.message, papers), strict=True)
    readings = [await reading_of(stage, paper, asks) for paper, asks in asked]
    found = [each.paper for each in readings]
    if len(readings) == 1:
        return stage.done(_told(stage, readings[0]), papers=found)
    return await _compared(stage, readings, found)


def parts(message: str, papers: Sequence[Paper]) -> list[str]:
    """What a message asks of each of several papers: the part with its name, where each has one that asks for
    something ("how many cells in Q-Fade, how many speakers in Tidal?"), else the whole."""
    pieces = [piece for piece in _PIECES.split(message) if QUANTITY.search(piece)]
    own = [
        [piece for piece in pieces if [each for each in papers if named(each, piece)] == [paper]] for paper in papers
    ]
    alone = len(papers) > 1 and all(len(each) == 1 for each in own)
    return [each[0] for each in own] if alone else [message] * len(papers)


def _told(stage: Stage, reading: Reading) -> str:
    language, paper = stage.run.language, reading.paper
    if reading.at is None and reading.full and reading.near:
        # A small model overlooks much; what stands there would be taken for the answer.
        pages = [text("page_of", language, page=each.page) if each.page else paper["title"] for each in reading.near]
        marks = [stage.run.number(each) for each in reading.near]
        where = "\n".join(f"- {page} [{mark}]" for page, mark in zip(pages, marks, strict=True))
        return stage.run.own(f"{text('not_found', language, title=paper['title'])}\n\n{where}")
    if reading.at is None:
        key = "not_said" if reading.full else "not_on_card"
        absent = text("absent", language, names=", ".join(reading.absent)) if reading.absent else ""
        return stage.run.own(f"{text(key, language, title=paper['title'])} {absent}".strip())
    mark = f" [{stage.run.number(reading.at)}]"
    place = text("page", language, title=paper["title"], page=reading.at.page) if reading.at.page else paper["title"]
    if FIGURE.search(reading.answer):
        return f"{reading.answer}{mark}\n\n({place})"
    # Words of a small model's own are less sure than the paper's: these come first.
    own = "" if language_of(reading.quote) == language else f"\n\n{reading.answer}"
    return f"“{' '.join(reading.quote.split())}”{mark}{own}\n\n({place})"


async def _compared(stage: Stage, readings: list[Reading], papers: list[Paper]) -> Done:
    """A row for each paper, and what a model that tells makes of them."""
    language = stage.run.language
    columns = [text(key, language) for key in ("paper", "says", "page_number")]
    rows, marks = [], []
    for each in readings:
        page = str(each.at.page or "") if each.at else ""
        none = text("not_found_short" if each.near else "not_said_short", language)
        rows.append([str(each.paper["title"]), each.answer or none, page])
        marks.append(f" [{stage.run.number(each.at)}]" if each.at else "")
    shown = [[title, said + mark, page] for (title, said, page), mark in zip(rows, marks, strict=True)]
    table, reason = markdown.table(columns, shown), None
    told = table
    if stage.last and stage.run.way.tells and any(each.answer for each in readings):
        try:
            summed = await stage.write(_COMPARE, f"{stage.run.message}\n\n{table}", said=f"{table}\n\n")
            told += "" if unsupported_numbers(summed, [table, stage.run.message]) else f"\n\n{summed}"
        except DureError as error:
            reason = error.code
    return stage.done(told, papers=papers, table={"columns": columns, "rows": rows}, reason=reason)
