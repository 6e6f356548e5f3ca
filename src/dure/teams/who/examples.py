"""What a team's example questions say of a message: for each pipeline of agents, how probable it is.

Likenesses are mixed, those of meaning (embeddings) and that of runs of letters, since a message's topic shows in the
ones and what is to be done with it in the other; Hangul is taken apart into its letters, of which a slip changes one or
two. Over this kernel, ridge regression learns for each agent whether an example wants it, and for each pipeline whether
it is the wanted one. The two together are made a probability by a softmax over the pipelines, whose one factor is
fitted to what is said of each example by all the others (left out in turn, which ridge regression gives in closed form:
Rifkin and Lippert 2007, "Notes on regularized least squares").
"""

import unicodedata
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from dure.teams.who.chances import Chances, Key

Rows = npt.NDArray[np.float32]

_RUN = 4
"""Letters that are compared at once, blanks among them. By words alone 94 of 106 strangers' messages to the papers team
are right (91 with whole words, pairs and triples of syllables), to five other teams 75 of 90 (73)."""
_WORDS = (1.0, 0.5, 0.5)
"""Weight of the letters' likeness beside no, one and two embeddings, which share the rest. This, the ridge and the
order's weight were chosen on messages of strangers (`benchmarks/routing.py`, the dev halves)."""
_RIDGE = 0.4
_ORDER = 0.3
"""Weight of the pipelines' own judgement: agents alone do not tell their order."""
_NEAREST = 6
_AS_LIKE = 0.4
"""Of the nearest example's likeness; what is less like the message tells a model next to nothing of it. For 218 of 248
messages of strangers one with the right agents is among these, for 220 among all six."""
_FACTORS = (1.5, 60.0, 40)
"""Factors that are tried: from, to, how many. Below, the examples' number would count more than what they say."""


class Examples:
    """Example questions of a team by the agents they want."""

    def __init__(self, groups: Mapping[Key, Sequence[str]], vectors: Sequence[Rows] = ()) -> None:
        """`vectors`: for each embedder a row for each example, in the order of `groups`."""
        self.keys = list(groups)
        self.texts = [text for texts in groups.values() for text in texts]
        self._wanted = [key for key, texts in groups.items() for _ in texts]
        self._agents = list(dict.fromkeys(agent for key in groups for agent in key))
        found = [_runs(text) for text in self.texts]
        self._sizes = np.array([len(each) for each in found])
        held: dict[str, list[int]] = {}
        for at, each in enumerate(found):
            for run in each:
                held.setdefault(run, []).append(at)
        self._held = {run: np.array(places) for run, places in held.items()}
        letters = np.stack([self._likeness(each) for each in found])
        # All of a model's vectors point one way; what tells them apart is the rest.
        self._centres = [rows.mean(axis=0) for rows in vectors]
        self._meanings = [_unit(rows - centre) for rows, centre in zip(vectors, self._centres, strict=True)]
        self._share = _WORDS[min(len(vectors), len(_WORDS) - 1)]
        kernel = self._mixed(letters, [rows @ rows.T for rows in self._meanings])
        signs = np.array([[1.0 if agent in key else -1.0 for agent in self._agents] for key in self._wanted])
        own = np.array([[float(key == wanted) for key in self.keys] for wanted in self._wanted])
        answers = np.hstack([signs, own])
        ridge = _RIDGE * np.eye(len(kernel))
        inverse = np.linalg.inv(kernel + ridge)
        self._weights = inverse @ answers
        self._by_letters = np.linalg.solve(letters + ridge, signs)
        self._patterns = np.array([[1.0 if agent in key else -1.0 for agent in self._agents] for key in self.keys])
        self._prior = np.log(own.mean(axis=0))
        # Of each example by the others.
        told = self._fits(answers - self._weights / np.diag(inverse)[:, None])
        self._factor = self._fitted(told, own.argmax(axis=1))

    def chances(
        self, message: str, vectors: Sequence[Rows] = (), before: Chances | None = None, share: float = 0.3
    ) -> Chances:
        """How probable each pipeline is. `vectors`: the message's, one of each embedder. `before`: what is said of the
        turn before it and the message together, or of the message written out, which counts by `share`."""
        letters = self._likeness(_runs(message))
        meanings = [
            np.vecdot(rows, _unit(vector - centre))
            for rows, vector, centre in zip(self._meanings, vectors, self._centres, strict=False)
        ]
        likeness = self._mixed(letters, meanings)
        judged = likeness @ self._weights
        if before is not None:
            judged = (1 - share) * judged + share * before.judged
        shares = _softmax(self._factor * self._fits(judged[None]) + self._prior)[0]
        in_words = dict(zip(self._agents, letters @ self._by_letters, strict=True))
        order, near = (-shares).argsort(), (-likeness).argsort()[:_NEAREST]
        return Chances(
            {self.keys[at]: float(shares[at]) for at in order},
            [(self.texts[at], self._wanted[at]) for at in near if likeness[at] >= _AS_LIKE * likeness[near[0]]],
            {agent for agent, value in in_words.items() if value > 0},
            judged,
        )

    def _fits(self, judged: Rows) -> Rows:
        """How well judgements (one a row) agree with each pipeline."""
        agents = judged[:, : len(self._agents)].clip(-1.2, 1.2)
        fits: Rows = agents @ self._patterns.T / len(self._agents) + _ORDER * judged[:, len(self._agents) :]
        return fits

    def _fitted(self, fits: Rows, wanted: npt.NDArray[np.intp]) -> float:
        # That all were told apart makes no message sure: Platt 1999, "Probabilistic outputs for support vector
        # machines".
        unseen = 1 / (len(wanted) + 2)

        def loss(factor: float) -> float:
            right = _softmax(factor * fits + self._prior)[np.arange(len(wanted)), wanted]
            return float(-((1 - unseen) * np.log(right + 1e-12) + unseen * np.log(1 - right + 1e-12)).mean())

        return float(min(np.geomspace(*_FACTORS), key=loss))

    def _mixed(self, letters: Rows, meanings: Sequence[Rows]) -> Rows:
        if not meanings:
            return letters
        mixed: Rows = self._share * letters + (1 - self._share) / len(meanings) * sum(meanings)
        return mixed

    def _likeness(self, runs: set[str]) -> Rows:
        """To each example: the cosine of what both have; runs that no example has make it less."""
        places = [self._held[run] for run in runs if run in self._held]
        common = np.bincount(np.concatenate(places), minlength=len(self.texts)) if places else np.zeros(len(self.texts))
        likeness: Rows = common / np.sqrt(self._sizes * max(len(runs), 1))
        return likeness


def _runs(text: str) -> set[str]:
    plain = f" {' '.join(unicodedata.normalize('NFKD', text).casefold().split())} "
    return {plain[at : at + _RUN] for at in range(max(1, len(plain) - _RUN + 1))}


def _unit(rows: Rows) -> Rows:
    unit: Rows = rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)
    return unit


def _softmax(rows: Rows) -> Rows:
    grown = np.exp(rows - rows.max(axis=-1, keepdims=True))
    shares: Rows = grown / grown.sum(axis=-1, keepdims=True)
    return shares
