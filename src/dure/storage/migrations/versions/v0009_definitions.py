"""Teams as they were when runs of theirs began."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("runs", sa.Column("definition", sa.String(64)))
    op.create_table(
        "definitions",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("data", sa.JSON, nullable=False),
    )
