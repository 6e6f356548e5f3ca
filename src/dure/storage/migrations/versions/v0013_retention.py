"""Owners may say after how many days their conversations are deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "retention",
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("days", sa.Integer, nullable=False),
    )
