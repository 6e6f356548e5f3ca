"""Queries on runs and their events. Each takes the owner whose rows it may see."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from dure.storage.database import now
from dure.storage.schema import run_events, runs

Row = dict[str, Any]
_OPEN = ("queued", "running", "waiting")


def insert(connection: sa.Connection, row: Row) -> None:
    connection.execute(sa.insert(runs).values(**row))


def get(connection: sa.Connection, owner: str, run_id: str) -> Row | None:
    row = connection.execute(sa.select(runs).where(runs.c.owner == owner, runs.c.id == run_id)).mappings().first()
    return dict(row) if row else None


def open_in(connection: sa.Connection, owner: str, session_id: str) -> str | None:
    """The id of a run of the session that has not ended, if any."""
    query = sa.select(runs.c.id).where(runs.c.owner == owner, runs.c.session_id == session_id, runs.c.status.in_(_OPEN))
    return connection.execute(query.limit(1)).scalar()


def listed(
    connection: sa.Connection, owner: str, session_id: str | None = None, status: str | None = None, limit: int = 100
) -> list[Row]:
    """The owner's runs, newest first."""
    query = sa.select(runs).where(runs.c.owner == owner)
    if session_id is not None:
        query = query.where(runs.c.session_id == session_id)
    if status is not None:
        query = query.where(runs.c.status == status)
    query = query.order_by(runs.c.created_at.desc()).limit(limit)
    return [dict(row) for row in connection.execute(query).mappings()]


def set_status(connection: sa.Connection, owner: str, run_id: str, status: str) -> None:
    connection.execute(sa.update(runs).where(runs.c.owner == owner, runs.c.id == run_id).values(status=status))


def end(
    connection: sa.Connection,
    owner: str,
    run_id: str,
    status: str,
    answer: Row | None = None,
    error: Row | None = None,
) -> None:
    """Give a run its last status, with its answer or its error."""
    values = {"status": status, "answer": answer, "error": error, "ended_at": now()}
    connection.execute(sa.update(runs).where(runs.c.owner == owner, runs.c.id == run_id).values(**values))


def left_open(connection: sa.Connection) -> list[Row]:
    """Runs of all owners that have not ended, for whoever cleans up after a dead process."""
    query = sa.select(runs.c.id, runs.c.owner, runs.c.options).where(runs.c.status.in_(_OPEN))
    return [dict(row) for row in connection.execute(query).mappings()]


def append_events(
    connection: sa.Connection, owner: str, run_id: str, events: Iterable[tuple[int, str, str, Row]]
) -> None:
    """Store events: sequence number, kind, time, fields."""
    rows = [
        {"run_id": run_id, "owner": owner, "seq": seq, "kind": kind, "at": at, "data": data}
        for seq, kind, at, data in events
    ]
    if rows:
        connection.execute(sa.insert(run_events), rows)


def events(connection: sa.Connection, owner: str, run_id: str, after: int = 0) -> list[tuple[int, str, str, Row]]:
    """A run's events after sequence number `after`: sequence number, kind, time, fields."""
    columns = (run_events.c.seq, run_events.c.kind, run_events.c.at, run_events.c.data)
    query = sa.select(*columns).where(
        run_events.c.owner == owner, run_events.c.run_id == run_id, run_events.c.seq > after
    )
    return [(r[0], r[1], r[2], r[3]) for r in connection.execute(query.order_by(run_events.c.seq))]


def last_seq(connection: sa.Connection, owner: str, run_id: str) -> int:
    query = sa.select(sa.func.max(run_events.c.seq)).where(run_events.c.owner == owner, run_events.c.run_id == run_id)
    return connection.execute(query).scalar() or 0
