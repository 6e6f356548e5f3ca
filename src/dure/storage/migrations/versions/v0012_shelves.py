"""Documents may stand on shelves that several owners share; all there were stay their owners' own."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "shelf_members",
        sa.Column("shelf", sa.String(50), primary_key=True),
        sa.Column("member", sa.String(64), primary_key=True),
        sa.Column("role", sa.String(16)),
        sa.Column("changed_at", sa.String(32), nullable=False),
    )
    op.create_index("shelves_of_member", "shelf_members", ["member", "shelf"])
