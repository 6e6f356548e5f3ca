"""Papers, their authors, citations and names; the glossary; what of the shipped sets is loaded.

In a database of Dure 0.1 the core made these tables, all of them or, before its revision 0008, all but one column."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    there = sa.inspect(op.get_bind())
    if there.has_table("papers"):
        if "more_authors" not in {column["name"] for column in there.get_columns("papers")}:
            op.add_column("papers", _more_authors())
        return
    op.create_table(
        "papers",
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
        _more_authors(),
        sa.Column("card", sa.Integer, sa.ForeignKey("documents.number"), nullable=False, unique=True),
        sa.Column("full_text", sa.Integer, sa.ForeignKey("documents.number", ondelete="SET NULL")),
        sa.Column("shared", sa.Integer, sa.ForeignKey("papers.number", ondelete="SET NULL")),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("updated_at", sa.String(32), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("papers_by_title", "papers", ["owner", "title_key"])
    op.create_index("papers_by_doi", "papers", ["owner", "doi"])
    op.create_index("papers_by_arxiv", "papers", ["owner", "arxiv_id"])
    op.create_index("papers_by_acl", "papers", ["owner", "acl_id"])
    op.create_index("papers_by_key", "papers", ["owner", "key"])
    op.create_index("papers_by_year", "papers", ["owner", "year"])
    op.create_index("papers_by_venue", "papers", ["owner", "venue"])
    op.create_index("papers_by_full_text", "papers", ["full_text"])
    op.create_index("papers_of_shared", "papers", ["owner", "shared"])
    op.create_table(
        "authors",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("name_key", sa.String(200), nullable=False),
        sa.UniqueConstraint("owner", "name_key"),
    )

    op.create_table(
        "paper_authors",
        sa.Column("paper", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("author", sa.Integer, sa.ForeignKey("authors.number", ondelete="CASCADE"), nullable=False),
    )
    op.create_index("papers_of_author", "paper_authors", ["author", "paper"])
    op.create_table(
        "paper_citations",
        sa.Column("citing", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("cited", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
    )
    op.create_index("papers_citing", "paper_citations", ["cited", "citing"])
    op.create_table(
        "paper_references",
        sa.Column("paper", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("key", sa.String(300), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
    )
    op.create_index("references_open", "paper_references", ["owner", "key"])
    op.create_table(
        "paper_aliases",
        sa.Column("paper", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("alias_key", sa.String(100), primary_key=True),
        sa.Column("alias", sa.String(100), nullable=False),
    )
    op.create_index("papers_by_alias", "paper_aliases", ["alias_key", "paper"])
    op.create_table(
        "glossary",
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
        sqlite_autoincrement=True,
    )
    op.create_index("glossary_of_owner", "glossary", ["owner", "number"])
    op.create_table(
        "glossary_keys",
        sa.Column("term", sa.Integer, sa.ForeignKey("glossary.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("key", sa.String(200), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
    )
    op.create_index("glossary_by_key", "glossary_keys", ["owner", "key"])
    op.create_table(
        "library_versions",
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
    )

    op.create_table(
        "starter_sets",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False),
    )


def _more_authors() -> "sa.Column[bool]":
    return sa.Column("more_authors", sa.Boolean(create_constraint=False), nullable=False, server_default=sa.false())
