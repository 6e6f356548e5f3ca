"""The short way for small models: fetch the passages, ask once, check what was said.

A small model neither calls tools nor says "not in the documents" reliably. So the passages stand in the user's
turn, whether the documents hold an answer at all is decided by a rule on what search found, and an answer that
cannot be right (a number that stands in no passage, no number where one was asked for) is replaced by the
sentences themselves.
"""

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dure.agents.context import RunContext, Speech
from dure.agents.definition import Agent
from dure.agents.journaled import report
from dure.agents.outcome import Outcome
from dure.agents.prompts import NOT_FOUND, QUOTED, level_rule
from dure.errors import DureError
from dure.knowledge.cite import cite
from dure.knowledge.numbers import unsupported_numbers
from dure.knowledge.sentences import sentences
from dure.messages import ToolCall, system, user
from dure.sources import Passage
from dure.texts import TEXTS
from dure.tooling import Tool, ToolResult
from dure.toolsets import run_call

log = logging.getLogger(__name__)

WEAK = 0.15
"""Below this evidence the documents are taken not to hold an answer: with one document or with many, questions about
them had 0.18 and more, questions about anything else mostly 0.0."""
_SURE = 0.5
"""From this evidence on, or with a number that stands in the passages, an answer counts although no sentence of it
stands nearly so in the documents."""
_NEAR = 0.45
"""Share of the best passage's score that a passage needs to be shown."""
_CHARACTERS = 1300
"""Of passages in a prompt: about 800 tokens of Korean, 12 s of reading on two cores."""
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
            call = ToolCall(tool.name, {"queries": [run.message[:500]]})
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
    passages = shown(found)
    text = "\n\n".join(f"# {p.title}\n{p.text[:_CHARACTERS]}" for p in passages)
    messages = [
        system(f"{_SYSTEM[run.language]} {level_rule(run)}".strip()),
        user(f"{text}\n\n{_QUESTION[run.language]}: {run.message}"),
    ]
    try:
        asked = await run.ask("answer", messages, on_piece=speech, max_tokens=400, agent=agent.name, work_id=work_id)
    except DureError as error:
        speech.settle("")
        return Outcome.failed(error)
    for passage in passages:
        run.number(passage)
    answer = _checked(run, asked.reply.content.strip(), passages, evidence)
    if answer is None:
        answer = await _quoted(run, passages)
    speech.settle(answer)
    return Outcome("completed", answer)


def shown(passages: list[Passage]) -> list[Passage]:
    """The passages near the best one, as many as fit, in the order of their documents."""
    shown: list[Passage] = []
    left = _CHARACTERS
    for passage in passages:
        if passage.score < _NEAR * passages[0].score or (shown and len(passage.text) > left):
            continue
        left -= len(passage.text)
        shown.append(passage)
    documents = [p.document_id for p in passages]
    return sorted(shown, key=lambda p: (documents.index(p.document_id), p.start))


def _checked(run: RunContext, answer: str, passages: list[Passage], evidence: float) -> str | None:
    """What of the answer has a source behind it, or None when it cannot be right."""
    texts = [p.text for p in passages]
    if not answer or unsupported_numbers(answer, [*texts, run.message]):
        return None
    if _QUANTITY.search(run.message) and not _NUMBER.search(answer):
        return None
    kept = _supported(answer, passages)
    if kept:
        return kept
    if evidence < _SURE and not _NUMBER.search(answer):
        return NOT_FOUND[run.language]
    # The best passage that holds all the numbers said.
    ranked = sorted(passages, key=lambda p: (len(unsupported_numbers(answer, [p.text, run.message])), -p.score))
    return f"{answer} [{run.number(ranked[0])}]"


def _supported(answer: str, passages: list[Passage]) -> str:
    """The answer without the sentences that no passage holds; empty where none does.

    Small models round off what they found with sentences of their own making, and those are the false ones."""
    kept, at, held = "", 0, False
    for start, end in sentences(answer):
        holds = bool(cite(answer[start:end], passages)[1])
        if holds or answer[start:end].endswith(":"):
            kept += answer[at:end]
        at, held = end, held or holds
    return kept.strip() if held else ""


async def _quoted(run: RunContext, passages: list[Passage], most: int = 3) -> str:
    """The sentences that are nearest to the question, as they stand."""
    lines = [(p, p.text[a:b]) for p in passages for a, b in sentences(p.text) if b - a > 10]
    if not lines:
        return NOT_FOUND[run.language]
    texts = [text for _, text in lines]
    # By meaning, or where that cannot be had by shared pairs of characters.
    wanted = _pairs(run.message)
    scores: list[float] = [len(wanted & _pairs(text)) for text in texts]
    if run.embedder is not None:
        try:
            question = await run.embedder.queries([run.message[:1000]])
            scores = list((await run.embedder.passages(texts)) @ question[0])
        except DureError as error:
            log.warning("embedding failed, comparing by words alone: %s", error)
    best = sorted(sorted(range(len(texts)), key=lambda n: -scores[n])[:most])
    said = "\n".join(f"- {texts[n].strip()} [{run.number(lines[n][0])}]" for n in best)
    return f"{QUOTED[run.language]}\n\n{said}"


def _pairs(text: str) -> set[str]:
    return {word[n : n + 2] for word in text.lower().split() for n in range(len(word) - 1)}


_SYSTEM = TEXTS.one("agents_grounded.system")
_QUESTION = TEXTS.one("agents_grounded.question")
