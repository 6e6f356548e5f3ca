"""PostgreSQL: the way to it, and what is said when it cannot be used."""

from typing import Any

import sqlalchemy as sa

from dure.errors import SettingsError, install_line, phrase

KEY = "DURE_DATABASE_URL"

DRIVERS = ("postgresql", "postgres", "postgresql+psycopg")

_DEFAULTS = {
    "application_name": "dure",
    "connect_timeout": "10",
    # A connection that a firewall dropped in silence is noticed within a minute, not after the system's two hours.
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
    # Queries are short: starting helpers or a compiler costs more than they save. And each has its index, but the
    # planner takes reading a whole table of terms for cheap, since it does not count what unpacking them costs.
    "options": "-c max_parallel_workers_per_gather=0 -c jit=off -c enable_seqscan=off",
}
"""libpq's parameters (https://www.postgresql.org/docs/current/libpq-connect.html), unless the URL has its own."""

ROLLED_BACK = {"40001", "40P01"}
"""SQLSTATE of transactions that the server gave up for another's sake: serialization failure, deadlock."""


def engine(url: sa.URL, pool: int, **options: Any) -> sa.Engine:
    """An engine of at most `pool` connections. Raises SettingsError where psycopg is not installed."""
    url = url.set(drivername="postgresql+psycopg", query={**_DEFAULTS, **url.query})
    try:
        made = sa.create_engine(url, pool_size=pool, max_overflow=0, **options)
    except ImportError:
        raise SettingsError(key=KEY, reason=phrase("storage_postgres.psycopg", line=install_line("postgres"))) from None
    sa.event.listen(made, "connect", _prepare)
    return made


def parameters(url: sa.URL) -> dict[str, Any]:
    """What psycopg connects with to the database of an engine's `url`."""
    from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

    # Not as a URL: SQLAlchemy writes a blank in a parameter as "+", which libpq takes for a plus.
    dialect: Any = PGDialect_psycopg
    found: dict[str, Any] = dialect().create_connect_args(url)[1]
    return found


def _prepare(connection: Any, _record: Any) -> None:
    from psycopg.types.string import StrDumperUnknown

    class Dumper(StrDumperUnknown):
        """PostgreSQL's text cannot hold NUL; U+FFFD stands for it. (JSON is kept as its text and can.)"""

        def dump(self, obj: str) -> Any:
            return super().dump(obj.replace("\0", "�") if "\0" in obj else obj)

    connection.adapters.register_dumper(str, Dumper)


def refusal(error: sa.exc.DBAPIError, url: sa.URL) -> SettingsError:
    """Why the database at `url` cannot be opened, in the server's words and without the password."""
    reason = " ".join(str(error.orig).split())
    if url.password:
        reason = reason.replace(str(url.password), "***")
    return SettingsError(key=KEY, reason=f"{url.render_as_string(hide_password=True).partition('?')[0]}: {reason}")


def add_pgvector(connection: sa.Connection) -> None:
    """Make the extension available in this database. Raises SettingsError where that cannot be done."""
    try:
        with connection.begin_nested():
            connection.execute(sa.text("CREATE EXTENSION IF NOT EXISTS vector"))
    except sa.exc.DBAPIError as error:
        reason = phrase("storage_postgres.missing", said=str(error.orig).splitlines()[0])
        raise SettingsError(key=KEY, reason=reason) from None
    if connection.execute(sa.text("SELECT to_regtype('halfvec')")).scalar() is None:
        raise SettingsError(key=KEY, reason=phrase("storage_postgres.old"))


def state(connection: sa.Connection) -> str:
    """Versions of the server and of pgvector, e.g. `PostgreSQL 18.3, pgvector 0.8.2`."""
    query = "SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
    server, pgvector = connection.execute(sa.text(query)).one()
    return f"PostgreSQL {server.split()[0]}, pgvector {pgvector}"
