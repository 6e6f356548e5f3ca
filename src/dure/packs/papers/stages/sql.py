"""`text2sql`: counts, rankings and distributions over the library's tables."""

from collections.abc import Mapping
from typing import Any

from dure.errors import DureError
from dure.packs.papers.stages.counting import QUERY, count
from dure.packs.papers.stages.counting_papers import meant
from dure.packs.papers.stages.sql_answer import answer, cell, table_of
from dure.packs.papers.stages.sql_form import text as quoted
from dure.packs.papers.stages.texts import text
from dure.teams.stages.method import Method
from dure.teams.stages.stage import Done, Stage
from dure.tooling import ToolResult

TABLES = "papers_tables"
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
    """Count by a form where the model is small and the question fits one; else have the model write a query, run it,
    and once more with the database's error."""
    run = stage.run
    if not run.way.asks and (counted := await count(stage)) is not None:
        return counted
    tables = await stage.call(TABLES)
    if tables is None:
        return stage.waiting()
    question = _question(stage)
    material, failed = question, ""
    for _ in range(_TRIES):
        written = await stage.write_json(_ASK.format(tables=tables.text), material, _SCHEMA, purpose="sql")
        sql = written.get("sql") if isinstance(written, Mapping) else None
        if not isinstance(sql, str) or not sql.strip():
            failed, material = "no SQL", f"{question}\n\nThe reply held no SQL. Write it again."
            continue
        result = await stage.call(QUERY, sql=sql)
        if result is None:
            return stage.waiting()
        if not result.is_error:
            return await _told(stage, result)
        failed = result.text
        material = f"{question}\n\nThis query was wrong:\n{sql}\n{failed}\nWrite it again, mended."
    return stage.done(text("no_sql", run.language, reason=failed))


def _question(stage: Stage) -> str:
    """The message, with the ids of the papers that it means: no table knows "that paper"."""
    lines = [f"- papers.id = {quoted(paper['id'])}: {paper['title']}" for paper in meant(stage.known)]
    return "\n".join([stage.run.message, *(["", "Papers that the message means:", *lines] if lines else [])])


async def _told(stage: Stage, result: ToolResult) -> Done:
    run = stage.run
    columns, rows, more = table_of(result)
    count = len(rows)
    sentence, reason = text("rows_at_least" if more else "rows", run.language, count=count), None
    if not rows:
        sentence = text("no_rows", run.language)
    elif count == 1 and len(columns) == 1:
        sentence = text("one_value", run.language, name=columns[0], value=cell(rows[0][0]))
    elif stage.last and run.way.tells:
        try:
            sentence = await stage.write(_WRITE, f"{run.message}\n\nResult:\n{result.text}") or sentence
        except DureError as error:
            # The table is the answer; what is missing are only words about it.
            reason = error.code
    return answer(stage, result, sentence, columns, rows, reason=reason)


METHOD = Method(text2sql, subject="papers")
