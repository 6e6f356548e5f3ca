from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dure.knowledge import Knowledge
from dure.papers import Glossary, Papers
from dure.storage import Database
from dure.tools import LibraryTools


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """An empty database."""
    database = await Database.open(f"sqlite:///{tmp_path / 'dure.db'}")
    yield database
    await database.close()


@pytest.fixture
def glossary(database: Database) -> Glossary:
    """The glossary with the shipped terms."""
    return Glossary(database)


@pytest.fixture
async def knowledge(database: Database, tmp_path: Path) -> AsyncIterator[Knowledge]:
    """An empty knowledge base with lexical search."""
    base = Knowledge(database, tmp_path / "files", None, max_bytes=10_000_000)
    await base.start()
    yield base
    await base.close()


@pytest.fixture
async def library(database: Database, knowledge: Knowledge, glossary: Glossary) -> AsyncIterator[LibraryTools]:
    """The tools over the shipped papers and terms."""
    papers = Papers(database, knowledge)
    tools = LibraryTools(papers, glossary)
    yield tools
    await tools.close()
    await papers.close()
