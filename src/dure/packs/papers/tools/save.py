"""`save_file`: text or a table as a file of the run: Markdown, plain text, JSON, CSV, Excel or Word; `read_saved`: the
text of such a file of the conversation, to go on from it."""

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import takewhile
from pathlib import PurePath
from typing import Any

import orjson

from dure.charted import Chart, chart_in
from dure.errors import DureError, ToolInputError
from dure.knowledge.claims import cited_in
from dure.messages import language_of, short
from dure.packs.papers import TEXTS
from dure.pictures import picture_of
from dure.runs.answer import formatted
from dure.runs.artifacts import RESERVED
from dure.tooling import File, Tool, ToolContext, ToolResult, an_object
from dure.word import MEDIA_TYPE, Pictures, pictures_in, to_docx
from dure.workbook import CSV_TYPE, XLSX_TYPE, to_csv, to_xlsx

FORMATS: dict[str, str] = {
    "md": "text/markdown; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "json": "application/json",
    "bib": "application/x-bibtex; charset=utf-8",
    "csv": CSV_TYPE,
    "xlsx": XLSX_TYPE,
    "docx": MEDIA_TYPE,
}
SAVE = "save_file"
"""Also the method of whoever saves what was found, all of it."""
TABULAR = ("csv", "xlsx")
MAX_CHARS = 1_000_000
_MAX_NAME = 80
_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|[1-9]\d*|0)(?:\.\d+)?")
_RULE = re.compile(r":?-+:?")
"""A cell of the line below a table's head."""
_EMPHASIS = re.compile(r"(\*\*|__)(.+?)\1")
_LINK = re.compile(r"\[([^\]\[\n]+)\]\((https?://[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")

_LISTED = re.compile(r"^\s*(?:[-*] )?\[(\d{1,3})\]", re.MULTILINE)

_PARAMETERS = an_object(
    {
        "name": {"type": "string", "description": "the file's name, without a folder"},
        "format": {"type": "string", "enum": list(FORMATS)},
        "content": {
            "type": "string",
            "maxLength": MAX_CHARS,
            "description": "Markdown, docx: ![](file name) for a chart made here; csv, xlsx: with a table; bib: BibTeX",
        },
    },
    "format",
)
_READ: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "the file's name; without it the last one"},
        "from": {"type": "integer", "minimum": 0, "description": "its character to begin with; 0 without it"},
    },
}
_TEXT = TEXTS["tools_save"]


def save_tool() -> Tool:
    """The tool `save_file` {name, format?, content}; without a format as the name ends, else Markdown. The file becomes
    one of the run's, under a name made safe; nothing is ever written anywhere else."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        ending = PurePath(args["name"]).suffix[1:].lower()
        kind, content = args.get("format") or (ending if ending in FORMATS else "md"), args["content"]
        if not content.strip():
            raise ToolInputError(**_TEXT["nothing"].filled())
        name = safe_name(args["name"], kind)
        content, checks = await _sourced(kind, content, context)
        shown = await asyncio.to_thread(pictures_in, content) if "![" in content else []
        pictures = await _pictures(shown, context) if kind == "docx" else {}
        # A long text as a Word file takes seconds.
        data = await asyncio.to_thread(_written, kind, content, PurePath(name).stem, pictures)
        told = _TEXT.say("saved", context.language, name=name)
        if kind in TABULAR and (left := short(_beside_table(content))):
            told += " " + _TEXT.say("beside", context.language, text=left)
        if left := ", ".join(each for each in shown if each not in pictures):
            told += " " + _TEXT.say("pictures", context.language, names=left)
        held = {"name": name, "files": [name], "bytes": len(data), "content": content, "unsupported": checks}
        return ToolResult(told, data=held, files=[File(name, data, FORMATS[kind])])

    description = "Save text as a file for the user: md, txt, json, csv and xlsx (from a Markdown table), bib or docx."
    return Tool(SAVE, description, _PARAMETERS, run)


def saved_tool() -> Tool:
    """The tool `read_saved` {name?, from?}. The conversation has only word of a file; whoever is to change it would
    write another one. As much as has room at once, and how to go on."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        files: dict[str, str] = {}
        for each in await context.run.found() if context.run else []:
            if isinstance(each, dict) and isinstance(each.get("files"), list) and isinstance(each.get("content"), str):
                for name in each["files"]:
                    files.setdefault(str(name), each["content"])
        wanted = args.get("name") or next(iter(files), "")
        if wanted not in files:
            raise ToolInputError(**_TEXT["unknown"].filled(name=wanted, names="; ".join(files) or "-"))
        text, begin = files[wanted], args.get("from", 0)
        end = min(begin + context.room, len(text))
        told = _TEXT.say("read", context.language, name=wanted, first=begin, last=end, of=len(text))
        held = {"name": wanted, "from": begin, "to": end, "of": len(text)}
        return ToolResult(f"{told}\n\n{text[begin:end]}", data=held)

    about = "Read the text of a file that was saved in this conversation, such as to change it."
    return Tool("read_saved", about, _READ, run, untrusted=True, beside="draft_contract")


def safe_name(name: str, kind: str) -> str:
    """A name with the format's extension, of letters, digits, spaces, `-`, `_` and `.` alone."""
    last = PurePath(name.replace("\\", "/")).name
    kept = "".join(c if c.isalnum() or c in "-_. " else " " for c in last)
    stem = re.sub(rf"\.(?:{'|'.join(FORMATS)})$", "", " ".join(kept.split()), flags=re.IGNORECASE).strip(" .")
    stem = stem[:_MAX_NAME].strip(" .")
    if not stem or RESERVED.match(stem):
        stem = f"result {stem}".strip()
    return f"{stem}.{kind}"


def table_of(markdown: str) -> list[list[str]]:
    """The first Markdown table of a text, head first; empty where there is none."""
    lines = markdown.splitlines()
    if not (at := _table_at(lines)):
        return []
    head, _, *body = map(_cells, lines[at])
    # Not filled up with empty cells: some long lines would make millions of them.
    return [head, *(row[: len(head)] for row in body)]


def _table_at(lines: Sequence[str]) -> slice | None:
    """Where the lines of the first Markdown table stand."""
    for at in range(1, len(lines)):
        if "|" in lines[at - 1] and "|" in lines[at] and all(map(_RULE.fullmatch, _cells(lines[at]))):
            rows = takewhile(lambda line: "|" in line, lines[at + 1 :])
            return slice(at - 1, at + 1 + sum(1 for _ in rows))
    return None


def _beside_table(markdown: str) -> str:
    """What a text says beside its first table; headings say only what it is."""
    lines = markdown.splitlines()
    del lines[_table_at(lines) or slice(0)]
    return plain("\n".join(line for line in lines if not line.startswith("#"))).strip()


def _cells(line: str) -> list[str]:
    line = line.strip().removeprefix("|")
    line = line.removesuffix("|") if not line.endswith("\\|") else line
    return [_EMPHASIS.sub(r"\2", cell.strip().replace("\\|", "|")) for cell in re.split(r"(?<!\\)\|", line)]


async def _sourced(kind: str, content: str, context: ToolContext) -> tuple[str, list[dict[str, Any]]]:
    """What a model wrote with the sources below that its markers stand for: in the file they lead nowhere. What has a
    list of its own, or is JSON or BibTeX, stays as it is, but a table has no place for sources, nor for markers. And
    those of its checks that name what is missing: a draft says much that needs no source."""
    if kind in ("json", "bib"):
        return content, []
    listed: list[str] = _LISTED.findall(content)
    checks: list[dict[str, Any]] = []
    if context.cite is not None:
        text, citations, found = await context.cite(content)
        checks = [each for each in found or () if each["missing"]]
        if cited_in(content) and not listed:
            listed = [str(each.marker) for each in citations]
            content = text if kind in TABULAR else formatted(text, citations, "markdown", language_of(text))
    if listed and kind in TABULAR:
        content = re.sub(rf" ?\[(?:{'|'.join(listed)})\]", "", content)
    return content, checks


async def _pictures(names: Sequence[str], context: ToolContext) -> dict[str, bytes | Chart]:
    """Those of the pictures that a Word file takes: charts, and what is no SVG, of files that the conversation made."""
    found: dict[str, bytes | Chart] = {}
    for name in names:
        file = await context.run.file(name) if context.run else None
        if file and (chart := chart_in(file.data)):
            found[name] = chart
        elif file:
            with suppress(DureError):
                if picture_of(file.data).media_type != "image/webp":
                    found[name] = file.data
    return found


def _written(kind: str, content: str, title: str, pictures: Pictures) -> bytes:
    if kind in TABULAR:
        head, *rows = table_of(content) or [[]]
        if not head:
            raise ToolInputError(**_TEXT["no_table"].filled())
        # A number as one; what begins with a nought may be a code.
        body = [[Decimal(cell.replace(",", "")) if _NUMBER.fullmatch(cell) else cell for cell in row] for row in rows]
        if kind == "xlsx":
            return to_xlsx(head, body)
        # As programs read it, without groups of three.
        return to_csv([head, *([cell if isinstance(cell, str) else f"{cell:f}" for cell in row] for row in body)])
    if kind == "json":
        return _json(content, title)
    if kind == "docx":
        return to_docx(content, title, language_of(content), pictures=pictures)
    return (plain(content) if kind == "txt" else content.rstrip() + "\n").encode("utf-8", "replace")


def _json(content: str, title: str) -> bytes:
    """JSON as it is; else the text, with its table as a list of rows where it holds one."""
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError:
        value = {"title": title, "content": content.strip()}
        if rows := table_of(content):
            value["table"] = [dict(zip(rows[0], row, strict=False)) for row in rows[1:]]
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def plain(markdown: str) -> str:
    """Markdown without its marks; tables stay as they are."""
    text = re.sub(r"^```.*$\n?", "", markdown, flags=re.MULTILINE)
    text = re.sub(r"^#{1,6}\s+", "", text, flags=re.MULTILINE)
    text = _EMPHASIS.sub(r"\2", text)
    text = _LINK.sub(r"\1 (\2)", text)
    return text.rstrip() + "\n"
