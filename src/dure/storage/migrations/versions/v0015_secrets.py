"""Secrets that Dure is given while it runs, such as those of logins at MCP servers."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(512), primary_key=True),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
