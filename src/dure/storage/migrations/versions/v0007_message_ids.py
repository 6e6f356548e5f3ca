"""Message ids are never used twice, also on SQLite: summaries and pages hold on to them."""

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        options = {"sqlite_autoincrement": True}
        with op.batch_alter_table("messages", recreate="always", table_kwargs=options):
            pass
