"""Schema migrations (alembic). `HEAD` lets an up-to-date database open without loading alembic."""

from pathlib import Path

import sqlalchemy as sa

HEAD = "0003"


def upgrade(engine: sa.Engine) -> None:
    """Bring the database to `HEAD`, in one transaction where the database allows it."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
