"""Questions about what papers say: each paper that is meant is searched for the question, and read for it alone.

The model chooses the sentence or row that tells it, of those that stand there, and only then answers; where a figure is
asked for, of those that hold one. An answer with a figure that the chosen line has not is none: the paper does not say.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

from dure import markdown
from dure.data.questions.linking import places
from dure.errors import DureError
from dure.knowledge.claims import counts_otherwise, has_figure, unsupported_numbers
from dure.knowledge.excerpt import excerpt, told, words
from dure.knowledge.nearest import nearest
from dure.knowledge.question import QUANTITY
from dure.knowledge.units import COLUMN
from dure.messages import assistant, language_of, system, user
from dure.packs.papers.stages.lines import BRACKETS, FIGURE, asked_rows, cell_form, cell_named, cells, forms
from dure.packs.papers.stages.texts import text
from dure.sources import Passage
from dure.teams.stages.stage import Done, Paper, Stage
from dure.tooling import an_object

READ = "read_paper"
_ROOM = 1300
"""Characters at least of the sentences and rows that a larger model is shown."""
_SHORTEST = 8
"""Characters of a line that can tell something."""
_NEAREST = 8
"""Lines that a small model chooses from, the nearest to the question."""
_SURE = 0.5
"""How near to the question a line has to be, 1 the nearest, for a small model to tell from it: of 14 answers to a
stranger's questions from lines that were farther 13 were wrong, of 8 from nearer ones 2."""
_PLACES = 3
"""Lines that are named where it tells from none."""
_GUESS = {
    "en": (
        "Write one sentence as it may stand in the paper that answers the question, in English. Write the sentence"
        " only, with a likely figure where one is asked for.",
        ("RainNet: 밤에는 왜 안 쟀대?", "Measurements at night were left out, since dew blinds the sensor."),
        ("how many towns did they look at?", "We observed 48 towns in the study area."),
    ),
    "ko": (
        "질문의 답으로 논문에 적혀 있을 법한 문장을 한국어로 하나만 쓰세요. 수치를 물으면 그럴듯한 수치를 넣으세요.",
        ("how many towns did they look at?", "연구 지역의 48개 마을을 관측하였다."),
        ("밤에는 왜 안 쟀대?", "이슬이 센서를 가리므로 야간 측정은 제외하였다."),
    ),
}
"""By a paper's language. What is guessed is searched with, as by Gao et al. 2022, "Precise zero-shot dense retrieval
without relevance labels", and shown to nobody."""
_TURN = 300
_PIECES = re.compile(r"[,;:]\s+")
_NUMBER = re.compile(r"\d[\d.,]*")
_HAN = re.compile("[\u4e00-\u9fff]")
_ASK = """Read passages of a paper and answer the question from them alone. Reply with JSON.
asks: cell (of a table), figure, or words (a reason, a name, a description)
quote: the sentence or the row of a table that tells what is asked, copied whole; empty where none does
column: of a cell, the name of the column that is asked for
exact: yes where the quote tells just what is asked (the same thing, group, measure and condition); no where it tells \
of another, or only that something was not done
answer: in the language of the question, one short sentence; figures as they stand in the quote; empty where exact is no

Passages:
We measured 48 towns for 14 months. In the hot group the error was 3.1 %, in the cold one 5.2 %. Nights were left out, \
since dew blinds the sensor.
# Table 1: Errors on test data
Model: Kriging | RMSE: 4.02 | MAE: 2.97
Model: RainNet | RMSE: 3.38 | MAE: 2.11
Question: how many towns did they look at?
{"found":{"asks":"figure","quote":"We measured 48 towns for 14 months.","exact":"yes","answer":"They looked at 48."}}
Question: RainNet의 MAE는 얼마야?
{"found":{"asks":"cell","quote":"Model: RainNet | RMSE: 3.38 | MAE: 2.11","column":"MAE","exact":"yes"}}
Question: 밤에는 왜 안 쟀대?
{"found":{"asks":"words","quote":"Nights were left out, since dew blinds the sensor.","exact":"yes",\
"answer":"이슬 때문입니다."}}
Question: 밤에는 오차가 몇 %였어?
{"found":{"asks":"figure","quote":"","exact":"no","answer":""}}
Question: who paid for the towers?
{"found":{"asks":"words","quote":"","exact":"no","answer":""}}
Question: what was the error in rainy towns?
{"asks":"figure","quote":"In the hot group the error was 3.1 %, in the cold one 5.2 %.","exact":"no","answer":""}}"""
_COMPARE = """In one to three sentences, say what the table tells in answer to the message. Every figure must stand in \
the table. Do not repeat the table: it is shown above."""


@dataclass(slots=True)
class Reading:
    """What a paper says to what is asked of it: `answer` empty where it does not say; `at`: the passage that tells
    it."""

    paper: Paper
    asks: str
    answer: str = ""
    quote: str = ""
    at: Passage | None = None
    full: bool = True
    absent: list[str] = field(default_factory=list)
    """Abbreviations of the question that stand nowhere in the paper."""
    near: list[Passage] = field(default_factory=list)
    """Where a small model may have overlooked what it says, nearest first."""


async def read(stage: Stage, papers: list[Paper]) -> Done:
    """Answer the message from the papers, one by one."""
    readings = [
        await _read(stage, paper, asks) for paper, asks in zip(papers, parts(stage.run.message, papers), strict=True)
    ]
    found = [each.paper for each in readings]
    if len(readings) == 1:
        return stage.done(_told(stage, readings[0]), papers=found)
    return await _compared(stage, readings, found)


def names_of(paper: Paper) -> list[str]:
    """What a paper is called: its title, and its other names."""
    return [str(paper["title"]), *map(str, paper.get("aliases") or ())]


def named(paper: Paper, text: str) -> bool:
    """Whether a text has one of a paper's names."""
    return any(any(places(name, text)) for name in names_of(paper))


def parts(message: str, papers: Sequence[Paper]) -> list[str]:
    """What a message asks of each of several papers: the part with its name, where each has one that asks for
    something ("how many cells in Q-Fade, how many speakers in Tidal?"), else the whole."""
    pieces = [piece for piece in _PIECES.split(message) if QUANTITY.search(piece)]
    own = [
        [piece for piece in pieces if [each for each in papers if named(each, piece)] == [paper]] for paper in papers
    ]
    alone = len(papers) > 1 and all(len(each) == 1 for each in own)
    return [each[0] for each in own] if alone else [message] * len(papers)


async def _read(stage: Stage, paper: Paper, asks: str) -> Reading:
    """Raises the model's errors."""
    run, asked = stage.run, " ".join(_question(stage, asks).split())
    result = await stage.call(READ, paper=paper["id"], question=asked[-500:])
    data = result.fields
    reading = Reading(paper, asks, full=bool(data.get("full")), absent=list(data.get("absent") or []))
    if reading.absent:
        return reading
    if run.way.window is None:
        units = await excerpt(asked, result.passages, max(run.model.context, _ROOM), run.embedder)
    else:
        guessed = [await _guessed(stage, paper, asks)] if result.passages else []
        units = await nearest([asked, *guessed], result.passages, run.embedder)
    if units:
        await _looked(stage, reading, units)
    return reading


async def _guessed(stage: Stage, paper: Paper, asks: str) -> str:
    """A sentence that may stand in the paper and answer what it asks, in its language. Raises the model's errors."""
    rule, *examples = _GUESS[language_of(str(paper["title"]))]
    messages = [system(rule)]
    for question, sentence in examples:
        messages += [user(question), assistant(sentence)]
    place = f"{stage.work_id}.{paper['id']}guess"
    asked = await stage.run.ask(
        "guess",
        [*messages, user(asks)],
        max_tokens=70,
        fixed=messages,
        agent=stage.agent.name,
        work_id=place,
    )
    return asked.reply.content.strip().partition("\n")[0]


async def _looked(stage: Stage, reading: Reading, units: list[Passage]) -> None:
    """Note what the sentences and rows tell of what is asked. Raises the model's errors."""
    lines = {
        text: unit
        for text, unit in asked_rows(units, reading.asks, names_of(reading.paper)).items()
        if len(text) >= _SHORTEST
    }
    if stage.run.way.window is None:
        _tells(stage, reading, await _chosen(stage, reading, lines, forms(list(lines))), lines)
        return
    near = sorted(lines, key=lambda text: -lines[text].score)[:_NEAREST]
    reading.near = [lines[text] for text in near[:_PLACES]]
    if (cell := cell_named(lines, reading.asks)) is not None:
        # It overlooks rows beside sentences; whether this one tells it, it is asked alone.
        row = {cell[0]: lines[cell[0]]}
        if _tells(stage, reading, await _chosen(stage, reading, row, [cell_form([*row], [cell[1]])], "cell"), row):
            return
    lines = {text: unit for text, unit in lines.items() if text in near}
    counted = {text for text in lines if has_figure(text, reading.asks, surely=True)}
    if counted:
        # Figures of something else than is asked for are none to choose from.
        lines = {text: each for text, each in lines.items() if text in counted or not FIGURE.search(text)}
    written = await _chosen(stage, reading, lines, forms(list(lines)))
    sentences = {text: unit for text, unit in lines.items() if not cells(text)}
    if not _tells(stage, reading, written, lines) and written.get("asks") == "cell" and sentences:
        _tells(stage, reading, await _chosen(stage, reading, sentences, forms([*sentences]), "words"), sentences)


def _tells(stage: Stage, reading: Reading, written: dict[str, Any], lines: Mapping[str, Passage]) -> bool:
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
        said = _NUMBER.sub(" ", answer)
        told_by = [each for text, each in lines.items() if not cells(text)]
        told_by = [each for each in told_by if not unsupported_numbers(answer, [each.text, reading.asks])]
        told_by = [each for each in told_by if any(words(said, [replace(each, title="", context="")]))]
        line = told_by[0] if len(told_by) == 1 else line
    if unsupported_numbers(answer, [line.text, reading.asks]) or not _near_enough(stage, line):
        return False
    # A small model falls into Chinese, or out of the reader's language: the line itself is the answer then.
    own = all(letter in f"{line.text} {reading.asks}" for letter in _HAN.findall(answer))
    own = own and (language_of(answer) == stage.run.language or language_of(line.text) != stage.run.language)
    reading.answer, reading.quote, reading.at = answer if own else line.text, line.text, line
    return True


def _near_enough(stage: Stage, line: Passage) -> bool:
    """Whether what a model chose may tell: a small one takes lines of something else where the paper does not say."""
    return stage.run.way.window is None or line.score >= _SURE


def _tells_cell(stage: Stage, reading: Reading, line: Passage, row: str, column: str) -> bool:
    """As `_tells`, of a cell of a table. One whose row and column have no word of the question is any cell; in the
    question's language the row has to be named, where it is not the paper's own, and for a small model the column."""
    label = row.partition(COLUMN)[0]
    asked = " ".join([*_said(stage), reading.asks])
    names = " ".join([asked, *names_of(reading.paper)])
    bare = replace(line, title="", context="", page=None, url=None)

    def called(text: str, by: str) -> bool:
        return any(words(by, [replace(bare, text=text)]))

    if language_of(line.text) == stage.run.language:
        its = stage.run.way.decides or called(BRACKETS.sub("", column), asked)
        its = its and called(label.partition(": ")[2] or label, names)
    else:
        its = True
    if not its or not called(f"{label} {column}", asked) or not _near_enough(stage, line):
        return False
    reading.answer, reading.quote, reading.at = f"{label} · {column}: {cells(row).get(column, '')}", line.text, line
    return True


async def _chosen(
    stage: Stage, reading: Reading, lines: Mapping[str, Passage], offered: list[dict[str, Any]], part: str = ""
) -> dict[str, Any]:
    """What the model fills in of the lines. Raises its errors."""
    title, shown = reading.paper["title"], told(lines.values(), attrgetter("context"))
    prompt = f"Paper: {title}\nPassages:\n{shown}\n{_question(stage, reading.asks)}"
    schema = an_object({"found": {"anyOf": offered}})
    part = f"{reading.paper['id']}{part}"
    written = await stage.write_json(_ASK, prompt, schema, purpose="read", history=False, part=part)
    found = written.get("found") if isinstance(written, dict) else None
    return found if isinstance(found, dict) else {}


def _question(stage: Stage, asks: str) -> str:
    """What is asked, with what was said before it."""
    said = _said(stage)
    before = f"Said before: {' / '.join(said)}\n" if said else ""
    return f"{before}Question: {asks}"


def _said(stage: Stage) -> list[str]:
    return [str(turn["content"] or "")[:_TURN] for turn in list(stage.run.history)[-2:]]


def _told(stage: Stage, reading: Reading) -> str:
    language, paper = stage.run.language, reading.paper
    if reading.at is None and reading.full and reading.near:
        # A small model overlooks much; what stands there would be taken for the answer.
        pages = [text("page_of", language, page=each.page) if each.page else paper["title"] for each in reading.near]
        marks = [stage.run.number(each) for each in reading.near]
        where = "\n".join(f"- {page} [{mark}]" for page, mark in zip(pages, marks, strict=True))
        return f"{text('not_found', language, title=paper['title'])}\n\n{where}"
    if reading.at is None:
        key = "not_said" if reading.full else "not_on_card"
        absent = text("absent", language, names=", ".join(reading.absent)) if reading.absent else ""
        return f"{text(key, language, title=paper['title'])} {absent}".strip()
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
        rows.append(
            [
                str(each.paper["title"]),
                each.answer or text("not_found_short" if each.near else "not_said_short", language),
                page,
            ]
        )
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
