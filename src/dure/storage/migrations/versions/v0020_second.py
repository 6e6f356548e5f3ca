"""From the tables of Dure 0.1 to those of the next release, in one step: what came between was never released."""

import sqlalchemy as sa
from alembic import op

from dure.storage import jobs
from dure.storage.schema import TABLES, UNEMBEDDED, metadata

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
    # Runs and documents are jobs on PostgreSQL; on SQLite whoever works on one holds it as long as its process lives.
    op.drop_table("executors")
    # Those that are not there yet. No release has had them, so they are made as they are now.
    metadata.create_all(op.get_bind(), tables=TABLES)
    if op.get_bind().dialect.name == "postgresql":
        jobs.create(op.get_bind())
    op.drop_column("documents", "claimed_until")
    lacking = sa.text(UNEMBEDDED)
    op.create_index("documents_unembedded", "documents", ["number"], sqlite_where=lacking, postgresql_where=lacking)
