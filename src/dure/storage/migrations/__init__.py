"""Schema migrations. alembic takes 11 MB: a database that is new, or at the head of its chains, opens without it."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from dure.errors import SettingsError, phrase
from dure.storage import jobs
from dure.storage.migrations.chain import Chain
from dure.storage.postgres import KEY, add_pgvector

if TYPE_CHECKING:
    from alembic.config import Config


CORE = Chain(Path(__file__).parent / "versions", "0020", "alembic_version", "dure.storage.schema")


_MORE = {
    # Contentless: the terms are not kept, only their index. `ascii` splits at ASCII punctuation and blanks alone;
    # `fulltext.py` hands over terms of letters and digits, so each stays whole.
    "sqlite": ["CREATE VIRTUAL TABLE passage_terms USING fts5(terms, content='', tokenize='ascii')"],
    "postgresql": [
        # Rows of up to 4,000 dimensions stay in one piece, so that a scan need not collect them from elsewhere.
        "ALTER TABLE vectors ALTER COLUMN vector SET STORAGE MAIN",
        "CREATE TABLE passage_terms (passage INTEGER PRIMARY KEY REFERENCES passages (id) ON DELETE CASCADE,"
        " owner VARCHAR(64) NOT NULL, length INTEGER NOT NULL, terms TSVECTOR NOT NULL)",
        # Terms are kept apart from their rows, so that looking a term up reads few pages.
        "ALTER TABLE passage_terms SET (toast_tuple_target = 128)",
        "CREATE INDEX passage_terms_found ON passage_terms USING gin (terms)",
    ],
}
"""What SQLAlchemy has no words for."""
_ALONE = {
    "sqlite": "BEGIN IMMEDIATE",
    "postgresql": "SELECT pg_advisory_xact_lock(hashtext('dure.migrations'))",
}


def pending(connection: sa.Connection, chains: Sequence[Chain]) -> list[Chain]:
    """Those of `chains` that the database is not at the head of."""
    known = sa.inspect(connection).get_table_names()
    heads = {each: each.table in known and connection.scalar(sa.select(_versions(each))) for each in chains}
    return [each for each, head in heads.items() if head != each.head]


def upgrade(engine: sa.Engine, chains: Sequence[Chain] = (CORE,)) -> None:
    """Bring the database to the heads of `chains`, in one transaction. Those that start at once do so one after the
    other. Raises SettingsError for a database of a newer version."""
    with engine.begin() as connection:
        # Until the end of the transaction.
        connection.execute(sa.text(_ALONE[connection.dialect.name]))
        for chain in pending(connection, chains):
            if not _made(connection, chain):
                _migrate(connection, chain)


@cache
def _versions(chain: Chain) -> sa.Table:
    """Where the database keeps its version, as alembic makes it."""
    return sa.Table(chain.table, sa.MetaData(), sa.Column("version_num", sa.String(32), primary_key=True))


def _made(connection: sa.Connection, chain: Chain) -> bool:
    """Make the tables of a new database; returns whether they were not there."""
    tables: Sequence[sa.Table] = import_module(chain.module).TABLES if chain.module else ()
    if not tables or any(sa.inspect(connection).has_table(name) for name in (chain.table, tables[0].name)):
        return False
    passages = any(table.name == "passages" for table in tables)
    if passages and connection.dialect.name == "postgresql":
        add_pgvector(connection)
        jobs.create(connection)
    for index in (each for table in tables for each in table.indexes if "where" in each.info):
        index.dialect_options[connection.dialect.name]["where"] = sa.text(index.info["where"])
    tables[0].metadata.create_all(connection, tables=tables)
    for statement in _MORE[connection.dialect.name] if passages else ():
        connection.execute(sa.text(statement))
    versions = _versions(chain)
    versions.create(connection)
    connection.execute(sa.insert(versions).values(version_num=chain.head))
    return True


def _migrate(connection: sa.Connection, chain: Chain) -> None:
    from alembic import command
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    config = config_of(chain)
    config.attributes["connection"] = connection
    if chain.module and not sa.inspect(connection).has_table(chain.table):
        command.stamp(config, ScriptDirectory.from_config(config).get_base() or "base")
    try:
        command.upgrade(config, "head")
    except CommandError:
        # It has a revision that is not known here.
        raise SettingsError(key=KEY, reason=phrase("storage_migrations.newer")) from None


def config_of(chain: Chain) -> "Config":
    """alembic's configuration for a chain; it wants a `connection` among its attributes."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", str(chain.folder))
    config.attributes["version_table"] = chain.table
    return config
