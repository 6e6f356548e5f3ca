"""What a small model says of a message that may want several things: who does each, which words of the message ask for
it, and whether whoever wrote it wants to be asked in between."""

from itertools import pairwise
from typing import Any, NamedTuple

import orjson

from dure.agents import Agent, RunContext
from dure.messages import language_of, system, user
from dure.teams.definition import Team
from dure.teams.plan import HITL
from dure.teams.who.chances import Key, grams
from dure.teams.who.learning import DIRECT
from dure.teams.who.model import NOTHING, fill_in, firsts, listed
from dure.texts import LANGUAGES, TEXTS
from dure.tooling import an_object

_TOKENS = 200
_COPIED = 75.0
"""Likeness of a piece, in percent, to what stands in the message."""
_SHARED = {"ko": 5, "en": 3}
"""So many pairs or triples of syllables, or words."""
_ASKS = ("before", "between", "after")
_TEXT = TEXTS["teams_who_steps"]
_RULES = """What does the last message want done, and by whom? Reply with JSON.
wants: who does what is asked for first. then: who does a second thing that is asked for; nothing, unless there is one.
first, second: only where there are two, the words of the message that ask for each, copied. ask_me: no, unless \
the writer says to be asked, shown or to approve: before the work, between the two things, or after it."""


class Steps(NamedTuple):
    """`key`: who works, in order, the person among them. `tasks`: by agent, where they do not share the message."""

    key: Key
    tasks: dict[str, str]


async def steps(team: Team, run: RunContext) -> Steps | None:
    """What a small model fills in; None: it gave nothing of use."""
    names = [agent.name for agent in team.agents] + [DIRECT] * bool(team.direct)
    workers = [agent.name for agent in team.agents]
    wants, later, text = {"type": "string", "enum": names}, {"type": "string", "enum": workers}, {"type": "string"}
    asks = {"type": "string", "enum": ["no", *_ASKS]}
    one = an_object({"wants": wants, "then": {"const": NOTHING}, "ask_me": asks})
    two = an_object({"wants": wants, "then": later, "first": text, "second": text, "ask_me": asks})
    rules = "\n".join([_RULES, *listed(team.agents, direct=bool(team.direct)), "", "Examples:", *_shots(team)])
    messages = [system(rules), user(run.message[:2000])]
    written = await fill_in(run, "route", messages, {"anyOf": [one, two]}, _TOKENS)
    if written.get("wants") not in names:
        return None
    key = tuple(dict.fromkeys(each for each in (written["wants"], written.get("then")) if each in names))
    tasks = {}
    if len(key) > 1 and (second := _begins(written.get("second"), run.message)):
        tasks = {key[0]: run.message[:second].strip(" ,.;"), key[1]: run.message[second:]}
    if key != (DIRECT,) and _speaks_of_asking(team, run.message):
        # Where the model does not say: before what is done last.
        at = len(key) if written.get("ask_me") == "after" else 0 if written.get("ask_me") == "before" else len(key) - 1
        key = (*key[:at], HITL, *key[at:])
    return Steps(key, tasks)


def _begins(piece: Any, message: str) -> int:
    """Where a piece begins in the message, which a small model copies with mistakes; 0 where it stands nowhere."""
    from rapidfuzz.fuzz import partial_ratio_alignment

    found = partial_ratio_alignment(piece, message, score_cutoff=_COPIED) if isinstance(piece, str) else None
    return message.rfind(" ", 0, found.dest_start + 1) + 1 if found else 0


def _speaks_of_asking(team: Team, message: str) -> bool:
    """Whether the message has words of being asked, of which a small model is no judge, that no other example has."""
    own = set().union(
        *(grams(_TEXT[asks][language].format(first="", second="")) for asks in _ASKS for language in LANGUAGES)
    )
    others = set().union(*(grams(text) for agent in team.agents for text in agent.examples))
    return len((own - others) & grams(message)) >= _SHARED[language_of(message)]


def _shots(team: Team) -> list[str]:
    """Examples made of those of the agents: one thing, two things, and those with the person asked."""
    known = [agent for agent in team.agents if agent.examples]
    shots = [_shot("{first}", "no", text, DIRECT) for text in team.direct[:1]]
    shots += [_shot("{first}", "no", agent.examples[0], agent.name) for agent in known]
    for at, (one, two) in enumerate([*pairwise(known), *((two, one) for one, two in pairwise(known))]):
        language = LANGUAGES[at % 2]
        (first, second), asks = (_by_language(each)[language] for each in (one, two)), ("no", "between")[at // 2 % 2]
        said = _TEXT["joined" if asks == "no" else asks][language]
        shots.append(_shot(said, asks, first, one.name, second, two.name))
    return shots


def _shot(said: str, asks: str, first: str, one: str, second: str = "", two: str = NOTHING) -> str:
    filled = {"wants": one, "then": two} | ({"first": first, "second": second} if second else {}) | {"ask_me": asks}
    return f"{said.format(first=first.rstrip('.'), second=second)} -> {orjson.dumps(filled).decode()}"


def _by_language(agent: Agent) -> dict[str, str]:
    """The first example in each language; where there is none, the first."""
    found = firsts(agent.examples)
    return {language: found.get(language, agent.examples[0]) for language in LANGUAGES}
