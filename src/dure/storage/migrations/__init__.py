"""Schema migrations (alembic). `HEAD` lets an up-to-date database open without loading alembic."""

from pathlib import Path

import sqlalchemy as sa

from dure.errors import SettingsError, Text
from dure.storage.postgres import KEY, lock_migrations

HEAD = "0008"


def upgrade(engine: sa.Engine) -> None:
    """Bring the database to `HEAD`, in one transaction where the database allows it.

    On PostgreSQL, processes that start at once do so one after the other. Raises SettingsError for a database of a
    newer version.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            lock_migrations(connection)
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError:
            # It has a revision that is not known here.
            reason = Text("this database is of a newer version of Dure", ko="더 새로운 두레의 데이터베이스입니다")
            raise SettingsError(key=KEY, reason=reason) from None
