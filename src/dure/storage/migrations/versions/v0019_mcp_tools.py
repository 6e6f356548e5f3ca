"""What MCP servers' tools said of themselves when they were accepted is shared by all processes of a database."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.create_table(
        "mcp_tools",
        sa.Column("server", sa.String(200), primary_key=True),
        sa.Column("tools", sa.JSON, nullable=False),
    )
