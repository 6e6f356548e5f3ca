"""`papers_tables` and `papers_sql`: questions of counting, ranking and distribution, as SQL that a model wrote.

The SQL never meets the real database. The owner's visible rows go into a private SQLite in memory, in a process of
its own; there a parser (`sql_guard`) and SQLite's own authorizer and limits (`sql_engine`) each keep out what is no
harmless SELECT.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dure import markdown
from dure.child import Message
from dure.data.sql import MAX_SQL_CHARS
from dure.data.worker import Workers
from dure.errors import Language
from dure.markdown import unfenced
from dure.packs.papers.texts import TEXTS
from dure.packs.papers.tools.sql_engine import SECONDS
from dure.packs.papers.tools.sql_facts import described
from dure.packs.papers.tools.sql_tables import MAX_ROWS, TABLES
from dure.tooling import Tool, ToolContext, ToolResult

_LOAD_SECONDS = 30.0
_GRACE = 3.0
_CHUNK = 5_000

_SCHEMA = ", ".join(f"{table}({', '.join(columns)})" for table, columns in TABLES.items())
_DESCRIPTION = (
    "Count, rank or compare the papers of the library with one SELECT statement (SQLite) and get the rows. "
    f"Tables: {_SCHEMA}. paper_authors joins papers.id and authors.id; papers.citations: how often cited. "
    f"At most {MAX_ROWS} rows are returned. Not for what papers say: search them for that."
)
_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "sql": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_SQL_CHARS,
            "description": "e.g. SELECT year, count(*) AS papers FROM papers GROUP BY year ORDER BY year",
        }
    },
    "required": ["sql"],
    "additionalProperties": False,
}
_TABLES = "Tables, columns and helpful values of the library of papers, to write SQL for papers_sql."
_NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
_TEXT = TEXTS["tools_sql.text"]


class StatisticsSource(Protocol):
    """What is asked of the library of papers here."""

    async def version(self, owner: str) -> str:
        """Changes whenever the papers or terms that the owner sees change."""
        ...

    async def statistics(self, owner: str) -> Mapping[str, tuple[Sequence[str], Sequence[Sequence[Any]]]]:
        """Columns and rows of each table of `TABLES`; only what the owner may see."""
        ...


@dataclass(slots=True)
class Answer:
    """`sql`: as it ran, written anew by the guard. Rows hold str, int, float and None. `seconds`: of the query."""

    sql: str
    columns: list[str]
    rows: list[list[Any]]
    truncated: bool
    """There may be more rows than these."""
    seconds: float


class PaperStatistics:
    """SQL over an owner's papers. Each owner's rows live in a process of their own, made when first needed, refreshed
    when the papers change, kept for a while, and ended by `close`. ready: what has to be loaded before.
    """

    def __init__(
        self,
        papers: StatisticsSource,
        *,
        query_seconds: float = SECONDS,
        ready: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._papers = papers
        self._ready = ready
        self._query_seconds = query_seconds
        self._workers = Workers("dure.packs.papers.tools.sql_child", _GRACE)

    def tools(self) -> list[Tool]:
        """`papers_tables` {}: what can be asked, in words for a model.
        `papers_sql` {sql}: the result's data is `{sql, columns, rows, truncated, seconds}`.
        """
        seconds = 2 * _LOAD_SECONDS + self._query_seconds
        return [
            Tool("papers_tables", _TABLES, _NO_PARAMETERS, self._tell, timeout=seconds, untrusted=True),
            Tool("papers_sql", _DESCRIPTION, _PARAMETERS, self._run, timeout=seconds, untrusted=True),
        ]

    async def query(self, owner: str, sql: str, limit: int = MAX_ROWS) -> Answer:
        """The rows of one SELECT, at most `limit`. Raises ToolInputError, with SQLite's own words where it has some."""
        sql = unfenced(sql)
        found = await self._ask(owner, {"sql": sql, "limit": limit, "seconds": self._query_seconds})
        return Answer(found["sql"], found["columns"], found["rows"], found["cut"], found["seconds"])

    async def schema_text(self, owner: str, language: Language) -> str:
        """The tables, columns and their meaning, and the values that help to ask: for a prompt."""
        return described(await self._ask(owner, {"facts": True, "seconds": 5 * SECONDS}), language)

    async def close(self) -> None:
        """End all processes."""
        await self._workers.close()

    async def _tell(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult(await self.schema_text(context.owner, context.language))

    async def _run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        found = await self.query(context.owner, args["sql"])
        key = "cut" if found.truncated else "rows"
        count = _TEXT[key][context.language].format(count=len(found.rows))
        table = markdown.table(found.columns, [[_shown(value) for value in row] for row in found.rows])
        data = {
            "sql": found.sql,
            "columns": found.columns,
            "rows": found.rows,
            "truncated": found.truncated,
            "seconds": round(found.seconds, 4),
        }
        return ToolResult(f"{table}\n\n{count}", data=data)

    async def _ask(self, owner: str, request: Message) -> Message:
        if self._ready is not None:
            await self._ready()
        version = await self._papers.version(owner)
        request = {**request, "version": version}
        worker = await self._workers.of(owner)
        # Starting a process takes longer than a query may.
        await worker.ask({"ready": True, "seconds": _LOAD_SECONDS})
        (answer,) = await worker.ask(request)
        if "stale" in answer:
            tables = await self._papers.statistics(owner)
            answer = (await worker.ask(*_load(tables, version), request))[-1]
        return answer


def _load(tables: Mapping[str, tuple[Sequence[str], Sequence[Sequence[Any]]]], version: str) -> list[Message]:
    """In pieces, so that no single one keeps the event loop."""
    loads: list[Message] = [{"open": True}]
    for table, (columns, rows) in tables.items():
        for start in range(0, len(rows), _CHUNK):
            piece = [list(row) for row in rows[start : start + _CHUNK]]
            loads.append({"table": table, "columns": list(columns), "rows": piece})
    loads.append({"seal": version})
    return [{**load, "seconds": _LOAD_SECONDS} for load in loads]


def _shown(value: Any) -> str:
    """Numbers to 10 digits, nothing for NULL."""
    if value is None:
        return ""
    return f"{value:.10g}" if isinstance(value, float) else str(value)
