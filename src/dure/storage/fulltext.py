"""The full-text index of passages, whatever the database: the one part of document storage that SQL does not share.
Terms are cut in Python; SQLite has them in FTS5, PostgreSQL as `tsvector` with a GIN index, ranked by BM25 in SQL.

Every term starts with a mark of its owner: a search can neither match nor read past another's passages, and how
frequent a term is counts within one owner's documents. (PostgreSQL's marks are short; where two are the same by chance,
the owner's name keeps the owners apart.) The positions of a term in a `tsvector` are 1, 2, 3, …: they say how often it
stands in the passage, and nothing else.
"""

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

import orjson
import sqlalchemy as sa

from dure.storage.sql import Prepared, dumps
from dure.storage.terms import Groups, Hits, terms

COUNTED = 2000
"""Up to so many passages a term is counted; beyond, its count is estimated, which takes a hundredth of the time."""

_FTS5_COUNTS = Prepared(
    sa.text(
        "SELECT (SELECT json_array(count(*), max(rowid))"
        " FROM (SELECT rowid FROM passage_terms WHERE passage_terms MATCH value LIMIT :most))"
        " FROM json_each(:queries) ORDER BY key"
    )
)
_BEST = "SELECT rowid, -rank FROM passage_terms WHERE passage_terms MATCH :query {within} ORDER BY rank LIMIT :limit"
# The plus keeps SQLite from running the whole match once for each of the passages.
_FTS5_WITHIN = "AND +rowid IN (SELECT value FROM json_each(:within))"
_FTS5_MATCH = {some: Prepared(sa.text(_BEST.format(within=_FTS5_WITHIN if some else ""))) for some in (False, True)}
# CROSS: SQLite is to look the passages up that match, not to match each that there is.
_FTS5_BEGINNINGS = Prepared(
    sa.text(
        "SELECT id FROM passage_terms CROSS JOIN passages ON id = passage_terms.rowid"
        " WHERE passage_terms MATCH :query AND start = 0 LIMIT :limit"
    )
)
# Two queries in one: SQLite reads the whole table for `SELECT min(id), max(id)`.
_ENDS = sa.text("SELECT (SELECT min(id) FROM passages), (SELECT max(id) FROM passages)")
_FTS5_PUT = sa.text("INSERT INTO passage_terms(rowid, terms) VALUES (:id, :terms)")
_FTS5_REMOVE = sa.text("INSERT INTO passage_terms(passage_terms, rowid, terms) VALUES ('delete', :id, :terms)")


class Fts5:
    """Passages by the terms they hold (`terms.terms`), each owner's apart from all others'."""

    def put(self, connection: sa.Connection, owner: str, rows: Iterable[tuple[int, str]]) -> None:
        """Index passages, given as (id, text)."""
        _write(connection, _FTS5_PUT, owner, rows)

    def remove(self, connection: sa.Connection, owner: str, rows: Iterable[tuple[int, str]]) -> None:
        """Take passages out of the index; their text must be what was indexed."""
        _write(connection, _FTS5_REMOVE, owner, rows)

    def frequencies(self, connection: sa.Connection, owner: str, wanted: Sequence[str]) -> dict[str, int]:
        """In how many of the owner's passages each term stands, 0 for unknown ones; large counts may be estimates."""
        queries = dumps(_quoted(_hex(owner), wanted))
        rows = _FTS5_COUNTS.run(connection, {"queries": queries, "most": COUNTED}).fetchall()
        counts = [orjson.loads(row[0]) for row in rows]
        found = [count if count < COUNTED else _estimate(connection, last) for count, last in counts]
        return dict(zip(wanted, found, strict=True))

    def match(
        self, connection: sa.Connection, owner: str, wanted: Groups, limit: int, within: Sequence[int] | None = None
    ) -> Hits:
        """The passages that hold all terms of any group, best first by BM25, as (id, score); scores are positive.
        `within`: only these passages."""
        if not wanted:
            return []
        mark = _hex(owner)
        values: dict[str, object] = {"limit": limit}
        values["query"] = " OR ".join(f"({' AND '.join(_quoted(mark, group))})" for group in wanted)
        if within is not None:
            values["within"] = dumps(list(within))
        return [(row[0], row[1]) for row in _FTS5_MATCH[within is not None].run(connection, values).fetchall()]

    def beginnings(self, connection: sa.Connection, owner: str, group: Sequence[str], limit: int) -> list[int]:
        """Some of the passages that documents begin with and that hold all terms of a group."""
        values = {"query": " AND ".join(_quoted(_hex(owner), group)), "limit": limit}
        return [row[0] for row in _FTS5_BEGINNINGS.run(connection, values).fetchall()]


def _estimate(connection: sa.Connection, last: int) -> int:
    """A frequent term's count, from how far the first `COUNTED` of its passages reach among all."""
    first, end = connection.execute(_ENDS).one()
    return int(COUNTED * (end - first + 1) / (last - first + 1))


def _write(connection: sa.Connection, statement: sa.TextClause, owner: str, rows: Iterable[tuple[int, str]]) -> None:
    mark = _hex(owner)
    values = [{"id": id, "terms": " ".join([mark + term for term in terms(text)])} for id, text in rows]
    if values:
        connection.execute(statement, values)


def _quoted(mark: str, group: Sequence[str]) -> list[str]:
    return [f'"{mark}{term}"' for term in group]


def _hex(owner: str) -> str:
    return hashlib.sha256(owner.encode()).hexdigest()[:10]


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
WITH wanted AS MATERIALIZED (
    SELECT number, CAST(query AS tsquery) AS query, single
    FROM unnest(CAST(:queries AS text[]), CAST(:single AS boolean[])) WITH ORDINALITY AS each (query, single, number)
),
hits AS MATERIALIZED (
    SELECT number, passage, length FROM wanted JOIN passage_terms ON owner = :owner AND terms @@ query {within}
),
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
# The plus keeps PostgreSQL from reading the terms of all these passages, which it takes for cheap.
_WITHIN = "AND passage + 0 IN (SELECT unnest(CAST(:within AS integer[])))"
_MATCHES = {some: Prepared(sa.text(_MATCH.format(within=_WITHIN if some else ""))) for some in (False, True)}
_BEGINNINGS = Prepared(
    sa.text(
        "SELECT id FROM passage_terms JOIN passages ON id = passage WHERE passage_terms.owner = :owner"
        " AND terms @@ CAST(:query AS tsquery) AND start = 0 LIMIT :limit"
    )
)
_FREQUENCIES = Prepared(
    sa.text(
        "SELECT (SELECT count(*) FROM passage_terms WHERE owner = :owner AND terms @@ CAST(query AS tsquery))"
        " FROM unnest(CAST(:queries AS text[])) WITH ORDINALITY AS wanted (query, number) ORDER BY number"
    )
)


class TextSearch:
    """The same as a table: a GIN index finds the terms, SQL ranks them."""

    def put(self, connection: sa.Connection, owner: str, rows: Iterable[tuple[int, str]]) -> None:
        values = [{"passage": id, "owner": owner, **_entry(_mark(owner), text)} for id, text in rows]
        if values:
            connection.execute(_PUT, values)

    def remove(self, connection: sa.Connection, owner: str, rows: Iterable[tuple[int, str]]) -> None:
        """Nothing: the entries go with their passages."""

    def frequencies(self, connection: sa.Connection, owner: str, wanted: Sequence[str]) -> dict[str, int]:
        mark = _mark(owner)
        queries = [_query(mark, [term]) for term in wanted]
        rows = _FREQUENCIES.run(connection, {"owner": owner, "queries": queries}).fetchall()
        return {term: row[0] for term, row in zip(wanted, rows, strict=True)}

    def match(
        self, connection: sa.Connection, owner: str, wanted: Groups, limit: int, within: Sequence[int] | None = None
    ) -> Hits:
        if not wanted:
            return []
        mark = _mark(owner)
        values: dict[str, object] = {"owner": owner, "limit": limit, "candidates": _CANDIDATES * limit}
        values["queries"] = [_query(mark, group) for group in wanted]
        values["single"] = [len(group) == 1 for group in wanted]
        if within is not None:
            values["within"] = list(within)
        return [(row[0], row[1]) for row in _MATCHES[within is not None].run(connection, values).fetchall()]

    def beginnings(self, connection: sa.Connection, owner: str, group: Sequence[str], limit: int) -> list[int]:
        values = {"owner": owner, "query": _query(_mark(owner), group), "limit": limit}
        return [row[0] for row in _BEGINNINGS.run(connection, values).fetchall()]


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


_INDEXES: dict[str, Fts5 | TextSearch] = {"sqlite": Fts5(), "postgresql": TextSearch()}


def index_of(connection: sa.Connection) -> Fts5 | TextSearch:
    """The index of the connection's database."""
    return _INDEXES[connection.dialect.name]
