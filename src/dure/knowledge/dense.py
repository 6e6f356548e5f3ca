"""The dense arm in numbers: how far above the crowd of its kind each passage stands in likeness to a query."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from dure.knowledge.vectors import STRANGERS, StrangersWanted
from dure.storage.terms import is_korean

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

FEW = 20
"""Passages of a language up to which strangers of that language join the crowd."""
SMALLEST = 1e-4
"""Standard deviation of cosines taken at least."""
_KOREAN = [is_korean(text) for text in STRANGERS]


@dataclass(slots=True, frozen=True)
class AllSimilar:
    """A `Similar` that knows all: `ids` (n,) of the passages, `standing` (q, n) of each for each query."""

    ids: Ids
    standing: Floats
    crowd: int

    def best(self, connection: sa.Connection, count: int, within: Sequence[int] | None = None) -> set[int]:
        ids, standing = self.ids, self.standing
        if within is not None:
            inside = np.isin(ids, np.asarray(within, np.int64))
            ids, standing = ids[inside], standing[:, inside]
        if count >= len(ids):
            return set(ids.tolist())
        rows = [np.argpartition(row, -count)[-count:] for row in standing]
        return {int(id) for row in rows for id in ids[row]}

    def of(self, connection: sa.Connection, ids: Sequence[int]) -> list[list[float | None]]:
        wanted = np.asarray(ids, np.int64)
        places = np.nonzero(np.isin(self.ids, wanted))[0]
        place_of = dict(zip(self.ids[places].tolist(), places.tolist(), strict=True))
        return [[float(row[place_of[id]]) if id in place_of else None for id in ids] for row in self.standing]


def stand(ids: Ids, korean: Flags, cosines: Floats, strangers: Floats | None) -> AllSimilar:
    """How passages stand. `korean` (n,), `cosines` (q, n); `strangers` (q, m) those of `STRANGERS`. Raises
    StrangersWanted."""
    standing = np.empty_like(cosines)
    crowd = 0
    for language in (True, False):
        members = korean == language
        count = int(members.sum())
        if not count:
            continue
        rows = cosines[:, members] if count < len(ids) else cosines
        others = among_strangers(rows, language, strangers) if count < FEW else rows
        crowd += others.shape[1]
        mean = others.mean(axis=1, keepdims=True)
        standing[:, members] = (rows - mean) / deviation(others)
    return AllSimilar(ids, standing, crowd)


def among_strangers(rows: Floats, korean: bool, strangers: Floats | None) -> Floats:
    """The crowd of few passages, of cosines `rows` (q, n): all but the best, which would stand in its own way among
    few, and the strangers of their language. Raises StrangersWanted."""
    if strangers is None:
        raise StrangersWanted
    return np.hstack([np.sort(rows, axis=1)[:, :-1], strangers[:, np.array(_KOREAN) == korean]])


def deviation(rows: Floats) -> Floats:
    """The standard deviation of each row, (q, 1); never 0."""
    found: Floats = np.maximum(rows.std(axis=1, keepdims=True), SMALLEST)
    return found
