"""Runs that survive: who works on a run, what people decided, which files were made."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_OPEN = sa.text("status IN ('queued', 'running', 'waiting')")


def upgrade() -> None:
    op.add_column("runs", sa.Column("executor", sa.String(40)))
    op.add_column("runs", sa.Column("cancelled_at", sa.String(32)))
    op.create_index(
        "runs_open", "runs", ["owner", "session_id"], unique=True, sqlite_where=_OPEN, postgresql_where=_OPEN
    )
    op.create_table(
        "executors",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("alive_until", sa.Float, nullable=False),
    )
    op.create_table(
        "approvals",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("run_id", sa.String(40), sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("args_hash", sa.String(64), nullable=False),
        sa.Column("question", sa.JSON, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("decision", sa.JSON),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("expires_at", sa.String(32), nullable=False),
        sa.Column("decided_at", sa.String(32)),
        sa.UniqueConstraint("run_id", "key", "args_hash"),
    )
    op.create_index("approvals_pending", "approvals", ["status", "expires_at"])
    op.create_table(
        "artifacts",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("run_id", sa.String(40), sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("media_type", sa.String(100), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("agent", sa.String(64), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.UniqueConstraint("run_id", "name"),
    )
