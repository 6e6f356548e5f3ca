"""The papers as plain tables, for questions of counting."""

from typing import Any

import sqlalchemy as sa

from dure.packs.papers.library.glossary import seen_by
from dure.packs.papers.storage import citations, papers

_COLUMNS = ("id", "title", "year", "venue", "field", "citations", "arxiv_id", "doi", "url")

Statistics = dict[str, list[tuple[Any, ...]]]


def statistics(connection: sa.Connection, owner: str) -> Statistics:
    """What the owner sees, as rows by table (`tools.sql.TABLES` has their columns). Ids of papers are those of `Paper`;
    authors are numbered here, one for each name; what is not known is None. A paper that stands for one of everybody's
    has that one's citations too."""
    rows = papers.outlines(connection, owner)
    id_of = {row["number"]: row["id"] for row in rows}
    author_ids: dict[str, int] = {}
    authors: list[tuple[Any, ...]] = []
    written: list[tuple[Any, ...]] = []
    for paper, position, key, name in papers.authorships(connection, owner):
        if paper in id_of:
            if key not in author_ids:
                author_ids[key] = len(author_ids) + 1
                authors.append((author_ids[key], name))
            written.append((id_of[paper], author_ids[key], position))
    id_of |= {row["shared"]: row["id"] for row in rows if row["shared"] is not None}
    cited = {(id_of.get(a), id_of.get(b)) for a, b in citations.pairs(connection, owner)}
    return {
        "papers": [tuple(row[name] if row[name] != "" else None for name in _COLUMNS) for row in rows],
        "authors": authors,
        "paper_authors": written,
        "citations": sorted((a, b) for a, b in cited if a and b and a != b),
        "glossary": [(each.term_ko, each.term_en, each.field) for each in seen_by(connection, owner)],
    }
