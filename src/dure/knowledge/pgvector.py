"""Vectors that stay in PostgreSQL: it compares, and hands out what is near and how the rest is spread."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import TYPE_CHECKING

import sqlalchemy as sa

from dure.knowledge.dense import FEW, SMALLEST, among_strangers, deviation
from dure.storage import nearest
from dure.storage.nearest import Crowd

if TYPE_CHECKING:
    from dure.knowledge.dense import Floats

Spread = dict[bool, tuple[float, float]]
"""Mean and standard deviation of a query's cosines, of passages in Korean (True) and in other languages."""


class InDatabase:
    """The `Vectors` of a PostgreSQL database."""

    def look(
        self, connection: sa.Connection, owners: Sequence[str], model: str, queries: "Floats", count: int
    ) -> "Nearby":
        crowds = nearest.crowds(connection, owners, model)
        texts = [f"[{','.join(map(str, row.tolist()))}]" for row in queries]
        seen = [_look(connection, owners, model, crowds, text, max(count, FEW)) for text in texts]
        return Nearby(tuple(owners), model, crowds, texts, seen)


@dataclass(slots=True, frozen=True)
class _Seen:
    """Of one query: the spread of its cosines, and the best passages as (id, cosine), of each language."""

    spread: Spread
    best: dict[bool, list[tuple[int, float]]]


def _look(
    connection: sa.Connection, owners: Sequence[str], model: str, crowds: Sequence[Crowd], query: str, count: int
) -> _Seen:
    place = (connection, owners, model)
    return _Seen(
        {crowd.korean: nearest.moments(*place, crowd, query) for crowd in crowds},
        {crowd.korean: nearest.nearest(*place, crowd, query, count) for crowd in crowds},
    )


@dataclass(slots=True, frozen=True)
class Nearby:
    """A `Looked`."""

    owners: tuple[str, ...]
    model: str
    crowds: list[Crowd]
    queries: list[str]
    seen: list[_Seen]

    @property
    def counts(self) -> list[int]:
        return [crowd.count for crowd in self.crowds]

    def stand(self, strangers: "Floats | None") -> "NearSimilar":
        crowd = sum(each.count for each in self.crowds)
        spreads = [dict(seen.spread) for seen in self.seen]
        if strangers is not None:
            for few in (each for each in self.crowds if each.count < FEW):
                crowd += self._join(few.korean, strangers, spreads)
        found = [
            {id: _standing(spread, korean, cosine) for korean, best in seen.best.items() for id, cosine in best}
            for seen, spread in zip(self.seen, spreads, strict=True)
        ]
        return NearSimilar(self.owners, self.model, self.queries, spreads, found, crowd)

    def _join(self, korean: bool, strangers: "Floats", spreads: list[Spread]) -> int:
        """Let strangers join the few passages of a language, all of which are among the best; returns how many more
        stand in the crowd then."""
        import numpy as np

        rows = np.array([[cosine for _, cosine in seen.best[korean]] for seen in self.seen], np.float32)
        others = among_strangers(rows, korean, strangers)
        for spread, mean, its in zip(spreads, others.mean(axis=1), deviation(others)[:, 0], strict=True):
            spread[korean] = (float(mean), float(its))
        return int(others.shape[1] - rows.shape[1])


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
