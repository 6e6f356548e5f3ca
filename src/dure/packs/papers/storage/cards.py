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
    """Store cards; their documents' numbers, by id. One that is there gets its new text, where that is another: id and
    number stay, vectors are made anew."""
    its = sa.and_(documents.c.owner == shelf, among(documents.c.id, [card.id for card in cards]))
    query = sa.select(documents.c.id, documents.c.number, documents.c.sha256).where(its)
    there = {row.id: row for row in connection.execute(query)}
    at = now()
    new, changed, written = [], [], []
    for card in cards:
        data = card.text.encode()
        digest = hashlib.sha256(data).hexdigest()
        sizes = {"size": len(data), "chars": len(card.text), "passages": len(card.passages)}
        values = {"id": card.id, "title": card.title, "sha256": digest, "updated_at": at, **sizes}
        if card.id not in there:
            fixed = {"owner": shelf, "kind": "text", "file": "", "status": "ready", "created_at": at}
            new.append({**fixed, **values, "name": card.name})
        elif there[card.id].sha256 != digest:
            changed.append({**values, "embedded": 0})
        else:
            continue
        written.append(card)
    if changed:
        empty(connection, shelf, [there[values["id"]].number for values in changed])
        for values in changed:
            connection.execute(documents.update().where(documents.c.id == values["id"]).values(values))
    if new:
        connection.execute(documents.insert(), new)
    numbers = {row.id: row.number for row in connection.execute(query)}
    if written:
        pages = [(None, 0)]
        fill(connection, shelf, [(numbers[card.id], card.text, pages, card.passages) for card in written])
    return numbers
