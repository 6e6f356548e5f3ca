"""Search: two arms, weighed by the evidence that each has for this query."""

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa

from dure.knowledge.fuse import Judgement, fuse, share, together, with_parts
from dure.knowledge.lexical import Lexical, Terms
from dure.knowledge.parse.kinds import part_of
from dure.knowledge.question import parts
from dure.knowledge.sentences import COLUMN
from dure.knowledge.vectors import STRANGERS, Similar, Staged, StrangersWanted
from dure.sources import Passage, Place, place_of
from dure.storage import documents
from dure.storage.database import Database
from dure.storage.terms import is_korean

if TYPE_CHECKING:
    from dure.knowledge.vectors import Floats, Look
    from dure.models import Embedder

log = logging.getLogger(__name__)
T = TypeVar("T")

_POOL = 40
"""Passages that each arm brings in for a query."""
_FEW = 100
"""Passages of `within` up to which all are ranked, so that none is missed."""
_CROWD = 1.0
"""Deviations below which a query finds a passage no more than any other."""
_MAX_QUERIES = 5
_MAX_CHARS = 1000

Scope = Callable[[sa.Connection], tuple[Sequence[str], Sequence[int] | None]]
"""Tells in the search's own transaction whose passages are searched, and within which."""
Keep = Callable[[sa.Connection, Sequence[int]], set[int]]
"""Of documents, by number, those that may be found."""
Then = Callable[[sa.Connection, Sequence[str], "Found"], "Found"]
"""Makes of what was found, in whose passages, what is given."""

Group = tuple[Hashable, int]
"""What several passages have in common, and how many places they have."""
_WHY = {"words": "lexical", "meaning": "dense", "context": "context"}


@dataclass(slots=True)
class Found:
    """`passages`: best first, `score` 0 to 1. `evidence`: how well the best of them support the query at all, 0 to 1.

    `arms`: for the record, what each arm saw of each phrasing.
    """

    passages: list[Passage]
    evidence: float = 0.0
    arms: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """For HTTP and the terminal; each passage says `why`: what words and meaning give it at most, in deviations,
        and whether words stand in its document's title or its headings alone."""
        arms = self.arms.get("queries", [])
        told = []
        for i, passage in enumerate(self.passages):
            best = {name: max(arm[key][i] for arm in arms) for name, key in _WHY.items()}
            told.append({**passage.as_dict(), "why": best})
        return {"passages": told, "evidence": self.evidence}

    def followed(
        self, behind: Mapping[int, Sequence[Passage]], closing: Mapping[int, Sequence[Passage]], k: int
    ) -> "Found":
        """The first `k`, with each those of `behind`, by its id, that follow it, and at the end those of `closing` of
        the upper half, which is near the question. What comes with the last that has room displaces one before it, the
        least of the lower half that stands alone."""
        with_it = {each.id: [*behind.get(each.id, ())] for each in self.passages}
        for each in self.passages[: (k + 1) // 2]:
            with_it[each.id] += closing.get(each.id, ())
        bound = {id for first, its in with_it.items() if its for id in (first, *(each.id for each in its))}
        order: dict[int, Passage] = {}
        for i, passage in enumerate(self.passages):
            if (room := k - len(order)) < 1:
                break
            its = {each.id: replace(each, score=passage.score) for each in (passage, *with_it[passage.id])}
            alone = [each.id for each in self.passages[k // 2 : i] if each.id not in bound]
            if alone and len(its.keys() - order.keys()) > room:
                del order[alone[-1]]
            order |= {id: each for id, each in its.items() if id not in order}
        ranked = [each.id for passage in self.passages for each in (passage, *behind.get(passage.id, ()))]
        rank = {id: i for i, id in reversed([*enumerate(ranked)])}
        return self._of(sorted(order.values(), key=lambda each: rank.get(each.id, len(ranked)))[:k])

    def beyond(self, shown: Collection[Place], k: int) -> "Found":
        """The first passages of which `k` were not shown."""
        new = [i for i, passage in enumerate(self.passages, 1) if place_of(passage) not in shown]
        return self._of(self.passages[: new[k - 1]]) if len(new) > k else self

    def _of(self, passages: list[Passage]) -> "Found":
        """With these passages alone."""
        places = {passage.id: i for i, passage in enumerate(self.passages)}
        at = [places.get(passage.id, -1) for passage in passages]
        arms = [
            arm | {name: [arm[name][i] if i >= 0 else 0.0 for i in at] for name in _WHY.values()}
            for arm in self.arms.get("queries", ())
        ]
        return replace(self, passages=passages, arms=self.arms | {"queries": arms})


def look_of(database: Database) -> "Look":
    """Search by vectors, loaded with numpy: in memory over SQLite, in the database on PostgreSQL."""
    if database.is_sqlite:
        from dure.knowledge.memory import Memory

        return Memory().look
    from dure.knowledge.pgvector import look

    return look


class Searcher:
    """Searches the passages of owners, as if those of all that are named at once were one's."""

    def __init__(self, database: Database, embedder: "Embedder | None") -> None:
        self._database = database
        self._embedder = embedder
        self._lexical = Lexical()
        self._strangers: dict[str, Floats] = {}

    @cached_property
    def _look(self) -> "Look":
        return look_of(self._database)

    async def search(
        self,
        owners: Sequence[str] | Scope,
        queries: Sequence[str],
        k: int,
        *,
        within: Sequence[int] | None = None,
        keep: Keep | None = None,
        pool: int = _POOL,
        then: Then | None = None,
    ) -> Found:
        """The best `k` passages over all phrasings in `queries`; blank ones are ignored.

        owners: a function tells them and `within`.
        within: ids of the passages that may be found; None: all. keep: of the documents that were found, those that may
        be; what it drops is not made up for. pool: how many each arm brings in for a query. then: looks at the database
        once more before it is let go.
        """
        clean = (query.encode("utf-8", "replace").decode()[:_MAX_CHARS].strip() for query in queries)
        asked = list(dict.fromkeys(filter(None, clean)))[:_MAX_QUERIES]
        if not asked or k < 1 or (within is not None and not within):
            return Found([])
        embedded = await self._embed(asked)
        given = (owners, asked, k, within, keep, pool, then)
        try:
            return await self._database.read(self._find, embedded, *given)
        except StrangersWanted:
            # Needed once, of an owner with few passages.
            met = await self._meet()
            return await self._database.read(self._find, embedded if met else None, *given)

    @property
    def _embedders(self) -> "list[Embedder]":
        own = self._embedder
        return [each for each in (own, own and own.first) if each is not None]

    async def _embed(self, queries: list[str]) -> "list[Floats] | None":
        """The queries as each embedder sees them."""
        return None if self._embedder is None else await _unless_failed(self._embedder.views(queries))

    async def _meet(self) -> bool:
        """Have the strangers' vectors, of each embedder; whether they are there."""
        for each in self._embedders:
            vectors = await _unless_failed(each.passages(STRANGERS))
            if vectors is None:
                return False
            self._strangers[each.name] = vectors
        return True

    def _find(
        self,
        connection: sa.Connection,
        embedded: "list[Floats] | None",
        owners: Sequence[str] | Scope,
        queries: list[str],
        k: int,
        within: Sequence[int] | None,
        keep: Keep | None,
        pool: int,
        then: Then | None,
    ) -> Found:
        """All of a search that is not embedding, in the database's thread, since each change of threads costs. Raises
        StrangersWanted."""
        if callable(owners):
            owners, within = owners(connection)
        similar = self._similar(connection, embedded, owners, pool)
        words = self._lexical.find(connection, owners, queries, pool, within)
        ids = {id for _, found in words for id in found}
        if within is not None and len(within) <= _FEW:
            ids.update(within)
        elif similar is not None:
            ids.update(similar.best(connection, pool, within))
        rows = documents.passages_by_id(connection, owners, sorted(ids))
        if keep is not None and rows:
            kept = keep(connection, sorted({row["document"] for row in rows}))
            rows = [row for row in rows if row["document"] in kept]
        if not rows:
            return Found([])
        unknown: list[list[float | None]] = [[None] * len(rows)] * len(queries)
        standing, crowd = unknown, 0
        if similar is not None:
            standing, crowd = similar.of(connection, [row["id"] for row in rows]), similar.crowd
        found = _rank(queries, [terms for terms, _ in words], standing, crowd, rows, k)
        return then(connection, owners, found) if then is not None else found

    def _similar(
        self, connection: sa.Connection, embedded: "list[Floats] | None", owners: Sequence[str], pool: int
    ) -> Similar | None:
        if embedded is None:
            return None
        names = [each.name for each in self._embedders]
        try:
            found = [
                self._look(connection, owners, name, queries, pool, self._strangers.get(name))
                for name, queries in zip(names, embedded, strict=True)
            ]
            return Staged(*found) if len(found) > 1 else found[0]
        except StrangersWanted:
            raise
        except Exception as error:
            # An endpoint whose model has changed its vectors, for one.
            log.warning("comparing vectors failed, searching by words alone: %s", error)
            return None


async def _unless_failed(work: Awaitable[T]) -> T | None:
    try:
        return await work
    except Exception as error:
        # A search without one arm is better than none.
        log.warning("embedding failed, searching by words alone: %s", error)
        return None


def _rank(
    queries: list[str],
    terms: list[Terms],
    standings: list[list[float | None]],
    crowd: int,
    rows: list[dict[str, Any]],
    k: int,
) -> Found:
    ids = [row["id"] for row in rows]
    texts = [documents.searched(row) for row in rows]
    judgements, counts, scored = [], [], []
    for query, its, row in zip(queries, terms, standings, strict=True):
        counted = [its.counts(text) for text in texts]
        judgement, *of_parts = [
            fuse(each.judge(texts, counted), each.known, row, crowd) for each in (its, *map(its.of, parts(query)))
        ]
        judgements.append(judgement)
        counts.append(counted)
        scored.append(with_parts(judgement, of_parts))
    scores = together(scored)
    groups: list[list[Group]] = [_alone(queries, judgements, i, k) for i in range(len(rows))]
    for each, its_groups in zip(rows, groups, strict=True):
        document, table = each["document"], table_of(each["text"])
        its_groups += [(document, max(k * 5 // 6, 1)), ((document, table), max(k // 2, 1) if table else k)]
    order = _mixed(sorted(range(len(ids)), key=lambda i: (-scores[i], ids[i])), groups, k)
    passages = [passage_of(rows[i], share(scores[i], 6.0)) for i in order]
    arms = [
        {
            "query": query,
            "known_terms": round(its.known, 3),
            "evidence": round(judgement.evidence, 3),
            "lexical": [round(judgement.lexical[i], 2) for i in order],
            "dense": [round(judgement.dense[i], 2) for i in order],
            "context": [counted[i].keys() > its.counts(rows[i]["text"]).keys() for i in order],
        }
        for query, its, counted, judgement in zip(queries, terms, counts, judgements, strict=True)
    ]
    evidence = max(judgement.evidence for judgement in judgements)
    return Found(passages, evidence, {"dense": crowd > 0, "queries": arms})


def table_of(text: str) -> str:
    """Of a passage that ends within a table the name of its first column; empty for others."""
    column, named, _ = (last := text.rpartition("\n")[2]).partition(": ")
    return column if named and COLUMN in last and COLUMN not in column else ""


def _alone(queries: Sequence[str], judgements: Sequence[Judgement], i: int, k: int) -> list[Group]:
    """Of a passage that one of several queries alone finds, all others no more than any, that query, as a number below
    zero, where it is in another language than the surest, and how many such places it has of `k`: by how sure it is
    beside that."""
    found = [n for n, judgement in enumerate(judgements) if judgement.scores[i] >= _CROWD]
    surest = max(range(len(queries)), key=lambda n: judgements[n].evidence)
    if len(found) != 1 or is_korean(queries[found[0]]) is is_korean(queries[surest]):
        return []
    return [(-1 - found[0], max(round(k * judgements[found[0]].evidence / (judgements[surest].evidence or 1)), 1))]


def _mixed(order: list[int], groups: Sequence[Sequence[Group]], k: int) -> list[int]:
    """The first `k` of `order`, at most so many of one group as `groups` tell of each unless there is nothing else."""
    counts: Counter[Hashable] = Counter()
    first: list[int] = []
    rest: list[int] = []
    for i in order:
        if all(counts[group] < most for group, most in groups[i]):
            counts.update(group for group, _ in groups[i])
            first.append(i)
        else:
            rest.append(i)
    return sorted((first + rest)[:k], key=order.index)


def passage_of(row: dict[str, Any] | documents.Row, score: float = 0.0) -> Passage:
    """Of a row of a passage, with its document's id, title and kind."""
    place = (row["document_id"], row["title"], row["page"], row["start"], row["end"], row["text"])
    context = row["context"] or ""
    part = part_of(row["kind"], row["page"], context)
    return Passage(*place, id=row["id"], score=round(score, 4), context=context, **part)
