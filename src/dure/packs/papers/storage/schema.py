"""The tables of papers and the glossary, in the metadata of all tables."""

import sqlalchemy as sa

from dure.storage.schema import JSON, metadata, table

_OTHERS = frozenset(metadata.tables)
"""The tables of the core and of other packs."""

papers = table(
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
    sa.Column("kind", sa.String(32), nullable=False, server_default=""),
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

authors = table(
    "authors",
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("name_key", sa.String(200), nullable=False),
    sa.UniqueConstraint("owner", "name_key"),
)

paper_authors = table(
    "paper_authors",
    sa.Column("paper", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("author", sa.Integer, sa.ForeignKey("authors.number", ondelete="CASCADE"), nullable=False),
    sa.Index("papers_of_author", "author", "paper"),
)
"""`position` is 1 for the first author."""

paper_citations = table(
    "paper_citations",
    sa.Column("citing", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("cited", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
    sa.Index("papers_citing", "cited", "citing"),
)

paper_references = table(
    "paper_references",
    sa.Column("paper", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("key", sa.String(300), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Index("references_open", "owner", "key"),
)
"""What a paper cites that is not here yet; turned into `paper_citations` once it is."""

paper_aliases = table(
    "paper_aliases",
    sa.Column("paper", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("alias_key", sa.String(100), primary_key=True),
    sa.Column("alias", sa.String(100), nullable=False),
    sa.Index("papers_by_alias", "alias_key", "paper"),
)

paper_marks = table(
    "paper_marks",
    sa.Column("paper", sa.Integer, sa.ForeignKey("papers.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("owner", sa.String(64), primary_key=True),
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("key", sa.String(200), primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Index("papers_marked", "owner", "kind", "key"),
)
"""`kind`: `tag`, `collection` or `note`. `key`: of a name what it is compared by, of a note its id."""

glossary = table(
    "glossary",
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("id", sa.String(40), nullable=False, unique=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("term_ko", sa.String(200), nullable=False, server_default=""),
    sa.Column("term_en", sa.String(200), nullable=False, server_default=""),
    sa.Column("aliases", JSON, nullable=False),
    sa.Column("field", sa.String(64), nullable=False, server_default=""),
    sa.Column("easy_ko", sa.Text, nullable=False, server_default=""),
    sa.Column("easy_en", sa.Text, nullable=False, server_default=""),
    sa.Column("expert_ko", sa.Text, nullable=False, server_default=""),
    sa.Column("expert_en", sa.Text, nullable=False, server_default=""),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Index("glossary_of_owner", "owner", "number"),
    sqlite_autoincrement=True,
)
"""Owners' own terms; those that everybody has are a file."""

library_versions = table(
    "library_versions",
    sa.Column("owner", sa.String(64), primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
)
"""Counts the changes to an owner's papers and glossary; "" to everybody's."""

starter_sets = table(
    "starter_sets",
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
)
"""Which content of the shipped papers was loaded last."""

TABLES = tuple(each for name, each in metadata.tables.items() if name not in _OTHERS)
