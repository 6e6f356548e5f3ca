"""A chain of migrations: the core's, or a pack's, each with a version of its own in the database."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Chain:
    """`folder` holds the alembic revisions; `head` is the newest; `table` is where the database keeps its version."""

    folder: Path
    head: str
    table: str
