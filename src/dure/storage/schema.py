"""All tables, as SQLAlchemy Core. Migrations in `migrations/versions/` bring a database to this shape.

Every row of a user's has an `owner`; every query filters by it. Times are ISO 8601 UTC text, which both SQLite
and PostgreSQL sort rightly. JSON columns hold what `orjson` reads. `where`: the rows that an index holds, said without
loading SQLAlchemy's dialects.
"""

import struct
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

metadata = sa.MetaData()


def table(name: str, *parts: sa.schema.SchemaItem, **how: Any) -> sa.Table:
    """One of all tables, of a pack's too."""
    return sa.Table(name, metadata, *parts, **how)


DEFAULT_OWNER = "default"
"""The owner of all rows while no API keys are set."""

OPEN = "status IN ('queued', 'running', 'waiting')"
"""Runs that have not ended."""

UNEMBEDDED = "status = 'ready' AND embedded < passages"
"""Documents whose passages lack vectors."""

JSON = sa.JSON(none_as_null=True)


class HalfVector(sa.types.UserDefinedType[bytes]):
    """pgvector's `halfvec`, here as little-endian fp16 bytes. Any number of dimensions, in one column."""

    cache_ok = True
    render_bind_cast = True

    def get_col_spec(self, **_: Any) -> str:
        return "halfvec"

    def bind_processor(self, dialect: sa.Dialect) -> Callable[[Any], str]:
        return halfvec

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Callable[[str], bytes]:
        return _of_halfvec


def halfvec(vector: bytes) -> str:
    """fp16 bytes as pgvector reads them: `[0.5,0.25]`."""
    return f"[{','.join(map(str, struct.unpack(f'<{len(vector) // 2}e', vector)))}]"


def _of_halfvec(text: str) -> bytes:
    numbers = [float(number) for number in text[1:-1].split(",")]
    return struct.pack(f"<{len(numbers)}e", *numbers)


sessions = table(
    "sessions",
    sa.Column("owner", sa.String(64), primary_key=True),
    sa.Column("id", sa.String(128), primary_key=True),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("summary", sa.Text),
    sa.Column("summarized_to", sa.Integer, nullable=False, server_default="0"),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Column("updated_at", sa.String(32), nullable=False),
    sa.Column("shared", sa.String(64)),
    sa.Column("shared_to", sa.Integer),
    sa.Column("folder", sa.Text, nullable=False, server_default=""),
    sa.Column("pinned", sa.Boolean(create_constraint=False), nullable=False, server_default=sa.false()),
    sa.Index("sessions_shared", "shared", unique=True),
)
"""Whoever knows `shared` may read a session as it was when its last message was `shared_to`. One
without a `folder` has an empty one."""

messages = table(
    "messages",
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("session_id", sa.String(128), nullable=False),
    sa.Column("run_id", sa.String(40), nullable=False),
    sa.Column("role", sa.String(16), nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("citations", JSON),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Column("parent", sa.Integer, nullable=False, server_default="0"),
    sa.Column("aside", sa.Boolean(create_constraint=False), nullable=False, server_default=sa.false()),
    sa.Index("messages_of_session", "owner", "session_id", "id"),
    # Ids are never used twice: summaries hold on to them.
    sqlite_autoincrement=True,
)
"""A session's messages are a tree: `parent` is the id of the message before, 0 before the first. One branch of it is
the transcript; what is not on it is `aside`."""

runs = table(
    "runs",
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("session_id", sa.String(128), nullable=False),
    sa.Column("team", sa.String(64), nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("options", JSON, nullable=False),
    sa.Column("answer", JSON),
    sa.Column("error", JSON),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Column("ended_at", sa.String(32)),
    sa.Column("executor", sa.String(40)),
    sa.Column("cancelled_at", sa.String(32)),
    sa.Column("experiment", sa.String(100)),
    sa.Column("definition", sa.String(64)),
    sa.Column("rating", sa.SmallInteger),
    sa.Column("rating_comment", sa.Text),
    sa.Column("rated_at", sa.String(32)),
    sa.Index("runs_of_experiment", "owner", "experiment", "created_at"),
    sa.Index("runs_of_session", "owner", "session_id", "created_at"),
    sa.Index("runs_by_status", "owner", "status", "created_at"),
    # One run at a time in a session, whichever processes the messages come to.
    sa.Index("runs_open", "owner", "session_id", unique=True, info={"where": OPEN}),
)
"""`executor` is the process that works on the run: only it may write the run's events. `cancelled_at`: a cancel that
its executor has yet to see. `experiment` groups runs; `rating` (1 to 5) is a person's."""

definitions = table(
    "definitions",
    sa.Column("hash", sa.String(64), primary_key=True),
    sa.Column("data", JSON, nullable=False),
)
"""Teams as they were when runs of theirs began; `runs.definition` names one."""

probes = table(
    "probes",
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
)
"""What is written to find out whether the database takes anything."""

approvals = table(
    "approvals",
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("run_id", sa.String(40), sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    sa.Column("key", sa.String(200), nullable=False),
    sa.Column("args_hash", sa.String(64), nullable=False),
    sa.Column("question", JSON, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("decision", JSON),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Column("expires_at", sa.String(32), nullable=False),
    sa.Column("decided_at", sa.String(32)),
    sa.UniqueConstraint("run_id", "key", "args_hash"),
    sa.Index("approvals_pending", "status", "expires_at"),
)

artifacts = table(
    "artifacts",
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("run_id", sa.String(40), sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("media_type", sa.String(100), nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("sha256", sa.String(64), nullable=False),
    sa.Column("agent", sa.String(64), nullable=False),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.UniqueConstraint("run_id", "name"),
)

run_events = table(
    "run_events",
    sa.Column("run_id", sa.String(40), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("at", sa.String(32), nullable=False),
    sa.Column("data", JSON, nullable=False),
    sqlite_with_rowid=False,
)

model_facts = table(
    "model_facts",
    sa.Column("server", sa.String(512), primary_key=True),
    sa.Column("model", sa.String(256), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("facts", JSON, nullable=False),
    sa.Column("found_at", sa.String(32), nullable=False),
)

documents = table(
    "documents",
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("id", sa.String(40), nullable=False, unique=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    # Each tag on a line of its own, with a line end before and behind it.
    sa.Column("tags", sa.Text, nullable=False, server_default=""),
    # Whom the file itself names.
    sa.Column("author", sa.Text),
    sa.Column("sha256", sa.String(64), nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("file", sa.String(64), nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("error", JSON),
    sa.Column("pages", sa.Integer),
    sa.Column("chars", sa.Integer, nullable=False, server_default="0"),
    sa.Column("passages", sa.Integer, nullable=False, server_default="0"),
    sa.Column("embedded", sa.Integer, nullable=False, server_default="0"),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Column("updated_at", sa.String(32), nullable=False),
    sa.Column("worker", sa.String(40)),
    sa.Index("documents_of_owner", "owner", "number"),
    # Every search counts an owner's passages; here they stand side by side.
    sa.Index("documents_counted", "owner", "passages"),
    sa.Index("documents_by_name", "owner", "name", "number"),
    sa.Index("documents_by_status", "status", "number"),
    # Who makes vectors looks for these after each document.
    sa.Index("documents_unembedded", "number", info={"where": UNEMBEDDED}),
    sqlite_autoincrement=True,
)
"""`worker` is who reads or embeds the document: whoever reads it writes only as long as that stands here."""

document_texts = table(
    "document_texts",
    sa.Column("document", sa.Integer, sa.ForeignKey("documents.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("pages", JSON, nullable=False),
)
"""`pages` is a list of `[page number or null, offset of its first character]`."""

passages = table(
    "passages",
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("document", sa.Integer, sa.ForeignKey("documents.number", ondelete="CASCADE"), nullable=False),
    sa.Column("page", sa.Integer),
    sa.Column("start", sa.Integer, nullable=False),
    sa.Column("end", sa.Integer, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("korean", sa.Boolean(create_constraint=False), nullable=False),
    # The headings it stands under. Null where it is found by its text alone: cards of papers, passages of before.
    sa.Column("context", sa.Text),
    sa.Index("passages_of_document", "document", "start"),
    # Ids are never used twice: the full-text index and the vectors in memory hold on to them.
    sqlite_autoincrement=True,
)

vectors = table(
    "vectors",
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("passage", sa.Integer, sa.ForeignKey("passages.id", ondelete="CASCADE"), nullable=False, unique=True),
    sa.Column("model", sa.String(128), nullable=False),
    sa.Column("vector", sa.LargeBinary().with_variant(HalfVector(), "postgresql"), nullable=False),
    sa.Column("korean", sa.Boolean(create_constraint=False), nullable=False, server_default=sa.false()),
    sa.Index("vectors_of_owner", "owner", "model", "id").ddl_if(dialect="sqlite"),
    # What is searched there is one owner's vectors of one language.
    sa.Index("vectors_of_owner", "owner", "model", "korean", "id").ddl_if(dialect="postgresql"),
    sqlite_autoincrement=True,
)
"""`vector` is a unit vector as little-endian fp16. `korean` is the passage's, so that statistics need no join."""

knowledge_versions = table(
    "knowledge_versions",
    sa.Column("owner", sa.String(64), primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
)
"""Counts the deletions of an owner's passages, so that other processes notice them."""

shelf_members = table(
    "shelf_members",
    sa.Column("shelf", sa.String(50), primary_key=True),
    sa.Column("member", sa.String(64), primary_key=True),
    sa.Column("role", sa.String(16)),
    sa.Column("changed_at", sa.String(32), nullable=False),
    sa.Index("shelves_of_member", "member", "shelf"),
)
"""Who may read a shelf, and as `editor` change it. `role` is null of one who was taken off it at `changed_at`."""

retention = table(
    "retention",
    sa.Column("owner", sa.String(64), primary_key=True),
    sa.Column("days", sa.Integer, nullable=False),
)
"""How many days owners keep conversations with which nobody goes on."""

secrets = table(
    "secrets",
    sa.Column("name", sa.String(512), primary_key=True),
    sa.Column("sealed", sa.LargeBinary, nullable=False),
)
"""What only this server may read: see `vault.py`."""

schedules = table(
    "schedules",
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("what", JSON, nullable=False),
    sa.Column("next_at", sa.String(32)),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Index("schedules_of_owner", "owner", "created_at"),
    sa.Index("schedules_due", "next_at"),
)
"""`what` is asked when, and where the answer goes: see `runs/schedules.py`. One without `next_at` is paused."""

schedule_runs = table(
    "schedule_runs",
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("schedule", sa.String(40), sa.ForeignKey("schedules.id", ondelete="CASCADE"), nullable=False),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("run_id", sa.String(40)),
    sa.Column("at", sa.String(32), nullable=False),
    sa.Column("what", JSON, nullable=False),
    sa.Column("try_at", sa.String(32)),
    sa.Index("schedule_runs_of", "schedule", "id"),
    sa.Index("schedule_runs_due", "try_at"),
)
"""What came of a schedule's times. One without `run_id` was left out; `try_at`: when its answer is to be delivered."""

mcp_tools = table(
    "mcp_tools",
    sa.Column("server", sa.String(200), primary_key=True),
    sa.Column("tools", JSON, nullable=False),
)
"""What MCP servers' tools said of themselves when they were accepted (`toolsets/mcp/pins.py`)."""

TABLES = tuple(metadata.tables.values())
"""The core's, at the head of its migrations; packs add theirs to the same metadata later."""
