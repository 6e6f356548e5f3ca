"""Runs are jobs on PostgreSQL, and no process keeps a lease any more."""

import sqlalchemy as sa
from alembic import op

from dure.storage import jobs

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.drop_table("executors")
    op.create_table(
        "probes",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("at", sa.Float, nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":
        jobs.create(op.get_bind())
