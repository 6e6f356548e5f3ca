"""The table of hours and its queries: plain functions over a connection, each sees one owner's rows alone."""

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from dure.storage import now
from dure.storage.migrations.chain import Chain
from dure.storage.schema import metadata

CHAIN = Chain(Path(__file__).parent / "migrations", "0001", "alembic_version_timesheet")

hours = sa.Table(
    "timesheet_hours",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("project", sa.String(200), nullable=False),
    sa.Column("hours", sa.Float, nullable=False),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Index("timesheet_of_owner", "owner", "project"),
)


def add(connection: sa.Connection, owner: str, project: str, worked: float) -> None:
    """Note hours worked on a project."""
    connection.execute(hours.insert().values(owner=owner, project=project, hours=worked, created_at=now()))


def by_project(connection: sa.Connection, owner: str) -> list[dict[str, Any]]:
    """`{project, hours}` of each of the owner's projects, most hours first."""
    worked = sa.func.sum(hours.c.hours).label("hours")
    query = sa.select(hours.c.project, worked).where(hours.c.owner == owner).group_by(hours.c.project)
    return [dict(row) for row in connection.execute(query.order_by(worked.desc())).mappings()]
