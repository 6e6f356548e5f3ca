"""What the model is asked: who is needed, in one constrained call."""

from typing import Any, NamedTuple

import orjson

from dure.agents import RunContext
from dure.errors import DureError
from dure.messages import Message, system, user
from dure.teams.definition import MOST_STAGES, Team
from dure.teams.who.examples import Chances, Key
from dure.teams.who.learning import DIRECT
from dure.tooling import an_object

Slots = Key
"""What a small model chose: who does what is wanted, and who goes on."""

NOTHING = "nothing"
_HINTS = 6
_SHOTS = 2
_TURN = 400
"""Characters of a turn before."""
_NEEDS = """Who has to work on the last message, in which order? Reply with JSON.
agents: as few as do what is asked. effect: true only where the person asks now that something be saved, added, sent \
or changed. request: the last message so that it can be understood without the conversation, in its own language; \
the message itself where it can."""
_SLOTS = """Who should work on the last message? Reply with JSON.
wants: who does what is asked for first. then: who goes on with the result; nothing, unless a second thing is \
asked for."""
_SELF = "greetings, thanks, small talk, advice: nothing to look up or do"


class Needed(NamedTuple):
    agents: Key
    request: str


async def needs(team: Team, run: RunContext, found: Chances | None, effects: set[str]) -> Needed | None:
    """What a model that can decide says; the examples nearest to the message are hints to it. None: it gave nothing of
    use, or is away, in which case whoever answers meets that again."""
    names = [agent.name for agent in team.agents]
    agents = {"type": "array", "items": {"type": "string", "enum": names}, "minItems": 1, "maxItems": MOST_STAGES}
    schema = an_object({"agents": agents, "effect": {"type": "boolean"}, "request": {"type": "string"}})
    hints = [f"{text} -> {', '.join(key)}" for text, key in found.nearest[:_HINTS]] if found else []
    rules = "\n".join([_NEEDS, *who_lines(team, names), "", "Similar messages and who worked on them:", *hints])
    written = await fill_in(run, "route", [system(rules), *run.history, user(run.message)], schema, None)
    chosen = tuple(dict.fromkeys(name for name in written.get("agents") or () if name in names))
    if written.get("effect") is False:
        chosen = tuple(name for name in chosen if name not in effects) or chosen
    request = str(written.get("request") or "").strip()
    return Needed(chosen, request) if chosen else None


async def slots(team: Team, run: RunContext, keys: list[Key], found: Chances | None, effects: set[str]) -> Slots | None:
    """What a small model fills in, among the agents of `keys` that change nothing; None as above."""
    names = list(dict.fromkeys(agent for key in keys for agent in key if agent not in effects))
    if len(names) < 2:
        return None
    later = [NOTHING, *(name for name in names if name != DIRECT)]
    schema = an_object({"wants": {"type": "string", "enum": names}, "then": {"type": "string", "enum": later}})
    near = found.nearest if found else []
    shown = [(text, key) for key in keys for text in [text for text, wanted in near if wanted == key][:_SHOTS]]
    work = [(text, [agent for agent in key if agent not in effects]) for text, key in shown]
    filled = [(text, {"wants": agents[0], "then": [*agents, NOTHING][1]}) for text, agents in work if agents]
    shots = [f"{text} -> {orjson.dumps(each).decode()}" for text, each in filled]
    said = [f"({m['role']}: {(m['content'] or '')[:_TURN]})" for m in list(run.history)[-2:]]
    rules = "\n".join([_SLOTS, *who_lines(team, names), "", "Examples:", *shots])
    message = "\n".join([*said, run.message[:2000]])
    written = await fill_in(run, "route", [system(rules), user(message)], schema, 60)
    if written.get("wants") not in names:
        return None
    return tuple(dict.fromkeys(each for each in (written["wants"], written.get("then")) if each in names))


def who_lines(team: Team, names: list[str]) -> list[str]:
    """The agents with what they do, as a model reads it."""
    lines = {agent.name: agent.description for agent in team.agents} | {DIRECT: _SELF}
    return [f"- {name}: {lines[name]}" for name in names]


async def fill_in(
    run: RunContext, work_id: str, messages: list[Message], schema: dict[str, Any], most: int | None
) -> dict[str, Any]:
    """What the model fills in; nothing where it fails, in which case whoever answers meets that again."""
    try:
        asked = await run.ask("route", messages, schema=schema, max_tokens=most, work_id=work_id)
        written = orjson.loads(asked.reply.content)
    except (DureError, orjson.JSONDecodeError):
        return {}
    return written if isinstance(written, dict) else {}
