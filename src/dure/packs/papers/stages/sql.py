"""`text2sql`: counts, rankings and distributions over the library's tables.

The model fills in a query object, code checks it and makes the SQL; a larger model one for each thing that is asked.
Where objects cannot say it, that writes the SQL itself, which the answer tells; a small one's would be wrong too often.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from dure import markdown
from dure.data.questions.able import objects
from dure.data.questions.description import Description
from dure.data.questions.likeness import likeness
from dure.data.questions.linking import Links
from dure.data.questions.query import Query, asked, unfilled
from dure.data.questions.sql import compiled, literal
from dure.data.questions.telling import caveats, headings, reading, refusal, sentence, title
from dure.data.questions.understanding import understand
from dure.data.questions.words import stems
from dure.errors import DureError
from dure.packs.papers.stages import ours, prompt, text
from dure.packs.papers.stages.described import NAMED, linked, looked_up, spoken_of
from dure.packs.papers.stages.meant import named_in
from dure.packs.papers.tools.save import SAVE
from dure.packs.papers.tools.sql import TABLES
from dure.storage.terms import terms
from dure.teams.stages.method import Method
from dure.teams.stages.stage import Done, Stage
from dure.tooling import ToolResult, an_object

QUERY = "papers_sql"
_SCHEMA = an_object({"sql": {"type": "string"}, "lacking": {"type": "string", "maxLength": 80}})
_TRIES = 2
_SHOWN = 30
"""Rows of a result in an answer."""
_NEAREST = 3
"""Titles that are said where no paper has a name."""


_THAT = r"(?<![가-힣])[이그저]\s?{ko}(들)?|\b(?:this|that|(these|those))\s{en}"
"""How rows are pointed to that the question does not name, one or several."""


def points(question: str, description: Description, *, said: bool) -> bool:
    """Whether the question points to rows without naming them: "그 논문", "that paper". said: there were turns before;
    where nothing was said, "these papers" are all there are."""
    names = {language: re.escape(label.removesuffix("s")) for language, label in description.label.items()}
    found = re.finditer(_THAT.format(**names), question, re.IGNORECASE)
    return any(said or not (match[1] or match[2]) for match in found)


class _Part(NamedTuple):
    """What answers one thing that was asked: how that was read, what is said of it, with its table and SQL."""

    head: str
    text: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    reason: str | None = None
    name: str = ""
    """What it is called, for a file of it."""


async def text2sql(stage: Stage) -> Done:
    """Count what the question asks for; say so where it cannot be counted, or was not understood for certain."""
    run, question = stage.run, stage.known.request
    held = await stage.call(QUERY, sql=looked_up(question))
    description, links = linked(question, _table_of(held)[1], stage.known)
    told_of = stage.known.papers or stage.known.found
    if not told_of and points(question, description, said=bool(run.history)):
        return stage.done(text("no_paper", run.language))
    # The conversation is not told: it misleads a small model, and the request stands alone.
    ask = partial(run.filled, "count", max_tokens=run.way.tokens.get("form"), **stage.place)
    if run.way.asks:
        asking = partial(objects, description, links, ask, alone=bool(run.written))
        return await _each(stage, description, links, *await asking(elsewhere=partial(_elsewhere, stage)))
    # What is said to whoever works after it, as of a file, says nothing of what is counted.
    examples = [example for agent in (stage.agent, *stage.later) for example in agent.examples]
    ordinary = stems([*examples, *description.examples.splitlines()[::2]])
    understood = await understand(description, links, ask, ordinary, likeness(run.embedder))
    counted = await _counted(stage, understood.query, description, caveats(understood, description, run.language))
    return _done(stage, [counted]) if counted else stage.done(refusal(understood, description, run.language))


def _elsewhere(stage: Stage, left: str) -> bool:
    """Whether another agent does what is left: one that comes later, or one before told of it, in most of its words."""
    its, told = {*terms(left)}, {*terms(stage.before())}
    return 3 * len(its & told) > 2 * len(its) or any(each.method != SAVE for each in stage.later)


async def _each(stage: Stage, description: Description, links: Links, found: Sequence[Query], left: str) -> Done:
    """Answer each thing that is asked, one below the other; what no object can say by SQL that the model writes; and
    say what nobody does here."""
    parts = [await _counted(stage, query, description) for query in found]
    told = [part for part in parts if part]
    if len(told) < len(parts):
        told.append(await _free(stage, description, links, told))
    if left:
        told.append(_Part("", ours(stage.run, "only_counts", what=left)))
    return _done(stage, told)


async def _counted(stage: Stage, query: Query | None, description: Description, left: str = "") -> _Part | None:
    """None where there is no such query, or the database does not take it. left: what the question says besides."""
    if query is None or query.answer == "cannot":
        return None
    language, named = stage.run.language, {str(paper["title"]): paper for paper in spoken_of(stage.known)}
    for each in (each for each in query.filters if each.field in NAMED and each.value not in named):
        found = await named_in(stage.run, each.value, near=_NEAREST, name=True)
        if len(found.papers) != 1:
            titles = "; ".join(str(paper["title"]) for paper in [*found.papers, *found.near][:_NEAREST])
            unknown = text("no_such_paper", language, names=each.value)
            return _Part("", " ".join([unknown, *([text("nearest", language, titles=titles)] if titles else [])]))
        (paper,) = found.papers
        called = replace(each, value=str(paper["title"]))
        query = replace(query, filters=tuple(called if held == each else held for held in query.filters))
        named[called.value] = paper
    result = await stage.call(QUERY, sql=compiled(query, description))
    if result.is_error:
        return None
    columns, rows, _ = _table_of(result)
    empty = dict[str, int]()
    for name, of in unfilled(query, description).items():
        _, counts, _ = _table_of(await stage.call(QUERY, sql=compiled(of, description)))
        empty[name] = counts[0][0] if counts else 0
    # What a paper cites is known where its references were told, and only as far as it is here too.
    alone = {name for name, paper in named.items() if not paper.get("references")}
    citing = [each.value for each in query.filters if each.field == "cited_by_paper" and each.value in alone]
    notes = [text("cites_none", language, title=title) for title in citing]
    told = stage.run.own(" ".join([sentence(query, description, columns, rows, language, empty), *notes]))
    said = "\n\n".join(filter(None, [left, told]))
    names = headings(columns, query, description, language)
    head, name = reading(query, description, language), title(query, description, language)
    return _part(stage, result, said, names, shown=len(rows) > 1)._replace(head=head, name=name)


async def _free(stage: Stage, description: Description, links: Links, told: Sequence[_Part]) -> _Part:
    """Have the model write a query, run it, and once more with the database's error. told: what is answered already."""
    run = stage.run
    # No table knows "that paper": the ids of the papers that are meant are told.
    meant = [f"- papers.id = {literal(p['id'])}: {p['title']}" for p in spoken_of(stage.known)]
    question = "\n".join(
        [
            asked(description, links),
            *await _filled(stage),
            *(["", "Papers that the message means:", *meant] if meant else []),
            *(["", "Answered already, ask for the rest:", *(f"- {each.head}" for each in told)] if told else []),
        ]
    )
    rules, material, failed = prompt("sql.ask", tables=stage.tools[QUERY].description), question, ""
    for _ in range(_TRIES):
        filled = await stage.write_json(rules, material, _SCHEMA, purpose="sql")
        sql, lacking = str(filled.get("sql") or ""), str(filled.get("lacking") or "").strip()
        if lacking and not sql.strip():
            return _Part("", text("not_held", run.language, what=lacking))
        result = await stage.call(QUERY, sql=sql)
        if not result.is_error:
            return await _told(stage, result, "".join(f"{each.text}\n\n" for each in told))
        failed = result.text
        material = f"{question}\n\nThis query was wrong:\n{sql}\n{failed}\nWrite it again, mended."
    return _Part("", text("no_sql", run.language, reason=failed))


async def _filled(stage: Stage) -> list[str]:
    """How many papers have a value in columns that not all have: an average of what is empty is none."""
    columns = TABLES["papers"]
    counts = ", ".join(f"count({name}) AS {name}" for name in columns)
    _, rows, _ = _table_of(await stage.call(QUERY, sql=f"SELECT {counts} FROM papers"))  # noqa: S608
    held = dict(zip(columns, *rows, strict=True)) if rows else {}
    some = [f"{name} in {count}" for name, count in held.items() if count < held["id"]]
    return ["", f"Columns not filled in all {held['id']} papers: {', '.join(some)}"] if some else []


async def _told(stage: Stage, result: ToolResult, before: str) -> _Part:
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
            asked_for = f"{run.message}\n\nResult:\n{result.text}"
            said = await stage.write(prompt("sql.write"), asked_for, said=before) or said
        except DureError as error:
            # The table is the answer; what is missing are only words about it.
            reason = error.code
    said = f"{said}\n\n{text('own_sql', run.language)}"
    return _part(stage, result, said, columns, shown=bool(rows) and not single)._replace(reason=reason)


def _table_of(result: ToolResult) -> tuple[list[str], list[list[Any]], bool]:
    """Columns and rows of a result of `papers_sql`, and whether there may be more rows."""
    data = result.fields
    return list(data.get("columns") or []), list(data.get("rows") or []), bool(data.get("truncated"))


def _part(stage: Stage, result: ToolResult, said: str, names: Sequence[str], *, shown: bool) -> _Part:
    """A sentence, the table with `names` above it if it is `shown`, what is left out of it, the SQL."""
    language = stage.run.language
    columns, rows, cut = _table_of(result)
    parts = [said]
    if shown:
        parts.append(markdown.table(names, [[_cell(each) for each in row] for row in rows[:_SHOWN]]))
        if len(rows) > _SHOWN or cut:
            key = "rows_cut" if cut else "rows_shown"
            saved = cut or any(each.method == SAVE for each in stage.later)
            left = [text(key, language, shown=min(len(rows), _SHOWN), count=len(rows))]
            parts.append(" ".join(left if saved else [*left, text("rows_in_csv", language)]))
    parts.append(f"{text('sql', language)}:\n```sql\n{result.fields.get('sql', '')}\n```")
    return _Part("", "\n\n".join(parts), columns, rows)


def _done(stage: Stage, parts: Sequence[_Part]) -> Done:
    """The answer: the parts, and their tables, below each other; of several each row behind how its part was read."""
    held, table = [each for each in parts if each.columns], None
    if len(held) == 1:
        table = {"columns": held[0].columns, "rows": held[0].rows}
    elif held:
        columns = max((each.columns for each in held), key=len)
        blank = [None] * len(columns)
        rows = [[each.head, *row, *blank[len(row) :]] for each in held for row in each.rows]
        table = {"columns": ["", *columns], "rows": rows}
    reason = next(filter(None, (each.reason for each in parts)), None)
    name = " - ".join(filter(None, (each.name for each in parts)))
    return stage.done("\n\n".join(each.text for each in parts), table=table, reason=reason, name=name)


def _cell(value: Any) -> str:
    """A value as it is shown: four digits of what is no whole number."""
    if value is None:
        return ""
    if isinstance(value, float):
        value = f"{value:.4g}" if abs(value) < 1e6 else f"{value:.0f}"
    return " ".join(str(value).split())


METHOD = Method(text2sql, subject="papers", alone=True)
