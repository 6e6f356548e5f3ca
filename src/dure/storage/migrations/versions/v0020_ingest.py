"""Documents are jobs on PostgreSQL; on SQLite whoever works on one holds it for as long as its process lives."""

import sqlalchemy as sa
from alembic import op

from dure.storage.schema import UNEMBEDDED

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.drop_column("documents", "claimed_until")
    lacking = sa.text(UNEMBEDDED)
    op.create_index("documents_unembedded", "documents", ["number"], sqlite_where=lacking, postgresql_where=lacking)
