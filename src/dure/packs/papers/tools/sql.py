"""`papers_sql`: questions of counting, ranking and distribution, as SQL that a model wrote.

The SQL never meets the real database: the owner's visible rows go into `dure.data.sandbox`, and it runs there.
"""

from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

import sqlalchemy as sa

from dure import markdown
from dure.data.limits import LOAD_SECONDS, MAX_SQL_CHARS, Limits
from dure.data.sandbox import Given, Sandbox
from dure.markdown import unfenced
from dure.packs.papers import TEXTS
from dure.packs.papers.library.base import Papers
from dure.packs.papers.library.glossary import seen_by
from dure.packs.papers.storage import citations, library, marks
from dure.packs.papers.storage import papers as stored
from dure.tooling import Tool, ToolContext, ToolResult, an_object

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
        "own": "BOOLEAN",
    },
    "authors": {"id": "BIGINT", "name": "TEXT"},
    "paper_authors": {"paper_id": "TEXT", "author_id": "BIGINT", "position": "BIGINT"},
    "citations": {"citing_id": "TEXT", "cited_id": "TEXT"},
    "marks": {"paper_id": "TEXT", "kind": "TEXT", "name": "TEXT"},
    "glossary": {"term_ko": "TEXT", "term_en": "TEXT", "field": "TEXT"},
}
"""Each table's columns with their SQL types."""
LIMITS = Limits(rows=200, seconds=2.0, size=100_000, cell=500)
_SCHEMA = ", ".join(f"{table}({', '.join(columns)})" for table, columns in TABLES.items())
_DESCRIPTION = (
    "Count, rank or compare the papers of the library with one SELECT statement (DuckDB SQL) and get the rows. "
    f"Tables: {_SCHEMA}. paper_authors joins papers.id and authors.id, position 1 is the first author; "
    "papers.citations: how often cited anywhere, as the source says, NULL where it does not; "
    "the table citations: of papers here by papers here, to be counted instead; "
    "papers.own: added by the user, not of the set that comes with Dure; marks.kind: tag or collection. "
    f"At most {LIMITS.rows} rows are returned. Not for what papers say: search them for that."
)
_EXAMPLE = "e.g. SELECT year, count(*) AS papers FROM papers GROUP BY year ORDER BY year"
_PARAMETERS = an_object(
    {"sql": {"type": "string", "minLength": 1, "maxLength": MAX_SQL_CHARS, "description": _EXAMPLE}}
)
_TEXT = TEXTS["tools_sql.text"]

Statistics = dict[str, list[tuple[Any, ...]]]


def statistics(connection: sa.Connection, owner: str) -> Statistics:
    """What the owner sees, as rows by table (`tools.sql.TABLES` has their columns). Ids of papers are those of `Paper`;
    authors are numbered here, one for each name; what is not known is None. A paper that stands for one of everybody's
    has that one's citations too."""
    rows = stored.outlines(connection, owner)
    id_of = {row["number"]: row["id"] for row in rows}
    author_ids: dict[str, int] = {}
    authors: dict[int, str] = {}
    written: list[tuple[Any, ...]] = []
    for paper, position, key, name in stored.authorships(connection, owner):
        if paper in id_of:
            author = author_ids.setdefault(key, len(author_ids) + 1)
            authors.setdefault(author, name)
            written.append((id_of[paper], author, position))
    id_of |= {row["shared"]: row["id"] for row in rows if row["shared"] is not None}
    cited = {(id_of.get(a), id_of.get(b)) for a, b in citations.pairs(connection, owner)}
    return {
        "papers": [tuple(row[name] if row[name] != "" else None for name in TABLES["papers"]) for row in rows],
        "marks": [
            (id_of[paper], kind, name) for paper, kind, name in marks.of_owner(connection, owner) if paper in id_of
        ],
        "authors": list(authors.items()),
        "paper_authors": written,
        "citations": sorted((a, b) for a, b in cited if a and b and a != b),
        "glossary": [(each.term_ko, each.term_en, each.field) for each in seen_by(connection, owner)],
    }


def statistics_tool(papers: Papers, sandbox: Sandbox, limits: Limits = LIMITS) -> Tool:
    """`papers_sql` {sql}: SQL over an owner's papers. The result's data is `{sql, columns, rows, truncated, seconds}`.
    Each owner's rows live in a process of the sandbox, and are read anew when the papers change."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        owner = context.owner
        tables = Given(await papers.read(library.version, owner), TABLES, partial(papers.read, statistics, owner))
        found = await sandbox.run(owner, tables, unfenced(args["sql"]), limits)
        found = replace(found, rows=[[_plain(value) for value in row] for row in found.rows])
        key = "cut" if found.more else "rows"
        count = _TEXT[key][context.language].format(count=len(found.rows))
        table = markdown.table(found.columns, found.texts)
        data = {
            "sql": found.sql,
            "columns": found.columns,
            "rows": found.rows,
            "truncated": found.more,
            "seconds": round(found.seconds, 4),
        }
        return ToolResult(f"{table}\n\n{count}", data=data)

    seconds = 2 * LOAD_SECONDS + limits.seconds
    return Tool("papers_sql", _DESCRIPTION, _PARAMETERS, run, timeout=seconds, untrusted=True)


def _plain(value: Any) -> Any:
    """A value as JSON has it, truth values as numbers."""
    if isinstance(value, bool):
        return int(value)
    return float(value) if isinstance(value, Decimal) else value
