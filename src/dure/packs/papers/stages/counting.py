"""Counting with a small model: the question is read into a form, by rule where it is plain, else with the model's help;
code makes the SELECT of it, and the sentence about what came of that."""

import re
from collections.abc import Mapping
from typing import Any

from dure.packs.papers.library.venues import fits
from dure.packs.papers.stages.counting_read import BEYOND, Reading, cites, read
from dure.packs.papers.stages.counting_words import heads, told
from dure.packs.papers.stages.filters import field_of
from dure.packs.papers.stages.sql_answer import answer, table_of
from dure.packs.papers.stages.sql_form import author_is, select
from dure.packs.papers.stages.sql_form import text as quoted
from dure.packs.papers.stages.texts import text
from dure.teams.stages.stage import Done, Stage

QUERY = "papers_sql"
_VENUES = "SELECT p.venue AS venue FROM papers AS p WHERE p.venue <> '' GROUP BY p.venue ORDER BY COUNT(*) DESC"
_ROWS = {
    "one number": "all",
    "papers": "paper",
    "authors": "author",
    "venues": "venue",
    "fields": "field",
    "years": "year",
    "glossary terms": "term",
    "other": None,
}
_MEASURES = ("papers", "authors", "venues", "fields", "years", "terms", "citations", "referenced")
_ASK = """Fill in the form for a question about a library of research papers. Reply with JSON.
rows: what the rows of the answer are; "one number" for how many; "other" if the form has no place for the question
count: what is counted for each row, or none
order: which rows come first
limit: how many rows, 0 for all
title: a word of the question that the titles must hold, where it names a topic; else empty
Examples:
How many papers are about attention? -> {"rows":"one number","count":"papers","order":"none","limit":0,\
"title":"attention"}
트랜스포머 논문을 연도별로 세어줘 -> {"rows":"years","count":"papers","order":"none","limit":0,"title":"트랜스포머"}
인용이 많은 논문 3편 -> {"rows":"papers","count":"citations","order":"most","limit":3,"title":""}
Which pairs of authors write together most? -> {"rows":"other","count":"none","order":"none","limit":0,"title":""}"""
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "rows": {"enum": list(_ROWS)},
        "count": {"enum": [*_MEASURES, "none"]},
        "order": {"enum": ["most", "least", "newest", "oldest", "none"]},
        "limit": {"type": "integer", "minimum": 0, "maximum": 100},
        "title": {"type": "string", "maxLength": 60},
    },
    "required": ["rows", "count", "order", "limit", "title"],
    "additionalProperties": False,
}
_NAME = re.compile(r"[A-Z][\w.-]*", re.ASCII)


async def count(stage: Stage) -> Done | None:
    """The answer, where the question fits the form; None where it does not."""
    language = stage.run.language
    reading = read(stage.known)
    if reading.unmet:
        listed = len(stage.known.listed or stage.known.earlier)
        return stage.done(text("no_place" if listed else "no_list", language, count=listed))
    form = reading.form
    if (reading.left or form.filters.venue) and not await _names(stage, reading):
        return stage.waiting()
    names = [word for word in reading.left if _NAME.fullmatch(word)]
    if names and cites(stage.known) and not form.title:
        # Who cites a paper that is not there cannot be counted, and nothing else was asked.
        return stage.done(text("no_such_paper", language, names=", ".join(names)))
    if BEYOND.search(" ".join(reading.left)):
        return None
    if (reading.left or not form.fits()) and not await _asked(stage, reading):
        return None
    if any(name.casefold() not in (form.title or "").casefold() for name in names):
        return None  # something is named that the form has no place for
    result = await stage.call(QUERY, sql=select(form))
    if result is None:
        return stage.waiting()
    if result.is_error:
        return None
    columns, rows, more = table_of(result)
    kept = [at for at in range(len(columns)) if columns[at] != "citations_known" or any(row[at] for row in rows)]
    rows = [[row[at] for at in kept] for row in rows]
    sentence = told(form, rows, language, more=more)
    return answer(stage, result, sentence, heads([columns[at] for at in kept], language), rows)


async def _names(stage: Stage, reading: Reading) -> bool:
    """Find what was not understood among the library's fields, venues and authors. False: people have to be asked."""
    form, found = reading.form, []
    result = await stage.call(QUERY, sql=_VENUES)
    if result is None:
        return False
    venues = [str(row[0]) for row in table_of(result)[1]]
    for phrase in reading.phrases():
        filters = form.filters
        if filters.field is None and (name := field_of(phrase)):
            filters.field = name
        elif filters.venue is None and phrase.casefold() in map(str.casefold, venues):
            filters.venue = phrase
        elif filters.author is None and _NAME.match(phrase):
            sql = f"SELECT a.name AS author FROM authors AS a WHERE {author_is(phrase)} LIMIT 1"  # noqa: S608
            result = await stage.call(QUERY, sql=sql)
            if result is None:
                return False
            if not table_of(result)[1]:
                continue
            filters.author = phrase
        else:
            continue
        found.append(phrase)
    reading.understood(found)
    if form.title is None and (topic := reading.topic()):
        # Titles are mostly English; the glossary knows both words.
        same = f"g.term_ko = {quoted(topic)} OR REPLACE(g.term_ko, ' ', '') = {quoted(topic.replace(' ', ''))}"
        result = await stage.call(QUERY, sql=f"SELECT g.term_en AS term FROM glossary AS g WHERE {same} LIMIT 1")  # noqa: S608
        if result is None:
            return False
        rows = table_of(result)[1]
        if rows or topic.isascii():
            form.title = str(rows[0][0]) if rows else topic
            reading.understood([topic])
    if form.filters.venue:
        form.venues = [venue for venue in venues if fits(form.filters.venue, venue)]
    return True


async def _asked(stage: Stage, reading: Reading) -> bool:
    """Have the model fill in what was not read. False where the form has no place for the question."""
    form = reading.form
    written = await stage.write_json(_ASK, stage.known.request, _SCHEMA, purpose="count")
    if not isinstance(written, Mapping) or written.get("rows") not in _ROWS or written["rows"] == "other":
        return False
    measure, order, limit, title = (written.get(key) for key in ("count", "order", "limit", "title"))
    if not form.fits():
        form.rows = _ROWS[written["rows"]]  # type: ignore[assignment]
        form.measure = measure if measure in _MEASURES else None
        form.order = order if order != "none" else None
        form.limit = limit if isinstance(limit, int) and 0 < limit <= 100 else None
        form.total, form.one = "sum", False
    title = title.strip() if isinstance(title, str) and form.title is None else ""
    if title and any(word in title for word in reading.left):
        if title.casefold() not in reading.rest.casefold():
            return False  # made up, or holding what was understood otherwise: better no number than a wrong one
        form.title = title
    elif title and title.casefold() not in stage.known.request.casefold():
        return False
    return form.fits()
