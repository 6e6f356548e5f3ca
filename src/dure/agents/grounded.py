"""The short way for small models: fetch the passages, ask once, check what was said.

A small model neither calls tools nor says "not in the documents" reliably. So the sentences and rows nearest to the
question stand in the user's turn; whether the documents hold an answer at all is decided by rules on what search found;
and what the model says is held against one sentence or row each: what stands in none of them is left out, the row of
another thing is replaced by that of what was asked, and where nothing is left the nearest sentences are the answer.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rapidfuzz.fuzz import ratio

from dure.agents.context import RunContext, Speech
from dure.agents.definition import Agent
from dure.agents.journaled import report
from dure.agents.outcome import Outcome
from dure.agents.prompts import NOT_FOUND, QUOTED, level_rule
from dure.errors import DureError
from dure.knowledge.claims import absent, missing, unsupported_numbers
from dure.knowledge.excerpt import excerpt, told, words
from dure.knowledge.question import content_terms
from dure.knowledge.sentences import sentences
from dure.messages import ToolCall, language_of, system, user
from dure.sources import SUB, Passage
from dure.storage.terms import counter, normal
from dure.texts import TEXTS
from dure.tooling import Tool, ToolResult
from dure.toolsets import run_call

WEAK = 0.15
"""Below this evidence the documents are taken not to hold an answer: with one document or with many, questions about
them had 0.18 and more, questions about anything else mostly 0.0."""
_SURE = 0.5
"""From this evidence on, or with a number that stands in a sentence shown, an answer counts although no sentence holds
nearly all of its words."""
_SAID = 0.6
"""Share of a statement's words that a sentence holds that says nearly the same."""
_ABOUT, _WHOLLY = 0.3, 0.5
"""Of its words a statement has fewer in its source where that tells of something else, or not wholly what is said.
What inflects Korean words makes up a third of them."""
_COPY = 75
"""Likeness, of 100, from which a statement is a copy of a sentence."""
_LABEL = 0.5
"""The same of a name before a statement, words of its headings counting half."""
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+")
LOOK = 16
"""Passages whose sentences and rows are looked at."""
CHARACTERS = 1300
"""Of these in a prompt: about 800 tokens of Korean, 12 s of reading on two cores."""
_FIGURE = re.compile(r"\S*\d\S*")
_COLUMN = " | "
_CLEARLY = 0.1
"""By how much more of the question's words, 0 to 1, the row that was asked for holds than another."""
_QUANTITY = re.compile(
    r"얼마|며칠|몇\s|언제|몇\S{0,3}(?:일|개|번|주|명|시|원|년)|how (?:many|much|long|often|old|loud)|\bwhen\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d|[한두세네] ?(?:번|명|달|주|개|시간)|twice|once")


@dataclass(slots=True)
class Prefetched:
    """Passages fetched for an agent before it was chosen."""

    agent: str
    call: ToolCall
    result: ToolResult

    @property
    def judged(self) -> bool:
        """Whether the tool said how strong its evidence is."""
        return isinstance(self.result.data, dict) and "evidence" in self.result.data

    @property
    def evidence(self) -> float:
        """0 to 1: how well the passages support the question at all. Just enough where the tool does not say."""
        return float(self.result.data["evidence"]) if self.judged else WEAK


async def prefetch(agents: Iterable[Agent], run: RunContext) -> Prefetched | None:
    """Search with the message itself, for the first agent that searches; None when none does."""
    for agent in agents:
        tool = agent.own.get(agent.search or "") or run.tools.get(agent.search or "")
        # One that may be used without asking anybody.
        if tool is not None and tool.effect == "read":
            args: dict[str, Any] = {"queries": [run.message[:500]]}
            if "count" in tool.parameters.get("properties", {}):
                args["count"] = LOOK
            call = ToolCall(tool.name, args)
            result = await run_call({tool.name: tool}, call, run.tool_context(agent.name))
            return Prefetched(agent.name, call, result)
    return None


async def grounded(
    run: RunContext, agent: Agent, tools: Mapping[str, Tool], speech: Speech, found: Prefetched | None, work_id: str
) -> Outcome | None:
    """Answer the message from passages with one model call, or none when nothing fitting was found. None where the
    agent's search does not lead to passages, and the loop has to do it."""
    if found is None or found.agent != agent.name:
        found = await prefetch([agent], run)
    if found is None:
        return None
    context = run.tool_context(agent.name, run.new_id("c", work_id), work_id)
    found.result = report(run, found.call, context, found.result)
    run.heard(tools.get(found.call.name), found.result)
    if not (found.judged or found.result.passages):
        return None
    if found.result.status != "ok" or not found.result.passages or found.evidence < WEAK:
        speech.settle(NOT_FOUND[run.language])
        return Outcome("completed", NOT_FOUND[run.language])
    return await answered(run, agent, found.result.passages, found.evidence, speech, work_id)


async def answered(
    run: RunContext, agent: Agent, found: list[Passage], evidence: float, speech: Speech, work_id: str
) -> Outcome:
    """Answer the message from the best of what was found, `evidence` (0 to 1) saying how well that supports it."""
    if unknown := absent(run.message, [f"{each.heading}\n{each.text}" for each in found]):
        lacking = _ABSENT[run.language].format(names=", ".join(unknown))
        speech.settle(lacking)
        return Outcome("completed", lacking)
    units = await _excerpt(run, found)
    messages = [
        system(f"{_SYSTEM[run.language]} {level_rule(run)}".strip()),
        user(f"{told(units)}\n\n{_QUESTION[run.language]}: {run.message}"),
    ]
    try:
        asked = await run.ask("answer", messages, on_piece=speech, max_tokens=400, agent=agent.name, work_id=work_id)
    except DureError as error:
        speech.settle("")
        return Outcome.failed(error)
    # Of a thing that a document never names, nothing in it tells.
    of = {
        unit.document_id: [f"{p.heading}\n{p.text}" for p in found if p.document_id == unit.document_id]
        for unit in units
    }
    units = [unit for unit in units if not absent(run.message, of[unit.document_id])]
    # Where a sentence or row names it, the others tell of something else.
    units = [unit for unit in units if not absent(run.message, [unit.heading, unit.text])] or units
    answer = _checked(run, asked.reply.content.strip(), units, evidence) or _quoted(run, units)
    speech.settle(answer)
    return Outcome("completed", answer)


async def _excerpt(run: RunContext, found: list[Passage]) -> list[Passage]:
    encoder = run.embedder.second if run.embedder is not None else None
    try:
        return await excerpt(run.message, found, CHARACTERS, encoder)
    except DureError:
        return await excerpt(run.message, found, CHARACTERS)


def _checked(run: RunContext, answer: str, units: list[Passage], evidence: float) -> str:
    """What of the answer stands in one sentence or row, with that behind it; empty where nothing does."""
    if _QUANTITY.search(run.message) and not _NUMBER.search(answer):
        return ""
    kept: dict[str, str] = {}
    at, opening = 0, ""
    for start, end in sentences(answer):
        said, gap, at = answer[start:end], "\n" if "\n" in answer[at:start] else " ", end
        if said.startswith("#") or said.endswith("?"):
            continue  # What statements stand under, said after the passages.
        if not kept and not _ITEM.match(said) and (said.endswith(":") or _ITEM.match(answer, end)):
            # What only leads to a list says nothing by itself, and nothing without it.
            opening = "" if missing(said, run.message) else f"{said}\n"
            continue
        able = [unit for unit in units if not missing(said, unit.text, unit.above)]
        shares = words(said, able)
        order = sorted(range(len(able)), key=lambda i: -shares[i])
        if not able or (shares[order[0]] < _SAID and not _NUMBER.search(said) and evidence < _SURE):
            continue
        asked = words(run.message, units)
        # Of rows and sentences that say it alike, the one that was asked about.
        alike = [i for i in order if shares[i] >= shares[order[0]] - _CLEARLY]
        near = max(alike, key=lambda i: asked[units.index(able[i])])
        row = _row(able[near], units, asked)
        if language_of(said) == language_of(row.text) and _share(said, row) < _ABOUT:
            continue
        line = _told(said, row, run.message) if row is able[near] else row.text
        kept.setdefault(f"{line} [{run.number(row)}]", gap)
    told = "".join(gap + line for line, gap in kept.items()).strip()
    return opening * bool(told) + told


def _told(said: str, unit: Passage, asked: str) -> str:
    """A statement as the sentence or row behind it has it: without a name before it (`병가: …`) that is a small model's
    own, and in the source's words where it is a copy of these with a slip, has words that neither the source nor the
    question has, or is a figure of a row alone or of another column than was asked for."""
    number = _ITEM.match(said)
    item = number[0] if number else ""
    label, colon, rest = said[len(item) :].partition(": ")
    under = replace(unit, title="", context=unit.context.rpartition(SUB)[2], page=None, url=None)
    if not rest or _COLUMN in said:
        label, colon, rest = "", "", said[len(item) :]
    elif words(label, [under])[0] < _LABEL:
        label = colon = ""
    if _COLUMN in unit.text and (cells := _cells(rest, unit, asked)):
        return item + cells
    if language_of(rest) == language_of(unit.text) and (
        _share(rest, unit, asked) < _WHOLLY or ratio(rest, unit.text) >= _COPY
    ):
        return item + unit.text if normal(label) in normal(unit.text) else f"{item}{label}: {unit.text}"
    return f"{item}{label}{colon}{rest}"


def _share(said: str, unit: Passage, asked: str = "") -> float:
    """The share of a statement's words, figures apart, that stand in its source, above it or in `asked`."""
    known, others = normal(f"{unit.above}\n{unit.text}\n{asked}"), content_terms(_FIGURE.sub(" ", said))
    return sum(bool(times(known)) for times in map(counter, others)) / len(others) if others else 1.0


def _cells(said: str, row: Passage, asked: str) -> str:
    """Of a row that a figure was taken from the column whose name has the most of what was asked, with the cells that
    the question names, where the figure is another's or stands alone; all cells where no column is asked for; empty
    where nothing is to be changed."""
    cells = [part.partition(": ") for part in row.text.split(_COLUMN)]
    question = replace(row, title="", context="", page=None, url=None, text=asked)
    wanted = words(asked, [replace(question, text=name) for name, _, _ in cells])
    told = [
        share
        for share, (_, _, value) in zip(wanted, cells, strict=True)
        if any(map(str.isdigit, value)) and not unsupported_numbers(value, [said])
    ]
    if _FIGURE.sub("", said).strip(" .") and (not told or max(wanted) <= max(told) + _CLEARLY):
        return ""
    first, second = sorted(wanted, reverse=True)[:2]
    return _COLUMN.join(
        "".join(cell)
        for share, cell in zip(wanted, cells, strict=True)
        if first <= second or share == first or words(cell[2], [question])[0] > 1 - _CLEARLY
    )


def _row(unit: Passage, units: list[Passage], asked: list[float]) -> Passage:
    """The row of a table that holds more of what was asked than the row `unit` does; else `unit`."""
    if _COLUMN not in unit.text:
        return unit
    columns = [part.partition(":")[0] for part in unit.text.split(_COLUMN)]
    rows = [
        n
        for n, each in enumerate(units)
        if each.document_id == unit.document_id
        and [part.partition(":")[0] for part in each.text.split(_COLUMN)] == columns
    ]
    best = max(rows, key=lambda n: asked[n])
    return units[best] if asked[best] > asked[units.index(unit)] + _CLEARLY else unit


def _quoted(run: RunContext, units: list[Passage], most: int = 3) -> str:
    """The sentences and rows that are nearest to the question, as they stand."""
    best = sorted((unit for unit in units if len(unit.text) > 10), key=lambda unit: -unit.score)[:most]
    if not best:
        return NOT_FOUND[run.language]
    said = "\n".join(f"- {unit.text} [{run.number(unit)}]" for unit in units if unit in best)
    return f"{QUOTED[run.language]}\n\n{said}"


_ABSENT = TEXTS.one("agents_grounded.absent")
_SYSTEM = TEXTS.one("agents_grounded.system")
_QUESTION = TEXTS.one("agents_grounded.question")
