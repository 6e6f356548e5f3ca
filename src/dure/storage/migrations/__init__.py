"""Schema migrations (alembic). `HEAD` lets an up-to-date database open without loading alembic."""

from pathlib import Path

import sqlalchemy as sa

from dure.storage.postgres import lock_migrations

HEAD = "0006"


def upgrade(engine: sa.Engine) -> None:
    """Bring the database to `HEAD`, in one transaction where the database allows it.

    On PostgreSQL, processes that start at once do so one after the other.
    """
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            lock_migrations(connection)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
