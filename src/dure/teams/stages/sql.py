"""`text2sql`: counts, rankings and distributions over the library's tables."""

from collections.abc import Mapping
from typing import Any

from dure.errors import DureError
from dure.teams.stages.stage import Done, Stage
from dure.teams.stages.texts import text
from dure.tooling import ToolResult
from dure.tools.tables import markdown

TABLES, QUERY = "papers_tables", "papers_sql"
_SHOWN = 30
"""Rows of a result in an answer."""
_ASK = """Write one SQLite SELECT that answers the question. Reply with JSON.
{tables}
Rules: only these tables and columns. Count papers with COUNT(DISTINCT ...) after a join. Name each output column with \
AS. Sort rankings, and limit them only as the question asks."""
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"sql": {"type": "string"}},
    "required": ["sql"],
    "additionalProperties": False,
}
_WRITE = """Answer the question in one to three sentences, from this result of a query alone; every number must \
stand in it. Do not repeat the table: it is shown below your answer. Do not speak of SQL."""
_TRIES = 2


async def text2sql(stage: Stage) -> Done:
    """Have the model write a query, run it, and once more with the database's error."""
    run = stage.run
    tables = await stage.call(TABLES)
    if tables is None:
        return stage.waiting()
    material, failed = run.message, ""
    for _ in range(_TRIES):
        written = await stage.write_json(_ASK.format(tables=tables.text), material, _SCHEMA, purpose="sql")
        sql = written.get("sql") if isinstance(written, Mapping) else None
        if not isinstance(sql, str) or not sql.strip():
            failed, material = "no SQL", f"{run.message}\n\nThe reply held no SQL. Write it again."
            continue
        result = await stage.call(QUERY, sql=sql)
        if result is None:
            return stage.waiting()
        if not result.is_error:
            return await _answer(stage, result)
        failed = result.text
        material = f"{run.message}\n\nThis query was wrong:\n{sql}\n{failed}\nWrite it again, mended."
    return stage.done(text("no_sql", run.language, reason=failed))


async def _answer(stage: Stage, result: ToolResult) -> Done:
    run = stage.run
    data: dict[str, Any] = result.data if isinstance(result.data, dict) else {}
    columns, rows = list(data.get("columns") or []), list(data.get("rows") or [])
    count, more = len(rows), bool(data.get("truncated"))
    shown = markdown(columns, [[_cell(each) for each in row] for row in rows[:_SHOWN]]) if rows else ""
    query = f"{text('sql', run.language)}:\n```sql\n{data.get('sql', '')}\n```"
    sentence, reason = text("rows_at_least" if more else "rows", run.language, count=count), None
    if not rows:
        sentence = text("no_rows", run.language)
    elif count == 1 and len(columns) == 1:
        sentence, shown = text("one_value", run.language, name=columns[0], value=_cell(rows[0][0])), ""
    elif stage.last and not run.model.small:
        try:
            sentence = await stage.write(_WRITE, f"{run.message}\n\nResult:\n{result.text}") or sentence
        except DureError as error:
            # The table is the answer; what is missing are only words about it.
            reason = error.code
    left_out = ""
    if count > _SHOWN or more:
        key = "rows_cut" if more else "rows_shown"
        left_out = text(key, run.language, shown=min(count, _SHOWN), count=count)
    answer = "\n\n".join(part for part in (sentence, shown, left_out, query) if part)
    return stage.done(answer, table={"columns": columns, "rows": rows}, reason=reason)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        value = f"{value:.4g}" if abs(value) < 1e6 else f"{value:.0f}"
    return " ".join(str(value).split())
