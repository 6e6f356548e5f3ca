"""The short way for small models: fetch the passages, ask once, check what was said.

A small model neither calls tools nor says "not in the documents" reliably. So the sentences and rows nearest to the
question stand in the user's turn; whether these hold an answer at all, the model is asked on its own unless nearly all
of the question stands there, and names that stand nowhere are told; what the model says is held against the sentences
and rows (`statements`), and where nothing is left of it the nearest of these are the answer.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from dure.agents.asking import context_of
from dure.agents.breadth import asks_for_all
from dure.agents.context import RunContext
from dure.agents.definition import Agent
from dure.agents.journaled import Journaled
from dure.agents.outcome import Outcome
from dure.agents.prompts import NOT_FOUND, QUOTED, level_rule
from dure.agents.short import SHORT_WAYS, Short, Waits, settled
from dure.agents.statements import cells_asked, checked
from dure.data.questions.figures import dates
from dure.data.questions.unread import of_many
from dure.data.questions.words import stems
from dure.errors import DureError, Language
from dure.knowledge.claims import has_figure
from dure.knowledge.excerpt import excerpt, told
from dure.knowledge.names import absent, beyond, unheard_of
from dure.knowledge.question import QUANTITY
from dure.knowledge.units import COLUMN, columns, in_units, units_of
from dure.knowledge.versions import in_force, may_change, to_come
from dure.messages import Message, ToolCall, assistant, language_of, system, user
from dure.sources import Passage, placed
from dure.texts import TEXTS
from dure.tooling import Tool, ToolResult
from dure.toolsets import run_call

WEAK = 0.15
"""Below this evidence little of the question stands in the documents: of questions about anything else nothing does, of
those about them that strangers asked in words of their own as little for half."""
LOOK = 16
"""Passages whose sentences and rows are looked at."""
CHARACTERS = 1300
"""Of these in a prompt at most: about 800 tokens of Korean, 12 s of reading on two cores."""
SHOWN = 8
"""Of these, the nearest, where one figure is asked for: of thirty a model of 1.5 thousand million parameters took the
right one for 13 of 21 questions about a company's files, of seven for 17; what is to be told at length takes all. Asked
of more whether they state the answer, or in the words of the question for an answer, it says yes to nearly all."""

_PLAIN = 0.9
"""From this evidence on nearly all of the question stands in the passages, and nobody is asked."""
_TRANSLATED = 0.7
"""Below this evidence a question is searched in the other language too, where that is found at all."""
_MORE = 0.1
"""More evidence than this is found with a translation that is one."""
_LIKELY = 0.5
"""From this probability of a yes on the nearest sentences are shown where nothing of what a small model said can be: a
no is then at most two thirds as probable, as for 14 of 24 sets of sentences that state the answer and for 2 of 14 that
do not. Search found as much evidence for the ones as for the others."""
FOUND = 0.5
"""From this evidence on the first six passages hold what is asked: all of it for 27 of 29 questions about a company's
files."""
_PLACES = 3


@dataclass(slots=True)
class Prefetched:
    """What was fetched for an agent before it was chosen, or before its first turn: most often passages."""

    agent: str
    call: ToolCall
    result: ToolResult

    @property
    def judged(self) -> bool:
        """Whether the tool said how strong its evidence is."""
        return "evidence" in self.result.fields

    @property
    def evidence(self) -> float:
        """0 to 1: how well the passages support the question at all. Just enough where the tool does not say."""
        return float(self.result.fields.get("evidence", WEAK))

    def odds(self, usual: float) -> float:
        """The log odds for its agent by what was found: as the tool says, else `usual` times the evidence."""
        told = self.result.fields.get("odds")
        return usual * self.evidence if told is None else float(told)


async def prefetch(agents: Iterable[Agent], run: RunContext, *more: str, count: int | None = LOOK) -> Prefetched | None:
    """Search with the message itself, and `more` phrasings of it, for the first agent that searches; None when none
    does. count: of passages; None leaves it to the tool."""
    for agent in agents:
        tool = agent.own.get(agent.search or "") or run.tools.get(agent.search or "")
        if tool is not None and _unasked(tool):
            args: dict[str, Any] = {"queries": _phrasings(run, more)}
            if count and "count" in tool.parameters.get("properties", {}):
                args["count"] = count
            return await _fetched(agent, run, tool, args)
    return None


async def first_look(agent: Agent, tools: Mapping[str, Tool], run: RunContext, *more: str) -> Prefetched | None:
    """What the message itself, with `more` phrasings of it, finds for an agent that a model is to lead: with its
    search, else with its first tool where that takes the words of a message; None where it has neither."""
    if agent.search:
        return await prefetch([agent], run, *more, count=None)
    first = next(iter(tools.values()), None)
    if first is None or not first.words or not _unasked(first):
        return None
    return await _fetched(agent, run, first, {first.words: "\n".join(_phrasings(run, more))})


def _unasked(tool: Tool) -> bool:
    """Whether it may be used without asking anybody."""
    return tool.effect == "read" and not (tool.changed or tool.outgoing)


def _phrasings(run: RunContext, more: Iterable[str]) -> list[str]:
    return [*dict.fromkeys(said[:500] for said in (run.message, *more) if said)]


async def _fetched(agent: Agent, run: RunContext, tool: Tool, args: dict[str, Any]) -> Prefetched:
    call = ToolCall(tool.name, args)
    return Prefetched(agent.name, call, await run_call({tool.name: tool}, call, context_of(run, agent.name)))


async def grounded(short: Short, found: Prefetched | None) -> Outcome | None:
    """Answer the message from passages with one model call, or none when nothing fitting was found. None where the
    agent's search does not lead to passages, and the loop has to do it."""
    return await settled(short.speech, _found(short, found))


async def _found(short: Short, found: Prefetched | None) -> Outcome | None:
    """As `grounded`. Raises the model's typed errors."""
    run, agent = short.run, short.agent
    if found is None or found.agent != agent.name:
        found = await prefetch([agent], run)
    if found is None:
        return None
    if to_come(found.result.passages, asked_of(run.message)):
        again = await prefetch([agent], run, undated(run.message))
        found = again if again is not None and again.evidence > found.evidence else found
    weak = found.evidence < WEAK
    asks, found = await _in_both(short, found)
    context = context_of(run, agent.name, run.new_id("c", short.work_id), short.work_id)
    found.result = Journaled(run, found.call, context).ended(found.result)
    run.heard(short.tools.get(found.call.name), found.result)
    if not (found.judged or found.result.passages):
        return None
    lost = found.result.status != "ok" or not found.result.passages
    # What is found with a translation alone tells of single things, not of what rows say together.
    if (weak or lost) and (counted := await _counted(short)):
        return Outcome("completed", counted)
    if lost:
        return Outcome("completed", run.own(NOT_FOUND[run.language]), found=False)
    return await answered(short, asks, found.result.passages, found.evidence)


async def _counted(short: Short, document: str | None = None) -> str:
    """What code makes of rows of a document's tables, or of any, which many say together and none alone; or empty."""
    for way in map(SHORT_WAYS.__getitem__, SHORT_WAYS):
        if way.counts is not None and way.needs <= short.run.tools.keys():
            with suppress(Waits, DureError):
                return await way.counts(replace(short, tools=dict(short.run.tools), task=short.run.message), document)
    return ""


async def _in_both(short: Short, found: Prefetched) -> tuple[str, Prefetched]:
    """The message, and what was found; both with its translation where clearly more is found, in its language."""
    run = short.run
    own = language_of(run.message)
    foreign = any(language_of(each.text) != own for each in found.result.passages)
    if not found.judged or found.evidence >= _TRANSLATED or not foreign:
        return run.message, found
    # With an example, since a small model may give back what it is to translate.
    example = _TEXT["example"]
    other: Language = "en" if own == "ko" else "ko"
    messages = [system(_TEXT["translate"][own]), user(example[own]), assistant(example[other]), user(run.message)]
    asked = await run.ask("translate", messages, max_tokens=100, **short.place)
    translated = asked.reply.content.strip()
    if not translated or language_of(translated) == own or absent(run.message, [translated]):
        return run.message, found
    again = await prefetch([short.agent], run, translated)
    # It is for documents in its language: a small model's wrong one finds little more of them than chance does.
    if again is None or again.evidence < found.evidence + _MORE or language_of(again.result.passages[0].text) == own:
        return run.message, found
    # The last is what it is answered in.
    return f"({translated})\n{run.message}", again


async def answered(short: Short, asks: str, found: list[Passage], evidence: float) -> Outcome:
    """Answer what the message `asks` from the best of what was found, `evidence` (0 to 1) saying how well that supports
    it. Raises the model's typed errors."""
    run, on = short.run, asked_of(asks)
    left, found = to_come(found, on), in_force(found, on)
    # What the day chose is no more a part of what is asked.
    whole, asks = asks, undated(asks) if left else asks
    of: dict[str, list[str]] = {}
    for each in found:
        of.setdefault(each.document_id, []).append(f"{each.heading}\n{each.text}")
    units = await _excerpt(run, asks, found)
    nearest = sorted(units, key=lambda unit: -unit.score)[:SHOWN]
    unknown = absent(asks, chain(*of.values()))
    if nearest:
        first = nearest[0]
        unknown += beyond(asks, f"{first.context}\n{first.text}", of[first.document_id])
    cells = [cell.partition(": ")[2] for unit in units for cell in unit.text.split(COLUMN)]
    unknown += unheard_of(asks, cells, chain(*of.values()))
    if unknown:
        return Outcome("completed", run.own(_TEXT.say("absent", run.language, names=", ".join(unknown))), found=False)
    figure = QUANTITY.search(asks) is not None
    # What rows say together stands nowhere; a figure may be of rows also where a sentence is nearest.
    row = next((unit for unit in nearest[: None if figure else 1] if COLUMN in unit.text), None)
    if row and not left and (counted := await _counted(short, row.document_id)):
        return Outcome("completed", counted)
    if row and of_many(asks) and _among_others(row, units, asks):
        # No one row is what they say together.
        units = [unit for unit in units if COLUMN not in unit.text]
        nearest = [unit for unit in nearest if COLUMN not in unit.text]
        if not nearest:
            return Outcome("completed", _unstated(run, [row]), found=False)
    best = told(unit for unit in units if unit in nearest)
    judging = [system(_JUDGE), user(f"Text:\n{best}\n\nQuestion: {whole}\n{_STATED}")]
    stated = 1.0 if evidence >= _PLAIN else await _stated(short, judging)
    if not stated:
        # Where search found little, that was tried before.
        counted = await _counted(short) if evidence >= WEAK else ""
        # Places that have little of what was asked are none to look at.
        return Outcome("completed", counted or _unstated(run, nearest if evidence >= WEAK else []), found=bool(counted))
    # Of few sentences none is left out.
    wide = not figure and len(units) > SHOWN and await asks_for_all(short)
    question = f"{_TEXT['question'][run.language]}: {whole}{_TEXT['all'][run.language] * wide}"
    messages = [
        system(f"{_TEXT['system'][run.language]} {level_rule(run)}".strip()),
        user(f"{best if figure else told(units)}\n\n{question}"),
    ]
    asked = await run.ask("answer", messages, on_piece=short.speech, max_tokens=400, **short.place)
    # Of a thing that a document never names, nothing in it tells.
    units = [unit for unit in units if not absent(asks, of[unit.document_id])]
    # Where a sentence or row names it, the others tell of something else.
    units = [unit for unit in units if not absent(asks, [unit.heading, unit.text])] or units
    later = [unit for passage in found for unit in units_of(passage) if may_change(unit)]
    said = asked.reply.content.strip()
    if asked.reply.finish_reason == "length":
        said = said.rpartition("\n")[0] or said
    answer = checked(asks, said, units, evidence, run.number, later, whole if left else "", run.own, wide)
    # Where what is nearest tells of something else, so do its neighbours.
    told_of = stated >= _LIKELY and bool(units) and nearest[0] in units
    if answer and left:
        answer += "\n\n" + run.own(_TEXT.say("to_come", run.language, titles=", ".join(sorted(left))))
    near = "" if answer or not told_of else _quoted(run, asks, units)
    return Outcome("completed", answer or near or _unstated(run, nearest), found=bool(answer))


def _among_others(row: Passage, units: Iterable[Passage], asks: str) -> bool:
    """Whether another row of its table has all that it has of the question's words."""
    own = stems([asks]) & stems([row.text])
    others = (unit for unit in units if columns(unit.text) == columns(row.text) and unit.text != row.text)
    return any(own <= stems([unit.text]) for unit in others)


def asked_of(question: str) -> tuple[int, ...]:
    """The day of whose rules a question asks: the first that it names, of a month or year the last; empty where it
    names none, or compares years. What began before rules changed goes on by the old ones."""
    named = {tuple(map(int, each.value.split("-"))) for each in dates(question)}
    if len(named) > 1 and all(len(day) == 1 for day in named):
        return ()
    return min(((*day, *(12, 31)[len(day) - 1 :]) for day in named), default=())


def undated(question: str) -> str:
    """A question without the dates that it names."""
    dated = {at for each in dates(question) for at in range(each.start, each.end)}
    return "".join(letter for at, letter in enumerate(question) if at not in dated)


async def _stated(short: Short, judging: list[Message]) -> float:
    """How sure the model is, 0 (no) to 1, that what it is shown states the answer: by its first token alone."""
    reply = (await short.run.ask("stated", judging, max_tokens=1, **short.place)).reply
    return 0.0 if reply.content.strip().lower().startswith("no") else reply.least


async def _excerpt(run: RunContext, asks: str, found: list[Passage]) -> list[Passage]:
    try:
        return await excerpt(asks, found, CHARACTERS, run.embedder)
    except DureError:
        return await excerpt(asks, found, CHARACTERS)


def _quoted(run: RunContext, asks: str, units: list[Passage]) -> str:
    """The sentences and rows that are nearest to the question, as they stand, with such a figure where one is asked
    for; of a table one row, with the column that is asked for, since its others tell of something else."""
    best: dict[tuple[str, ...], Passage] = {}
    figure = QUANTITY.search(asks) is not None
    for unit in sorted(units, key=lambda unit: -unit.score):
        if len(unit.text) > 10 and (not figure or has_figure(in_units(unit.text), asks)):
            row = COLUMN in unit.text
            best.setdefault((unit.document_id, *columns(unit.text)) if row else (unit.text,), unit)
    chosen = list(best.values())[:_PLACES]
    lines = [(cells_asked("", unit, asks) or unit.text, unit) for unit in units if unit in chosen]
    said = "\n".join(f"- {in_units(line)} [{run.number(unit)}]" for line, unit in lines)
    return f"{run.own(QUOTED[run.language])}\n\n{said}" if said else ""


def _unstated(run: RunContext, nearest: list[Passage]) -> str:
    """Where one may look; without what stands there, which would be taken for the answer."""
    if not nearest:
        return run.own(NOT_FOUND[run.language])
    at: dict[str, Passage] = {}
    for unit in nearest:
        at.setdefault(placed(unit.as_dict(), run.language), unit)
    places = " · ".join(f"{place} [{run.number(unit)}]" for place, unit in list(at.items())[:_PLACES])
    return run.own(_TEXT.say("unstated", run.language, places=places))


_JUDGE = (
    "You check whether a text answers a question. Reply yes only if the text states exactly what is asked, about the"
    " same thing. Otherwise reply no."
)
_STATED = "Does the text state the answer? yes or no"
_TEXT = TEXTS["agents_grounded"]
