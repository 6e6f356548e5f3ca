"""Hours worked."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "timesheet_hours",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("project", sa.String(200), nullable=False),
        sa.Column("hours", sa.Float, nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
    )
    op.create_index("timesheet_of_owner", "timesheet_hours", ["owner", "project"])
