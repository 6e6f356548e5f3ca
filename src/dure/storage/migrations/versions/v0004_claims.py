"""Which process reads or embeds a document; the language of a vector's passage beside it."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("documents", sa.Column("worker", sa.String(40)))
    op.add_column("documents", sa.Column("claimed_until", sa.Float))
    korean: sa.Column[bool] = sa.Column(
        "korean", sa.Boolean(create_constraint=False), nullable=False, server_default=sa.false()
    )
    op.add_column("vectors", korean)
    op.execute("UPDATE vectors SET korean = (SELECT korean FROM passages WHERE passages.id = vectors.passage)")
    if op.get_bind().dialect.name == "postgresql":
        # What is searched there is one owner's vectors of one language.
        op.drop_index("vectors_of_owner", "vectors")
        op.create_index("vectors_of_owner", "vectors", ["owner", "model", "korean", "id"])
