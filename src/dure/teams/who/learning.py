"""What teams learn from their example questions: once in a process, ahead of the first question."""

import asyncio
import logging
from typing import TYPE_CHECKING

from dure.agents import RunContext
from dure.errors import DureError
from dure.models import Embedder
from dure.registry import load
from dure.teams.definition import Team
from dure.teams.who.chances import Chances, Key

if TYPE_CHECKING:
    from dure.teams.who.examples import Examples, Rows

log = logging.getLogger(__name__)

DIRECT = "direct"
"""Stands for no agent: the team answers itself."""
_CHARS = 1000
_BEFORE = 0.3
_WRITTEN_OUT = 0.5
"""How much the turn before counts, and what the message was written out to."""
_known: "dict[tuple[object, ...], Examples]" = {}
_MOST = 64
"""Teams kept; more than a server ever has, so that edited teams do not pile up."""


async def prepare(team: Team, embedder: Embedder | None) -> None:
    """Learn a team's examples ahead of the first question."""
    if len(groups := groups_of(team)) > 1:
        await _learnt(groups, embedder)


async def chances(team: Team, run: RunContext) -> Chances | None:
    """What the team's examples say of the message of `run`, judged together with what it was written out to, else with
    the turn before it; None where it has examples of one thing or none."""
    groups = groups_of(team)
    if len(groups) < 2:
        return None
    message = run.written or run.message
    before = next((m["content"] or "" for m in reversed(run.history) if m["role"] == "user"), "")
    other = run.message if run.written else f"{before}\n{message}" if before else ""
    texts = [text[:_CHARS] for text in (other, message) if text]
    examples, vectors = await _judges(groups, run.embedder, texts)
    found, share = None, _WRITTEN_OUT if run.written else _BEFORE
    for text, rows in zip(texts, vectors, strict=True):
        # At most some hundred rows: a tenth of what handing it to a thread costs.
        found = examples.chances(text, rows, found, share)
    return found


async def _judges(
    groups: dict[Key, list[str]], embedder: Embedder | None, texts: list[str]
) -> "tuple[Examples, list[list[Rows]]]":
    """What is learnt, and each text's vectors; by words alone where nothing can be embedded."""
    if embedder is not None:
        try:
            # First, since an endpoint gives its model's name with it, by which the examples are known.
            rows = [await each.queries(texts) for each in _views(embedder)]
            return await _learnt(groups, embedder), [list(each) for each in zip(*rows, strict=True)]
        except DureError as error:
            log.warning("embedding failed, judging by words alone: %s", error)
    return await _learnt(groups, None), [[] for _ in texts]


async def _learnt(groups: dict[Key, list[str]], embedder: Embedder | None) -> "Examples":
    """What is learnt from the examples, once in a process: at most some tenths of a second, and numpy."""
    texts = [text for each in groups.values() for text in each]
    views = _views(embedder) if embedder is not None else []
    place = (tuple(each.name for each in views), tuple((key, *each) for key, each in groups.items()))
    if place not in _known:
        vectors = [await each.examples(texts) for each in views]
        made = await asyncio.to_thread(lambda: load("dure.teams.who.examples:Examples")(groups, vectors))
        if len(_known) >= _MOST:
            _known.pop(next(iter(_known)))
        _known[place] = made
    return _known[place]


def _views(embedder: Embedder) -> list[Embedder]:
    return [embedder, *filter(None, [embedder.second])]


def groups_of(team: Team) -> dict[Key, list[str]]:
    """Example questions by the agents they want. Where these are few, it helps that a description counts as one."""
    groups: dict[Key, list[str]] = {(a.name,): [*a.examples, a.purpose] for a in team.agents if a.examples}
    if team.direct and groups and team.kind != "router":
        groups[DIRECT,] = list(team.direct)
    for pipeline in team.pipelines:
        groups.setdefault(tuple(pipeline.agents), []).extend(pipeline.examples)
    return groups
