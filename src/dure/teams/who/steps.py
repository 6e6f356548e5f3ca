"""What a small model says of a message that may want several things: who does each, which words of the message ask for
it, and whether whoever wrote it wants to be asked in between."""

from itertools import pairwise
from typing import Any, NamedTuple

import orjson

from dure.agents import RunContext
from dure.messages import language_of, system, user
from dure.teams.definition import Team
from dure.teams.plan import HITL
from dure.teams.who.examples import Key, grams
from dure.teams.who.learning import DIRECT
from dure.teams.who.model import NOTHING, fill_in, who_lines
from dure.texts import LANGUAGES, TEXTS
from dure.tooling import an_object

_TOKENS = 200
_COPIED = 0.9
"""Share of a piece's words that stand in the message."""
_TEXT = TEXTS["teams_who_steps"]
_RULES = """What does the last message want done, and by whom? Reply with JSON.
wants: who does what is asked for first. then: who does a second thing that is asked for; nothing, unless there is one.
first, second: only where there are two, the words of the message that ask for each, copied. ask_me: the words by \
which the writer wants to be asked, or to approve, before the work goes on, copied; empty where there are none."""


class Steps(NamedTuple):
    """`key`: who works, in order, the person among them. `tasks`: by agent, where they do not share the message."""

    key: Key
    tasks: dict[str, str]


async def steps(team: Team, run: RunContext) -> Steps | None:
    """What a small model fills in; None: it gave nothing of use."""
    names = [agent.name for agent in team.agents] + [DIRECT] * bool(team.direct)
    workers = [agent.name for agent in team.agents]
    wants, later, text = {"type": "string", "enum": names}, {"type": "string", "enum": workers}, {"type": "string"}
    one = an_object({"wants": wants, "then": {"const": NOTHING}, "ask_me": text})
    two = an_object({"wants": wants, "then": later, "first": text, "second": text, "ask_me": text})
    rules = "\n".join([_RULES, *who_lines(team, names), "", "Examples:", *_shots(team)])
    messages = [system(rules), user(run.message[:2000])]
    written = await fill_in(run, "route", messages, {"anyOf": [one, two]}, _TOKENS)
    if written.get("wants") not in names:
        return None
    key = tuple(dict.fromkeys(each for each in (written["wants"], written.get("then")) if each in names))
    # A small model may copy the words from the examples instead.
    asks = written.get("ask_me") in _TEXT["ask"].values() or _copied(written.get("ask_me"), run.message)
    if asks and key != (DIRECT,):
        key = (*key[:-1], HITL, key[-1])
    return Steps(key, _tasks([each for each in key if each != HITL], written, run.message))


def _tasks(work: list[str], written: dict[str, Any], message: str) -> dict[str, str]:
    """What each of two is to do; none where that does not stand in the message."""
    pieces = [written.get(each) for each in ("first", "second")]
    if len(work) < 2 or not all(_copied(each, message) for each in pieces):
        return {}
    return {agent: str(each).strip() for agent, each in zip(work, pieces, strict=True)}


def _copied(piece: Any, message: str) -> bool:
    words = grams(piece) if isinstance(piece, str) else set()
    return bool(words) and len(words & grams(message)) >= _COPIED * len(words)


def _shots(team: Team) -> list[str]:
    """Examples made of those of the agents: one thing, two things, and two with the person in between."""
    shots: list[tuple[str, dict[str, Any]]] = []
    shots += [(text, {"wants": DIRECT, "then": NOTHING, "ask_me": ""}) for text in team.direct[:1]]
    for agent in team.agents:
        shots += [(text, {"wants": agent.name, "then": NOTHING, "ask_me": ""}) for text in agent.examples[:1]]
    pairs = list(pairwise(agent for agent in team.agents if agent.examples))
    for at, (one, two) in enumerate([*pairs, *((two, one) for one, two in pairs)]):
        language = LANGUAGES[at % 2]
        first, second = (next((t for t in a.examples if language_of(t) == language), a.examples[0]) for a in (one, two))
        ask = _TEXT["ask"][language] if at % 4 < 2 else ""
        joined = _TEXT["asked" if ask else "joined"][language].format(first=first.rstrip("."), ask=ask, second=second)
        parts = {"first": first, "second": second, "ask_me": ask}
        shots.append((joined, {"wants": one.name, "then": two.name, **parts}))
    return [f"{text} -> {orjson.dumps(each).decode()}" for text, each in shots]
