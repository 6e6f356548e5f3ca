"""How the result of a query is shown: a sentence, the table, what is left out of it, the SQL."""

from typing import Any

from dure import markdown
from dure.packs.papers.stages.texts import text
from dure.teams.stages.stage import Done, Stage
from dure.tooling import ToolResult

_SHOWN = 30
"""Rows of a result in an answer."""


def table_of(result: ToolResult) -> tuple[list[str], list[list[Any]], bool]:
    """Columns and rows of a result of `papers_sql`, and whether there may be more rows."""
    data: dict[str, Any] = result.data if isinstance(result.data, dict) else {}
    return list(data.get("columns") or []), list(data.get("rows") or []), bool(data.get("truncated"))


def answer(
    stage: Stage, result: ToolResult, sentence: str, columns: list[str], rows: list[list[Any]], **more: Any
) -> Done:
    """The stage's answer. columns, rows: as people read them; a single value stands in the sentence alone."""
    language, cut = stage.run.language, table_of(result)[2]
    single = len(rows) == 1 and len(columns) == 1
    shown = (
        markdown.table(columns, [[cell(each) for each in row] for row in rows[:_SHOWN]]) if rows and not single else ""
    )
    left_out = ""
    if len(rows) > _SHOWN or cut:
        key = "rows_cut" if cut else "rows_shown"
        left_out = text(key, language, shown=min(len(rows), _SHOWN), count=len(rows))
    query = f"{text('sql', language)}:\n```sql\n{(result.data or {}).get('sql', '')}\n```"
    said = "\n\n".join(part for part in (sentence, shown, left_out, query) if part)
    return stage.done(said, table={"columns": columns, "rows": rows}, **more)


def cell(value: Any) -> str:
    """A value as it is shown: four digits of what is no whole number."""
    if value is None:
        return ""
    if isinstance(value, float):
        value = f"{value:.4g}" if abs(value) < 1e6 else f"{value:.0f}"
    return " ".join(str(value).split())
