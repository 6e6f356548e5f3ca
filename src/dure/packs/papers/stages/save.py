"""`save_file`: the last answer, or what the stages before found, as a file of the run."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from dure import markdown
from dure.agents import Earlier
from dure.packs.papers import TEXTS
from dure.packs.papers.stages import ours
from dure.packs.papers.stages.papers import TOOL as SEARCH
from dure.packs.papers.stages.sql import QUERY
from dure.packs.papers.stages.within import READ
from dure.packs.papers.tools.save import FORMATS, TABULAR, table_of
from dure.runs.answer import formatted
from dure.sources import Citation
from dure.teams.stages.general import unsourced
from dure.teams.stages.method import Method
from dure.teams.stages.stage import Done, Stage

TOOL = "save_file"
OTHER = "other"
_NAMES = 3
"""Papers that a file is named after."""


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
    "csv": r"(?<![a-z])csv(?![a-z])",
    "xlsx": r"(?<![a-z])xlsx?(?![a-z])|엑셀|(?<![a-z])excel|스프레드시트|spreadsheet",
    "docx": rf"(?<![a-z])docx(?![a-z])|워드\s?(?:파일|문서)|\bword (?:file|document|doc)\b|{_as('doc|word|워드')}",
    "json": r"(?<![a-z])json(?![a-z])|제이슨",
    "txt": rf"(?<![a-z])txt(?![a-z])|텍스트\s?파일|\btext file\b|{_as('text|plain text|텍스트')}",
    "md": r"(?<![a-z])md(?![a-z])|markdown|마크다운",
    OTHER: rf"한글\s?(?:파일|문서)로|{_as('pdf|피디에프|pptx?|파워포인트|hwpx?|html?|rtf|odt|epub|xml|zip')}",
}
_NAMED = re.compile(
    rf"(?<!\w)[\"'“‘「]([^\"'”’」]{{1,80}})[\"'”’」](?![A-Za-z])|([\w가-힣-]{{1,60}})\.(?:{'|'.join(FORMATS)})(?![a-z])"
)
_HEADING = re.compile(r"^(?:#+\s*(.{2,60}?)|\*\*([^*\n]{2,60})\*\*)\s*$", re.MULTILINE)


_Meant = tuple[str, str, list[Citation]]
"""What is to be saved, with its numbers as shown; the same as a Markdown table, whole, or its papers as BibTeX, where
that is the format, empty where it is none; its sources."""


async def save_file(stage: Stage) -> Done:
    """Save what was made in this pipeline, else the session's last answer."""
    run = stage.run
    kind = format_of(run.message)
    if kind == OTHER:
        return stage.done(ours(run, "other_format"))
    before = stage.before()
    said, table, citations = _of_stages(stage, kind) if before else await _of_session(stage, kind)
    if not said.strip():
        return stage.done(ours(run, "nothing_to_save"))
    if kind == "bib" and not table:
        return stage.done(ours(run, "no_references"))
    below = formatted("", citations, "markdown", run.language)
    content = table if kind in (*TABULAR, "json", "bib") and table else said if below in said else said + below
    result = await stage.call(TOOL, name=_name(stage, said), format=kind, content=content)
    if result.is_error:
        return stage.done(ours(run, "not_saved", reason=result.text))
    return stage.done(ours(run, "saved", name=result.fields.get("name", "")))


def format_of(message: str) -> str:
    """The format a message wants; `other` for one that cannot be made, md where it names none."""
    return next((kind for kind, words in _FORMATS.items() if re.search(words, message, re.IGNORECASE)), "md")


def _of_stages(stage: Stage, kind: str) -> _Meant:
    """What the stages before found, cited as the answer will be; as a table what the last of them found whole: papers
    or the rows of a statistic."""
    run = stage.run
    said, citations, _ = run.sources.cited(stage.before(), run.written or run.message)
    found = (_whole({**(each.get("table") or {}), **each}, kind) for each in reversed(stage.earlier))
    return said, next(filter(None, found), ""), citations


async def _of_session(stage: Stage, kind: str) -> _Meant:
    """The last answer that was more than word of a saved file. A table is saved as CSV: that of the last answer with
    one."""
    run = stage.run
    runs = await run.earlier() or [Earlier(run.last_answer)]
    answers = [(said, _of_run(each, kind), each.citations) for each in runs if (said := _without_word(each.answer))]
    tabular = [each for each in answers if each[1] or (kind in TABULAR and table_of(each[0]))]
    return next(iter([*(tabular if kind in (*TABULAR, "bib") else []), *answers]), ("", "", []))


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
    """The rows that `data` tells as a Markdown table, else its papers with what was told of each, else a table of its
    text, else its papers; the papers as BibTeX where that is the format."""
    from dure.packs.papers.formats.export import bibtex
    from dure.packs.papers.formats.json_lines import convert

    papers, names, rows = data.get("papers") or (), data.get("columns"), data.get("rows")
    if kind == "bib":
        return bibtex([convert(paper) for paper in papers]).decode()
    if not (names and rows):
        told = ["summary"] if any(paper.get("summary") for paper in papers) else []
        names = ["title", "authors", "year", "venue", "field", "citations", "doi", "arxiv_id", "link", *told]
        shown = [] if told else table_of(unsourced(data.get("text") or ""))
        names, *rows = shown or [names, *([paper.get(name) for name in names] for paper in papers)]
    return markdown.table(names, [[_cell(each) for each in row] for row in rows]) if rows else ""


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else " ".join(str(value).split())


def _name(stage: Stage, content: str) -> str:
    """A name that the user gave, else of what was made in this pipeline the topic that was searched for, the papers,
    what it is called or the message, else a heading of the content or its beginning."""
    if named := _NAMED.search(stage.run.message):
        return named[1] or named[2]
    if not stage.before():
        heading = _HEADING.search(content)
        return heading[1] or heading[2] if heading else _words(content[:60])
    searched = (call["args"].get("queries") or () for call in stage.run.tool_calls if call["name"] == SEARCH)
    queries = [query for each in searched for query in each]
    titles = [_words(re.split(r"[:：]", str(paper["title"]))[0]) for paper in stage.papers()[:_NAMES]]
    called = [_words(each["name"]) for each in stage.earlier if each.get("name")]
    return _words(queries[0]) if queries else " - ".join(titles or called[:_NAMES]) or _words(stage.run.message)


def _words(text: str) -> str:
    return " ".join(re.sub(r"[^\w가-힣-]", " ", text).split()[:8])


METHOD = Method(save_file, subject="papers")
