"""Queries on how many days owners keep their conversations, on those that are older, and on all that is an owner's."""

import sqlalchemy as sa

from dure.storage.documents import empty
from dure.storage.schema import OPEN, documents, metadata, retention, runs, sessions, shelf_members
from dure.storage.sql import count_up


def get(connection: sa.Connection, owner: str) -> int | None:
    """The days that an owner said; None where nothing was said."""
    return connection.scalar(sa.select(retention.c.days).where(retention.c.owner == owner))


def put(connection: sa.Connection, owner: str, days: int | None) -> None:
    """Note the days that an owner said; None takes the note away."""
    connection.execute(sa.delete(retention).where(retention.c.owner == owner))
    if days is not None:
        connection.execute(sa.insert(retention).values(owner=owner, days=days))


def owners(connection: sa.Connection) -> list[str]:
    """All who have conversations."""
    return list(connection.scalars(sa.select(sessions.c.owner).distinct()))


def older(connection: sa.Connection, owner: str, before: str) -> list[str]:
    """The ids of the owner's conversations that were last used before a time and have no run that is open."""
    is_open = sa.exists().where(runs.c.owner == owner, runs.c.session_id == sessions.c.id, sa.text(OPEN))
    query = sa.select(sessions.c.id).where(sessions.c.owner == owner, sessions.c.updated_at < before, ~is_open)
    return list(connection.scalars(query))


def erase(connection: sa.Connection, owner: str) -> list[str]:
    """Delete all that is an owner's, of the packs that are on too, but the counters that tell other processes so.
    Returns the names of its documents' files."""
    found = connection.execute(sa.select(documents.c.number, documents.c.file).where(documents.c.owner == owner)).all()
    for number, _ in found:
        # Their words are taken out of the index; one by one, since each may be long.
        empty(connection, owner, [number])
    connection.execute(sa.delete(shelf_members).where(shelf_members.c.member == owner))
    for table in reversed(metadata.sorted_tables):
        if "owner" in table.c and "version" in table.c:
            count_up(connection, table, owner)
        elif "owner" in table.c:
            connection.execute(sa.delete(table).where(table.c.owner == owner))
    return [file for _, file in found]
