"""What groups runs to an experiment, and what people think of a run."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("runs", sa.Column("experiment", sa.String(100)))
    op.add_column("runs", sa.Column("rating", sa.SmallInteger))
    op.add_column("runs", sa.Column("rating_comment", sa.Text))
    op.add_column("runs", sa.Column("rated_at", sa.String(32)))
    op.create_index("runs_of_experiment", "runs", ["owner", "experiment", "created_at"])
