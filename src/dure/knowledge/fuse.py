"""How the two arms' findings become one ranking, judged query by query.

Both arms speak in the same unit, and that unit is what makes the fusion weigh itself:

- dense: how many standard deviations a passage's cosine stands above the mean of all passages. An embedding model's
  cosines mean little as such (those of e5 lie between 0.75 and 0.92), their distance from the crowd does.
- lexical: BM25 in units of the rarest term's weight ("how many rare terms match"), times the share of the query's idf
  that the passage covers, times the square of the share of the query's terms that the documents know at all. A question
  written from the text covers most of its terms and gains ten or twenty units; chance matches of a paraphrase, or of a
  question in another language, gain next to nothing, and the dense arm decides. No weight is fixed between the two.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dure.knowledge.lexical import Match

MATCH = 2.5
"""Standard deviations that one fully covered rare term is worth. Results change little between 2 and 3."""
_UNEMBEDDED = 2.0
"""Taken for a passage without a vector yet: about where the passages found by words usually stand."""


@dataclass(slots=True, frozen=True)
class Crowd:
    """The cosines of a query with all `count` vectors: their mean and standard deviation."""

    mean: float
    deviation: float
    count: int

    @property
    def noise(self) -> float:
        """Where the best of `count` unrelated passages is expected, in deviations.

        sqrt(2 ln n) bounds the expected maximum of n normal deviates; 0.85 of it is what unrelated questions show.
        """
        return 0.85 * math.sqrt(2 * math.log(self.count)) if self.count > 1 else 0.0


@dataclass(slots=True, frozen=True)
class Judgement:
    """`lexical`, `dense`: what each arm gives each passage, in deviations; `scores`: their sums.

    `evidence`: how far the best passage stands above what an unrelated question would find, 0 to 1.
    """

    lexical: list[float]
    dense: list[float]
    scores: list[float]
    evidence: float


def fuse(matches: Sequence[Match], known: float, cosines: Sequence[float | None], crowd: Crowd | None) -> Judgement:
    """Judge the passages that the arms brought in for one query.

    `matches` and `cosines` belong to the same passages in the same order; a cosine is None where there is no vector.
    `known`: share of the query's terms that stand in any document. `crowd` None: there is no dense arm.
    """
    lexical = [MATCH * known**2 * match.score * match.coverage for match in matches]
    if crowd is None:
        dense = [0.0] * len(matches)
    else:
        deviation = max(crowd.deviation, 1e-6)
        dense = [_UNEMBEDDED if c is None else (c - crowd.mean) / deviation for c in cosines]
    scores = [a + b for a, b in zip(lexical, dense, strict=True)]
    above = max(scores, default=0.0) - (crowd.noise if crowd else 0.0)
    return Judgement(lexical, dense, scores, share(above, 3.0))


def share(value: float, scale: float) -> float:
    """A measure without upper bound as 0 to 1: 0.63 at `scale`."""
    return 1 - math.exp(-max(0.0, value) / scale)
