"""Vectors that stay in PostgreSQL: it compares, and hands out what is near and how the rest is spread."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest

import numpy as np
import sqlalchemy as sa

from dure.knowledge.dense import FEW, SMALLEST, Floats, among_strangers, deviation
from dure.storage import nearest

Spread = dict[bool, tuple[float, float]]
"""Mean and standard deviation of a query's cosines, of passages in Korean (True) and in other languages."""


def look(
    connection: sa.Connection,
    owners: Sequence[str],
    model: str,
    queries: Floats,
    count: int,
    strangers: Floats | None,
) -> "NearSimilar":
    """See `vectors.Look`."""
    place = (connection, owners, model)
    crowds = nearest.crowds(*place)
    sizes = dict(crowds)
    texts = [f"[{','.join(map(str, row.tolist()))}]" for row in queries]
    spreads: list[Spread] = []
    found: list[dict[int, float]] = []
    # One query after the other: vectors that arrive meanwhile are seen by the later ones alone.
    for text, query in zip(texts, queries, strict=True):
        spread, standing = Spread(), dict[int, float]()
        for korean, size in crowds.items():
            best = nearest.nearest(*place, korean, text, max(count, FEW))
            if size < FEW:
                # All of them are among the best.
                row = np.array([[cosine for _, cosine in best]], np.float32)
                others = among_strangers(row, korean, None if strangers is None else query[None] @ strangers.T)
                sizes[korean] = others.shape[1]
                spread[korean] = (float(others.mean()), float(deviation(others)[0, 0]))
            else:
                spread[korean] = nearest.moments(*place, korean, size, text)
            standing |= {id: _standing(spread, korean, cosine) for id, cosine in best}
        spreads.append(spread)
        found.append(standing)
    return NearSimilar(tuple(owners), model, texts, spreads, found, sum(sizes.values()))


@dataclass(slots=True, frozen=True)
class NearSimilar:
    """A `Similar` that knows the standing of the best, and asks the database for that of others."""

    owners: tuple[str, ...]
    model: str
    queries: list[str]
    spreads: list[Spread]
    found: list[dict[int, float]]
    crowd: int

    def best(self, count: int) -> set[int]:
        return {id for found in self.found for id in sorted(found, key=lambda id: -found[id])[:count]}

    def best_of(self, connection: sa.Connection, ids: Sequence[int], count: int) -> set[int]:
        found: set[int] = set()
        for row in self.of(connection, ids):
            known = [(standing, id) for standing, id in zip(row, ids, strict=True) if standing is not None]
            found.update(id for _, id in nlargest(count, known))
        return found

    def of(self, connection: sa.Connection, ids: Sequence[int]) -> list[list[float | None]]:
        rows = []
        for query, spread, found in zip(self.queries, self.spreads, self.found, strict=True):
            known = dict(found)
            others = [id for id in ids if id not in known]
            if others:
                rest = nearest.cosines(connection, self.owners, self.model, query, others)
                # A language may have got its first vector since.
                known |= {id: _standing(spread, ko, cosine) for id, ko, cosine in rest if ko in spread}
            rows.append([known.get(id) for id in ids])
        return rows


def _standing(spread: Spread, korean: bool, cosine: float) -> float:
    mean, its_deviation = spread[korean]
    return (cosine - mean) / max(its_deviation, SMALLEST)
