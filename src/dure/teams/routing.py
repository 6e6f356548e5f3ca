"""Routing for small models: compare the message with each agent's example questions, ask the model only in doubt.

A 1.5-billion-parameter model routes rightly under a JSON Schema, but each call costs it seconds; comparing
embeddings costs milliseconds. What the documents hold on the message is known at the same time and counts too.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

import orjson

from dure.agents import Prefetched, RunContext, prefetch
from dure.messages import system, user
from dure.models import Embedder
from dure.teams.definition import Team

DIRECT = "direct"
"""The choice that no agent is needed."""

# Multilingual-e5 similarities lie close together (0.75 to 0.95); a lead of 0.02 between the best example of
# one agent and the best of another was right in all of the tried cases, smaller leads were not.
_CLEAR = 0.02
_STRONG = 0.6


@dataclass(slots=True)
class Choice:
    """`agent` is an agent's name or `DIRECT`. `how`: examples, evidence, model or rule."""

    agent: str
    how: str
    scores: dict[str, float]


async def choose(team: Team, context: RunContext) -> tuple[Choice, Prefetched | None]:
    """Who should answer the message of `context`, and what its documents hold on it, both found at once."""
    scores, found = await asyncio.gather(_by_examples(team, context), prefetch(team.agents, context))
    return await _judge(team, context, scores, found), found


async def _judge(team: Team, context: RunContext, scores: dict[str, float], found: Prefetched | None) -> Choice:
    ranked = sorted(scores, key=lambda name: scores[name], reverse=True)
    if ranked and (len(ranked) == 1 or scores[ranked[0]] - scores[ranked[1]] >= _CLEAR):
        return Choice(ranked[0], "examples", scores)
    if found is not None and found.evidence >= _STRONG and (not ranked or found.agent in ranked[:2]):
        return Choice(found.agent, "evidence", scores)
    return await _by_model(team, context, scores)


async def _by_examples(team: Team, context: RunContext) -> dict[str, float]:
    if context.embedder is None:
        return {}
    groups = {a.name: a.examples for a in team.agents if a.examples}
    if team.direct:
        groups[DIRECT] = team.direct
    texts = [text for examples in groups.values() for text in examples]
    if not texts:
        return {}
    message = await context.embedder.queries([context.message[:1000]])
    similar = await _examples(context.embedder, tuple(texts)) @ message[0]
    scores, at = {}, 0
    for name, examples in groups.items():
        scores[name] = round(float(similar[at : at + len(examples)].max()), 4)
        at += len(examples)
    return scores


_known: dict[tuple[str, tuple[str, ...]], Any] = {}
_MOST = 64
"""Sets of examples kept; more than a server ever has teams, so that edited teams do not pile up."""


async def _examples(embedder: Embedder, texts: tuple[str, ...]) -> Any:
    """The examples' vectors, a row each; embedded once in a process. As queries, like what they are compared with."""
    key = (embedder.name, texts)
    if key not in _known:
        if len(_known) >= _MOST:
            _known.pop(next(iter(_known)))
        _known[key] = await embedder.queries(list(texts))
    return _known[key]


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
