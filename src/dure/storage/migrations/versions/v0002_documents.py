"""Documents, their text, passages, full text and vectors."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

from dure.storage.postgres import add_pgvector
from dure.storage.schema import HalfVector

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    postgresql = op.get_bind().dialect.name == "postgresql"
    if postgresql:
        add_pgvector(op.get_bind())
    op.create_table(
        "documents",
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
        sqlite_autoincrement=True,
    )
    op.create_index("documents_of_owner", "documents", ["owner", "number"])
    op.create_index("documents_by_name", "documents", ["owner", "name", "number"])
    op.create_index("documents_by_status", "documents", ["status", "number"])
    op.create_table(
        "document_texts",
        sa.Column("document", sa.Integer, sa.ForeignKey("documents.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("pages", sa.JSON, nullable=False),
    )
    op.create_table(
        "passages",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("document", sa.Integer, sa.ForeignKey("documents.number", ondelete="CASCADE"), nullable=False),
        sa.Column("page", sa.Integer),
        sa.Column("start", sa.Integer, nullable=False),
        sa.Column("end", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("korean", sa.Boolean(create_constraint=False), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("passages_of_document", "passages", ["document", "start"])
    op.create_table(
        "vectors",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("passage", sa.Integer, sa.ForeignKey("passages.id", ondelete="CASCADE"), nullable=False, unique=True),
        sa.Column("model", sa.String(128), nullable=False),
        sa.Column("vector", sa.LargeBinary().with_variant(HalfVector(), "postgresql"), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("vectors_of_owner", "vectors", ["owner", "model", "id"])
    op.create_table(
        "knowledge_versions",
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
    )
    if postgresql:
        # Rows of up to 4,000 dimensions stay in one piece, so that a scan need not collect them from elsewhere.
        op.execute("ALTER TABLE vectors ALTER COLUMN vector SET STORAGE MAIN")
        op.create_table(
            "passage_terms",
            sa.Column("passage", sa.Integer, sa.ForeignKey("passages.id", ondelete="CASCADE"), primary_key=True),
            sa.Column("owner", sa.String(64), nullable=False),
            sa.Column("length", sa.Integer, nullable=False),
            sa.Column("terms", TSVECTOR, nullable=False),
        )
        # Terms are kept apart from their rows, so that looking a term up reads few pages.
        op.execute("ALTER TABLE passage_terms SET (toast_tuple_target = 128)")
        op.create_index("passage_terms_found", "passage_terms", ["terms"], postgresql_using="gin")
    else:
        # Contentless: the terms are not kept, only their index. `ascii` splits at ASCII punctuation and blanks alone;
        # `fulltext.py` hands over terms of letters and digits, so each stays whole.
        op.execute("CREATE VIRTUAL TABLE passage_terms USING fts5(terms, content='', tokenize='ascii')")
