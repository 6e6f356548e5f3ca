"""Documents are counted by an index. The tables of papers, which this revision made in 0.1, are the pack's now."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_index("documents_counted", "documents", ["owner", "passages"])
