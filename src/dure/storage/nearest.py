"""Queries by likeness that PostgreSQL answers itself, with pgvector. Each takes the owners whose rows it may see.

Vectors are scanned exactly, those of these owners alone. Where somebody made an HNSW index (docs/scale-out.md), the
planner uses it for `nearest` when that is cheaper.
"""

from collections.abc import Sequence
from functools import cache

import sqlalchemy as sa

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
        "SELECT avg(cosine), stddev_pop(cosine)"  # noqa: S608
        f" FROM (SELECT -(vector <#> CAST(:query AS halfvec)) AS cosine FROM ({chosen}) AS chosen) AS cosines"
    )
    for sampled, chosen in ((False, _WHOLE), (True, _SAMPLED))
}
_NEAREST = """
SELECT passage, CAST(vector AS halfvec({dim})) <#> CAST(:query AS halfvec({dim})) AS distance
FROM vectors WHERE owner = ANY(:owners) AND model = :model AND korean = :korean
ORDER BY distance LIMIT :limit
"""
_COSINES = sa.text("""
SELECT passage, korean, -(vector <#> CAST(:query AS halfvec))
FROM vectors WHERE owner = ANY(:owners) AND model = :model AND passage = ANY(CAST(:passages AS integer[]))
""")


def crowds(connection: sa.Connection, owners: Sequence[str], model: str) -> dict[bool, int]:
    """How many of the owners' passages in Korean (True) and in other languages have vectors by that embedding model."""
    return {row[0]: row[1] for row in connection.execute(_CROWDS, {"owners": list(owners), "model": model})}


def moments(
    connection: sa.Connection, owners: Sequence[str], model: str, korean: bool, size: int, query: str
) -> tuple[float, float]:
    """Mean and standard deviation of a query's cosines with a crowd of that `size`. `query` as pgvector reads it:
    `[0.1,0.2]`."""
    step = size // SAMPLE
    place = {"owners": list(owners), "model": model, "korean": korean, "query": query, "step": step}
    row = connection.execute(_MOMENTS[step > 1], place).one()
    return row[0] or 0.0, row[1] or 0.0


def nearest(
    connection: sa.Connection, owners: Sequence[str], model: str, korean: bool, query: str, limit: int
) -> list[tuple[int, float]]:
    """The passages of a crowd that are most like a query, as (passage id, cosine), best first."""
    place = {"owners": list(owners), "model": model, "korean": korean, "query": query, "limit": limit}
    # pgvector's `<#>` is the negative inner product. Selected as it is ordered by, it is computed once a row.
    return [(row[0], -row[1]) for row in connection.execute(_nearest(query.count(",") + 1), place)]


@cache
def _nearest(dim: int) -> sa.TextClause:
    return sa.text(_NEAREST.format(dim=dim))


def cosines(
    connection: sa.Connection, owners: Sequence[str], model: str, query: str, passages: Sequence[int]
) -> list[tuple[int, bool, float]]:
    """Of those of `passages` that have a vector: (passage id, Korean or not, cosine)."""
    values = {"owners": list(owners), "model": model, "query": query, "passages": list(passages)}
    return [(row[0], row[1], row[2]) for row in connection.execute(_COSINES, values)]
