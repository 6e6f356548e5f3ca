"""Search: two arms, weighed by the evidence that each has for this query."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from dure.knowledge.dense import STRANGERS, Similar, needs_strangers
from dure.knowledge.fuse import Judgement, fuse, share
from dure.knowledge.lexical import Lexical, Terms
from dure.knowledge.vectors import vectors_of
from dure.sources import Passage
from dure.storage import documents
from dure.storage.database import Database

if TYPE_CHECKING:
    from dure.knowledge.vectors import Floats
    from dure.models import Embedder

log = logging.getLogger(__name__)

_POOL = 40
"""Passages that each arm brings in for a query."""
_FEW = 100
"""Passages of `within` up to which all are ranked, so that none is missed."""
_MAX_QUERIES = 5
_MAX_CHARS = 1000

Keep = Callable[[sa.Connection, Sequence[int]], set[int]]
"""Of documents, by number, those that may be found."""


@dataclass(slots=True)
class Found:
    """`passages`: best first, `score` 0 to 1. `evidence`: how well the best of them support the query at all, 0 to 1.

    `arms`: for the record, what each arm saw of each phrasing.
    """

    passages: list[Passage]
    evidence: float = 0.0
    arms: dict[str, Any] = field(default_factory=dict)


class Searcher:
    """Searches the passages of owners, as if those of all that are named at once were one's."""

    def __init__(self, database: Database, embedder: "Embedder | None") -> None:
        self._database = database
        self._embedder = embedder
        self._vectors = vectors_of(database)
        self._lexical = Lexical()
        self._unrelated: dict[str, Floats] = {}

    async def search(
        self,
        owners: Sequence[str],
        queries: Sequence[str],
        k: int,
        *,
        within: Sequence[int] | None = None,
        keep: Keep | None = None,
        pool: int = _POOL,
    ) -> Found:
        """The best `k` passages over all phrasings in `queries`; blank ones are ignored.

        within: ids of the passages that may be found; None: all. keep: of the documents that were found, those that may
        be; what it drops is not made up for. pool: how many each arm brings in for a query.
        """
        asked = list(dict.fromkeys(q for q in map(_clean, queries) if q))[:_MAX_QUERIES]
        if not asked or k < 1 or (within is not None and not within):
            return Found([])
        wanted = _Wanted(tuple(owners), asked, k, within, keep, pool)
        if self._embedder is None:
            return await self._database.read(self._words_alone, wanted)
        by_words = self._database.read(self._by_words, wanted)
        words, similar = await asyncio.gather(by_words, self._dense(wanted))
        return await self._database.read(_together, wanted, words, similar)

    def _words_alone(self, connection: sa.Connection, wanted: "_Wanted") -> Found:
        return _together(connection, wanted, self._by_words(connection, wanted), None)

    def _by_words(self, connection: sa.Connection, wanted: "_Wanted") -> "list[tuple[Terms, list[int]]]":
        place = (wanted.pool, wanted.within)
        return [self._lexical.find(connection, wanted.owners, query, *place) for query in wanted.queries]

    async def _dense(self, wanted: "_Wanted") -> Similar | None:
        if self._embedder is None:
            return None
        try:
            embedded = await self._embedder.queries(wanted.queries)
            name = self._embedder.name
            each = [self._vectors.look(owner, name, embedded, wanted.pool) for owner in wanted.owners]
            looked = reduce(lambda one, two: one.join(two), await asyncio.gather(*each))
            strangers = None
            if needs_strangers(looked.counts):
                strangers = embedded @ (await self._strangers(self._embedder)).T
        except Exception as error:
            # A search without one arm is better than none.
            log.warning("embedding a query failed, searching by words alone: %s", error)
            return None
        return await asyncio.to_thread(looked.stand, strangers) if sum(looked.counts) else None

    async def _strangers(self, embedder: "Embedder") -> "Floats":
        if embedder.name not in self._unrelated:
            self._unrelated[embedder.name] = await embedder.passages(STRANGERS)
        return self._unrelated[embedder.name]


@dataclass(slots=True, frozen=True)
class _Wanted:
    """What `Searcher.search` was asked for."""

    owners: tuple[str, ...]
    queries: list[str]
    k: int
    within: Sequence[int] | None
    keep: Keep | None
    pool: int


def _together(
    connection: sa.Connection, wanted: _Wanted, words: list[tuple[Terms, list[int]]], similar: Similar | None
) -> Found:
    """Read what either arm found and rank it; in the database's thread, since each change of threads costs."""
    queries, within = wanted.queries, wanted.within
    ids = {id for _, found in words for id in found}
    if within is not None and len(within) <= _FEW:
        ids.update(within)
    elif similar is not None and within is not None:
        ids.update(similar.best_of(connection, within, wanted.pool))
    elif similar is not None:
        ids.update(similar.best(wanted.pool))
    some = sorted(ids)
    rows = [row for owner in wanted.owners for row in documents.passages_by_id(connection, owner, some).values()]
    if wanted.keep is not None and rows:
        kept = wanted.keep(connection, sorted({row["document"] for row in rows}))
        rows = [row for row in rows if row["document"] in kept]
    if not rows:
        return Found([])
    found = [row["id"] for row in rows]
    unknown: list[list[float | None]] = [[None] * len(rows)] * len(queries)
    standing, crowd = (similar.of(connection, found), similar.crowd) if similar is not None else (unknown, 0)
    return _rank(queries, [terms for terms, _ in words], standing, crowd, rows, wanted.k)


def _clean(query: str) -> str:
    return query.encode("utf-8", "replace").decode()[:_MAX_CHARS].strip()


def _rank(
    queries: list[str],
    terms: list[Terms],
    standings: list[list[float | None]],
    crowd: int,
    rows: list[documents.Row],
    k: int,
) -> Found:
    ids = [row["id"] for row in rows]
    texts = [row["text"] for row in rows]
    judgements = [fuse(its.judge(texts), its.known, row, crowd) for its, row in zip(terms, standings, strict=True)]
    # A phrasing that finds strong evidence has high scores; one that finds none adds but little noise to the mean.
    scores = [sum(each) / len(queries) for each in zip(*(j.scores for j in judgements), strict=True)]
    order = sorted(range(len(ids)), key=lambda i: (-scores[i], ids[i]))[:k]
    passages = [_passage(rows[i], share(scores[i], 6.0)) for i in order]
    arms = [_record(*each, order) for each in zip(queries, terms, judgements, strict=True)]
    evidence = max(judgement.evidence for judgement in judgements)
    return Found(passages, evidence, {"dense": crowd > 0, "queries": arms})


def _record(query: str, terms: Terms, judgement: Judgement, order: list[int]) -> dict[str, Any]:
    return {
        "query": query,
        "known_terms": round(terms.known, 3),
        "evidence": round(judgement.evidence, 3),
        "lexical": [round(judgement.lexical[i], 2) for i in order],
        "dense": [round(judgement.dense[i], 2) for i in order],
    }


def _passage(row: documents.Row, score: float) -> Passage:
    place = (row["document_id"], row["title"], row["page"], row["start"], row["end"], row["text"])
    return Passage(*place, id=row["id"], score=round(score, 4))
