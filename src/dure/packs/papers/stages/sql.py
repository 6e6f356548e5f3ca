"""`text2sql`: counts, rankings and distributions over the library's tables.

The model fills in a query object, code checks it and makes the SQL. Where the object cannot say what is asked, a larger
model writes the SQL itself, which the answer tells; a small one's would be wrong too often.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from dure import markdown
from dure.data.questions.description import Description
from dure.data.questions.likeness import likeness
from dure.data.questions.linking import Links
from dure.data.questions.query import asked
from dure.data.questions.sql import compiled, literal
from dure.data.questions.telling import caveats, refusal, sentence
from dure.data.questions.understanding import Understood, understand
from dure.data.questions.words import stems
from dure.errors import DureError
from dure.packs.papers.stages import text
from dure.packs.papers.stages.described import NAMED, linked, looked_up
from dure.teams.stages.method import Method
from dure.teams.stages.stage import Done, Stage
from dure.tooling import ToolResult, an_object

QUERY = "papers_sql"
_ASK = """Write one DuckDB SELECT that answers the question. Reply with JSON.
{tables}
Rules: only these tables and columns. Count papers with COUNT(DISTINCT ...) after a join. Name each output column with \
AS. Sort rankings, and limit them only as the question asks."""
_SCHEMA = an_object({"sql": {"type": "string"}})
_WRITE = """Answer the question in one to three sentences, from this result of a query alone; every number must \
stand in it. Do not repeat the table: it is shown below your answer. Do not speak of SQL."""
_TRIES = 2
_SHOWN = 30
"""Rows of a result in an answer."""


_THAT = r"(?<![가-힣])[이그저]\s?{ko}(들)?|\b(?:this|that|(these|those))\s{en}"
"""How rows are pointed to that the question does not name, one or several."""


def points(question: str, description: Description, *, said: bool) -> bool:
    """Whether the question points to rows without naming them: "그 논문", "that paper". said: there were turns before;
    where nothing was said, "these papers" are all there are."""
    names = {language: re.escape(label.removesuffix("s")) for language, label in description.label.items()}
    found = re.finditer(_THAT.format(**names), question, re.IGNORECASE)
    return any(said or not (match[1] or match[2]) for match in found)


async def text2sql(stage: Stage) -> Done:
    """Count what the question asks for; say so where it cannot be counted, or was not understood for certain."""
    run, question = stage.run, stage.known.request
    held = await stage.call(QUERY, sql=looked_up(question))
    description, links = linked(question, _table_of(held)[1], stage.known)
    if not stage.known.papers and points(question, description, said=bool(run.history)):
        return stage.done(text("no_paper", run.language))
    # What is said to whoever works after it, as of a file, says nothing of what is counted.
    examples = [example for agent in (stage.agent, *stage.later) for example in agent.examples]
    ordinary = None if run.way.asks else stems([*examples, *description.examples.splitlines()[::2]])
    # The conversation is not told: it misleads a small model, and the request stands alone.
    place: dict[str, Any] = {"agent": stage.agent.name, "work_id": stage.work_id}
    ask = partial(run.filled, "count", max_tokens=run.way.tokens.get("form"), **place)
    understood = await understand(description, links, ask, ordinary, likeness(run.embedder))
    if understood.query is not None:
        meant = {str(paper["title"]) for paper in stage.known.papers}
        named = {each.value for each in understood.query.filters if each.field in NAMED}
        if unknown := sorted(named - meant):
            return stage.done(text("no_such_paper", run.language, names=", ".join(unknown)))
        result = await stage.call(QUERY, sql=compiled(understood.query, description))
        if not result.is_error:
            return _counted(stage, result, understood, description)
    if run.way.asks:
        return await _free(stage, description, links)
    return stage.done(refusal(understood, description, run.language))


def _counted(stage: Stage, result: ToolResult, understood: Understood, description: Description) -> Done:
    language, query = stage.run.language, understood.query
    assert query is not None
    columns, rows, _ = _table_of(result)
    said = sentence(query, description, columns, rows, language)
    said = "\n\n".join(filter(None, [caveats(understood, language), said]))
    return _answer(stage, result, said, shown=len(rows) > 1)


async def _free(stage: Stage, description: Description, links: Links) -> Done:
    """Have the model write a query, run it, and once more with the database's error."""
    run = stage.run
    # No table knows "that paper": the ids of the papers that are meant are told.
    meant = [f"- papers.id = {literal(p['id'])}: {p['title']}" for p in stage.known.papers]
    question = "\n".join(
        [asked(description, links), *(["", "Papers that the message means:", *meant] if meant else [])]
    )
    material, failed = question, ""
    for _ in range(_TRIES):
        written = await stage.write_json(
            _ASK.format(tables=stage.tools[QUERY].description), material, _SCHEMA, purpose="sql"
        )
        sql = str(written.get("sql") or "") if isinstance(written, Mapping) else ""
        result = await stage.call(QUERY, sql=sql)
        if not result.is_error:
            return await _told(stage, result)
        failed = result.text
        material = f"{question}\n\nThis query was wrong:\n{sql}\n{failed}\nWrite it again, mended."
    return stage.done(text("no_sql", run.language, reason=failed))


async def _told(stage: Stage, result: ToolResult) -> Done:
    run = stage.run
    columns, rows, more = _table_of(result)
    count = len(rows)
    said, reason = text("rows_at_least" if more else "rows", run.language, count=count), None
    single = count == 1 and len(columns) == 1
    if not rows:
        said = text("no_rows", run.language)
    elif single:
        said = text("one_value", run.language, name=columns[0], value=_cell(rows[0][0]))
    elif stage.last and run.way.tells:
        try:
            said = await stage.write(_WRITE, f"{run.message}\n\nResult:\n{result.text}") or said
        except DureError as error:
            # The table is the answer; what is missing are only words about it.
            reason = error.code
    said = f"{said}\n\n{text('own_sql', run.language)}"
    return _answer(stage, result, said, shown=bool(rows) and not single, reason=reason)


def _table_of(result: ToolResult) -> tuple[list[str], list[list[Any]], bool]:
    """Columns and rows of a result of `papers_sql`, and whether there may be more rows."""
    data = result.fields
    return list(data.get("columns") or []), list(data.get("rows") or []), bool(data.get("truncated"))


def _answer(stage: Stage, result: ToolResult, said: str, *, shown: bool, **more: Any) -> Done:
    """A sentence, the table if it is `shown`, what is left out of it, the SQL."""
    language = stage.run.language
    columns, rows, cut = _table_of(result)
    parts = [said]
    if shown:
        parts.append(markdown.table(columns, [[_cell(each) for each in row] for row in rows[:_SHOWN]]))
        if len(rows) > _SHOWN or cut:
            key = "rows_cut" if cut else "rows_shown"
            parts.append(text(key, language, shown=min(len(rows), _SHOWN), count=len(rows)))
    parts.append(f"{text('sql', language)}:\n```sql\n{result.fields.get('sql', '')}\n```")
    return stage.done("\n\n".join(parts), table={"columns": columns, "rows": rows}, **more)


def _cell(value: Any) -> str:
    """A value as it is shown: four digits of what is no whole number."""
    if value is None:
        return ""
    if isinstance(value, float):
        value = f"{value:.4g}" if abs(value) < 1e6 else f"{value:.0f}"
    return " ".join(str(value).split())


METHOD = Method(text2sql, subject="papers")
