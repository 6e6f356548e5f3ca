"""What the sandbox may cost: one query, what is loaded, the process. All of its limits stand here."""

from dataclasses import dataclass

MAX_SQL_CHARS = 10_000
MAX_NESTING = 20
"""Calls of functions within one another."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one query, the time it takes and the result it gives."""

    rows: int = 100
    seconds: float = 10.0
    size: int = 4_000_000
    """Bytes of a result, as UTF-8 text."""
    cell: int = 200
    """Characters of one value."""


COMMON = Limits()

MAX_ROWS = 1_000_000
"""Rows of one table."""
MAX_CELLS = 5_000_000
"""Cells of all tables of an owner."""
MAX_TABLES = 50
LOAD_SECONDS = 60.0

ENGINE_MEMORY = 768 << 20
"""Bytes that DuckDB may hold, the tables and what a query needs together."""
MEMORY = 3 << 30
"""Bytes of address space of a process (on Linux): the engine does not count everything."""
GRACE_SECONDS = 5.0
"""Beyond a request's own seconds, in which it is interrupted inside, before its process is ended."""
IDLE_SECONDS = 300.0
"""After so long without a request a process is ended."""
MAX_PROCESSES = 4
"""Idle ones beyond these are ended at once."""
