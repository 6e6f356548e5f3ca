"""The lexical arm: BM25 over the terms of `storage/terms.py`."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import sqlalchemy as sa

from dure.knowledge.question import content_words
from dure.storage import documents
from dure.storage.fulltext import index_of
from dure.storage.terms import codes, counter, normal, terms

K1, B = 1.2, 0.75
"""Usual parameters of BM25 (Robertson and Zaragoza, 2009)."""
_POSTINGS = 2_500
"""Entries of the index read for one query. Beyond them, frequent terms only help to judge what the rarer ones found."""
_FREQUENT = 500
"""Passages that hold a term from which on its count is remembered."""
_REMEMBERED = 50_000
_LOOKED_AT = 200
"""Passages with all terms of a code whose text is looked at; what is so of them is taken for so of all."""
_ENOUGH = 2
"""Rare terms that make a search; with fewer, pairs of frequent ones are looked up as well."""


@dataclass(slots=True, frozen=True)
class Match:
    """`score`: BM25 in units of the greatest idf. `coverage`: share of the query's idf in the passage, 0 to 1."""

    score: float
    coverage: float


class Terms:
    """The terms of a query with their weight among an owner's passages, `idf`."""

    def __init__(self, frequencies: dict[str, int], total: int) -> None:
        """`frequencies`: in how many of the `total` passages each term stands."""
        self.idf = {t: math.log(1 + (total - n + 0.5) / (n + 0.5)) for t, n in frequencies.items()}
        self.known = sum(n > 0 for n in frequencies.values()) / max(len(frequencies), 1)
        """Share of the terms that stand in any passage."""
        self._frequencies, self._total = frequencies, total
        self._whole = sum(self.idf.values())
        self._rarest = math.log(1 + (total - 0.5) / 1.5) if total > 1 else 1.0

    @cached_property
    def _times(self) -> dict[str, Callable[[str], int]]:
        return {term: counter(term) for term in self.idf}

    def of(self, part: str) -> "Terms":
        """Those that stand in a part of the query."""
        held = [*codes(part), *(term for word in content_words(part) for term in word)]
        return Terms({term: self._frequencies[term] for term in held if term in self._frequencies}, self._total)

    def counts(self, text: str) -> dict[str, int]:
        """How often each term stands in a passage; those that don't are left out."""
        plain = normal(text)
        return {term: count for term, times in self._times.items() if (count := times(plain))}

    def judge(self, texts: Sequence[str], counted: Sequence[Mapping[str, int]] | None = None) -> list[Match]:
        """Score passages exactly, with all terms of the query. counted: `counts` of each, of more terms too."""
        mean = sum(map(len, texts)) / max(len(texts), 1)
        matches = []
        for text, counts in zip(texts, counted or map(self.counts, texts), strict=True):
            norm = K1 * (1 - B + B * len(text) / mean)
            found = [(weight, n) for term, weight in self.idf.items() if (n := counts.get(term))]
            score = sum(weight * n * (K1 + 1) / (n + norm) for weight, n in found)
            covered = sum(weight for weight, _ in found)
            matches.append(Match(score / self._rarest, covered / self._whole if self._whole else 0.0))
        return matches


class Lexical:
    """Finds owners' passages by words. Remembers how frequent the frequent terms are: counting those takes long."""

    def __init__(self) -> None:
        self._frequent: dict[tuple[str, str], tuple[int, int]] = {}

    def find(
        self,
        connection: sa.Connection,
        owners: Sequence[str],
        queries: Sequence[str],
        limit: int,
        within: Sequence[int] | None = None,
    ) -> list[tuple[Terms, list[int]]]:
        """Each query's terms, weighed among the passages of all `owners`, and the ids of those passages that match them
        best, `limit` of each owner. `within`: only these passages."""
        asked = [content_words(query) for query in queries]
        wanted = list(dict.fromkeys(term for words in asked for word in words for term in word))
        totals = {owner: documents.passage_count(connection, owner) for owner in owners}
        known = {owner: self._frequencies(connection, owner, wanted, n) for owner, n in totals.items() if n}
        counts = {term: sum(min(its[term], totals[owner]) for owner, its in known.items()) for term in wanted}
        index, found = index_of(connection), []
        for query, words in zip(queries, asked, strict=True):
            groups = _affordable({term: counts[term] for word in words for term in word})
            ids: list[int] = []
            for owner, its in known.items():
                held = [group for group in groups if all(its[term] for term in group)]
                ids += [id for id, _ in index.match(connection, owner, held, limit, within)]
            # What a word goes on with, and no passage holds, is an ending mostly.
            said = {term: n for word in words for i, term in enumerate(word) if (n := counts[term]) or not i}
            for code in codes(query):
                holders = [_holders(connection, owner, code, its) for owner, its in known.items()]
                if count := sum(n for _, n in holders):
                    said[code] = count
                    ids += [id for some, _ in holders for id in some[:limit] if within is None or id in within]
            found.append((Terms(said, sum(totals.values())), ids))
        return found

    def _frequencies(self, connection: sa.Connection, owner: str, wanted: list[str], total: int) -> dict[str, int]:
        known: dict[str, int] = {}
        for term in wanted:
            before, count = self._frequent.get((owner, term), (0, 0))
            if abs(total - before) <= 0.02 * before:
                known[term] = count
        fresh = index_of(connection).frequencies(connection, owner, [term for term in wanted if term not in known])
        if len(self._frequent) > _REMEMBERED:
            self._frequent.clear()
        self._frequent.update({(owner, t): (total, n) for t, n in fresh.items() if n >= _FREQUENT})
        return known | fresh


def _affordable(frequencies: dict[str, int]) -> list[list[str]]:
    """Which terms to look up: the rarest within `_POSTINGS`, and where these are few, pairs of those after them."""
    by_rarity = sorted((t for t, n in frequencies.items() if n), key=lambda t: frequencies[t])
    alone: list[list[str]] = []
    postings = 0
    for term in by_rarity:
        postings += frequencies[term]
        if postings > _POSTINGS and (alone or len(by_rarity) > 1):
            break
        alone.append([term])
    if len(alone) >= _ENOUGH:
        return alone
    return alone + [list(pair) for pair in combinations(by_rarity[len(alone) : len(alone) + 3], 2)]


def _holders(connection: sa.Connection, owner: str, code: str, frequencies: Mapping[str, int]) -> tuple[list[int], int]:
    """Passages in which a code stands, and in how many it does at most; none where its terms are frequent. The index
    has terms without their places: of passages that hold several the text is looked at."""
    group = [term for term in terms(code) if term.isascii() and term in frequencies]
    least = min((frequencies[term] for term in group), default=0)
    if least > _POSTINGS or len(group) < 2:
        return [], least if len(group) == 1 else 0
    ids = [id for id, _ in index_of(connection).match(connection, owner, [group], _LOOKED_AT)]
    times = counter(code)
    rows = documents.passages_by_id(connection, [owner], ids)
    held = [row["id"] for row in rows if times(normal(documents.searched(row)))]
    return held, len(held) if len(ids) < _LOOKED_AT else len(held) * max(least, _LOOKED_AT) // _LOOKED_AT
