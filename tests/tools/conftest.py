from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dure.knowledge import Knowledge
from dure.storage import Database


@pytest.fixture
async def knowledge(tmp_path: Path) -> AsyncIterator[Knowledge]:
    """An empty knowledge base with lexical search."""
    database = await Database.open(f"sqlite:///{tmp_path / 'dure.db'}")
    base = Knowledge(database, tmp_path / "files", None, max_bytes=10_000_000)
    await base.start()
    yield base
    await base.close()
    await database.close()
