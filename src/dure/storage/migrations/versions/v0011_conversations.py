"""Messages know which one they follow, so that what is asked anew puts nothing away; conversations have links."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.add_column("messages", sa.Column("parent", sa.Integer, nullable=False, server_default="0"))
    op.add_column("messages", sa.Column("aside", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("sessions", sa.Column("shared", sa.String(64)))
    op.add_column("sessions", sa.Column("shared_to", sa.Integer))
    op.create_index("sessions_shared", "sessions", ["shared"], unique=True)
    op.execute(
        "UPDATE messages SET parent = coalesce((SELECT max(b.id) FROM messages AS b WHERE b.owner = messages.owner "
        "AND b.session_id = messages.session_id AND b.id < messages.id), 0)"
    )
