"""The kind of a paper, as BibTeX names it."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("papers", sa.Column("kind", sa.String(32), nullable=False, server_default=""))
