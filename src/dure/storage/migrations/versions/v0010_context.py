"""Passages know the headings that they stand under; those stored before are found by their text alone."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("passages", sa.Column("context", sa.Text))
