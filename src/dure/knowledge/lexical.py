"""The lexical arm: BM25 over the terms of `storage/terms.py`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from dure.storage import documents, fulltext
from dure.storage.terms import is_bigram, normal, terms, words

K1, B = 1.2, 0.75
"""Usual parameters of BM25 (Robertson and Zaragoza, 2009)."""
_POSTINGS = 8_000
"""Entries of the index read for one query. Beyond them, frequent terms only help to judge what the rarer ones found."""


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
        self._whole = sum(self.idf.values())
        self._rarest = math.log(1 + (total - 0.5) / 1.5) if total > 1 else 1.0
        self._bigrams = [term for term in self.idf if is_bigram(term)]

    def counts(self, text: str) -> dict[str, int]:
        """How often each term stands in a passage; those that don't are left out."""
        plain = normal(text)
        found = {term: plain.count(term) for term in self._bigrams if term in plain}
        if len(self._bigrams) < len(self.idf):
            for word in words(plain):
                if word in self.idf:
                    found[word] = found.get(word, 0) + 1
        return found

    def judge(self, texts: Sequence[str]) -> list[Match]:
        """Score passages exactly, with all terms of the query."""
        mean = sum(map(len, texts)) / max(len(texts), 1)
        matches = []
        for text in texts:
            norm = K1 * (1 - B + B * len(text) / mean)
            counts = self.counts(text)
            score = sum(self.idf[t] * n * (K1 + 1) / (n + norm) for t, n in counts.items())
            covered = sum(self.idf[t] for t in counts)
            matches.append(Match(score / self._rarest, covered / self._whole if self._whole else 0.0))
        return matches


def find(connection: sa.Connection, owner: str, query: str, limit: int) -> tuple[Terms, list[int]]:
    """The query's terms, and the ids of the `limit` passages that match them best."""
    wanted = list(dict.fromkeys(terms(query)))
    total = documents.passage_count(connection, owner)
    frequencies = fulltext.frequencies(connection, owner, wanted)
    rare: list[str] = []
    postings = 0
    for term in sorted((t for t in wanted if frequencies[t]), key=lambda t: frequencies[t]):
        if rare and postings + frequencies[term] > _POSTINGS:
            break
        rare.append(term)
        postings += frequencies[term]
    return Terms(frequencies, total), [id for id, _ in fulltext.match(connection, owner, rare, limit)]
