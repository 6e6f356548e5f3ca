"""The separate things that a message asks, where it asks several: each is searched and answered by itself.

One excerpt of a few sentences holds what tells of one thing; of two a small model answers with the figures of either.
It says under a schema which questions a message holds, each complete in the message's own words.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import orjson

from dure.agents.context import RunContext
from dure.agents.outcome import Outcome
from dure.knowledge.claims import missing, names
from dure.knowledge.question import content_terms
from dure.knowledge.units import COLUMN
from dure.messages import assistant, system, user
from dure.storage.terms import counter, normal
from dure.texts import TEXTS
from dure.tooling import an_object

_RULES = "Write the separate questions that a message asks, each complete by itself, in the words of the message."
_EXAMPLES = {
    "주차장 이용 요금이 얼마야?": [],
    "새 사무실 열쇠는 누가 관리하고 그 사람 자리는 몇 층이야?": [
        "새 사무실 열쇠는 누가 관리해?",
        "새 사무실 열쇠 관리하는 사람 자리는 몇 층이야?",
    ],
    "프린터 K3 토너 언제 갈아야 하고 토너 값은 얼마예요": [
        "프린터 K3 토너 언제 갈아야 해?",
        "프린터 K3 토너 값은 얼마예요?",
    ],
    "노트북을 물에 빠뜨렸는데 켜도 되나요?": [],
    "What did the board decide about the new office, and how many desks are in the old one?": [
        "What did the board decide about the new office?",
        "How many desks are in the old office?",
    ],
    "How long is the warranty of the K3 printer if I bought it abroad?": [],
}
_MOST, _LEAST = 3, 12
"""Parts, and terms of a message that may have several."""
_QUESTION = {"type": "string", "maxLength": 120}
_SCHEMA = an_object({"questions": {"type": "array", "items": _QUESTION, "minItems": 1, "maxItems": _MOST}})
_SAID = 0.5
"""Share of a part's words that stand in the message; what inflects Korean words makes up a third of them."""
_BARE = 4
"""Terms of a part that only what was answered before it explains: `내선도요`."""
_TEXT = TEXTS["agents_parts"]


async def parts_of(run: RunContext, agent: str, work_id: str) -> list[str]:
    """The separate questions of the run's message; empty where it asks one thing. Raises the model's typed errors."""
    if len(content_terms(run.message)) < _LEAST:
        return []
    shown = [
        turn
        for each, parts in _EXAMPLES.items()
        for turn in (user(each), assistant(orjson.dumps({"questions": parts or [each]}).decode()))
    ]
    messages = [system(_RULES), *shown, user(run.message)]
    filled = await run.fill_in("parts", messages, _SCHEMA, max_tokens=200, agent=agent, work_id=work_id)
    parts = [each.strip() for each in filled["questions"]] if isinstance(filled, dict) else []
    parts = list(dict.fromkeys(filter(None, parts)))
    return parts if len(parts) > 1 and all(_stands(each, run.message) for each in parts) else []


def _stands(part: str, message: str) -> bool:
    """Whether it is a question in the words of the message; what leads to one ends with a full stop."""
    terms, known = content_terms(part), normal(message)
    held = sum(bool(counter(each)(known)) for each in terms)
    return not (part.endswith(".") or missing(part, message)) and held >= _SAID * len(terms)


async def one_by_one(
    run: RunContext, parts: list[str], answer: Callable[[RunContext], Awaitable[Outcome | None]]
) -> Outcome | None:
    """The parts' answers, each below its question, and how many were found; None where none was."""
    told, lines, before = 0, [], ""
    for part in parts:
        # A part that names nothing means what the message names: `교체하는 데 몇 분`.
        meant = [] if names(part) else names(run.message)
        meant += [before] * bool(before and len(content_terms(part)) <= _BARE)
        own = replace(run, message=f"{part} ({', '.join(meant)})" if meant else part)
        outcome = await answer(own)
        # What comes into a part has come into the run.
        run.tainted, run.private = run.tainted or own.tainted, run.private or own.private
        if outcome is None or outcome.status != "completed":
            return outcome
        told += outcome.told
        lines.append(f"**{part}**\n{outcome.answer}")
        before = _new(outcome.answer, part) if outcome.told else part
    if not told:
        return None
    if told < len(parts):
        lines.append(_TEXT.say("partly", run.language, count=len(parts), found=told))
    return Outcome("completed", "\n\n".join(lines))


def _new(answer: str, part: str) -> str:
    """What the first line of an answer tells that its question does not say; of a row the values alone."""
    line = answer.partition("\n")[0].partition(" [")[0].removeprefix("- ")
    said = "".join(part.split())
    values = (cell.partition(": ")[2] or cell for cell in line.split(COLUMN))
    return ", ".join(value for value in values if "".join(value.split()) not in said)
