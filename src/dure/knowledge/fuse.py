"""How the two arms' findings become one ranking, judged query by query."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class Candidate:
    """A passage that an arm brought in. `similarity`: None where the passage has no vector yet."""

    id: int
    bm25: float
    coverage: float
    similarity: float | None


@dataclass(slots=True)
class Judgement:
    """`scores` of the candidates in their order, 0 to 1; `weight` of the lexical arm; `evidence`, 0 to 1."""

    scores: list[float]
    weight: float
    evidence: float


def fuse(candidates: Sequence[Candidate]) -> Judgement:
    """Weigh BM25 by how much of the query the best passages cover."""
    best = max((c.coverage for c in candidates), default=0.0)
    top = max((c.bm25 for c in candidates), default=0.0) or 1.0
    known = [c.similarity for c in candidates if c.similarity is not None]
    weight = min(1.0, max(0.05, (best - 0.2) / 0.4)) if known else 1.0
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    span = max(high - low, 0.02)
    scores = [
        weight * c.bm25 / top + (1 - weight) * ((c.similarity - low) / span if c.similarity is not None else 0.5)
        for c in candidates
    ]
    return Judgement(scores, weight, max(best, min(1.0, max(0.0, (high - 0.8) / 0.1)) if known else 0.0))
