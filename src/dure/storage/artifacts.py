"""Queries on the files that runs made. Each takes the owner whose rows it may see."""

from typing import Any

import sqlalchemy as sa

from dure.storage.runs import hold
from dure.storage.schema import artifacts
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
