"""What the model is asked: who is needed, in one constrained call."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import orjson

from dure.agents import Agent, RunContext
from dure.errors import DureError
from dure.messages import Message, language_of, system, user
from dure.teams.definition import MOST_STAGES, Team
from dure.teams.tools import present
from dure.teams.who.chances import Chances, Key
from dure.teams.who.learning import DIRECT, groups_of
from dure.tooling import an_object

NOTHING = "nothing"
_SHOTS = 30
_NEEDS = """Who has to work on the last message, in which order? Reply with JSON.
agents: as few as do what is asked. effect: true only where the person asks now that something be saved, added, sent \
or changed. request: the last message so that it can be understood without the conversation, in its own language; \
the message itself where it can."""
_SLOTS = """Who should work on the last message? Reply with JSON.
wants: who does what is asked for first. then: who goes on with the result; nothing, unless a second thing is \
asked for."""
_SELF = "greetings, thanks, small talk, advice: nothing to look up or do"


async def needs(team: Team, run: RunContext, found: Chances | None, effects: set[str]) -> tuple[Key, str, bool] | None:
    """What a model that can decide says: who works, what is asked for, and whether something is to be changed that none
    of them is there for alone; the nearest examples are hints to it. None: it gave nothing of use, or is away."""
    names = [agent.name for agent in team.agents]
    able, away = present(team, run)
    offered = [agent.name for agent in able]
    agents = {"type": "array", "items": {"type": "string", "enum": offered}, "minItems": 1, "maxItems": MOST_STAGES}
    schema = an_object({"agents": agents, "effect": {"type": "boolean"}, "request": {"type": "string"}})
    rules = "\n".join(filter(None, [_NEEDS, *listed(able), away, hints(found, offered)]))
    written = await fill_in(run, "route", [system(rules), *run.history, user(run.message)], schema, None)
    chosen = tuple(dict.fromkeys(name for name in written.get("agents") or () if name in names))
    if written.get("effect") is False:
        chosen = tuple(name for name in chosen if name not in effects) or chosen
    request = str(written.get("request") or "").strip()
    return (chosen, request, written.get("effect") is True and effects.isdisjoint(chosen)) if chosen else None


async def slots(team: Team, run: RunContext, keys: list[Key], effects: set[str]) -> Key | None:
    """Whom a small model chooses, first and then, among the agents of `keys` that change nothing; None as above. The
    rules are the same for all messages of a team, since what it has read once costs nothing the next time."""
    names = list(dict.fromkeys(agent for key in keys for agent in key if agent not in effects))
    if len(names) < 2:
        return None
    later = [NOTHING, *(name for name in names if name != DIRECT)]
    schema = an_object({"wants": {"type": "string", "enum": names}, "then": {"type": "string", "enum": later}})
    shots: dict[Key, list[str]] = {}
    for key, texts in groups_of(team).items():
        if work := tuple(agent for agent in key if agent not in effects):
            filled = orjson.dumps({"wants": work[0], "then": [*work, NOTHING][1]}).decode()
            of_both = sorted(firsts(texts).values(), key=texts.index)[: 2 if len(work) == 1 else 1]
            shots.setdefault(work, [f"{text} -> {filled}" for text in of_both])
    every = listed((agent for agent in team.agents if agent.name not in effects), direct=(DIRECT,) in shots)
    lines = [line for each in shots.values() for line in each][:_SHOTS]
    rules = "\n".join([_SLOTS, *every, "", "Examples:", *lines])
    written = await fill_in(run, "route", [system(rules), user(run.message[:2000])], schema, 60)
    if written.get("wants") not in names:
        return None
    return tuple(dict.fromkeys(each for each in (written["wants"], written.get("then")) if each in names))


def hints(found: Chances | None, able: Collection[str], nobody: str = "nobody") -> str:
    """The examples nearest to the message, for the prompt of a model that decides; they never overrule it. able: the
    agents that can work; examples of others are left out. nobody: what stands for no agent."""
    known = [(text, key) for text, key in found.nearest if {*able, DIRECT}.issuperset(key)] if found else []
    near = [(text, [nobody if name == DIRECT else name for name in key]) for text, key in known]
    lines = [f"{text} -> {', '.join(names)}" for text, names in near]
    return "\n".join(["\n\nSimilar messages and who worked on them:", *lines]) if lines else ""


def firsts(texts: Sequence[str]) -> dict[str, str]:
    """The first text in each language that there is."""
    return {language_of(text): text for text in reversed(texts)}


def listed(agents: Iterable[Agent], *, direct: bool = False) -> list[str]:
    """The agents with what they do, as a model reads it; direct: and the team itself."""
    return [*(f"- {agent.name}: {agent.purpose}" for agent in agents), *[f"- {DIRECT}: {_SELF}"] * direct]


async def fill_in(
    run: RunContext, work_id: str, messages: list[Message], schema: dict[str, Any], most: int | None
) -> dict[str, Any]:
    """What the model fills in; {} where it fails, which whoever answers meets again. A small one's rules are fixed."""
    fixed = () if run.way.decides else messages[:1]
    try:
        return await run.fill_in("route", messages, schema, max_tokens=most, work_id=work_id, fixed=fixed)
    except DureError:
        return {}
