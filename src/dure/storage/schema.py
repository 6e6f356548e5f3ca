"""All tables, as SQLAlchemy Core. Migrations in `migrations/versions/` bring a database to this shape.

Every row of a user's has an `owner`; every query filters by it. Times are ISO 8601 UTC text, which both SQLite
and PostgreSQL sort rightly. JSON columns hold what `orjson` reads.
"""

import struct
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

metadata = sa.MetaData()

DEFAULT_OWNER = "default"
"""The owner of all rows while no API keys are set."""

OPEN = "status IN ('queued', 'running', 'waiting')"
"""Runs that have not ended."""


class HalfVector(sa.types.UserDefinedType[bytes]):
    """pgvector's `halfvec`, here as little-endian fp16 bytes. Any number of dimensions, in one column."""

    cache_ok = True
    render_bind_cast = True

    def get_col_spec(self, **_: Any) -> str:
        return "halfvec"

    def bind_processor(self, dialect: sa.Dialect) -> Callable[[bytes | None], str | None]:
        return lambda value: None if value is None else halfvec(value)

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Callable[[str | None], bytes | None]:
        def process(value: str | None) -> bytes | None:
            if value is None:
                return None
            numbers = [float(number) for number in value[1:-1].split(",")]
            return struct.pack(f"<{len(numbers)}e", *numbers)

        return process


def halfvec(vector: bytes) -> str:
    """fp16 bytes as pgvector reads them: `[0.5,0.25]`."""
    return f"[{','.join(map(str, struct.unpack(f'<{len(vector) // 2}e', vector)))}]"


sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("owner", sa.String(64), primary_key=True),
    sa.Column("id", sa.String(128), primary_key=True),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("summary", sa.Text),
    sa.Column("summarized_to", sa.Integer, nullable=False, server_default="0"),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Column("updated_at", sa.String(32), nullable=False),
)

messages = sa.Table(
    "messages",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("session_id", sa.String(128), nullable=False),
    sa.Column("run_id", sa.String(40), nullable=False),
    sa.Column("role", sa.String(16), nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("citations", sa.JSON),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Index("messages_of_session", "owner", "session_id", "id"),
    # Ids are never used twice: summaries hold on to them.
    sqlite_autoincrement=True,
)

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("session_id", sa.String(128), nullable=False),
    sa.Column("team", sa.String(64), nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("options", sa.JSON, nullable=False),
    sa.Column("answer", sa.JSON),
    sa.Column("error", sa.JSON),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Column("ended_at", sa.String(32)),
    sa.Column("executor", sa.String(40)),
    sa.Column("cancelled_at", sa.String(32)),
    sa.Column("experiment", sa.String(100)),
    sa.Column("rating", sa.SmallInteger),
    sa.Column("rating_comment", sa.Text),
    sa.Column("rated_at", sa.String(32)),
    sa.Index("runs_of_experiment", "owner", "experiment", "created_at"),
    sa.Index("runs_of_session", "owner", "session_id", "created_at"),
    sa.Index("runs_by_status", "owner", "status", "created_at"),
    # One run at a time in a session, whichever processes the messages come to.
    sa.Index(
        "runs_open", "owner", "session_id", unique=True, sqlite_where=sa.text(OPEN), postgresql_where=sa.text(OPEN)
    ),
)
"""`executor` is the process that works on the run: only it may write the run's events. `cancelled_at`: a cancel that
its executor has yet to see. `experiment` groups runs; `rating` (1 to 5) is a person's."""

executors = sa.Table(
    "executors",
    metadata,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("alive_until", sa.Float, nullable=False),
)
"""Processes that work on runs; `alive_until` in seconds of the database's own clock since 1970."""

approvals = sa.Table(
    "approvals",
    metadata,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("run_id", sa.String(40), sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    sa.Column("key", sa.String(200), nullable=False),
    sa.Column("args_hash", sa.String(64), nullable=False),
    sa.Column("question", sa.JSON, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("decision", sa.JSON),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Column("expires_at", sa.String(32), nullable=False),
    sa.Column("decided_at", sa.String(32)),
    sa.UniqueConstraint("run_id", "key", "args_hash"),
    sa.Index("approvals_pending", "status", "expires_at"),
)

artifacts = sa.Table(
    "artifacts",
    metadata,
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

run_events = sa.Table(
    "run_events",
    metadata,
    sa.Column("run_id", sa.String(40), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("at", sa.String(32), nullable=False),
    sa.Column("data", sa.JSON, nullable=False),
    sqlite_with_rowid=False,
)

model_facts = sa.Table(
    "model_facts",
    metadata,
    sa.Column("server", sa.String(512), primary_key=True),
    sa.Column("model", sa.String(256), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("facts", sa.JSON, nullable=False),
    sa.Column("found_at", sa.String(32), nullable=False),
)

documents = sa.Table(
    "documents",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("id", sa.String(40), nullable=False, unique=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("sha256", sa.String(64), nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("file", sa.String(64), nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("error", sa.JSON),
    sa.Column("pages", sa.Integer),
    sa.Column("chars", sa.Integer, nullable=False, server_default="0"),
    sa.Column("passages", sa.Integer, nullable=False, server_default="0"),
    sa.Column("embedded", sa.Integer, nullable=False, server_default="0"),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Column("updated_at", sa.String(32), nullable=False),
    sa.Column("worker", sa.String(40)),
    sa.Column("claimed_until", sa.Float),
    sa.Index("documents_of_owner", "owner", "number"),
    # Every search counts an owner's passages; here they stand side by side.
    sa.Index("documents_counted", "owner", "passages"),
    sa.Index("documents_by_name", "owner", "name", "number"),
    sa.Index("documents_by_status", "status", "number"),
    sqlite_autoincrement=True,
)
"""`worker` is the indexer that reads or embeds the document, until `claimed_until`, in seconds of the database's own
clock since 1970."""

document_texts = sa.Table(
    "document_texts",
    metadata,
    sa.Column("document", sa.Integer, sa.ForeignKey("documents.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("pages", sa.JSON, nullable=False),
)
"""`pages` is a list of `[page number or null, offset of its first character]`."""

passages = sa.Table(
    "passages",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("document", sa.Integer, sa.ForeignKey("documents.number", ondelete="CASCADE"), nullable=False),
    sa.Column("page", sa.Integer),
    sa.Column("start", sa.Integer, nullable=False),
    sa.Column("end", sa.Integer, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("korean", sa.Boolean(create_constraint=False), nullable=False),
    sa.Index("passages_of_document", "document", "start"),
    # Ids are never used twice: the full-text index and the vectors in memory hold on to them.
    sqlite_autoincrement=True,
)

vectors = sa.Table(
    "vectors",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("passage", sa.Integer, sa.ForeignKey("passages.id", ondelete="CASCADE"), nullable=False, unique=True),
    sa.Column("model", sa.String(128), nullable=False),
    sa.Column("vector", sa.LargeBinary().with_variant(HalfVector(), "postgresql"), nullable=False),
    sa.Column("korean", sa.Boolean(create_constraint=False), nullable=False, server_default=sa.false()),
    sa.Index("vectors_of_owner", "owner", "model", "id"),
    sqlite_autoincrement=True,
)
"""`vector` is a unit vector as little-endian fp16. `korean` is the passage's, so that statistics need no join."""

knowledge_versions = sa.Table(
    "knowledge_versions",
    metadata,
    sa.Column("owner", sa.String(64), primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
)
"""Counts the deletions of an owner's passages, so that other processes notice them."""

papers = sa.Table(
    "papers",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("id", sa.String(40), nullable=False, unique=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("key", sa.String(160), nullable=False, server_default=""),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("title_key", sa.String(300), nullable=False),
    sa.Column("abstract", sa.Text, nullable=False, server_default=""),
    sa.Column("summary_ko", sa.Text, nullable=False, server_default=""),
    sa.Column("summary_en", sa.Text, nullable=False, server_default=""),
    sa.Column("year", sa.Integer),
    sa.Column("venue", sa.String(300), nullable=False, server_default=""),
    sa.Column("field", sa.String(64), nullable=False, server_default=""),
    sa.Column("doi", sa.String(200), nullable=False, server_default=""),
    sa.Column("arxiv_id", sa.String(32), nullable=False, server_default=""),
    sa.Column("acl_id", sa.String(64), nullable=False, server_default=""),
    sa.Column("url", sa.Text, nullable=False, server_default=""),
    sa.Column("citations", sa.Integer),
    sa.Column("more_authors", sa.Boolean(create_constraint=False), nullable=False, server_default=sa.false()),
    sa.Column("card", sa.Integer, sa.ForeignKey("documents.number"), nullable=False, unique=True),
    sa.Column("full_text", sa.Integer, sa.ForeignKey("documents.number", ondelete="SET NULL")),
    sa.Column("shared", sa.Integer, sa.ForeignKey("papers.number", ondelete="SET NULL")),
    sa.Column("source", sa.String(16), nullable=False),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Column("updated_at", sa.String(32), nullable=False),
    sa.Index("papers_by_title", "owner", "title_key"),
    sa.Index("papers_by_doi", "owner", "doi"),
    sa.Index("papers_by_arxiv", "owner", "arxiv_id"),
    sa.Index("papers_by_acl", "owner", "acl_id"),
    sa.Index("papers_by_key", "owner", "key"),
    sa.Index("papers_by_year", "owner", "year"),
    sa.Index("papers_by_venue", "owner", "venue"),
    sa.Index("papers_by_full_text", "full_text"),
    sa.Index("papers_of_shared", "owner", "shared"),
    sqlite_autoincrement=True,
)
"""`owner` "" is everybody's. `key`: what the source calls the paper. Ids are "" where unknown. `card`: the document
that the paper is found by; `full_text`: that of its PDF. `shared`: the paper of everybody's that this owner's stands
for, which this owner no longer sees beside it. `more_authors`: than are known ("et al.")."""

authors = sa.Table(
    "authors",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("name_key", sa.String(200), nullable=False),
    sa.UniqueConstraint("owner", "name_key"),
)

paper_authors = sa.Table(
    "paper_authors",
    metadata,
    sa.Column("paper", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("author", sa.Integer, sa.ForeignKey("authors.number", ondelete="CASCADE"), nullable=False),
    sa.Index("papers_of_author", "author", "paper"),
)
"""`position` is 1 for the first author."""

paper_citations = sa.Table(
    "paper_citations",
    metadata,
    sa.Column("citing", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("cited", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
    sa.Index("papers_citing", "cited", "citing"),
)

paper_references = sa.Table(
    "paper_references",
    metadata,
    sa.Column("paper", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("key", sa.String(300), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Index("references_open", "owner", "key"),
)
"""What a paper cites that is not here yet; turned into `paper_citations` once it is."""

paper_aliases = sa.Table(
    "paper_aliases",
    metadata,
    sa.Column("paper", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("alias_key", sa.String(100), primary_key=True),
    sa.Column("alias", sa.String(100), nullable=False),
    sa.Index("papers_by_alias", "alias_key", "paper"),
)

glossary = sa.Table(
    "glossary",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("id", sa.String(40), nullable=False, unique=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("term_ko", sa.String(200), nullable=False, server_default=""),
    sa.Column("term_en", sa.String(200), nullable=False, server_default=""),
    sa.Column("aliases", sa.JSON, nullable=False),
    sa.Column("field", sa.String(64), nullable=False, server_default=""),
    sa.Column("easy_ko", sa.Text, nullable=False, server_default=""),
    sa.Column("easy_en", sa.Text, nullable=False, server_default=""),
    sa.Column("expert_ko", sa.Text, nullable=False, server_default=""),
    sa.Column("expert_en", sa.Text, nullable=False, server_default=""),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Index("glossary_of_owner", "owner", "number"),
    sqlite_autoincrement=True,
)
"""`owner` "" is everybody's."""

glossary_keys = sa.Table(
    "glossary_keys",
    metadata,
    sa.Column("term", sa.Integer, sa.ForeignKey("glossary.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("key", sa.String(200), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Index("glossary_by_key", "owner", "key"),
)

library_versions = sa.Table(
    "library_versions",
    metadata,
    sa.Column("owner", sa.String(64), primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
)
"""Counts the changes to an owner's papers and glossary; "" to everybody's."""

starter_sets = sa.Table(
    "starter_sets",
    metadata,
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
)
"""Which content of the shipped papers and terms was loaded last."""
