"""Cards, counts of changes, and who may load a shipped set."""

import asyncio

import pytest
import sqlalchemy as sa

from dure.packs.papers.library import card as cards
from dure.packs.papers.library.card import Card
from dure.packs.papers.storage import library
from dure.storage import Database, documents
from dure.storage.documents import NewPassage
from dure.storage.fulltext import index_of


def card(id: str, text: str) -> Card:
    return Card(id, f"papers/{id}", "Title", text, [NewPassage(None, 0, len(text), text)])


async def words(database: Database, term: str) -> list[int]:
    found = await database.read(lambda c: index_of(c).match(c, "papers/a", [[term]], 10))
    return [id for id, _ in found]


async def test_cards_are_documents_that_can_be_changed_in_place(database: Database) -> None:
    numbers = await database.write(cards.put, "papers/a", [card("1", "the first words"), card("2", "other words")])
    assert len(await words(database, "first")) == 1
    version = await database.read(documents.vector_state, "papers/a", "m")
    again = await database.write(cards.put, "papers/a", [card("1", "changed text"), card("2", "other words")])
    assert again == numbers
    assert await words(database, "first") == []
    assert len(await words(database, "changed")) == 1
    row = await database.read(documents.get, "papers/a", "1")
    assert (row["number"], row["status"], row["passages"]) == (numbers["1"], "ready", 1)
    assert await database.read(documents.slice_of, "papers/a", "1") == "changed text"
    after = await database.read(documents.vector_state, "papers/a", "m")
    assert after[0] == version[0] + 1
    # The same once more changes nothing.
    await database.write(cards.put, "papers/a", [card("1", "changed text")])
    assert await database.read(documents.vector_state, "papers/a", "m") == after


async def test_an_owner_sees_changes_of_their_own_and_everybodys(database: Database) -> None:
    seen = [await database.read(library.version, "a")]
    for owner in ("a", "", "a"):
        await database.write(library.touch, owner)
        seen.append(await database.read(library.version, "a"))
    assert len(set(seen)) == 4
    await database.write(library.touch, "b")
    assert await database.read(library.version, "a") == seen[-1]


async def test_one_of_several_loads_a_set(database: Database, database_url: str) -> None:
    other = await Database.open(database_url)

    def load(connection: sa.Connection) -> bool:
        return library.claim_starter(connection, "x", "digest")

    claims = await asyncio.gather(*(each.write(load) for each in (database, other) for _ in range(3)))
    assert sorted(claims) == [False] * 5 + [True]
    assert await other.read(library.starter_digest, "x") == "digest"
    assert await other.write(library.claim_starter, "x", "newer")

    def fails(connection: sa.Connection) -> None:
        library.claim_starter(connection, "x", "broken")
        raise RuntimeError("while loading")

    with pytest.raises(RuntimeError):
        await database.write(fails)
    assert await other.read(library.starter_digest, "x") == "newer"
    await other.close()
