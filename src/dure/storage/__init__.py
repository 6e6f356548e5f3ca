"""SQLite or PostgreSQL: tables, migrations, queries. Every row has an owner."""

from dure.storage.database import Database, now, stamp
from dure.storage.files import open_files
from dure.storage.schema import DEFAULT_OWNER

__all__ = ["DEFAULT_OWNER", "Database", "now", "open_files", "stamp"]
