"""`save_file`: the last answer, or what the stages before found, as a file of the run. An agent of another team does so
with a small model: what was just found, or the last answer, as it stands; the message says how."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from dure import markdown
from dure.agents import Earlier, RunContext
from dure.agents.outcome import Outcome
from dure.agents.short import Short, ShortWay
from dure.data.questions.linking import places
from dure.knowledge.parse import KINDS
from dure.packs.papers import TEXTS
from dure.packs.papers.stages import ours
from dure.packs.papers.stages.described import described
from dure.packs.papers.stages.meant import named_by, told_by, told_in
from dure.packs.papers.stages.papers import TOOL as SEARCH
from dure.packs.papers.stages.sql import QUERY
from dure.packs.papers.stages.within import READ
from dure.packs.papers.tools.save import FORMATS, SAVE, TABULAR, table_of
from dure.runs.answer import formatted
from dure.sources import Citation
from dure.teams.stages.general import unsourced
from dure.teams.stages.method import Method
from dure.teams.stages.stage import Done, Paper, Stage

OTHER = "other"
_WORD = (
    *("saved", "not_saved", "nothing_to_save", "other_format"),
    *("no_references", "no_papers_named", "older_table", "older_papers"),
)
"""What is said of a saved file, instead of it, or below its name."""
_NAMES = 3
"""Papers that a file is named after."""
_APART = 8
"""Characters from which on two columns that a message names are not listed together: `, and ` is less."""


def _as(names: str) -> str:
    """Where the name of a format, which may be a word of other things too, says how to save: `워드로`, `as a PDF`."""
    return (
        rf"(?<![a-z])(?:{names})(?:\s?(?:파일|문서|형식))?(?:으?로(?!부터|써)|[을를]?\s?(?:만들|저장|내려|뽑아|줘|주세요))"
        rf"|\b(?:as|(?:in)?to|in|a)\s+(?:an?\s+)?(?:ms\s+|microsoft\s+)?(?:{names})"
        r"(?=\s*(?:$|[.,!?;]|files?\b|documents?\b|format\b|please\b|and\b|too\b|instead\b))"
        rf"|\w\.(?:{names})(?![a-z])"
    )


_READ_ALONE = "|".join(each[1:] for kind in KINDS.values() for each in kind.extensions if each[1:] not in FORMATS)
_FILE = r"\s?(?:파일|문서)"
_FORMATS = {
    "bib": r"(?<![a-z])bib(?:tex|latex)?(?![a-z])",
    "csv": r"(?<![a-z])csv(?![a-z])",
    "xlsx": r"(?<![a-z])xlsx?(?![a-z])|엑셀|(?<![a-z])excel|스프레드시트|spreadsheet",
    "docx": rf"(?<![a-z])docx(?![a-z])|워드{_FILE}|\bword (?:file|doc(?:ument)?)\b|{_as('doc|word|워드')}",
    "json": r"(?<![a-z])json(?![a-z])|제이슨",
    "txt": rf"(?<![a-z])txt(?![a-z])|텍스트{_FILE}|\btext file\b|{_as('text|plain text|텍스트')}",
    "md": r"(?<![a-z])md(?![a-z])|markdown|마크다운",
    OTHER: rf"한글{_FILE}로|{_as(f'{_READ_ALONE}|피디에프|파워포인트|xml')}",
}
_NAMED = re.compile(
    rf"(?<!\w)[\"'“‘「]([^\"'”’」]{{1,80}})[\"'”’」](?![A-Za-z])|([\w가-힣-]{{1,60}})\.(?:{'|'.join(FORMATS)})(?![a-z])"
)
_FOUND = re.compile(r"(?:^|\n\n)Result of [^\n:]{1,60}:\s")
"""Above what an agent before this one found."""
_NAME = 40
_HEADING = re.compile(r"^(?:#+\s*(.{2,60}?)|\*\*([^*\n]{2,60})\*\*)\s*$", re.MULTILINE)


class _Meant(NamedTuple):
    """What is to be saved."""

    said: str = ""
    """With its numbers as shown."""
    table: str = ""
    """The same as a Markdown table, whole, or its papers as BibTeX where that is the format; empty where it is none."""
    citations: Sequence[Citation] = ()
    name: str = ""
    """What a file of it is called."""
    older: str = ""
    """What it was an answer to, where that is not the last answer, which has no table, or no papers."""


async def save_file(stage: Stage) -> Done:
    """Save what was made in this pipeline, else the session's last answer."""
    run = stage.run
    kind = format_of(run.message)
    if kind == OTHER:
        return stage.done(ours(run, "other_format"))
    before = stage.before()
    said, table, citations, name, older = await (_of_stages(stage, kind) if before else _of_session(stage, kind))
    if not said.strip():
        return stage.done(ours(run, "nothing_to_save"))
    if kind == "bib" and not table:
        return stage.done(ours(run, "no_papers_named" if table_of(unsourced(said)) else "no_references"))
    below = formatted("", list(citations), "markdown", run.language)
    whole = bool(table) and kind in (*TABULAR, "json", "bib")
    content = table if whole else said if below in said else said + below
    given = _NAMED.search(run.message)
    name = (given[1] or given[2]) if given else name
    result = await stage.call(SAVE, name=name, format=kind, content=content)
    if result.is_error:
        return stage.done(ours(run, "not_saved", reason=result.text))
    columns = ", ".join(filter(None, table_of(content)[0])) if whole and kind != "bib" else ""
    key = "saved_columns" if columns else "saved"
    word = [ours(run, key, name=result.fields.get("name", ""), columns=columns)]
    if older:
        word.append(ours(run, "older_papers" if kind == "bib" else "older_table", question=older))
    return stage.done("\n\n".join(word))


def format_of(message: str) -> str:
    """The format a message wants; `other` for one that cannot be made, md where it names none."""
    return next((kind for kind, words in _FORMATS.items() if re.search(words, message, re.IGNORECASE)), "md")


async def _of_stages(stage: Stage, kind: str) -> _Meant:
    """What the stages before found, cited as the answer will be; as a table what the last of them found whole: papers
    or the rows of a statistic."""
    run = stage.run
    asked = run.written or run.message
    said, citations, _ = run.sources.cited(stage.before(), asked)
    found = ""
    for each in reversed(stage.earlier):
        found = found or await _whole(run, {**(each.get("table") or {}), **each}, kind, asked)
    searched = [call["args"] for call in run.tool_calls if call["name"] == SEARCH]
    called = [_words(each["name"]) for each in stage.earlier if each.get("name")]
    name = _topic(searched, stage.papers()) or " - ".join(called[:_NAMES]) or _words(run.message)
    return _Meant(said, found, citations, name)


async def _of_session(stage: Stage, kind: str) -> _Meant:
    """The last answer that was more than word of a saved file. As a table, or papers, the last that has some, and what
    it answered where another came after."""
    run, last = stage.run, _Meant()
    asked = run.written or run.message
    for each in await run.earlier() or [Earlier(run.last_answer)]:
        if not (said := _without_word(each.answer)):
            continue
        found, name = await _of_run(run, each, kind, asked), _name(stage, each, said)
        meant = _Meant(said, found, each.citations, name)
        if found or kind not in (*TABULAR, "bib") or (kind in TABULAR and table_of(said)):
            return meant._replace(older=_question(stage, each) or name) if last.said else meant
        last = last if last.said else meant
    return last


async def _of_run(run: RunContext, earlier: Earlier, kind: str, asked: str) -> str:
    """What a run's tools found, as a table whole; of papers those that its answer told of, if any. An answer written
    from a paper's text is none, as JSON; as BibTeX it is of that paper."""
    for tool, data in reversed(earlier.found):
        if tool == READ and kind == "json":
            return ""
        if tool == READ and kind == "bib" and (papers := told_by(earlier)):
            return await _whole(run, {"papers": papers}, kind, asked)
        if tool == SEARCH and isinstance(data, dict) and (kept := told_in(earlier, data.get("papers") or [])):
            data = {**data, "papers": kept}
        if tool in (QUERY, SEARCH) and isinstance(data, dict) and (found := await _whole(run, data, kind, asked)):
            return found
    return ""


def _without_word(answer: str) -> str:
    """An answer without what this stage says in its end, in any language and with any values: that something was saved,
    or why not."""
    texts = (each for key in _WORD for each in TEXTS.one(f"stages_texts.text.{key}").values())
    said = [re.compile(re.sub(r"\\{\w+\\}", ".*", re.escape(each)), re.DOTALL) for each in texts]
    parts = answer.strip().split("\n\n")
    while parts and any(each.fullmatch(parts[-1].strip()) for each in said):
        parts.pop()
    return "\n\n".join(parts)


async def _whole(run: RunContext, data: Mapping[str, Any], kind: str, asked: str) -> str:
    """The rows that `data` tells as a Markdown table, else its papers with what was told of each, else a table of its
    text, else its papers, in the columns that were asked for; the papers, or those that its rows name, as BibTeX where
    that is the format."""
    from dure.packs.papers.formats.export import bibtex
    from dure.packs.papers.formats.json_lines import convert

    papers, names, rows = data.get("papers") or (), data.get("columns"), data.get("rows")
    if kind == "bib":
        papers = papers or await named_by(run, rows or ())
        return bibtex([convert(paper) for paper in papers]).decode()
    if not (names and rows):
        told = ["summary"] if any(paper.get("summary") for paper in papers) else []
        names = ["title", "authors", "year", "venue", "field", "citations", "doi", "arxiv_id", "link", *told]
        names = _columns(asked, names)
        shown = [] if told else table_of(unsourced(data.get("text") or ""))
        names, *rows = shown or [names, *([paper.get(name) for name in names] for paper in papers)]
    return markdown.table(names, [[_cell(each) for each in row] for row in rows]) if rows else ""


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else " ".join(str(value).split())


def _columns(asked: str, names: list[str]) -> list[str]:
    """Of the columns those that a message lists, the title with others next to it: `title, year and venue`; all where
    it lists none. What is named by itself may be a condition, or an order."""
    known = {each.name: (*each.label.values(), *each.names) for each in described()["papers"].fields}
    called = {name: (name, *known.get(name, known.get(name.removesuffix("s"), ()))) for name in names}
    found = sorted((*at, name) for name, words in called.items() for word in words for at in places(word, asked))
    listed, end = list[list[str]](), -_APART
    for first, last, name in found:
        listed += [[]] if first - end >= _APART else []
        listed[-1].append(name)
        end = max(last, end)
    return next((each for some in listed if len(each := [*dict.fromkeys(some)]) > 1 and "title" in each), names)


def _name(stage: Stage, earlier: Earlier, said: str) -> str:
    """What a file of an earlier answer is called: as the topic or the papers that it is of, else as a heading of it or
    what was asked, else as it begins."""
    told = [(tool, data) for tool, data in earlier.found if isinstance(data, dict)]
    searched = [data for tool, data in told if tool == SEARCH]
    papers = [each for data in searched for each in data.get("papers") or ()]
    read = [data["paper"] for tool, data in told if tool == READ and data.get("paper")]
    heading, question = _HEADING.search(said), _question(stage, earlier)
    return _topic(searched, papers or read) or _words((heading[1] or heading[2]) if heading else question or said[:60])


def _question(stage: Stage, earlier: Earlier) -> str:
    """What an earlier answer was given to; empty where the conversation no longer has it."""
    said = unsourced(earlier.answer)  # The conversation may have its markers no more.
    answers = (pair for pair in pairwise(stage.run.history) if pair[1]["role"] == "assistant")
    asked = [one["content"] for one, other in answers if unsourced(str(other["content"] or "")) == said]
    return str(asked[-1] or "") if asked else ""


def _topic(searched: Iterable[Mapping[str, Any]], papers: Sequence[Paper]) -> str:
    """The topic that was searched for, else the papers."""
    queries = [query for each in searched for query in each.get("queries") or ()]
    titles = dict.fromkeys(_words(re.split(r"[:：]", str(paper["title"]))[0]) for paper in papers)
    return _words(queries[0]) if queries else " - ".join([*titles][:_NAMES])


def _words(text: str) -> str:
    return " ".join(re.sub(r"[^\w가-힣-]", " ", text).split()[:8])


async def _shortly(short: Short) -> Outcome:
    run, kind = short.run, format_of(short.run.message)
    found = "\n\n".join(_FOUND.split(short.task)[1:]).strip()
    said, citations, _ = run.sources.cited(found, run.message) if found else (run.last_answer, [], None)
    if kind == OTHER or not said.strip():
        return Outcome("completed", ours(run, "other_format" if kind == OTHER else "nothing_to_save"))
    content = said if kind in TABULAR else said + formatted("", citations, "markdown", run.language)
    result = await short.call(SAVE, name=said.strip("#*| \n").split("\n")[0][:_NAME], format=kind, content=content)
    if result.is_error:
        return Outcome("completed", ours(run, "not_saved", reason=result.text))
    return Outcome("completed", ours(run, "saved", name=result.fields.get("name", "")))


METHOD = Method(save_file, subject="papers")
WAY = ShortWay(_shortly, frozenset({SAVE}))
