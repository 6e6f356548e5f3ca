"""Tables of a new database, from their schema, with what SQLAlchemy has no words for."""

from collections.abc import Sequence

import sqlalchemy as sa

from dure.storage import jobs
from dure.storage.postgres import add_pgvector

_MORE = {
    # Contentless: the terms are not kept, only their index. `ascii` splits at ASCII punctuation and blanks alone;
    # `fulltext.py` hands over terms of letters and digits, so each stays whole.
    "sqlite": ["CREATE VIRTUAL TABLE passage_terms USING fts5(terms, content='', tokenize='ascii')"],
    "postgresql": [
        # Rows of up to 4,000 dimensions stay in one piece, so that a scan need not collect them from elsewhere.
        "ALTER TABLE vectors ALTER COLUMN vector SET STORAGE MAIN",
        "CREATE TABLE passage_terms (passage INTEGER PRIMARY KEY REFERENCES passages (id) ON DELETE CASCADE,"
        " owner VARCHAR(64) NOT NULL, length INTEGER NOT NULL, terms TSVECTOR NOT NULL)",
        # Terms are kept apart from their rows, so that looking a term up reads few pages.
        "ALTER TABLE passage_terms SET (toast_tuple_target = 128)",
        "CREATE INDEX passage_terms_found ON passage_terms USING gin (terms)",
    ],
}


def create(connection: sa.Connection, tables: Sequence[sa.Table]) -> bool:
    """Make the tables; returns whether they were not there."""
    if sa.inspect(connection).has_table(tables[0].name):
        return False
    passages = any(table.name == "passages" for table in tables)
    if passages and connection.dialect.name == "postgresql":
        add_pgvector(connection)
        jobs.create(connection)
    tables[0].metadata.create_all(connection, tables=tables)
    for statement in _MORE[connection.dialect.name] if passages else ():
        connection.execute(sa.text(statement))
    return True
