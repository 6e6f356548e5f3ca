"""Which sentences and rows of one text are nearest to a question that is asked in several phrasings."""

import re
from collections.abc import Sequence
from dataclasses import replace
from math import exp
from typing import TYPE_CHECKING

from dure.knowledge.excerpt import CLOSELY, likenesses, words
from dure.knowledge.question import QUANTITY
from dure.knowledge.units import COLUMN, units_of
from dure.sources import Passage

if TYPE_CHECKING:
    from dure.knowledge.vectors import Floats
    from dure.models import Embedder

_WORDS, _LIKE, _MEANING, _RANK, _FIGURE, _ROW = 0.6, 0.4, 0.8, 1.2, 1.2, 0.4
"""What makes a sentence or row more probable: by how many standard deviations its words, its likeness and its meaning
stand above the others', its passage's place (1 of the first, a third four places on), a figure where one is asked for,
that it is a row. Weights of a conditional logit (McFadden 1974) of which line tells, fitted to 48 questions about
papers with a small model's guess of what answers them as another phrasing; of 40 others the line is then among the
first five for 28, for 14 by `excerpt` without a guess. Of documents' sentences, where several tell together, these
weights show no more than `excerpt` does (35 for 33 of 45 questions, 20 for 22 of 37)."""
_FALLS = 4
"""Places on which a passage's rank counts a third."""
_FARTHEST = -1.0
"""Standard deviations of the meaning of all others, at most."""
_DIGIT = re.compile(r"\d")


async def nearest(
    phrasings: Sequence[str], passages: Sequence[Passage], embedder: "Embedder | None" = None
) -> list[Passage]:
    """The sentences and rows of `passages` (best first), in their order, as passages of their own with `score`: how
    near, 1 the nearest. phrasings: the question, and others of it, or what may be its answer. `embedder` compares by
    meaning; without one words alone count. Raises what the embedder raises."""
    of = [(unit, rank) for rank, passage in enumerate(passages) for unit in units_of(passage)]
    if not of:
        return []
    import numpy as np

    units, figure = [unit for unit, _ in of], QUANTITY.search(phrasings[0]) is not None
    near = _WORDS * apart(np.array([words(phrasing, units) for phrasing in phrasings]))
    for i, (unit, rank) in enumerate(of):
        near[i] += _RANK * exp(-rank / _FALLS) + _ROW * (COLUMN in unit.text)
        near[i] += _FIGURE * (figure and _DIGIT.search(unit.text) is not None)
    if embedder is not None:
        if embedder.second is not None:
            near += _LIKE * apart(await likenesses(phrasings, units, embedder.second))
        closely = np.argsort(-near, kind="stable")[:CLOSELY]
        closest = apart(await likenesses(phrasings, [units[i] for i in closely], embedder))
        meaning = np.full(len(units), min(_FARTHEST, float(closest.min())))
        meaning[closely] = closest
        near += _MEANING * meaning
    shown = [replace(unit, score=float(score)) for unit, score in zip(units, np.exp(near - near.max()), strict=True)]
    return sorted(shown, key=lambda unit: (unit.document_id, unit.start))


def apart(likeness: "Floats") -> "Floats":
    """Ways × units → by how many standard deviations each unit stands above the others, as the mean of the ways."""
    import numpy as np

    spread = likeness.std(axis=1, keepdims=True)
    found: Floats = ((likeness - likeness.mean(axis=1, keepdims=True)) / np.where(spread, spread, 1.0)).mean(axis=0)
    return found
