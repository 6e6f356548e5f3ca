"""`save_file`: the last answer, or what the stages before found, as a file of the run."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dure import markdown
from dure.agents import Earlier
from dure.packs.papers import TEXTS
from dure.packs.papers.stages import text
from dure.packs.papers.stages.papers import TOOL as SEARCH
from dure.packs.papers.stages.sql import QUERY
from dure.packs.papers.stages.within import READ
from dure.packs.papers.tools.save import FORMATS, table_of
from dure.teams.stages.method import Method
from dure.teams.stages.stage import Done, Stage

TOOL = "save_file"
_OTHER = "other"


def _as(names: str) -> str:
    """Where the name of a format, which may be a word of other things too, says how to save: `워드로`, `as a PDF`."""
    return (
        rf"(?<![a-z])(?:{names})(?:\s?(?:파일|문서|형식))?(?:으?로(?!부터|써)|[을를]?\s?(?:만들|저장|내려|뽑아|줘|주세요))"
        rf"|\b(?:as|to|into|in|a)\s+(?:an?\s+)?(?:ms\s+|microsoft\s+)?(?:{names})"
        r"(?=\s*(?:$|[.,!?;]|files?\b|documents?\b|format\b|please\b|and\b|too\b|instead\b))"
        rf"|\w\.(?:{names})(?![a-z])"
    )


_FORMATS = {
    "bib": r"(?<![a-z])bib(?:tex|latex)?(?![a-z])",
    "csv": r"(?<![a-z])csv(?![a-z])|엑셀|(?<![a-z])excel|스프레드시트|spreadsheet",
    "docx": rf"(?<![a-z])docx(?![a-z])|워드\s?(?:파일|문서)|\bword (?:file|document|doc)\b|{_as('doc|word|워드')}",
    "json": r"(?<![a-z])json(?![a-z])|제이슨",
    "txt": rf"(?<![a-z])txt(?![a-z])|텍스트\s?파일|\btext file\b|{_as('text|plain text|텍스트')}",
    "md": r"(?<![a-z])md(?![a-z])|markdown|마크다운",
    _OTHER: rf"한글\s?(?:파일|문서)로|{_as('pdf|피디에프|pptx?|파워포인트|hwpx?|html?|xlsx?|rtf|odt|epub|xml|zip')}",
}
_NAMED = re.compile(
    rf"(?<!\w)[\"'“‘「]([^\"'”’」]{{1,80}})[\"'”’」](?![A-Za-z])|([\w가-힣-]{{1,60}})\.(?:{'|'.join(FORMATS)})(?![a-z])"
)
_HEADING = re.compile(r"^(?:#+\s*|\*\*)(.{2,60}?)(?:\*\*)?\s*$", re.MULTILINE)


_Meant = tuple[str, str]
"""What is to be saved, and the same as a Markdown table, whole, or its papers as BibTeX, where that is the format;
empty where it is none."""


async def save_file(stage: Stage) -> Done:
    """Save what was made in this pipeline, else the session's last answer."""
    run = stage.run
    kind = format_of(run.message)
    if kind == _OTHER:
        return stage.done(text("other_format", run.language))
    before = stage.before()
    said, table = (before, _of_stages(stage.earlier, kind)) if before else await _of_session(stage, kind)
    if not said.strip():
        return stage.done(text("nothing_to_save", run.language))
    if kind == "bib" and not table:
        return stage.done(text("no_references", run.language))
    content = table if kind in ("csv", "json", "bib") and table else said
    result = await stage.call(TOOL, name=_name(stage, said), format=kind, content=content)
    if result.is_error:
        return stage.done(text("not_saved", run.language, reason=result.text))
    return stage.done(text("saved", run.language, name=result.fields.get("name", "")))


def format_of(message: str) -> str:
    """The format a message wants; `other` for one that cannot be made, md where it names none."""
    return next((kind for kind, words in _FORMATS.items() if re.search(words, message, re.IGNORECASE)), "md")


def _of_stages(stages: Iterable[Done], kind: str) -> str:
    """What the last of these found, as a table whole: papers or the rows of a statistic."""
    found = (_whole({**(each.get("table") or {}), **each}, kind) for each in reversed(list(stages)))
    return next(filter(None, found), "")


async def _of_session(stage: Stage, kind: str) -> _Meant:
    """The last answer that was more than word of a saved file. A table is saved as CSV: that of the last answer with
    one."""
    run = stage.run
    runs = await run.earlier() or [Earlier(run.last_answer)]
    answers = [(answer, _of_run(each, kind)) for each in runs if (answer := _without_word(each.answer))]
    tabular = [(said, table) for said, table in answers if table or (kind == "csv" and table_of(said))]
    return next(iter([*(tabular if kind in ("csv", "bib") else []), *answers]), ("", ""))


def _of_run(earlier: Earlier, kind: str) -> str:
    """What a run's tools found, as a table whole. An answer written from a paper's text is none, as JSON."""
    for tool, data in reversed(earlier.found):
        if tool == READ and kind == "json":
            return ""
        if tool in (QUERY, SEARCH) and isinstance(data, dict) and (found := _whole(data, kind)):
            return found
    return ""


def _without_word(answer: str) -> str:
    """An answer without what this stage says in its end: that something was saved, or why not."""
    parts = answer.strip().split("\n\n")
    while parts and any(re.fullmatch(said, parts[-1].strip(), re.DOTALL) for said in _word()):
        parts.pop()
    return "\n\n".join(parts)


def _word() -> Iterator[str]:
    """Patterns of what this stage says in its end, in any language and with any values."""
    for key in ("saved", "not_saved", "nothing_to_save", "other_format", "no_references"):
        for said in TEXTS.one(f"stages_texts.text.{key}").values():
            yield re.sub(r"\\{\w+\\}", ".*", re.escape(said))


def _whole(data: Mapping[str, Any], kind: str) -> str:
    """The rows that `data` tells, or its papers, as a Markdown table; the papers as BibTeX where that is the format."""
    from dure.packs.papers.formats.export import bibtex
    from dure.packs.papers.formats.json_lines import convert

    papers, names, rows = data.get("papers") or (), data.get("columns"), data.get("rows")
    if kind == "bib":
        return bibtex([convert(paper) for paper in papers]).decode()
    if not (names and rows):
        names = ["title", "authors", "year", "venue", "field", "citations", "doi", "arxiv_id", "link"]
        rows = [[paper.get(name) for name in names] for paper in papers]
    return markdown.table(names, [[_cell(each) for each in row] for row in rows]) if rows else ""


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


METHOD = Method(save_file, subject="papers")
