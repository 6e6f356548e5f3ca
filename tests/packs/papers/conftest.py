"""Databases that hold the shipped papers, which would be loaded anew for each test."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dure.packs.papers.library.starter import load_papers
from dure.storage import Database

Prepared = Callable[..., None]


async def _shipped(database: Database) -> None:
    await load_papers(database)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory, prepared: Prepared) -> Path:
    path = tmp_path_factory.mktemp("papers") / "dure.db"
    prepared(f"sqlite:///{path}", _shipped)
    return path


@pytest.fixture(scope="session")
def postgres_template(postgres: Any, prepared: Prepared) -> Iterator[str]:
    name = postgres.make()
    prepared(postgres.at(name), _shipped)
    yield name
    postgres.drop(name)
