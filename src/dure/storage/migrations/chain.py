"""A chain of migrations: the core's, or a pack's, each with a version of its own in the database."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Chain:
    """`folder` holds the alembic revisions; `head` is the newest; `table` is where the database keeps its version.

    module: with the SQLAlchemy tables as they are at the head, `TABLES`, from which a new database is made; where it is
    "", the first revision makes them. A database that has them and no version is at the first revision.
    """

    folder: Path
    head: str
    table: str
    module: str = ""
