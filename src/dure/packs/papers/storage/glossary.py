"""Terms of the glossary and the names they are looked up by. An owner sees their own and everybody's (owner "")."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from dure.packs.papers.storage import library
from dure.packs.papers.storage.schema import glossary, glossary_keys
from dure.storage.database import now
from dure.storage.sql import among

Row = sa.RowMapping


def add(connection: sa.Connection, owner: str, terms: Sequence[tuple[dict[str, Any], Sequence[str]]]) -> None:
    """Store terms, each the values of its columns and the keys it is found by; "" as the owner is everybody."""
    library.touch(connection, owner)
    if not terms:
        return
    at = now()
    connection.execute(glossary.insert(), [{"owner": owner, "created_at": at, **columns} for columns, _ in terms])
    query = sa.select(glossary.c.id, glossary.c.number).where(glossary.c.owner == owner)
    numbers = {row[0]: row[1] for row in connection.execute(query)}
    pairs = [(numbers[columns["id"]], key) for columns, keys in terms for key in dict.fromkeys(keys) if key]
    if pairs:
        rows = [{"term": number, "owner": owner, "key": key} for number, key in pairs]
        connection.execute(glossary_keys.insert(), rows)


def get(connection: sa.Connection, owner: str, id: str) -> Row | None:
    query = sa.select(glossary).where(glossary.c.id == id, glossary.c.owner.in_(["", owner]))
    return connection.execute(query).mappings().one_or_none()


def listing(connection: sa.Connection, owner: str) -> list[Row]:
    """All terms that the owner sees: everybody's first, then the owner's, in the order they were added."""
    query = sa.select(glossary).where(glossary.c.owner.in_(["", owner]))
    return list(connection.execute(query.order_by(glossary.c.owner, glossary.c.number)).mappings())


def by_keys(connection: sa.Connection, owner: str, keys: Sequence[str]) -> list[tuple[str, Row]]:
    """(key, term) of the terms that have one of the keys; the owner's own first."""
    query = (
        sa.select(glossary, glossary_keys.c.key.label("found_by"))
        .join(glossary_keys, glossary_keys.c.term == glossary.c.number)
        .where(glossary_keys.c.owner.in_(["", owner]), among(glossary_keys.c.key, keys))
        .order_by(glossary.c.owner.desc(), glossary.c.number)
    )
    return [(row["found_by"], row) for row in connection.execute(query).mappings()]


def keys_of(connection: sa.Connection, owner: str) -> list[str]:
    """The keys of all terms that the owner sees, each once, in order."""
    query = sa.select(glossary_keys.c.key).where(glossary_keys.c.owner.in_(["", owner])).distinct()
    return sorted(connection.execute(query).scalars())


def delete(connection: sa.Connection, owner: str, id: str) -> bool:
    """Delete a term of the owner's own; whether there was one."""
    library.touch(connection, owner)
    gone = glossary.delete().where(glossary.c.id == id, glossary.c.owner == owner)
    return connection.execute(gone).rowcount > 0


def clear(connection: sa.Connection, owner: str) -> None:
    """Delete all terms of an owner; "" for everybody's."""
    library.touch(connection, owner)
    connection.execute(glossary.delete().where(glossary.c.owner == owner))
