"""Questions that are asked at times, and what came of them."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.create_table(
        "schedules",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("what", sa.JSON, nullable=False),
        sa.Column("next_at", sa.String(32)),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Index("schedules_of_owner", "owner", "created_at"),
        sa.Index("schedules_due", "next_at"),
    )
    op.create_table(
        "schedule_runs",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("schedule", sa.String(40), sa.ForeignKey("schedules.id", ondelete="CASCADE"), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("run_id", sa.String(40)),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("what", sa.JSON, nullable=False),
        sa.Column("try_at", sa.String(32)),
        sa.Index("schedule_runs_of", "schedule", "id"),
        sa.Index("schedule_runs_due", "try_at"),
    )
