"""Cards: documents without a file, made of what is known of something, ready at once. Every query names the shelf."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from dure.storage.database import now
from dure.storage.documents import NewPassage, empty, fill
from dure.storage.schema import documents
from dure.storage.sql import among


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
    query = sa.select(documents.c.id, documents.c.number).where(among(documents.c.id, [card.id for card in cards]))
    numbers: dict[str, int] = {row[0]: row[1] for row in connection.execute(query)}
    fill(connection, shelf, [(numbers[card.id], *_content(card)) for card in cards])
    return numbers


def change(connection: sa.Connection, shelf: str, cards: Sequence[tuple[int, Card]]) -> None:
    """Give cards, named by their documents' numbers, another text. Ids and numbers stay; vectors are made anew.

    Nothing happens to those whose text is the same.
    """
    query = sa.select(documents.c.number, documents.c.sha256).where(among(documents.c.number, [n for n, _ in cards]))
    before: dict[int, str] = {row[0]: row[1] for row in connection.execute(query)}
    cards = [(number, card) for number, card in cards if before[number] != _columns(card)["sha256"]]
    if not cards:
        return
    empty(connection, shelf, [number for number, _ in cards])
    for number, card in cards:
        values = {**_columns(card), "embedded": 0, "updated_at": now()}
        connection.execute(documents.update().where(documents.c.number == number).values(values))
    fill(connection, shelf, [(number, *_content(card)) for number, card in cards])


def _columns(card: Card) -> dict[str, object]:
    data = card.text.encode()
    return {
        "title": card.title,
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": len(data),
        "chars": len(card.text),
        "passages": len(card.passages),
    }


def _content(card: Card) -> tuple[str, list[tuple[int | None, int]], Sequence[NewPassage]]:
    return card.text, [(None, 0)], card.passages
