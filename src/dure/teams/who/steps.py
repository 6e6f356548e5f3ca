"""What a small model says of a message that may want several things: who does each, which words of the message ask for
it, and whether whoever wrote it wants to be asked in between."""

from itertools import pairwise
from typing import Any, NamedTuple

import orjson

from dure.agents import RunContext
from dure.messages import language_of, system, user
from dure.teams.definition import Team
from dure.teams.plan import HITL
from dure.teams.who.examples import Chances, Key, grams
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
first, second: only where there are two, the words of the message that ask for each, copied. ask_me: true only where \
the writer wants to be asked, or to approve, before the work goes on; an approval that the question is about is none."""


class Steps(NamedTuple):
    """`key`: who works, in order, the person among them. `tasks`: by agent, where they do not share the message."""

    key: Key
    tasks: dict[str, str]


async def steps(team: Team, run: RunContext, found: Chances | None) -> Steps | None:
    """What a small model fills in; None: it gave nothing of use."""
    names = [agent.name for agent in team.agents] + [DIRECT] * bool(team.direct)
    workers = [agent.name for agent in team.agents]
    wants, asks = {"type": "string", "enum": names}, {"type": "boolean"}
    later, text = {"type": "string", "enum": workers}, {"type": "string"}
    one = an_object({"wants": wants, "then": {"const": NOTHING}, "ask_me": asks})
    two = an_object({"wants": wants, "then": later, "first": text, "second": text, "ask_me": asks})
    rules = "\n".join([_RULES, *who_lines(team, names), "", "Examples:", *_shots(team)])
    messages = [system(rules), user(run.message[:2000])]
    written = await fill_in(run, "route", messages, {"anyOf": [one, two]}, _TOKENS)
    if written.get("wants") not in names:
        return None
    key = tuple(dict.fromkeys(each for each in (written["wants"], written.get("then")) if each in names))
    if written.get("ask_me") is True and key != (DIRECT,):
        key = (*key[:-1], HITL, key[-1])
    return Steps(key, _tasks([each for each in key if each != HITL], written, run.message))


def _tasks(work: list[str], written: dict[str, Any], message: str) -> dict[str, str]:
    """What each of two is to do; none where that does not stand in the message."""
    pieces = [str(written.get(each) or "").strip() for each in ("first", "second")]
    said = grams(message)
    copied = all(each and len(grams(each) & said) >= _COPIED * len(grams(each)) for each in pieces)
    return dict(zip(work, pieces, strict=True)) if copied and len(work) == 2 else {}


def _shots(team: Team) -> list[str]:
    """Examples made of those of the agents: one thing, two things, and two with the person in between."""
    shots: list[tuple[str, dict[str, Any]]] = []
    shots += [(text, {"wants": DIRECT, "then": NOTHING, "ask_me": False}) for text in team.direct[:1]]
    for agent in team.agents:
        shots += [(text, {"wants": agent.name, "then": NOTHING, "ask_me": False}) for text in agent.examples[:2]]
    for at, (one, two) in enumerate(pairwise(agent for agent in team.agents if agent.examples)):
        language = LANGUAGES[at % 2]
        first, second = (next((t for t in a.examples if language_of(t) == language), a.examples[0]) for a in (one, two))
        asks = at % 4 < 2
        joined = _TEXT["asked" if asks else "joined"][language].format(first=first.rstrip("."), second=second)
        parts = {"first": first, "second": second, "ask_me": asks}
        shots.append((joined, {"wants": one.name, "then": two.name, **parts}))
    return [f"{text} -> {orjson.dumps(each).decode()}" for text, each in shots]
