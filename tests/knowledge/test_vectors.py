"""Search by vectors: what every kind must do alike."""

import asyncio

import numpy as np
import pytest

from dure.knowledge import pgvector
from dure.knowledge.dense import FEW, stand
from dure.knowledge.search import look_of
from dure.knowledge.vectors import STRANGERS, Staged, StrangersWanted, pack
from dure.storage import documents
from dure.storage.database import Database


@pytest.fixture
def strangers(unit):
    return unit(len(STRANGERS), seed=2)


async def look(database, vectors, queries, strangers=None, owners=("a",), model="m", count=5):
    return await database.read(vectors, owners, model, queries, count, strangers)


async def found(database, vectors, queries):
    """The ids that are best for any query."""
    anybody = np.eye(len(STRANGERS), queries.shape[1], dtype=np.float32)
    return (await look(database, vectors, queries, anybody, count=40)).best(None, 40)


async def standings(database, vectors, queries, ids, strangers=None):
    similar = await look(database, vectors, queries, strangers)
    return np.array(await database.read(similar.of, ids), float), similar


async def test_standing_is_exact_to_fp16(database, put_vectors, unit):
    """The best and the others, in two languages, stand where numpy says."""
    rows, queries = unit(100), unit(3, seed=1)
    texts = ["글" if i % 3 else "text" for i in range(100)]
    ids = await put_vectors(database, "a", "1", rows, texts=texts)
    wanted = stand(np.array(ids), np.array([t == "글" for t in texts]), queries @ rows.T, None)
    values, similar = await standings(database, look_of(database), queries, [*ids, 999_999])
    assert np.abs(values[:, :-1] - wanted.standing).max() < 0.01
    assert np.isnan(values[:, -1]).all()
    assert similar.best(None, 5) == wanted.best(None, 5)
    assert similar.crowd == 100


async def test_few_stand_among_strangers(database, put_vectors, unit, strangers):
    rows, queries = unit(FEW + 30), unit(2, seed=1)
    korean = np.arange(len(rows)) < 7
    ids = await put_vectors(database, "a", "1", rows, texts=["글" if k else "text" for k in korean])
    vectors = look_of(database)
    with pytest.raises(StrangersWanted):
        await look(database, vectors, queries)
    wanted = stand(np.array(ids), korean, queries @ rows.T, queries @ strangers.T)
    values, similar = await standings(database, vectors, queries, ids, strangers)
    assert np.abs(values - wanted.standing).max() < 0.01
    assert similar.crowd == wanted.crowd


async def test_additions_and_deletions_are_seen_by_all(database, database_url, put_vectors, unit):
    """Here and in another process, as which a second connection stands."""
    other = await Database.open(database_url)
    both, rows = [(each, look_of(each)) for each in (database, other)], unit(9)

    async def seen():
        first, second = [await found(*each, rows[:1]) for each in both]
        assert first == second
        return first

    assert await seen() == set()
    first = await put_vectors(database, "a", "1", rows[:3])
    assert await seen() == {*first}
    second = await put_vectors(other, "a", "2", rows[3:5])
    third = await put_vectors(database, "a", "3", rows[5:9])
    assert await seen() == {*first, *second, *third}
    await database.write(documents.delete, "a", "2")
    assert await seen() == {*first, *third}
    await other.write(documents.delete, "a", "1")
    await database.write(documents.delete, "a", "3")
    assert await seen() == set()
    await other.close()


async def test_owners_and_models_are_apart(database, put_vectors, unit, strangers):
    vectors, rows = look_of(database), unit(2)
    mine = await put_vectors(database, "a", "1", rows[:1])
    theirs = await put_vectors(database, "b", "2", rows)
    assert await found(database, vectors, rows) == {*mine}
    assert (await look(database, vectors, rows, model="other")).crowd == 0
    values, _ = await standings(database, vectors, rows, [*mine, *theirs], strangers)
    assert np.isnan(values[:, 1:]).all()
    assert not np.isnan(values[:, 0]).any()


async def test_what_has_another_models_vectors_yet_stands_by_these(database, put_vectors, unit, strangers):
    """Of each passage one model's, also where a later one's took the place of the first's since."""
    vectors, rows = look_of(database), unit(60)
    ids = await put_vectors(database, "a", "1", rows, model="quick")

    async def seen():
        both = [await look(database, vectors, rows[:1], strangers, model=model) for model in ("m", "quick")]
        staged = Staged(*both)
        [values] = await database.read(staged.of, ids)
        return staged, values, [await database.read(each.of, ids) for each in both]

    staged, values, (_, [quick]) = await seen()
    assert (staged.crowd, values) == (60, quick)
    assert staged.best(None, 5) <= {*ids}
    assert ids[0] in await database.read(staged.best, 1, ids[:9])
    await database.write(
        documents.put_vectors, "m", [(id, pack(-row)) for id, row in zip(ids[:30], rows, strict=False)]
    )
    _, values, ([later], [quick]) = await seen()
    assert values == [*later[:30], *quick[30:]]
    assert values[0] < 0
    await database.write(
        documents.put_vectors, "m", [(id, pack(row)) for id, row in zip(ids[30:], rows[30:], strict=True)]
    )
    staged, _, (_, [quick]) = await seen()
    assert (staged.crowd, quick) == (60, [None] * 60)


async def test_searches_while_vectors_arrive(database, put_vectors, unit, strangers):
    """Each passage is seen with its own vector."""
    vectors, rows = look_of(database), unit(40)

    async def write():
        for i in range(8):
            await put_vectors(database, "a", str(i), rows[5 * i : 5 * i + 5])

    async def search():
        for _ in range(15):
            similar = await look(database, vectors, rows[:5], strangers)
            if len(similar.best(None, 40)) >= 5:
                first = min(similar.best(None, 40))
                assert np.argmax([row[0] for row in await database.read(similar.of, [first])]) == 0

    await asyncio.gather(write(), search(), search(), search())
    assert len(await found(database, vectors, rows)) == 40


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_the_spread_of_many_is_taken_from_a_sample(database, put_vectors, unit, monkeypatch):
    rows, queries = unit(3000), unit(2, seed=1)
    ids = await put_vectors(database, "a", "1", rows, texts=["글"] * 2980 + ["text"] * FEW)
    vectors = look_of(database)
    exact, _ = await standings(database, vectors, queries, ids[:2980])
    monkeypatch.setattr(pgvector, "SAMPLE", 400)
    near, similar = await standings(database, vectors, queries, ids[:2980])
    assert 0 < np.abs(near - exact).max() < 0.5
    assert np.abs(near - exact).mean() < 0.1
    assert similar.crowd == 3000
    assert set(np.array(ids)[np.argsort(-exact[0])[:5]]) <= similar.best(None, 5)


@pytest.mark.parametrize(("first", "second"), [(60, 40), (12, 30), (3, 5), (50, 0), (0, 50)])
async def test_two_owners_stand_as_one(database, put_vectors, unit, strangers, first, second):
    rows, queries = unit(first + second), unit(2, seed=1)
    texts = ["글" if i % 3 else "text" for i in range(len(rows))]
    ids = await put_vectors(database, "a", "1", rows[:first], texts=texts[:first]) if first else []
    ids += await put_vectors(database, "b", "2", rows[first:], texts=texts[first:]) if second else []
    similar = await look(database, look_of(database), queries, strangers, owners=("a", "b"))
    korean = np.array([t == "글" for t in texts])
    wanted = stand(np.array(ids), korean, queries @ rows.T, queries @ strangers.T)
    values = np.array(await database.read(similar.of, ids), float)
    assert np.abs(values - wanted.standing).max() < 0.01
    assert similar.crowd == wanted.crowd
    assert similar.best(None, 3) == wanted.best(None, 3)


async def test_the_best_of_some_are_the_best_of_them(database, put_vectors, unit):
    rows, queries = unit(80), unit(2, seed=1)
    ids = await put_vectors(database, "a", "1", rows, texts=["text"] * 80)
    similar = await look(database, look_of(database), queries)
    some = [*ids[::4], 999_999]
    values = (queries @ rows.T)[:, ::4]
    wanted = {ids[4 * i] for row in values for i in np.argsort(row)[-3:]}
    assert await database.read(similar.best, 3, some) == wanted
    assert await database.read(similar.best, 500, some) == set(ids[::4])
