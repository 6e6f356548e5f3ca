from collections.abc import AsyncIterator
from dataclasses import asdict, replace
from typing import Any

import pytest

from dure.data.rows import received
from dure.data.sandbox import Sandbox
from dure.data.store import Store
from dure.knowledge.base import Knowledge
from dure.packs.papers.library.base import Papers
from dure.packs.papers.library.glossary import Glossary
from dure.packs.papers.tools.library import LibraryTools
from dure.packs.papers.tools.sql import LIMITS, _plain
from dure.packs.papers.tools.sql import TABLES as SQL_TABLES
from dure.storage import Database

PAPERS = [
    # id, title, year, venue, field, citations, arxiv_id, doi, url; own below
    ("p1", "Attention Is All You Need", 2017, "NeurIPS", "nlp", 100_000, "1706.03762", None, "https://a.example/1"),
    ("p2", "BERT", 2019, "NAACL", "nlp", 90_000, "1810.04805", "10.18653/v1/N19-1423", None),
    ("p3", "Language Models are Few-Shot Learners", 2020, "NeurIPS", "llm", 30_000, "2005.14165", None, None),
    ("p4", "Deep Residual Learning", 2016, "CVPR", "vision", 200_000, "1512.03385", "10.1109/CVPR.2016.90", None),
    ("p5", "An Image is Worth 16x16 Words", 2021, "ICLR", "vision", 40_000, "2010.11929", None, None),
    ("p6", "LoRA", 2022, "ICLR", "llm", 8_000, "2106.09685", None, None),
    ("p7", "LLaMA", 2023, None, "llm", None, "2302.13971", None, None),
    ("p8", "Retrieval-Augmented Generation", 2020, "NeurIPS", "retrieval", 5_000, "2005.11401", None, None),
    ("p9", "한국어 문서 검색", 2024, "KCC", "retrieval", 12, None, None, None),
    ("p10", "Long Short-Term Memory", 1997, "Neural Computation", "theory", 95_000, None, "10.1162/neco", None),
]
AUTHORS = [(1, "Ashish Vaswani"), (2, "Jacob Devlin"), (3, "Tom Brown"), (4, "Kaiming He"), (5, "Edward Hu")]
AUTHORS += [(6, "Patrick Lewis"), (7, "김두레"), (8, "Sepp Hochreiter"), (9, "Ming-Wei Chang")]
PAPER_AUTHORS = [("p1", 1, 1), ("p2", 2, 1), ("p2", 9, 2), ("p3", 3, 1), ("p4", 4, 1), ("p6", 5, 1), ("p8", 6, 1)]
PAPER_AUTHORS += [("p9", 7, 1), ("p9", 6, 2), ("p10", 8, 1), ("p5", 1, 1)]
CITATIONS = [("p2", "p1"), ("p3", "p1"), ("p5", "p1"), ("p6", "p3"), ("p7", "p3"), ("p7", "p1"), ("p8", "p2")]
CITATIONS += [("p9", "p8"), ("p1", "p10"), ("p5", "p4")]
OWN = ("p9", "p10")
MARKS = [("p9", "tag", "세미나"), ("p1", "tag", "세미나"), ("p1", "collection", "thesis")]
GLOSSARY = [
    ("어텐션", "attention", "nlp"),
    ("전이 학습", "transfer learning", "theory"),
    ("환각", "hallucination", "llm"),
]

TABLES: dict[str, list[Any]] = {
    "papers": [(*paper, paper[0] in OWN) for paper in PAPERS],
    "authors": AUTHORS,
    "paper_authors": PAPER_AUTHORS,
    "citations": CITATIONS,
    "marks": MARKS,
    "glossary": GLOSSARY,
}


class Engine(Store):
    """As the sandbox holds the papers and asks them."""

    def asked(self, sql, limits=LIMITS):
        found = received(asdict(self.query(sql, limits)))
        return replace(found, rows=[[_plain(value) for value in row] for row in found.rows])


def sealed(tables):
    made = Engine()
    made.begin(SQL_TABLES)
    for table, rows in tables.items():
        made.add(table, rows)
    return made


@pytest.fixture(scope="session")
def tables():
    """Ten papers with authors, citations and terms."""
    return TABLES


@pytest.fixture(scope="session")
def engine():
    """The engine over `tables`. A query leaves nothing behind in it."""
    return sealed(TABLES)


@pytest.fixture(scope="session")
def large():
    """The engine over 3,000 papers."""
    papers = [
        (f"p{i}", f"Paper number {i}", 1990 + i % 35, f"V{i % 40}", f"f{i % 9}", i, None, None, None, False)
        for i in range(3_000)
    ]
    links = [(f"p{i}", i % 700, 1) for i in range(3_000)]
    cites = [(f"p{i}", f"p{i // 2}") for i in range(3_000)]
    authors = [(i, f"Author {i}") for i in range(700)]
    return sealed({"papers": papers, "authors": authors, "paper_authors": links, "citations": cites})


@pytest.fixture
def database(sqlite: Database) -> Database:
    """That of `knowledge`."""
    return sqlite


@pytest.fixture
def glossary(sqlite: Database) -> Glossary:
    """The glossary with the shipped terms."""
    return Glossary(sqlite)


@pytest.fixture
async def library(sqlite: Database, knowledge: Knowledge, glossary: Glossary) -> AsyncIterator[LibraryTools]:
    """The tools over the shipped papers and terms."""
    papers, sandbox = Papers(sqlite, knowledge), Sandbox()
    yield LibraryTools(papers, glossary, sandbox)
    await sandbox.close()
    await papers.close()
