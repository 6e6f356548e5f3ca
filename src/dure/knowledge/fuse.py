"""How the two arms' findings become one ranking, judged query by query, and those of several queries one.

Both arms speak in the same unit, and that unit is what makes the fusion weigh itself:

- dense: how many standard deviations a passage's cosine stands above the mean of the passages in its language.
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
_EVEN = 0.25
"""How far queries are made even that find passages of different score: 0 not at all, 1 wholly."""
_SHARED = 0.5
"""Of what a query means, so much is taken for what one of its parts does, which is not embedded by itself."""
_UNEMBEDDED = 2.0
"""Taken for a passage without a vector yet: about where the passages found by words usually stand."""


@dataclass(slots=True, frozen=True)
class Judgement:
    """`lexical`, `dense`: what each arm gives each passage, in deviations; `scores`: their sums.

    `evidence`: how far the best passage stands above what an unrelated question would find, 0 to 1.
    """

    lexical: list[float]
    dense: list[float]
    scores: list[float]
    evidence: float


def fuse(matches: Sequence[Match], known: float, standing: Sequence[float | None], crowd: int) -> Judgement:
    """Judge the passages that the arms brought in for one query.

    `matches` and `standing` (None where there is no vector) belong to the same passages in the same order. `known`:
    share of the query's terms that stand in any document. `crowd`: passages that the dense arm saw, 0 without one.
    """
    lexical = [MATCH * known**2 * match.score * match.coverage for match in matches]
    dense = [_UNEMBEDDED if each is None else each for each in standing] if crowd else [0.0] * len(matches)
    scores = [a + b for a, b in zip(lexical, dense, strict=True)]
    return Judgement(lexical, dense, scores, share(max(scores, default=0.0) - noise(crowd), 3.0))


def with_parts(whole: Judgement, parts: Sequence[Judgement]) -> list[float]:
    """One score for each passage: the greatest of those that a query and its parts give it, so that what tells one of
    several things that are asked stands before what tells a little of each. The meaning is the whole query's: a part
    has `_SHARED` of it."""
    found = [[a + _SHARED * b for a, b in zip(part.lexical, part.dense, strict=True)] for part in parts]
    return [max(its) for its in zip(*_evened([whole.scores, *found]), strict=True)]


def together(scored: Sequence[list[float]]) -> list[float]:
    """One score for each passage from those that several queries, one at least, give it: their quadratic mean, so that
    what one of them finds clearly stands before what each finds a little of. They may be phrasings of one question or
    ask for several things.
    """
    if len(scored) == 1:
        return scored[0]
    # What other queries find below the crowd is no less what one asked for.
    return [
        math.sqrt(sum(max(score, 0.0) ** 2 for score in its) / len(its)) for its in zip(*_evened(scored), strict=True)
    ]


def _evened(scored: Sequence[list[float]]) -> list[list[float]]:
    """Of several things that are asked the words differ in weight: what finds less counts the fourth root more."""
    tops = [max(*scores, 1.0) for scores in scored]
    return [[score * (max(tops) / top) ** _EVEN for score in scores] for scores, top in zip(scored, tops, strict=True)]


def noise(crowd: int) -> float:
    """Where the best of `crowd` unrelated passages is expected, in deviations.

    sqrt(2 ln n) bounds the expected maximum of n normal deviates; 0.85 of it is what unrelated questions show.
    """
    return 0.85 * math.sqrt(2 * math.log(crowd)) if crowd > 1 else 0.0


def share(value: float, scale: float) -> float:
    """A measure without upper bound as 0 to 1: 0.63 at `scale`."""
    return 1 - math.exp(-max(0.0, value) / scale)
