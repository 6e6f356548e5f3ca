"""Cards: documents without a file, made of what is known of something, ready at once. Every query names the shelf."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from dure.storage.database import insert, now
from dure.storage.documents import NewPassage
from dure.storage.fulltext import index_of
from dure.storage.schema import document_texts, documents, knowledge_versions, passages
from dure.storage.terms import is_korean


@dataclass(slots=True, frozen=True)
class Card:
    """`name` is unique on its shelf. It may hold "/", which no file's name does. `id`: the document's."""

    id: str
    name: str
    title: str
    text: str
    passages: Sequence[NewPassage]


def put(connection: sa.Connection, shelf: str, cards: Sequence[Card]) -> dict[str, int]:
    """Store new cards; their documents' numbers, by id."""
    if not cards:
        return {}
    at = now()
    fixed = {"owner": shelf, "kind": "text", "file": "", "status": "ready", "created_at": at, "updated_at": at}
    rows = [{**fixed, "id": card.id, "name": card.name, **_columns(card)} for card in cards]
    connection.execute(documents.insert(), rows)
    query = sa.select(documents.c.id, documents.c.number).where(documents.c.id.in_([card.id for card in cards]))
    numbers: dict[str, int] = {row[0]: row[1] for row in connection.execute(query)}
    _fill(connection, shelf, [(numbers[card.id], card) for card in cards])
    return numbers


def change(connection: sa.Connection, shelf: str, cards: Sequence[tuple[int, Card]]) -> None:
    """Give cards, named by their documents' numbers, another text. Ids and numbers stay; vectors are made anew.

    Nothing happens to those whose text is the same.
    """
    query = sa.select(documents.c.number, documents.c.sha256).where(documents.c.number.in_([n for n, _ in cards]))
    before: dict[int, str] = {row[0]: row[1] for row in connection.execute(query)}
    cards = [(number, card) for number, card in cards if before[number] != _columns(card)["sha256"]]
    if not cards:
        return
    numbers = [number for number, _ in cards]
    index_of(connection).remove(connection, shelf, _texts(connection, numbers))
    connection.execute(passages.delete().where(passages.c.document.in_(numbers)))
    connection.execute(document_texts.delete().where(document_texts.c.document.in_(numbers)))
    for number, card in cards:
        values = {**_columns(card), "embedded": 0, "updated_at": now()}
        connection.execute(documents.update().where(documents.c.number == number).values(values))
    _fill(connection, shelf, cards)
    counted = insert(connection, knowledge_versions).values(owner=shelf, version=1)
    one_more = {"version": knowledge_versions.c.version + 1}
    connection.execute(counted.on_conflict_do_update(index_elements=["owner"], set_=one_more))


def _columns(card: Card) -> dict[str, object]:
    data = card.text.encode()
    return {
        "title": card.title,
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": len(data),
        "chars": len(card.text),
        "passages": len(card.passages),
    }


def _fill(connection: sa.Connection, shelf: str, cards: Sequence[tuple[int, Card]]) -> None:
    texts = [{"document": number, "owner": shelf, "text": card.text, "pages": [[None, 0]]} for number, card in cards]
    connection.execute(document_texts.insert(), texts)
    rows = [
        {
            "owner": shelf,
            "document": number,
            "page": each.page,
            "start": each.start,
            "end": each.end,
            "text": each.text,
            "korean": is_korean(each.text),
        }
        for number, card in cards
        for each in card.passages
    ]
    if rows:
        connection.execute(passages.insert(), rows)
        index_of(connection).put(connection, shelf, _texts(connection, [number for number, _ in cards]))


def _texts(connection: sa.Connection, numbers: Sequence[int]) -> list[tuple[int, str]]:
    query = sa.select(passages.c.id, passages.c.text).where(passages.c.document.in_(numbers))
    return [(row[0], row[1]) for row in connection.execute(query)]
