"""The short way for small models: fetch the passages, ask once for the sentences that matter and the answer.

A small model neither calls tools nor says "not in the documents" reliably. So it is asked for sentence numbers
under a JSON Schema (a quotation is right by construction), refused answers are decided by a rule on what search
found, and an answer with a number that stands in no chosen sentence is replaced by the sentences themselves.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import orjson

from dure.agents.context import RunContext, Speech
from dure.agents.definition import Agent
from dure.agents.outcome import Outcome
from dure.agents.prompts import NOT_FOUND, QUOTED, style
from dure.agents.running import report_end, report_start
from dure.errors import DureError
from dure.knowledge import sentences, unsupported_numbers
from dure.messages import ToolCall, system, user
from dure.sources import Passage
from dure.tooling import Tool, ToolResult
from dure.tools import run_call

WEAK = 0.2
"""Below this evidence the documents are taken not to hold an answer."""
_PASSAGES = 4
_CHARACTERS = 1600
"""Of passages in a prompt: about 900 tokens of Korean, 14 s of reading on two cores."""


@dataclass(slots=True)
class Prefetched:
    """Passages fetched for an agent before it was chosen."""

    agent: str
    call: ToolCall
    ended: tuple[str, ToolResult, float]

    @property
    def result(self) -> ToolResult:
        return self.ended[1]

    @property
    def evidence(self) -> float:
        """0 to 1: how well the passages support the question at all."""
        data = self.result.data
        return float(data.get("evidence", 0.0)) if isinstance(data, dict) else 0.0


async def prefetch(agents: Iterable[Agent], run: RunContext) -> Prefetched | None:
    """Search with the message itself, for the first agent that searches; None when none does."""
    for agent in agents:
        if agent.search and agent.search in run.tools:
            call = ToolCall(agent.search, {"queries": [run.message[:500]]})
            tools = {agent.search: run.tools[agent.search]}
            return Prefetched(agent.name, call, await run_call(tools, call, run.tool_context(agent.name)))
    return None


async def grounded(
    run: RunContext, agent: Agent, tools: Mapping[str, Tool], speech: Speech, found: Prefetched | None, work_id: str
) -> Outcome:
    """Answer the message from passages with one model call, or none when nothing fitting was found."""
    if found is None or found.agent != agent.name:
        found = await prefetch([agent], run)
    assert found is not None
    call_id = report_start(run, found.call, agent.name, work_id)
    report_end(run, found.call, call_id, found.ended, agent.name, work_id)
    if found.ended[0] != "ok" or not found.result.passages or found.evidence < WEAK:
        speech.settle(NOT_FOUND[run.language])
        return Outcome("completed", NOT_FOUND[run.language])
    lines = _lines(found.result.passages)
    try:
        answer = await _answer(run, agent, lines, work_id)
    except DureError as error:
        return Outcome("failed", "", error={"code": error.code, "details": error.details})
    speech.settle(answer)
    return Outcome("completed", answer)


def _lines(passages: list[Passage]) -> list[tuple[Passage, str]]:
    """The best passages cut into sentences, as many as fit."""
    lines: list[tuple[Passage, str]] = []
    left = _CHARACTERS
    for passage in passages[:_PASSAGES]:
        if len(passage.text) > left and lines:
            break
        left -= len(passage.text)
        lines += [(passage, passage.text[start:end]) for start, end in sentences(passage.text)]
    return lines


async def _answer(run: RunContext, agent: Agent, lines: list[tuple[Passage, str]], work_id: str) -> str:
    text, title = [], ""
    for number, (passage, sentence) in enumerate(lines, start=1):
        if passage.title != title:
            title = passage.title
            text.append(f"# {title}")
        text.append(f"({number}) {sentence.strip()}")
    question = "\n".join(text) + "\n\n" + _ASK[run.language].format(question=run.message)
    schema = {
        "type": "object",
        "properties": {
            "sentences": {
                "type": "array",
                "items": {"type": "integer", "minimum": 1, "maximum": len(lines)},
                "minItems": 1,
                "maxItems": 6,
            },
            "answer": {"type": "string"},
        },
        "required": ["sentences", "answer"],
        "additionalProperties": False,
    }
    messages = [system(f"{_SYSTEM[run.language]} {style(run)}"), user(question)]
    asked = await run.ask("answer", messages, schema=schema, max_tokens=400, agent=agent.name, work_id=work_id)
    chosen, answer = _read(asked.reply.content, len(lines))
    quotes = [lines[n - 1] for n in chosen]
    marks = sorted({run.sources.number(passage) for passage, _ in quotes})
    if not answer or unsupported_numbers(answer, [q for _, q in quotes] + [run.message]):
        said = "\n".join(f"- {quote.strip()} [{run.sources.number(passage)}]" for passage, quote in quotes)
        return f"{QUOTED[run.language]}\n\n{said}" if said else NOT_FOUND[run.language]
    return answer + " " + "".join(f"[{m}]" for m in marks)


def _read(content: str, count: int) -> tuple[list[int], str]:
    try:
        data = orjson.loads(content)
        chosen = [n for n in dict.fromkeys(data["sentences"]) if isinstance(n, int) and 1 <= n <= count]
        return chosen, str(data["answer"]).strip()
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return [], ""


_SYSTEM = {
    "ko": "문서의 문장만 근거로 질문에 답한다. 먼저 근거 문장의 번호를 고르고, 그 문장들의 내용으로 빠짐없이 답한다.",
    "en": "Answer from the documents' sentences only. First choose the numbers of the sentences that matter, "
    "then answer completely from them.",
}
_ASK = {
    "ko": "질문: {question}",
    "en": "Question: {question}",
}
