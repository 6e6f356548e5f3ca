"""The tables that SQL over papers may ask."""

from dure.data.limits import Limits

TABLES: dict[str, dict[str, str]] = {
    "papers": {
        "id": "TEXT",
        "title": "TEXT",
        "year": "BIGINT",
        "venue": "TEXT",
        "field": "TEXT",
        "citations": "BIGINT",
        "arxiv_id": "TEXT",
        "doi": "TEXT",
        "url": "TEXT",
    },
    "authors": {"id": "BIGINT", "name": "TEXT"},
    "paper_authors": {"paper_id": "TEXT", "author_id": "BIGINT", "position": "BIGINT"},
    "citations": {"citing_id": "TEXT", "cited_id": "TEXT"},
    "glossary": {"term_ko": "TEXT", "term_en": "TEXT", "field": "TEXT"},
}
"""Each table's columns with their SQL types."""

LIMITS = Limits(rows=200, seconds=2.0, size=100_000, cell=500)
