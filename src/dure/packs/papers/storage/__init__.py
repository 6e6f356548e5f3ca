"""Tables and queries of papers and the glossary."""

from pathlib import Path

from dure.storage.migrations.chain import Chain

CHAIN = Chain(
    Path(__file__).parent / "migrations", "0004", "alembic_version_papers", "dure.packs.papers.storage.schema"
)
