"""`list_tables` and `query_tables`: the owner's CSV, XLSX and Parquet documents as SQL tables."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import PurePath
from typing import Any

from dure import markdown
from dure.data.limits import COMMON, LOAD_SECONDS, Limits
from dure.data.questions.tables import MOST_VALUES
from dure.data.rows import Rows, in_json
from dure.data.sandbox import Files, Sandbox
from dure.data.sheets import WORKBOOKS
from dure.errors import Language, NotFound, ToolInputError
from dure.knowledge.base import Knowledge
from dure.knowledge.called import holding, named, nearest
from dure.knowledge.document import Document
from dure.knowledge.units import COLUMN, tables_in
from dure.packs.tables import TEXTS
from dure.packs.tables.described import Profile, of_question, profiled
from dure.packs.tables.listing import told
from dure.packs.tables.noted import Noted
from dure.packs.tables.saved import LIMITS, file_of, first_of, name_of
from dure.packs.tables.sourced import sources
from dure.sources import Passage
from dure.storage.files import Files as Kept
from dure.tooling import Tool, ToolContext, ToolResult, an_object

_KINDS = ("csv", *WORKBOOKS, "parquet")
_LIST_DESCRIPTION = (
    "List the tables of the user's CSV, Excel and Parquet files: names and row counts, and of those nearest to the "
    "question columns with types and sample rows. Call it before query_tables."
)
_QUERY_DESCRIPTION = (
    "Run one SELECT statement (DuckDB SQL) over the user's tables and get the rows. Filter, group, sort, join and "
    f"calculate in SQL; at most {COMMON.rows} rows are returned. Names are those of list_tables."
)
_OWN = {
    "question": {"type": "string", "description": "for the data of the result: what tables hold that may be asked of"},
    "names": {
        "type": "object",
        "additionalProperties": {"type": "object"},
        "description": "names of columns in another language, by table, kept for later questions",
    },
}
"""What code asks besides, which reads the data of a result."""
_LIST_PARAMETERS = an_object(
    {
        "about": {"type": "string", "description": "what is to be found out, in the words of the question"},
        "document": {"type": "string", "description": "a file's name: its tables alone, also within PDF, DOCX, PPTX"},
        **_OWN,
    },
    *("about", "document", *_OWN),
)
_QUERY_PARAMETERS = an_object(
    {
        "sql": {"type": "string", "minLength": 1, "description": "e.g. SELECT 부서, sum(금액) FROM 매출 GROUP BY 부서"},
        "document": {"type": "string", "description": "the document that list_tables was called with, if any"},
        "save_as": {
            "type": "string",
            "description": "file name such as sales.xlsx or sales.csv: gives the user all rows of the result as a "
            "file. Only where the user wants one",
        },
    },
    *("document", "save_as"),
)

_SHOWN = 20
"""Rows of a file that the model reads."""
_NEAREST = 5
_LOOKED = 10
"""Documents that are looked through for tables within their text."""
_TITLE = 40
_SAME = ("name", "columns", "rows", "sample")
"""What of a table of the same document tells whether it is the same."""
_OWNERS = 20
"""Owners whose tables' profiles are kept."""
_TEXT = TEXTS["tables.text"]
NONE = _TEXT["none"]
"""That there are no tables."""


class Tables:
    """The table tools over `knowledge`. Each owner's tables live in a process of their own, made when first needed,
    kept for a while, and ended by `close`.
    """

    def __init__(self, knowledge: Knowledge, notes: Kept, limits: Limits = COMMON) -> None:
        """`notes`: where models' names of columns are kept."""
        self._knowledge = knowledge
        self.limits = limits
        self._sandbox = Sandbox()
        self._noted = Noted(knowledge, notes)
        self._profiles: dict[str, dict[str, Profile]] = {}

    @property
    def seconds(self) -> float:
        """How long a call may take."""
        return 2 * LOAD_SECONDS + self.limits.seconds

    def tools(self) -> list[Tool]:
        """`list_tables` {about?, document?; for code: question?, names?}, `query_tables` {sql, document?, save_as?}."""
        tool, own = partial(Tool, timeout=self.seconds, untrusted=True), frozenset(_OWN)
        return [
            tool("list_tables", _LIST_DESCRIPTION, _LIST_PARAMETERS, self._list, own=own, words="about", lists=True),
            tool("query_tables", _QUERY_DESCRIPTION, _QUERY_PARAMETERS, self._query),
        ]

    async def close(self) -> None:
        """End all table processes."""
        await self._sandbox.close()

    async def _list(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        files = await self._files(context.owner, document := args.get("document"))
        about = args.get("about") or args.get("question", "")
        # Code reads the data alone.
        more = "" if document or "question" in args else await self._others(context.owner, about, context.language)
        if not files:
            return ToolResult("\n\n".join(filter(None, [_none(document, context.language), more])))
        found = await self._sandbox.describe(context.owner, Files(files), about)
        if names := args.get("names"):
            await self._noted.keep(context.owner, found["tables"], files, names)
        found["noted"], problems = await self._noted.of(context.owner, found["tables"], files)
        found["problems"] += problems
        if question := args.get("question"):
            profiles = await self._profiled(context.owner, found["tables"], files)
            found["profiles"] = {name: of_question(each, question) for name, each in profiles.items()}
        listed = told(found, about, context.language) or NONE[context.language]
        return ToolResult("\n\n".join(filter(None, [listed, more])), data=found)

    async def _others(self, owner: str, about: str, language: Language) -> str:
        """Some documents that hold tables within their text, those first whose passages are nearest to what is asked:
        whoever is told of no table that fits may take it that there is none."""
        there = {e.id: e for e in await self._knowledge.list(owner) if e.kind not in _KINDS and e.status != "failed"}
        near = (await self._knowledge.search(owner, [about], _LOOKED)).passages if about and there else []
        looked = [there[id] for id in dict.fromkeys([*(each.document_id for each in near), *there]) if id in there]
        names = []
        for each in looked[:_LOOKED]:
            with suppress(NotFound):  # deleted a moment ago
                passages = await self._knowledge.passages(owner, each.id)
                if any(COLUMN in passage.text and tables_in([passage]) for passage in passages):
                    own = each.title not in (each.name, PurePath(each.name).stem)
                    names.append(f"{each.name} ({each.title[:_TITLE]})" if own else each.name)
        told = ", ".join(names[:_NEAREST])
        return _TEXT["within"][language].format(names=told) if told else ""

    async def _profiled(
        self, owner: str, tables: Sequence[Mapping[str, Any]], files: list[dict[str, Any]]
    ) -> dict[str, Profile]:
        """By table; each is looked through once, as long as its document is the same."""
        keys, known, kept = {each["name"]: each["key"] for each in files}, self._profiles.pop(owner, {}), {}
        limits, found = replace(self.limits, rows=MOST_VALUES), {}
        for table in tables:
            key = " ".join(map(str, [keys[table["document"]], *map(table.get, _SAME)]))
            if key not in known:
                run = partial(self._sandbox.run, owner, Files(files), limits=limits)
                known[key] = await profiled(table, run)
            found[table["name"]] = kept[key] = known[key]
        self._profiles[owner] = kept
        while len(self._profiles) > _OWNERS:
            del self._profiles[next(iter(self._profiles))]
        return found

    async def _query(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        name = name_of(args["save_as"]) if args.get("save_as") else ""
        limits = LIMITS if name else self.limits
        document = args.get("document")
        found, places = await self.select(context, args["sql"], limits, document)
        if found is None:
            return ToolResult(_none(document, context.language))
        key, total, files = "more" if found.more else "rows", len(found.rows), []
        if name:
            key, files = f"saved_{key}", [await asyncio.to_thread(file_of, found, name)]
            found = first_of(found, _SHOWN, self.limits.cell)
        count = _TEXT[key][context.language].format(count=total, shown=len(found.rows), file=name)
        text = "\n\n".join([markdown.table(found.columns, found.texts), count, *cut(found, context.language)])
        shown = {"columns": found.columns, "values": [[in_json(value) for value in row] for row in found.rows]}
        data = {"sql": found.sql, "rows": total, "more": found.more, **shown}
        return ToolResult(text, places=places, data=data | {"file": name} if name else data, files=files)

    async def select(
        self, context: ToolContext, sql: str, limits: Limits, document: str | None = None, *, bare: bool = False
    ) -> tuple[Rows | None, list[Passage]]:
        """As many rows as `limits` let through of one SELECT over the owner's tables, or those of a document; None when
        there are no tables, unless VALUES may be all that is read (`bare`). And for a model that wrote the SQL what
        they were made of. Raises ToolInputError."""
        files = await self._files(context.owner, document)
        if not (files or bare):
            return None, []
        try:
            placed = context.cite is not None
            found = await self._sandbox.run(context.owner, Files(files), sql, limits, placed=placed)
            return found, await sources(self._knowledge, context.owner, found.places, files)
        except ToolInputError as error:
            if files:
                raise
            said = {language: f"{text} {error.message(language)}" for language, text in NONE.items()}
            raise ToolInputError(**said) from None

    async def _files(self, owner: str, document: str | None = None) -> list[dict[str, Any]]:
        """The owner's documents that hold tables, or the tables within the text of one, as the child wants them.
        Raises ToolInputError for a document that is not there."""
        documents = [each for each in await self._knowledge.list(owner) if each.status != "failed"]
        files: list[dict[str, Any]] = []
        for each in called(documents, document) if document else [e for e in documents if e.kind in _KINDS]:
            try:
                if each.kind in _KINDS:
                    path = await self._knowledge.original(owner, each.id)
                    files.append({"key": each.id, "path": str(path), "name": each.name, "kind": each.kind})
                    continue
                found = tables_in(await self._knowledge.passages(owner, each.id))
            except NotFound:
                continue  # deleted a moment ago
            # Read anew, a document keeps its id.
            files += [{"key": f"{each.id} {hash(str(rows))}", "name": each.name, "rows": rows} for rows in found]
        return files


def called(documents: Sequence[Document], name: str) -> Sequence[Document]:
    """Those of that id, name or title, else those whose one name it is a part of. Raises ToolInputError with the names
    that are nearest."""
    found = named(documents, name) or holding(documents, name)
    if found and len({each.name for each in found if name != each.title}) < 2:
        return found
    near = sorted(found, key=attrgetter("name")) or nearest(documents, name) or documents
    names = list(dict.fromkeys(each.name for each in near))[:_NEAREST]
    raise ToolInputError(**_TEXT["unknown"].filled(document=name[:100], names=", ".join(names) or "–"))


def _none(document: str | None, language: Language) -> str:
    return _TEXT["none_within"][language].format(document=document) if document else NONE[language]


def cut(found: Rows, language: Language) -> list[str]:
    """Which tables of a result were cut when they were loaded, or hold sums of their other rows."""
    parts = [_TEXT["cut"][language].format(name=name, count=count) for name, count in found.partial]
    sums = [_TEXT["summed"][language].format(name=name, count=n, where=where) for name, n, where in found.totals]
    return parts + sums
