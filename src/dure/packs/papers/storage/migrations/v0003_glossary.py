"""The terms that Dure ships are no rows any more, and an owner's are few enough to be looked through."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.drop_table("glossary_keys")
    op.execute("DELETE FROM glossary WHERE owner = ''")
    op.execute("DELETE FROM starter_sets WHERE name = 'glossary'")
