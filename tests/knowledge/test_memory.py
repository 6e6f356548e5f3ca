"""Vectors in memory."""

import asyncio

import numpy as np

from dure.knowledge.vectors import Vectors, pack
from dure.storage import documents
from dure.storage.documents import NewPassage


async def stored(database, owner, id, rows, model="m"):
    """A document of one passage a row of vectors; returns the passages' ids."""
    columns = {"name": id, "title": id, "kind": "text", "sha256": id, "size": 1, "file": id, "status": "queued"}
    await database.write(documents.add, owner, id=id, **columns)
    new = [NewPassage(None, i, i + 1, "글") for i in range(len(rows))]
    await database.write(documents.store, owner, id, title=id, text="글" * len(rows), pages=[(None, 0)], new=new)
    ids = [row["id"] for row in await database.read(documents.passages_of, owner, id)]
    packed = [(i, pack(row)) for i, row in zip(ids, rows, strict=True)]
    await database.write(documents.put_vectors, model, packed)
    return ids


def unit(count, seed=0):
    rows = np.random.default_rng(seed).standard_normal((count, 8)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


async def test_cosines_are_exact_to_fp16(database):
    rows, queries = unit(50), unit(3, seed=1)
    ids = await stored(database, "a", "1", rows)
    similar = await Vectors(database).similarities("a", "m", queries)
    assert similar.ids.tolist() == ids
    assert similar.korean.all()
    assert np.abs(similar.values - queries @ rows.T).max() < 0.002


async def test_the_copy_follows_the_database(database):
    vectors, rows = Vectors(database), unit(9)

    async def found():
        return (await vectors.similarities("a", "m", rows[:1])).ids.tolist()

    assert await found() == []
    first = await stored(database, "a", "1", rows[:3])
    assert await found() == first
    second = await stored(database, "a", "2", rows[3:5])
    third = await stored(database, "a", "3", rows[5:9])
    assert await found() == first + second + third
    await database.write(documents.delete, "a", "2")
    assert await found() == first + third
    await database.write(documents.delete, "a", "1")
    await database.write(documents.delete, "a", "3")
    assert await found() == []


async def test_owners_and_models_are_apart(database):
    vectors, rows = Vectors(database), unit(2)
    mine = await stored(database, "a", "1", rows[:1])
    await stored(database, "b", "2", rows)
    assert (await vectors.similarities("a", "m", rows)).ids.tolist() == mine
    assert (await vectors.similarities("a", "other", rows)).ids.tolist() == []


async def test_searches_while_vectors_arrive(database):
    """Every search sees a consistent copy: each passage once, with its own vector."""
    vectors, rows = Vectors(database), unit(40)

    async def write():
        for i in range(8):
            await stored(database, "a", str(i), rows[5 * i : 5 * i + 5])

    async def search():
        for _ in range(15):
            similar = await vectors.similarities("a", "m", rows)
            ids = similar.ids.tolist()
            assert len(set(ids)) == len(ids)
            assert np.allclose(np.diag(similar.values[: len(ids)]), 1, atol=0.002)

    await asyncio.gather(write(), search(), search(), search())
    assert len((await vectors.similarities("a", "m", rows)).ids) == 40


async def test_memory_is_bounded(database, monkeypatch):
    monkeypatch.setattr("dure.knowledge.vectors._MEMORY", 200)
    vectors, rows = Vectors(database), unit(4)
    for owner in "abc":
        await stored(database, owner, owner, rows)
        await vectors.similarities(owner, "m", rows)
    assert [owner for owner, _ in vectors._copies] == ["b", "c"] or [o for o, _ in vectors._copies] == ["c"]
    assert len((await vectors.similarities("a", "m", rows)).ids) == 4
