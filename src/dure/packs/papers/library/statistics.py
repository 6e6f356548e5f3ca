"""The papers as plain tables, for questions of counting."""

from typing import Any

import sqlalchemy as sa

from dure.packs.papers.library.glossary import seen_by
from dure.packs.papers.record import Statistics
from dure.packs.papers.storage import citations, papers

_COLUMNS = ("id", "title", "year", "venue", "field", "citations", "arxiv_id", "doi", "url")


def statistics(connection: sa.Connection, owner: str) -> Statistics:
    """What the owner sees. Ids of papers are those of `Paper`; authors are numbered here, one for each name; what is
    not known is None. A paper that stands for one of everybody's has that one's citations too."""
    rows = papers.outlines(connection, owner)
    id_of = {row["number"]: row["id"] for row in rows}
    id_of |= {row["shared"]: row["id"] for row in rows if row["shared"] is not None}
    numbers = [row["number"] for row in rows]
    author_ids: dict[str, int] = {}
    names: list[tuple[Any, ...]] = []
    written: list[tuple[Any, ...]] = []
    for paper, position, key, name in papers.authorships(connection, owner):
        if paper not in id_of:
            continue
        if key not in author_ids:
            author_ids[key] = len(author_ids) + 1
            names.append((author_ids[key], name))
        written.append((paper, author_ids[key], position))
    seen = set(numbers)
    cited = {(id_of.get(a), id_of.get(b)) for a, b in citations.pairs(connection, owner)}
    terms = [(each.term_ko, each.term_en, each.field) for each in seen_by(connection, owner)]
    return {
        "papers": (
            list(_COLUMNS),
            [tuple(row[name] if row[name] != "" else None for name in _COLUMNS) for row in rows],
        ),
        "authors": (["id", "name"], names),
        "paper_authors": (
            ["paper_id", "author_id", "position"],
            [(id_of[paper], author, position) for paper, author, position in written if paper in seen],
        ),
        "citations": (["citing_id", "cited_id"], sorted((a, b) for a, b in cited if a and b and a != b)),
        "glossary": (["term_ko", "term_en", "field"], terms),
    }
