"""The full-text index on SQLite: FTS5 over terms cut in Python.

Every term in the index starts with a mark of its owner. A search for one owner therefore can neither match nor read
past another's passages, and how frequent a term is counts within one owner's documents.
"""

import hashlib
from collections.abc import Iterable, Sequence

import orjson
import sqlalchemy as sa

from dure.storage.sql import Prepared, dumps
from dure.storage.terms import Groups, Hits, terms

COUNTED = 2000
"""Up to so many passages a term is counted; beyond, its count is estimated, which takes a hundredth of the time."""

_FREQUENCIES = Prepared(
    sa.text(
        "SELECT (SELECT json_array(count(*), max(rowid))"
        " FROM (SELECT rowid FROM passage_terms WHERE passage_terms MATCH value LIMIT :most))"
        " FROM json_each(:queries) ORDER BY key"
    )
)
_BEST = "SELECT rowid, -rank FROM passage_terms WHERE passage_terms MATCH :query {within} ORDER BY rank LIMIT :limit"
# The plus keeps SQLite from running the whole match once for each of the passages.
_WITHIN = "AND +rowid IN (SELECT value FROM json_each(:within))"
_MATCH = {some: Prepared(sa.text(_BEST.format(within=_WITHIN if some else ""))) for some in (False, True)}
# Two queries in one: SQLite reads the whole table for `SELECT min(id), max(id)`.
_ENDS = sa.text("SELECT (SELECT min(id) FROM passages), (SELECT max(id) FROM passages)")
_PUT = sa.text("INSERT INTO passage_terms(rowid, terms) VALUES (:id, :terms)")
_REMOVE = sa.text("INSERT INTO passage_terms(passage_terms, rowid, terms) VALUES ('delete', :id, :terms)")


class Fts5:
    """A `fulltext.TextIndex` in the tables of migration 0002."""

    def put(self, connection: sa.Connection, owner: str, rows: Iterable[tuple[int, str]]) -> None:
        _write(connection, _PUT, owner, rows)

    def remove(self, connection: sa.Connection, owner: str, rows: Iterable[tuple[int, str]]) -> None:
        _write(connection, _REMOVE, owner, rows)

    def frequencies(self, connection: sa.Connection, owner: str, wanted: Sequence[str]) -> dict[str, int]:
        queries = dumps(_quoted(_mark(owner), wanted))
        rows = _FREQUENCIES.run(connection, {"queries": queries, "most": COUNTED}).fetchall()
        counts = [orjson.loads(row[0]) for row in rows]
        found = [count if count < COUNTED else _estimate(connection, last) for count, last in counts]
        return dict(zip(wanted, found, strict=True))

    def match(
        self, connection: sa.Connection, owner: str, wanted: Groups, limit: int, within: Sequence[int] | None = None
    ) -> Hits:
        if not wanted:
            return []
        mark = _mark(owner)
        values: dict[str, object] = {"limit": limit}
        values["query"] = " OR ".join(f"({' AND '.join(_quoted(mark, group))})" for group in wanted)
        if within is not None:
            values["within"] = dumps(list(within))
        return [(row[0], row[1]) for row in _MATCH[within is not None].run(connection, values).fetchall()]


def _estimate(connection: sa.Connection, last: int) -> int:
    """A frequent term's count, from how far the first `COUNTED` of its passages reach among all."""
    first, end = connection.execute(_ENDS).one()
    return int(COUNTED * (end - first + 1) / (last - first + 1))


def _write(connection: sa.Connection, statement: sa.TextClause, owner: str, rows: Iterable[tuple[int, str]]) -> None:
    mark = _mark(owner)
    values = [{"id": id, "terms": " ".join([mark + term for term in terms(text)])} for id, text in rows]
    if values:
        connection.execute(statement, values)


def _quoted(mark: str, group: Sequence[str]) -> list[str]:
    return [f'"{mark}{term}"' for term in group]


def _mark(owner: str) -> str:
    return hashlib.sha256(owner.encode()).hexdigest()[:10]
