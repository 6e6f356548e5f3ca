"""`save_file`: the last answer, or what the stages before found, as a file of the run."""

import re
from typing import Any

from dure.teams.stages.stage import Done, Stage
from dure.teams.stages.texts import text
from dure.tools.tables import markdown

TOOL = "save_file"
_FORMATS = {
    "csv": r"(?<![a-z])csv(?![a-z])|엑셀|excel|스프레드시트|spreadsheet",
    "docx": r"(?<![a-z])docx?(?![a-z])|워드|\bword\b",
    "json": r"(?<![a-z])json(?![a-z])|제이슨",
    "txt": r"(?<![a-z])txt(?![a-z])|텍스트|\btext file\b|plain text",
}
_NAMED = re.compile(r"[\"'“‘「]([^\"'”’」]{1,80})[\"'”’」]|([\w가-힣-]{1,60})\.(?:md|txt|json|csv|docx)(?![a-z])")
_HEADING = re.compile(r"^(?:#+\s*|\*\*)(.{2,60}?)(?:\*\*)?\s*$", re.MULTILINE)


async def save_file(stage: Stage) -> Done:
    """Save what was made in this pipeline, else the session's last answer."""
    run = stage.run
    content = stage.before() or run.last_answer
    if not content.strip():
        return stage.done(text("nothing_to_save", run.language))
    kind = next((kind for kind, words in _FORMATS.items() if re.search(words, run.message, re.IGNORECASE)), "md")
    if kind in ("csv", "json"):
        content = _tabular(stage) or content
    result = await stage.call(TOOL, name=_name(stage, content), format=kind, content=content)
    if result is None:
        return stage.waiting()
    if result.is_error:
        return stage.done(text("not_saved", run.language, reason=result.text))
    data: dict[str, Any] = result.data if isinstance(result.data, dict) else {}
    return stage.done(text("saved", run.language, name=data.get("name", "")))


def _tabular(stage: Stage) -> str:
    """What the stages before found, as a table whole: papers or the rows of a statistic."""
    for each in reversed(stage.earlier):
        if table := each.get("table"):
            return markdown(table["columns"], [[_cell(each) for each in row] for row in table["rows"]])
        if papers := each.get("papers"):
            names = ("title", "authors", "year", "venue", "field", "citations", "doi", "arxiv_id", "link")
            return markdown(list(names), [[_cell(paper.get(name)) for name in names] for paper in papers])
    return ""


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else " ".join(str(value).split())


def _name(stage: Stage, content: str) -> str:
    """A name that the user gave, else a heading of the content, else the message it answers."""
    if named := _NAMED.search(stage.run.message):
        return named[1] or named[2]
    if stage.before() or not (heading := _HEADING.search(content)):
        return " ".join(re.sub(r"[^\w가-힣 ]", " ", stage.run.message if stage.before() else content[:60]).split()[:8])
    return heading[1]
