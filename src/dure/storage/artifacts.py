"""Queries on the files that runs made. Each takes the owner whose rows it may see."""

from typing import Any

import sqlalchemy as sa

from dure.storage.runs import hold
from dure.storage.schema import artifacts, runs
from dure.storage.sql import rows

Row = dict[str, Any]


def put(connection: sa.Connection, row: Row, executor: str | None = None) -> None:
    """Note a file; one of the same name in the run is replaced. executor: who has to hold the run, or LostRun is
    raised."""
    if executor is not None:
        hold(connection, row["run_id"], executor)
    of_name = sa.and_(artifacts.c.run_id == row["run_id"], artifacts.c.name == row["name"])
    connection.execute(sa.delete(artifacts).where(of_name, artifacts.c.owner == row["owner"]))
    connection.execute(sa.insert(artifacts).values(**row))


def of_run(connection: sa.Connection, owner: str, run_id: str) -> list[Row]:
    """A run's files, in the order they were made."""
    query = sa.select(artifacts).where(artifacts.c.owner == owner, artifacts.c.run_id == run_id)
    return rows(connection, query.order_by(artifacts.c.created_at, artifacts.c.name))


def of_session(connection: sa.Connection, owner: str, session_id: str, name: str) -> str:
    """The newest file of that name in a session, as `RUN/ID`; empty where there is none."""
    mine = sa.and_(artifacts.c.owner == owner, artifacts.c.name == name)
    query = sa.select(artifacts.c.run_id, artifacts.c.id).join(runs, runs.c.id == artifacts.c.run_id)
    query = query.where(mine, runs.c.owner == owner, runs.c.session_id == session_id)
    found = connection.execute(query.order_by(artifacts.c.created_at.desc(), artifacts.c.id).limit(1)).first()
    return f"{found.run_id}/{found.id}" if found else ""
