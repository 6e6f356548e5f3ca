"""Vectors in memory: what `test_vectors.py` does not ask of every kind."""

import numpy as np
import pytest

from dure.knowledge.memory import Memory, _multiply
from dure.knowledge.vectors import STRANGERS
from dure.storage.database import Database


@pytest.fixture
async def database(tmp_path):
    database = await Database.open(f"sqlite:///{tmp_path / 'dure.db'}")
    yield database
    await database.close()


async def test_cosines_are_exact_to_fp16(database, put_vectors, unit):
    rows, queries = unit(50), unit(3, seed=1)
    ids = await put_vectors(database, "a", "1", rows)
    copy = await database.read(Memory()._copy, "a", "m")
    found, korean, cosines = _multiply(copy, queries)
    assert found.tolist() == ids
    assert korean.all()
    assert np.abs(cosines - queries @ rows.T).max() < 0.002


async def test_memory_is_bounded(database, put_vectors, unit, monkeypatch):
    monkeypatch.setattr("dure.knowledge.memory._MEMORY", 200)
    vectors, rows, strangers = Memory(), unit(4), unit(len(STRANGERS), seed=2)
    for owner in "abc":
        await put_vectors(database, owner, owner, rows)
        await database.read(vectors.look, (owner,), "m", rows, 5, strangers)
    assert [owner for owner, _ in vectors._copies] == ["b", "c"] or [o for o, _ in vectors._copies] == ["c"]
    assert len((await database.read(vectors.look, ("a",), "m", rows, 5, strangers)).ids) == 4
