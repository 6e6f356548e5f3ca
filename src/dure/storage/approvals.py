"""Queries on approvals: what people are asked, and what they decided. Each takes the owner whose rows it may see."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from dure.storage.database import now
from dure.storage.schema import approvals, runs
from dure.storage.sql import rows

Row = dict[str, Any]
_PENDING = approvals.c.status == "pending"


def _of(owner: str, run_id: str | None, query: sa.Select[Any]) -> sa.Select[Any]:
    """An owner's alone, of one run or all, in the order they were asked."""
    mine = query.where(approvals.c.owner == owner).order_by(approvals.c.created_at, approvals.c.key)
    return mine if run_id is None else mine.where(approvals.c.run_id == run_id)


def add(connection: sa.Connection, new: Sequence[Row]) -> None:
    if new:
        connection.execute(sa.insert(approvals), new)


def of_run(connection: sa.Connection, owner: str, run_id: str) -> list[Row]:
    """All approvals of a run, in the order they were asked."""
    return rows(connection, _of(owner, run_id, sa.select(approvals)))


def pending(connection: sa.Connection, owner: str, run_id: str | None = None) -> list[Row]:
    """What waits for a decision and can still be decided, oldest first; rows have their run's `session_id` and
    `message` besides."""
    query = sa.select(approvals, runs.c.session_id, runs.c.message).join(runs, runs.c.id == approvals.c.run_id)
    return rows(connection, _of(owner, run_id, query.where(_PENDING, approvals.c.expires_at > now())))


def decide(connection: sa.Connection, owner: str, approval_id: str, status: str, decision: Row) -> None:
    """Note a decision, unless there is one already."""
    _close(connection, owner, approvals.c.id == approval_id, status=status, decision=decision)


def drop(connection: sa.Connection, owner: str, run_id: str) -> None:
    """Nobody needs to decide any more: the run was cancelled."""
    _close(connection, owner, approvals.c.run_id == run_id, status="cancelled")


def _close(connection: sa.Connection, owner: str, which: sa.ColumnElement[bool], **values: Any) -> None:
    open_ones = sa.update(approvals).where(approvals.c.owner == owner, which, _PENDING)
    connection.execute(open_ones.values(decided_at=now(), **values))


def overdue(connection: sa.Connection, owner: str | None = None, run_id: str | None = None) -> list[Row]:
    """Approvals whose time is over, of all owners or of one run: id, owner, run_id."""
    query = sa.select(approvals.c.id, approvals.c.owner, approvals.c.run_id)
    query = query.where(_PENDING, approvals.c.expires_at <= now())
    return rows(connection, query if owner is None else _of(owner, run_id, query))
