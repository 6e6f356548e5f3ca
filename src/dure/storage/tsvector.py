"""The full-text index on PostgreSQL: terms cut in Python as `tsvector`, found by a GIN index, ranked by BM25 in SQL.

Every term starts with a mark of its owner, so that a search reads no other owner's entries; where two owners' marks are
the same by chance, the owner's name keeps them apart. The positions of a term in its `tsvector` are 1, 2, 3, …: they
say how often it stands in the passage, and nothing else.
"""

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import sqlalchemy as sa

from dure.storage.sql import Sql
from dure.storage.terms import terms

_MOST = 255
"""Positions of one term that a `tsvector` can hold."""
_CANDIDATES = 4
"""Passages that are ranked exactly for each one wanted; chosen by the terms they hold and their length."""

_PUT = sa.text(
    "INSERT INTO passage_terms (passage, owner, length, terms)"
    " VALUES (:passage, :owner, :length, CAST(:terms AS tsvector))"
)

# BM25 with k1 = 1.2 and b = 0.75 over groups of terms: of all that match, as if each group stood in them once; then of
# the best, by how often it does. A group of several terms counts once.
# `ts_rank` of one term gives s = 6/pi^2 * (1 + 1/4 + … + 1/n^2) for n positions (calc_rank_or in tsrank.c). That sum
# falls short of pi^2/6 by very nearly 1/(n + 1/2), so that n = round(1 / (pi^2/6 * (1 - s)) - 1/2).
_MATCH = """
WITH hits AS MATERIALIZED ({hits}),
wanted (number, query, single) AS (VALUES {wanted}),
weights AS (
    SELECT number, ln(1 + (greatest(total, count(*)) - count(*) + 0.5) / (count(*) + 0.5))::float8 AS idf
    FROM hits, (SELECT coalesce(sum(passages), 0) AS total FROM documents WHERE owner = :owner) AS owned
    GROUP BY number, total
),
mean AS (SELECT greatest(avg(length), 1)::float8 AS length FROM hits),
best AS MATERIALIZED (
    SELECT passage, 0.3 + 0.9 * hits.length / mean.length AS norm
    FROM hits JOIN weights USING (number), mean
    GROUP BY passage, hits.length, mean.length
    ORDER BY sum(idf) / (1.3 + 0.9 * hits.length / mean.length) DESC, passage
    LIMIT :candidates
),
-- Joined to nothing, the terms are read from where long values are kept once, not once for each group.
texts AS MATERIALIZED (SELECT passage, norm, terms || '' AS terms FROM best JOIN passage_terms USING (passage)),
counted AS (
    SELECT passage, norm, idf, CASE WHEN single
        THEN round(1 / (1.6449340668 * (1 - least(ts_rank('{{1,1,1,1}}', terms, query), 0.9985))) - 0.5)
        ELSE 1 END AS times
    FROM texts JOIN hits USING (passage) JOIN weights USING (number) JOIN wanted USING (number)
)
SELECT passage, sum(idf * 2.2 * times / (times + norm)) AS score
FROM counted GROUP BY passage ORDER BY score DESC, passage LIMIT :limit
"""
_HOLDS = "FROM passage_terms WHERE owner = :owner AND terms @@ CAST(:query{i} AS tsquery)"
_HITS = f"SELECT {{i}} AS number, passage, length {_HOLDS}"
_WITHIN = " AND passage = ANY(CAST(:within AS integer[]))"
_COUNT = f"(SELECT count(*) {_HOLDS})"


class TextSearch:
    """A `fulltext.TextIndex` in the table of migration 0002."""

    def put(self, connection: sa.Connection, owner: str, rows: Iterable[tuple[int, str]]) -> None:
        values = [{"passage": id, "owner": owner, **_entry(_mark(owner), text)} for id, text in rows]
        if values:
            connection.execute(_PUT, values)

    def remove(self, connection: sa.Connection, owner: str, rows: Iterable[tuple[int, str]]) -> None:
        """Nothing: the entries go with their passages."""

    def frequencies(self, connection: sa.Connection, owner: str, wanted: Sequence[str]) -> dict[str, int]:
        if not wanted:
            return {}
        mark = _mark(owner)
        queries = {f"query{i}": _query(mark, [term]) for i, term in enumerate(wanted)}
        row = _counts(len(wanted)).one(connection, {"owner": owner, **queries})
        return dict(zip(wanted, row, strict=True))

    def match(
        self,
        connection: sa.Connection,
        owner: str,
        wanted: Sequence[Sequence[str]],
        limit: int,
        within: Sequence[int] | None = None,
    ) -> list[tuple[int, float]]:
        if not wanted:
            return []
        mark = _mark(owner)
        queries = {f"query{i}": _query(mark, group) for i, group in enumerate(wanted)}
        values: dict[str, object] = {"owner": owner, "limit": limit, "candidates": _CANDIDATES * limit, **queries}
        if within is not None:
            values["within"] = list(within)
        statement = _match(tuple(len(group) == 1 for group in wanted), within is not None)
        return [(row[0], row[1]) for row in statement.run(connection, values).fetchall()]


@lru_cache(256)
def _counts(terms: int) -> Sql:
    return Sql("SELECT " + ", ".join(_COUNT.format(i=i) for i in range(terms)))


@lru_cache(256)
def _match(single: tuple[bool, ...], some: bool) -> Sql:
    """`single`: of each group whether it is one term; `some`: among some passages only."""
    return Sql(
        _MATCH.format(
            hits=" UNION ALL ".join(_HITS.format(i=i) + (_WITHIN if some else "") for i in range(len(single))),
            wanted=", ".join(f"({i}, CAST(:query{i} AS tsquery), {one})" for i, one in enumerate(single)),
        )
    )


def _entry(mark: str, text: str) -> dict[str, str | int]:
    found = terms(text)
    counts = Counter(found)
    lexemes = [f"'{mark}{term}':{','.join(map(str, range(1, min(n, _MOST) + 1)))}" for term, n in counts.items()]
    return {"length": len(found), "terms": " ".join(lexemes)}


def _query(mark: str, group: Sequence[str]) -> str:
    """Terms are letters and digits, so that quotes are all that they need."""
    return " & ".join(f"'{mark}{term}'" for term in group)


def _mark(owner: str) -> str:
    return base64.b32encode(hashlib.sha256(owner.encode()).digest()[:5])[:4].decode().lower()
