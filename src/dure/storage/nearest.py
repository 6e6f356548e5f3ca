"""Queries by likeness that PostgreSQL answers itself, with pgvector. Each takes the owner whose rows it may see.

Vectors are scanned exactly, one owner's at a time. Where somebody made an HNSW index (docs/scale-out.md), the planner
uses it for `nearest` when that is cheaper.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

SAMPLE = 1000
"""Vectors from which mean and deviation are taken: of more, so many, evenly spread. They are off by about 2 %."""

_CROWDS = sa.text("""
WITH mine AS NOT MATERIALIZED (SELECT id, korean FROM vectors WHERE owner = :owner AND model = :model)
SELECT korean, first, last, (SELECT count(*) FROM (
    SELECT FROM mine WHERE korean = language.korean LIMIT :most
) AS counted)
FROM (VALUES (true), (false)) AS language (korean), LATERAL (
    SELECT (SELECT id FROM mine WHERE korean = language.korean ORDER BY id LIMIT 1) AS first,
           (SELECT id FROM mine WHERE korean = language.korean ORDER BY id DESC LIMIT 1) AS last
) AS ends
WHERE first IS NOT NULL
""")
_TOTAL = sa.text("SELECT coalesce(sum(embedded), 0) FROM documents WHERE owner = :owner")

_WHOLE = "SELECT vector FROM vectors WHERE owner = :owner AND model = :model AND korean = :korean"
_SAMPLED = """
SELECT vector
FROM generate_series(CAST(:first AS integer), CAST(:last AS integer), CAST(:step AS integer)) AS near (id), LATERAL (
    SELECT vector FROM vectors
    WHERE owner = :owner AND model = :model AND korean = :korean AND id >= near.id ORDER BY id LIMIT 1
) AS one
"""
_MOMENTS = """
SELECT avg(cosine), stddev_pop(cosine)
FROM (SELECT -(vector <#> CAST(:query AS halfvec)) AS cosine FROM ({vectors}) AS chosen) AS cosines
"""
_NEAREST = """
SELECT passage, -(vector::halfvec({dim}) <#> CAST(:query AS halfvec({dim})))
FROM vectors WHERE owner = :owner AND model = :model AND korean = :korean
ORDER BY vector::halfvec({dim}) <#> CAST(:query AS halfvec({dim})) LIMIT :limit
"""
_COSINES = sa.text("""
SELECT passage, korean, -(vector <#> CAST(:query AS halfvec))
FROM vectors WHERE owner = :owner AND model = :model AND passage = ANY(CAST(:passages AS integer[]))
""")


@dataclass(slots=True, frozen=True)
class Crowd:
    """Vectors of an owner's passages in one language: ids of the first and last; `count`, beyond `SAMPLE` guessed."""

    korean: bool
    first: int
    last: int
    count: int

    @property
    def sampled(self) -> bool:
        return self.count > SAMPLE


def crowds(connection: sa.Connection, owner: str, model: str) -> list[Crowd]:
    """The languages of which the owner's passages have vectors by that embedding model, one or two."""
    place = {"owner": owner, "model": model}
    found = [Crowd(*row) for row in connection.execute(_CROWDS, {**place, "most": SAMPLE + 1})]
    if any(crowd.sampled for crowd in found):
        total = connection.execute(_TOTAL, place).scalar_one()
        known = sum(crowd.count for crowd in found if not crowd.sampled)
        large = [crowd for crowd in found if crowd.sampled]
        rest = max((total - known) // len(large), SAMPLE + 1)
        found = [Crowd(c.korean, c.first, c.last, rest) if c.sampled else c for c in found]
    return found


def moments(connection: sa.Connection, owner: str, model: str, crowd: Crowd, query: str) -> tuple[float, float]:
    """Mean and standard deviation of a query's cosines with a crowd. `query` as pgvector reads it: `[0.1,0.2]`."""
    place = {"owner": owner, "model": model, "korean": crowd.korean, "query": query}
    if crowd.sampled:
        step = max((crowd.last - crowd.first + 1) // SAMPLE, 1)
        ends = {"first": crowd.first, "last": crowd.last, "step": step}
        row = connection.execute(sa.text(_MOMENTS.format(vectors=_SAMPLED)), {**place, **ends}).one()
    else:
        row = connection.execute(sa.text(_MOMENTS.format(vectors=_WHOLE)), place).one()
    return row[0] or 0.0, row[1] or 0.0


def nearest(
    connection: sa.Connection, owner: str, model: str, crowd: Crowd, query: str, limit: int
) -> list[tuple[int, float]]:
    """The passages of a crowd that are most like a query, as (passage id, cosine), best first."""
    place = {"owner": owner, "model": model, "korean": crowd.korean, "query": query, "limit": limit}
    statement = sa.text(_NEAREST.format(dim=query.count(",") + 1))
    return [(row[0], row[1]) for row in connection.execute(statement, place)]


def cosines(
    connection: sa.Connection, owner: str, model: str, query: str, passages: Sequence[int]
) -> list[tuple[int, bool, float]]:
    """Of those of `passages` that have a vector: (passage id, Korean or not, cosine)."""
    values = {"owner": owner, "model": model, "query": query, "passages": list(passages)}
    return [(row[0], row[1], row[2]) for row in connection.execute(_COSINES, values)]
