"""Conversations stand in folders, and are pinned."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("sessions", sa.Column("folder", sa.Text, nullable=False, server_default=""))
    op.add_column("sessions", sa.Column("pinned", sa.Boolean, nullable=False, server_default=sa.false()))
