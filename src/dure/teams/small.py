"""Intent and plan of a small model, by rule.

Asked for a plan, a 1.5-billion-parameter model copies the agents' descriptions, in English, and takes half a minute
for it. Comparing the message with the agents' examples takes milliseconds and is right more often: so the message is
cut where one piece of work ends and the next begins, and each piece goes to the agent whose examples it is nearest to.
"""

import re
from typing import Any

from dure.agents import RunContext
from dure.agents.short import SHORT_WAYS
from dure.teams.definition import Team
from dure.teams.plan import HITL, Step, single
from dure.teams.who import DIRECT, chances, choose

_CUTS = re.compile(
    r"(?:[한은든낸본운] (?:다음|뒤|후)에?|고 ?나서|[가-힣](?:고|서),|그리고 ?(?:나서)?|그 ?(?:다음|후|뒤)에?|이어서"
    r"|\.\s+(?=[가-힣])|,? and then|,? then|;|\. (?=[A-Z]))[\s,;]*",
)
_END = re.compile(r"(?:,?\s*\b(?:and|then)\b|[,;]|\s)+$")
_PERSON = re.compile(
    r"(?:내|나의|제|저의|사람의?|담당자의?|my) ?(?:승인|확인|허락|approval|okay|ok)|승인을? ?받|확인을? ?받"
    r"|(?:나|저)(?:에게|한테) ?(?:물어|확인)|ask me|let me (?:approve|check|confirm)|wait for me",
    re.IGNORECASE,
)
_LEAST = 4
"""Letters that a piece of work needs to be one."""
_MOST = 20
"""Pieces of a message, each of which costs an embedding; the last is the rest of it."""
_LIKELY = 0.5
"""Probability from which on a piece is given to an agent of its own."""
_TAIL = 40
"""Characters at a piece's end among which words such as "and then" are looked for."""


def by_rule(team: Team, run: RunContext) -> bool:
    """Whether the team is to work so: the model is not to decide, and all agents have a short way."""
    return not run.way.decides and all(a.short for a in team.agents)


async def understand(team: Team, run: RunContext) -> tuple[dict[str, Any], str]:
    """The intent of the message, and how it was found: `examples`, `model` or `rule`. Raises the model's errors."""
    who, how = await _by_rule(team, run), "rule"
    if who is None:
        choice = await choose(team, run)
        who, how = next(iter(choice.agents), "general"), choice.how
    description = " ".join(run.message.split())[:80]
    return {"category": who, "description": description, "key_entities": [], "complexity": "low"}, how


async def _by_rule(team: Team, run: RunContext) -> str | None:
    """The agent where no comparing is needed: an address to read, or an answer to an agent's question."""
    last = (run.history[-1]["content"] or "") if run.history and run.history[-1]["role"] == "assistant" else ""
    return next((a.name for a in team.agents if a.short and SHORT_WAYS[a.short].certain(run.message, last)), None)


async def steps_of(team: Team, run: RunContext, agent: str, most: int) -> list[Step]:
    """The steps for the message, of which `agent` does the whole where it is no more than one piece of work."""
    steps: list[Step] = []
    for piece in pieces(run.message):
        who = HITL if _PERSON.search(piece) else await _nearest(team, run, piece)
        before = steps[-1] if steps else None
        if before is not None and (who is None or before["agent"] == who):
            before["task"] = f"{before['task']} {piece}"
        elif len(steps) < most:
            step = single(who or agent, piece, len(steps) + 1)
            step["depends_on"] = [s["step"] for s in steps]
            step["requires_approval"] = who == HITL
            steps.append(step)
    worked = [s for s in steps if s["agent"] != HITL]
    if not worked or len(steps) == 1:
        return [single(worked[0]["agent"] if worked else agent, run.message)]
    return steps


def pieces(message: str) -> list[str]:
    """The message cut where one piece of work ends and the next begins, in time linear in its length."""
    found: list[str] = []
    at = seen = letters = 0
    for match in _CUTS.finditer(message):
        letters += _letters(message[seen : match.end()])
        seen = match.end()
        if letters < _LEAST:
            continue
        piece = _trimmed(message[at:seen])
        if _letters(piece) >= _LEAST:
            found.append(piece)
            at, letters = seen, 0
            if len(found) == _MOST - 1:
                break
    rest = message[at:].strip()
    if found and _letters(rest) < _LEAST:
        found[-1] = f"{found[-1]} {rest}".strip()
    elif rest:
        found.append(rest)
    return found


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _trimmed(piece: str) -> str:
    """Without what only leads to the next piece."""
    piece = piece.strip().rstrip(" ,;")
    return piece[:-_TAIL] + _END.sub("", piece[-_TAIL:])


async def _nearest(team: Team, run: RunContext, piece: str) -> str | None:
    """The agent whose examples are nearest to a piece of the message; None in doubt."""
    ways = [(a.name, SHORT_WAYS[a.short].words) for a in team.agents if a.short]
    fitting = [name for name, words in ways if words and re.search(words, piece, re.IGNORECASE)]
    if len(fitting) == 1:
        return fitting[0]
    found = await chances(team, run, piece)
    (best, *_), chance = next(iter(found.by_key.items())) if found else ((DIRECT,), 0.0)
    return best if best != DIRECT and chance >= _LIKELY else None
