"""Routing by example questions: which agents a message wants, judged by what the examples it resembles want.

Two likenesses are mixed, that of meaning (embeddings) and that of words and pairs of syllables, since a message's
topic shows in the one and what is to be done with it in the other. Over this kernel, ridge regression learns for
each agent of a team whether the example wants it; a pipeline's score is how well these judgements agree with it.
With some hundred examples the fit takes milliseconds, so it is made anew wherever it is needed.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Rows = npt.NDArray[np.float32]

Key = tuple[str, ...]
"""Agents in their order."""

_WORDS = 0.7
"""Weight of the words' likeness, where there are embeddings too. This and the ridge were chosen by leaving each example
of the built-in team out in turn."""
_RIDGE = 0.4
_RUN = re.compile(r"[가-힣]+|[a-z]+|\d+")


class Examples:
    """Example questions of a team by the agents they want."""

    def __init__(self, groups: Mapping[Key, Sequence[str]], vectors: "Rows | None") -> None:
        """`vectors`: one row for each example, in the order of `groups`; None without an embedder."""
        import numpy as np

        self.keys = list(groups)
        self._texts = [text for texts in groups.values() for text in texts]
        self._wanted = [key for key, texts in groups.items() for _ in texts]
        self._agents = list(dict.fromkeys(agent for key in groups for agent in key))
        grams = [_grams(text) for text in self._texts]
        self._index = {gram: at for at, gram in enumerate(sorted(set().union(*grams)))}
        self._words = np.stack([self._row(each) for each in grams])
        kernel = self._words @ self._words.T
        self._centre: Rows | None = None
        if vectors is not None:
            # All of a model's vectors point one way; what tells them apart is the rest.
            self._centre = vectors.mean(axis=0)
            self._meanings = _unit(vectors - self._centre)
            kernel = _WORDS * kernel + (1 - _WORDS) * (self._meanings @ self._meanings.T)
        answers = np.array([self._signs(key) for key in self._wanted])
        self._weights = np.linalg.solve(kernel + _RIDGE * np.eye(len(kernel)), answers)
        self._patterns = np.array([self._signs(key) for key in self.keys])

    def scores(self, message: str, vector: "Rows | None") -> dict[Key, float]:
        """How well each pipeline fits, best first; about -1 to 1. `vector` (dim,): the message's."""
        import numpy as np

        judged = np.clip(self._likeness(message, vector) @ self._weights, -1.2, 1.2)
        fits = self._patterns @ judged / len(self._agents)
        order = sorted(range(len(self.keys)), key=lambda at: -fits[at])
        return {self.keys[at]: round(float(fits[at]), 4) for at in order}

    def nearest(self, message: str, vector: "Rows | None", key: Key, count: int) -> list[str]:
        """The examples of `key` that are most like the message."""
        likeness = self._likeness(message, vector)
        own = [at for at, wanted in enumerate(self._wanted) if wanted == key]
        return [self._texts[at] for at in sorted(own, key=lambda at: -likeness[at])[:count]]

    def _likeness(self, message: str, vector: "Rows | None") -> "Rows":
        import numpy as np

        # Not by `@`, whose threads go on spinning for longer than all of this takes.
        words: Rows = np.vecdot(self._words, self._row(_grams(message)))
        if vector is None or self._centre is None:
            return words
        meaning = np.vecdot(self._meanings, _unit(vector - self._centre))
        mixed: Rows = _WORDS * words + (1 - _WORDS) * meaning
        return mixed

    def _row(self, grams: set[str]) -> "Rows":
        import numpy as np

        row = np.zeros(len(self._index), np.float32)
        known = [self._index[gram] for gram in grams if gram in self._index]
        # Divided by all, so that a message of unknown words is like nothing.
        row[known] = 1 / math.sqrt(max(len(grams), 1))
        return row

    def _signs(self, key: Key) -> list[float]:
        return [1.0 if agent in key else -1.0 for agent in self._agents]


def _grams(text: str) -> set[str]:
    """Words, and of Hangul the pairs and triples of syllables, since endings carry what is asked for."""
    grams: set[str] = set()
    for word in _RUN.findall(text.lower()):
        if word[0] < "가":
            grams.add(word)
        else:
            grams.add(f"^{word[:2]}")
            grams.update(word[at : at + size] for size in (2, 3) for at in range(len(word) - size + 1))
    return grams


def _unit(rows: "Rows") -> "Rows":
    import numpy as np

    unit: Rows = rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)
    return unit
