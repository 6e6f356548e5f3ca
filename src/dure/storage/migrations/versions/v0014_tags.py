"""Documents have tags, and the author that their file names; those there are get theirs when they are read anew."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("documents", sa.Column("tags", sa.Text, nullable=False, server_default=""))
    op.add_column("documents", sa.Column("author", sa.Text))
