"""Vectors that stay in PostgreSQL: it compares, with pgvector, and hands out what is near and how the rest is spread.

They are scanned exactly, those of the owners that are searched alone. Where somebody made an HNSW index
(docs/scale-out.md), the planner uses it for what is nearest when that is cheaper.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import nlargest
from typing import Any

import numpy as np
import sqlalchemy as sa

from dure.knowledge.dense import FEW, SMALLEST, Floats, among_strangers, deviation

SAMPLE = 1000
"""Vectors from which mean and deviation are taken: of more, about so many, evenly spread. They are off by 2 to 3 %."""

_CROWDS = sa.text("SELECT korean, count(*) FROM vectors WHERE owner = ANY(:owners) AND model = :model GROUP BY korean")
_WHOLE = "SELECT vector FROM vectors WHERE owner = ANY(:owners) AND model = :model AND korean = :korean"
# The ids are found in the index alone; only those chosen are read.
_SAMPLED = """
WITH chosen AS MATERIALIZED (
    SELECT id FROM vectors WHERE owner = ANY(:owners) AND model = :model AND korean = :korean AND id % :step = 0
)
SELECT vector FROM chosen JOIN vectors USING (id)
"""
_MOMENTS = {
    sampled: sa.text(
        "SELECT coalesce(avg(cosine), 0), coalesce(stddev_pop(cosine), 0)"  # noqa: S608
        f" FROM (SELECT -(vector <#> CAST(:query AS halfvec)) AS cosine FROM ({chosen}) AS chosen) AS cosines"
    )
    for sampled, chosen in ((False, _WHOLE), (True, _SAMPLED))
}
# pgvector's `<#>` is the negative inner product. Selected as it is ordered by, it is computed once a row.
_NEAREST = """
SELECT passage, CAST(vector AS halfvec({dim})) <#> CAST(:query AS halfvec({dim})) AS distance
FROM vectors WHERE owner = ANY(:owners) AND model = :model AND korean = :korean
ORDER BY distance LIMIT :limit
"""
_COSINES = sa.text("""
SELECT passage, korean, -(vector <#> CAST(:query AS halfvec))
FROM vectors WHERE owner = ANY(:owners) AND model = :model AND passage = ANY(CAST(:passages AS integer[]))
""")

Spread = dict[bool, tuple[float, float]]
"""Mean and standard deviation of a query's cosines, of passages in Korean (True) and in other languages."""


def look(
    connection: sa.Connection, owners: Sequence[str], model: str, queries: Floats, count: int, strangers: Floats | None
) -> "NearSimilar":
    """See `vectors.Look`."""
    place = {"owners": list(owners), "model": model}
    crowds = {row[0]: row[1] for row in connection.execute(_CROWDS, place)}
    sizes, nearest = dict(crowds), _nearest(queries.shape[1])
    texts = [f"[{','.join(map(str, row.tolist()))}]" for row in queries]
    spreads: list[Spread] = []
    found: list[dict[int, float]] = []
    # One query after the other: vectors that arrive meanwhile are seen by the later ones alone.
    for text, query in zip(texts, queries, strict=True):
        spread, standing = Spread(), dict[int, float]()
        for korean, size in crowds.items():
            asked = {**place, "korean": korean, "query": text, "limit": max(count, FEW), "step": size // SAMPLE}
            best = [(row[0], -row[1]) for row in connection.execute(nearest, asked)]
            if size < FEW:
                # All of them are among the best.
                row = np.array([[cosine for _, cosine in best]], np.float32)
                others = among_strangers(row, korean, None if strangers is None else query[None] @ strangers.T)
                sizes[korean] = others.shape[1]
                spread[korean] = (float(others.mean()), float(deviation(others)[0, 0]))
            else:
                mean, its_deviation = connection.execute(_MOMENTS[asked["step"] > 1], asked).one()
                spread[korean] = (mean, its_deviation)
            standing |= {id: _standing(spread, korean, cosine) for id, cosine in best}
        spreads.append(spread)
        found.append(standing)
    return NearSimilar(place, texts, spreads, found, sum(sizes.values()))


@cache
def _nearest(dim: int) -> sa.TextClause:
    return sa.text(_NEAREST.format(dim=dim))


@dataclass(slots=True, frozen=True)
class NearSimilar:
    """A `Similar` that knows the standing of the best, and asks the database for that of others. `place`: whose vectors
    by which model. `queries` as pgvector reads them: `[0.1,0.2]`."""

    place: Mapping[str, Any]
    queries: list[str]
    spreads: list[Spread]
    found: list[dict[int, float]]
    crowd: int

    def best(self, connection: sa.Connection, count: int, within: Sequence[int] | None = None) -> set[int]:
        found = self.found
        if within is not None:
            rows = (zip(within, row, strict=True) for row in self.of(connection, within))
            found = [{id: standing for id, standing in row if standing is not None} for row in rows]
        return {id for known in found for id in nlargest(count, known, key=known.__getitem__)}

    def of(self, connection: sa.Connection, ids: Sequence[int]) -> list[list[float | None]]:
        rows = []
        for query, spread, found in zip(self.queries, self.spreads, self.found, strict=True):
            known = dict(found)
            others = [id for id in ids if id not in known]
            if others:
                rest = connection.execute(_COSINES, {**self.place, "query": query, "passages": others})
                # A language may have got its first vector since.
                known |= {id: _standing(spread, ko, cosine) for id, ko, cosine in rest if ko in spread}
            rows.append([known.get(id) for id in ids])
        return rows


def _standing(spread: Spread, korean: bool, cosine: float) -> float:
    mean, its_deviation = spread[korean]
    return (cosine - mean) / max(its_deviation, SMALLEST)
