"""From the tables of Dure 0.1 to those of the next release, in one step: what came between was never released."""

import sqlalchemy as sa
from alembic import op

from dure.storage import jobs
from dure.storage.schema import UNEMBEDDED

revision = "0020"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("runs", sa.Column("definition", sa.String(64)))
    # Passages stored before are found by their text alone.
    op.add_column("passages", sa.Column("context", sa.Text))
    op.add_column("messages", sa.Column("parent", sa.Integer, nullable=False, server_default="0"))
    op.add_column("messages", sa.Column("aside", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("sessions", sa.Column("shared", sa.String(64)))
    op.add_column("sessions", sa.Column("shared_to", sa.Integer))
    op.add_column("sessions", sa.Column("folder", sa.Text, nullable=False, server_default=""))
    op.add_column("sessions", sa.Column("pinned", sa.Boolean, nullable=False, server_default=sa.false()))
    # Documents there are get theirs when they are read anew.
    op.add_column("documents", sa.Column("tags", sa.Text, nullable=False, server_default=""))
    op.add_column("documents", sa.Column("author", sa.Text))
    op.create_index("sessions_shared", "sessions", ["shared"], unique=True)
    op.execute(
        "UPDATE messages SET parent = coalesce((SELECT max(b.id) FROM messages AS b WHERE b.owner = messages.owner "
        "AND b.session_id = messages.session_id AND b.id < messages.id), 0)"
    )
    op.create_table(
        "definitions",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("data", sa.JSON, nullable=False),
    )
    op.create_table(
        "shelf_members",
        sa.Column("shelf", sa.String(50), primary_key=True),
        sa.Column("member", sa.String(64), primary_key=True),
        sa.Column("role", sa.String(16)),
        sa.Column("changed_at", sa.String(32), nullable=False),
        sa.Index("shelves_of_member", "member", "shelf"),
    )
    op.create_table(
        "retention",
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("days", sa.Integer, nullable=False),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(512), primary_key=True),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
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
    op.create_table(
        "mcp_tools",
        sa.Column("server", sa.String(200), primary_key=True),
        sa.Column("tools", sa.JSON, nullable=False),
    )
    # Runs and documents are jobs on PostgreSQL; on SQLite whoever works on one holds it as long as its process lives.
    op.drop_table("executors")
    op.create_table(
        "probes",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("at", sa.Float, nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":
        jobs.create(op.get_bind())
    op.drop_column("documents", "claimed_until")
    lacking = sa.text(UNEMBEDDED)
    op.create_index("documents_unembedded", "documents", ["number"], sqlite_where=lacking, postgresql_where=lacking)
