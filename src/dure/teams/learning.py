"""What router teams learn from their example questions: once in a process, ahead of the first question."""

import asyncio

from dure.models import Embedder
from dure.teams.definition import Team
from dure.teams.examples import Examples, Key

_known: dict[tuple[str, tuple[Key, ...], tuple[str, ...]], Examples] = {}
_MOST = 64
"""Teams kept; more than a server ever has, so that edited teams do not pile up."""


async def prepare(team: Team, embedder: Embedder | None) -> None:
    """Learn a team's examples ahead of the first question."""
    if len(groups := groups_of(team)) > 1:
        await learnt(groups, embedder)


async def learnt(groups: dict[Key, list[str]], embedder: Embedder | None) -> Examples:
    """What is learnt from the examples, once in a process: it takes a tenth of a second."""
    texts = [text for each in groups.values() for text in each]
    place = (embedder.name if embedder else "", tuple(groups), tuple(texts))
    if place not in _known:
        vectors = None if embedder is None else await embedder.examples(texts)
        made = await asyncio.to_thread(Examples, groups, vectors)
        if len(_known) >= _MOST:
            _known.pop(next(iter(_known)))
        _known[place] = made
    return _known[place]


def groups_of(team: Team) -> dict[Key, list[str]]:
    """Example questions by the agents they want."""
    groups: dict[Key, list[str]] = {(a.name,): list(a.examples) for a in team.agents if a.examples}
    for pipeline in team.pipelines:
        groups.setdefault(tuple(pipeline.agents), []).extend(pipeline.examples)
    return groups
