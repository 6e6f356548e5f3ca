"""Whether words mean the same, in whatever language: by their vectors."""

from collections.abc import Awaitable, Callable, Sequence

from dure.models import Embedder

NEAR = 0.65
"""Cosine of what means the same: of 75 names of columns in another language and the nearest column (multilingual USE),
23 of the 25 above it are right, of those below 21 of 50."""
SAME = 0.78
"""Cosine of two names of the same things: 직원 and employee have .84, 여직원 (women among them) .77."""

Likeness = Callable[[Sequence[str], Sequence[str]], Awaitable[list[float]]]
"""Of each text how like it is to the nearest of some others, -1 to 1."""


def likeness(embedder: Embedder | None) -> Likeness | None:
    """By the encoder of short texts; None where there is none."""
    view = embedder and embedder.second
    if view is None:
        return None

    async def like(texts: Sequence[str], others: Sequence[str]) -> list[float]:
        if not texts or not others:
            return [-1.0] * len(texts)
        rows = await view.queries([*texts, *others])
        return [float(each) for each in (rows[: len(texts)] @ rows[len(texts) :].T).max(axis=1)]

    return like
