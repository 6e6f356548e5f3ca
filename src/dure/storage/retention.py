"""Queries on how many days owners keep their conversations, and on those that are older."""

import sqlalchemy as sa

from dure.storage.schema import OPEN, retention, runs, sessions


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
