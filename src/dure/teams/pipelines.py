"""Which agents of a router team work on a message, and in which order.

Example questions decide where one pipeline is clearly ahead; where several are near, the model chooses among them.
Then comes in what the message speaks of, as the team's subject knows it.
"""

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from dure.agents import RunContext
from dure.errors import DureError
from dure.messages import Message, system, user
from dure.teams.definition import Team
from dure.teams.examples import Examples, Key
from dure.teams.learning import groups_of, learnt
from dure.teams.stages import Subject

if TYPE_CHECKING:
    from dure.teams.examples import Rows

log = logging.getLogger(__name__)

_CLEAR = 0.03
"""Lead from which on the examples decide alone: below it a small model's choice was right more often than theirs, above
it less often (150 questions that neither had seen)."""
_ASKED = 3
"""Pipelines that the model chooses among; the right one was among so many in 97 of 100 cases."""
_SHOWN = 3


@dataclass(slots=True)
class Choice:
    """`agents` in their order. `how`: examples, model, or rule (the model's answer was of no use). `scores` of the
    likeliest pipelines, by their agents' names joined with ` > `."""

    agents: list[str]
    how: str
    scores: dict[str, float] = field(default_factory=dict)


async def choose(team: Team, run: RunContext, subject: Subject) -> tuple[Choice, Any]:
    """Who should work on the message of `run`, and what it speaks of, as far as that mattered. A run that goes on keeps
    to what was decided, whatever is known by now."""
    decided = run.journal.routed
    if decided is not None and {a.name for a in team.agents}.issuperset(decided.agents):
        choice = Choice(list(decided.agents), decided.how, dict(decided.scores))
    else:
        decided, choice = None, await _by_examples(team, run)
    methods = {a.name: a.method for a in team.agents}
    known = await subject.known(run, [methods[name] for name in choice.agents])
    if decided is None:
        choice.agents = subject.fitting(choice.agents, methods, run.message, known)
    return choice, known


async def _by_examples(team: Team, run: RunContext) -> Choice:
    groups = groups_of(team)
    if len(groups) < 2:
        return Choice(list(next(iter(groups), (team.agents[0].name,))), "rule")
    examples, vector = await _judges(groups, run)
    scores = examples.scores(run.message, vector)
    best = list(scores)[:_ASKED]
    told = {" > ".join(key): scores[key] for key in best}
    if scores[best[0]] - scores[best[1]] >= _CLEAR:
        return Choice(list(best[0]), "examples", told)
    shots = {key: examples.nearest(run.message, vector, key, _SHOWN) for key in best}
    chosen = await _by_model(team, run, shots)
    return Choice(list(chosen or best[0]), "model" if chosen else "rule", told)


async def _judges(groups: dict[Key, list[str]], run: RunContext) -> "tuple[Examples, Rows | None]":
    """What is learnt from the examples, and the message's vector; by words alone where nothing can be embedded."""
    if run.embedder is not None:
        try:
            # First, since an endpoint gives its model's name with it, by which the examples are known.
            (vector,) = await run.embedder.queries([run.message[:1000]])
            return await learnt(groups, run.embedder), vector
        except DureError as error:
            log.warning("embedding failed, routing by words alone: %s", error)
    return await learnt(groups, None), None


async def _by_model(team: Team, run: RunContext, shots: dict[Key, list[str]]) -> Key | None:
    """The model's choice among the pipelines of `shots`; None when it names none of them."""
    names = {", ".join(key): key for key in shots}
    mentioned = dict.fromkeys(agent for key in shots for agent in key)
    schema = {
        "type": "object",
        "properties": {"tools": {"type": "string", "enum": list(names)}},
        "required": ["tools"],
        "additionalProperties": False,
    }
    lines = [
        "Which tools does the message need, in which order? Reply with JSON.",
        *(f"- {agent}: {team.agent(agent).description}" for agent in mentioned),
        "",
        "Examples:",
        *(f"{text} -> {', '.join(key)}" for key, texts in shots.items() for text in texts),
    ]
    messages: list[Message] = [system("\n".join(lines)), user(run.message[:2000])]
    try:
        asked = await run.ask("route", messages, schema=schema, max_tokens=60, work_id="route")
        written = orjson.loads(asked.reply.content)
        return names.get(written["tools"])
    except (DureError, orjson.JSONDecodeError, KeyError, TypeError):
        # The examples have an opinion too; and a model that is away is met again by whoever answers.
        return None
