"""Search: two arms, weighed by the evidence that each has for this query."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
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
_MAX_QUERIES = 5
_MAX_CHARS = 1000


@dataclass(slots=True)
class Found:
    """`passages`: best first, `score` 0 to 1. `evidence`: how well the best of them support the query at all, 0 to 1.

    `arms`: for the record, what each arm saw of each phrasing.
    """

    passages: list[Passage]
    evidence: float = 0.0
    arms: dict[str, Any] = field(default_factory=dict)


class Searcher:
    """Searches the passages of one owner at a time."""

    def __init__(self, database: Database, embedder: "Embedder | None") -> None:
        self._database = database
        self._embedder = embedder
        self._vectors = vectors_of(database)
        self._lexical = Lexical()
        self._unrelated: dict[str, Floats] = {}

    async def search(self, owner: str, queries: Sequence[str], k: int) -> Found:
        """The best `k` passages over all phrasings in `queries`; blank ones are ignored."""
        asked = list(dict.fromkeys(q for q in map(_clean, queries) if q))[:_MAX_QUERIES]
        if not asked or k < 1:
            return Found([])
        if self._embedder is None:
            return await self._database.read(self._words_alone, owner, asked, k)
        by_words = self._database.read(self._by_words, owner, asked)
        words, similar = await asyncio.gather(by_words, self._dense(owner, asked))
        return await self._database.read(_together, owner, asked, words, similar, k)

    def _words_alone(self, connection: sa.Connection, owner: str, queries: list[str], k: int) -> Found:
        return _together(connection, owner, queries, self._by_words(connection, owner, queries), None, k)

    def _by_words(self, connection: sa.Connection, owner: str, queries: list[str]) -> "list[tuple[Terms, list[int]]]":
        return [self._lexical.find(connection, owner, query, _POOL) for query in queries]

    async def _dense(self, owner: str, queries: list[str]) -> Similar | None:
        if self._embedder is None:
            return None
        try:
            embedded = await self._embedder.queries(queries)
            looked = await self._vectors.look(owner, self._embedder.name, embedded, _POOL)
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


def _together(
    connection: sa.Connection,
    owner: str,
    queries: list[str],
    words: list[tuple[Terms, list[int]]],
    similar: Similar | None,
    k: int,
) -> Found:
    """Read what either arm found and rank it; in the database's thread, since each change of threads costs."""
    ids = {id for _, found in words for id in found}
    if similar is not None:
        ids.update(similar.best(_POOL))
    rows = list(documents.passages_by_id(connection, owner, sorted(ids)).values())
    if not rows:
        return Found([])
    found = [row["id"] for row in rows]
    unknown: list[list[float | None]] = [[None] * len(rows)] * len(queries)
    standing, crowd = (similar.of(connection, found), similar.crowd) if similar is not None else (unknown, 0)
    return _rank(queries, [terms for terms, _ in words], standing, crowd, rows, k)


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
