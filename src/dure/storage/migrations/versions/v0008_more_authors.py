"""Whether a paper has more authors than are known."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    column: sa.Column[bool] = sa.Column(
        "more_authors", sa.Boolean(create_constraint=False), nullable=False, server_default=sa.false()
    )
    op.add_column("papers", column)
