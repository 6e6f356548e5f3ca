"""Tags, collections and notes that owners put on papers."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "paper_marks",
        sa.Column("paper", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("key", sa.String(200), primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
    )
    op.create_index("papers_marked", "paper_marks", ["owner", "kind", "key"])
