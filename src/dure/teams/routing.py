"""Routing for small models: compare the message with each agent's example questions, ask the model only in doubt.

A 1.5-billion-parameter model routes rightly under a JSON Schema, but each call costs it seconds; comparing
embeddings costs milliseconds. What the documents hold on the message is known at the same time and counts too.
"""

import asyncio
import logging
from dataclasses import dataclass

import orjson

from dure.agents import Prefetched, RunContext, prefetch
from dure.errors import DureError
from dure.messages import system, user
from dure.teams.definition import Team

log = logging.getLogger(__name__)

DIRECT = "direct"
"""The choice that no agent is needed."""

# Multilingual-e5 similarities lie close together (0.75 to 0.95); a lead of 0.02 between the best example of
# one agent and the best of another was right in all of the tried cases, smaller leads were not.
CLEAR = 0.02
_STRONG = 0.6


@dataclass(slots=True)
class Choice:
    """`agent` is an agent's name or `DIRECT`. `how`: examples, evidence, model or rule."""

    agent: str
    how: str
    scores: dict[str, float]


async def choose(team: Team, context: RunContext) -> tuple[Choice, Prefetched | None]:
    """Who should answer the message of `context`, and what its documents hold on it, both found at once."""
    scores, found = await asyncio.gather(scores_of(team, context, context.message), prefetch(team.agents, context))
    return await _judge(team, context, scores, found), found


async def _judge(team: Team, context: RunContext, scores: dict[str, float], found: Prefetched | None) -> Choice:
    ranked = sorted(scores, key=lambda name: scores[name], reverse=True)
    if ranked and (len(ranked) == 1 or scores[ranked[0]] - scores[ranked[1]] >= CLEAR):
        return Choice(ranked[0], "examples", scores)
    if found is not None and found.evidence >= _STRONG and (not ranked or found.agent in ranked[:2]):
        return Choice(found.agent, "evidence", scores)
    return await _by_model(team, context, scores)


async def scores_of(team: Team, context: RunContext, text: str) -> dict[str, float]:
    """How near a text is to the nearest example of each agent, and to what needs none; empty without embeddings, and
    where they fail."""
    if context.embedder is None:
        return {}
    groups = {a.name: a.examples for a in team.agents if a.examples}
    if team.direct:
        groups[DIRECT] = team.direct
    texts = [text for examples in groups.values() for text in examples]
    if not texts:
        return {}
    try:
        message = await context.embedder.queries([text[:1000]])
        similar = await context.embedder.examples(texts) @ message[0]
    except DureError as error:
        log.warning("embedding failed, routing without examples: %s", error)
        return {}
    scores, at = {}, 0
    for name, examples in groups.items():
        scores[name] = round(float(similar[at : at + len(examples)].max()), 4)
        at += len(examples)
    return scores


async def _by_model(team: Team, context: RunContext, scores: dict[str, float]) -> Choice:
    names = [a.name for a in team.agents] + [DIRECT]
    lines = [f"- {a.name}: {a.description}" for a in team.agents]
    lines.append(f"- {DIRECT}: greetings, thanks, small talk, anything that needs no documents, data or tools")
    schema = {
        "type": "object",
        "properties": {"agent": {"type": "string", "enum": names}},
        "required": ["agent"],
        "additionalProperties": False,
    }
    shots = [f"{e} -> {a.name}" for a in team.agents for e in a.examples[:2]] + [
        f"{e} -> {DIRECT}" for e in team.direct[:2]
    ]
    text = "Choose who should answer the message.\n" + "\n".join(lines) + "\n\nExamples:\n" + "\n".join(shots)
    asked = await context.ask("route", [system(text), user(context.message)], schema=schema, max_tokens=40)
    try:
        chosen = orjson.loads(asked.reply.content)["agent"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        chosen = None
    if chosen in names:
        return Choice(chosen, "model", scores)
    best = max(scores, key=lambda name: scores[name], default=DIRECT)
    return Choice(best, "rule", scores)
