"""Queries on schedules and on what came of them. Each takes the owner whose rows it may see, but for those that ask
what is due."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from dure.events import ENDED
from dure.storage.schema import OPEN, runs, schedule_runs, schedules
from dure.storage.sql import rows

Row = dict[str, Any]
_KEPT = 50
"""What came of a schedule is kept of so many times."""


def put(connection: sa.Connection, owner: str, id: str, values: Row) -> None:
    """Make a schedule, or change one of that id."""
    mine = sa.update(schedules).where(schedules.c.owner == owner, schedules.c.id == id)
    if not connection.execute(mine.values(**values)).rowcount:
        connection.execute(sa.insert(schedules).values(owner=owner, id=id, **values))


def remove(connection: sa.Connection, owner: str, id: str) -> bool:
    """Delete a schedule; False where there is none."""
    query = sa.delete(schedules).where(schedules.c.owner == owner, schedules.c.id == id)
    return connection.execute(query).rowcount > 0


def listed(connection: sa.Connection, owner: str, id: str | None = None) -> list[Row]:
    """The owner's schedules, or the one of that id, oldest first."""
    query = sa.select(schedules).where(schedules.c.owner == owner)
    if id is not None:
        query = query.where(schedules.c.id == id)
    return rows(connection, query.order_by(schedules.c.created_at, schedules.c.id))


def due(connection: sa.Connection, at: str) -> list[Row]:
    """The schedules of all owners whose time has come, oldest first."""
    return rows(connection, sa.select(schedules).where(schedules.c.next_at <= at).order_by(schedules.c.next_at))


def take(connection: sa.Connection, row: Row, next_at: str | None) -> bool:
    """Go on to a schedule's next time; False where another process was quicker."""
    query = sa.update(schedules).where(schedules.c.id == row["id"], schedules.c.next_at == row["next_at"])
    return connection.execute(query.values(next_at=next_at)).rowcount == 1


def note(connection: sa.Connection, row: Row, values: Row) -> None:
    """Note what came of a schedule's time, and forget the oldest."""
    mine = schedule_runs.c.schedule == row["id"]
    connection.execute(sa.insert(schedule_runs).values(schedule=row["id"], owner=row["owner"], **values))
    newest = sa.select(schedule_runs.c.id).where(mine).order_by(schedule_runs.c.id.desc()).limit(_KEPT)
    connection.execute(sa.delete(schedule_runs).where(mine, schedule_runs.c.id.not_in(newest)))


def open_run(connection: sa.Connection, id: str) -> tuple[str, str] | None:
    """Id and status of a run of the schedule that has not ended, if any."""
    mine = sa.select(schedule_runs.c.run_id).where(schedule_runs.c.schedule == id)
    query = sa.select(runs.c.id, runs.c.status).where(runs.c.id.in_(mine), sa.text(OPEN)).limit(1)
    row = connection.execute(query).first()
    return (row[0], row[1]) if row else None


def outcomes(connection: sa.Connection, owner: str, ids: Sequence[str], limit: int) -> list[Row]:
    """What came of each of these schedules the last times, newest first, with the `status` of runs that are there."""
    number = sa.func.row_number().over(partition_by=schedule_runs.c.schedule, order_by=schedule_runs.c.id.desc())
    mine = (schedule_runs.c.owner == owner, schedule_runs.c.schedule.in_(ids))
    found = sa.select(schedule_runs, number.label("number")).where(*mine).subquery()
    query = sa.select(found, runs.c.status).outerjoin(runs, runs.c.id == found.c.run_id)
    return rows(connection, query.where(found.c.number <= limit).order_by(found.c.id.desc()))


def to_deliver(connection: sa.Connection, at: str, limit: int) -> list[Row]:
    """Answers of ended runs that are to be delivered by then, `to` where their schedules say."""
    query = sa.select(schedule_runs, schedules.c.what.label("to")).join(schedules)
    query = query.join(runs, runs.c.id == schedule_runs.c.run_id)
    query = query.where(schedule_runs.c.try_at <= at, runs.c.status.in_(ENDED))
    return rows(connection, query.order_by(schedule_runs.c.try_at).limit(limit))


def attempt(connection: sa.Connection, row: Row, try_at: str | None, what: Row) -> bool:
    """Note of a delivery when it is tried again (None: not any more) and how it went; False where another process was
    quicker."""
    mine = sa.update(schedule_runs).where(schedule_runs.c.id == row["id"], schedule_runs.c.try_at == row["try_at"])
    return connection.execute(mine.values(try_at=try_at, what=what)).rowcount == 1
