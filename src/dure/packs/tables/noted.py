"""Notes on an owner's tables: those in the owner's YAML files, and those that a model made, which are kept here."""

import asyncio
import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import orjson

from dure.data.columns import YEAR
from dure.data.questions.notes import ColumnNotes, Notes, distinct, read, together
from dure.data.questions.tables import NUMBERS
from dure.data.questions.units import noted
from dure.errors import ToolInputError
from dure.knowledge.base import Knowledge
from dure.storage.files import Files

Found = Sequence[Mapping[str, Any]]
"""Tables as the sandbox tells of them, or the files `{key, name, …}` that they are from."""


class Noted:
    """`files`: where a model's notes are kept, a file an owner, in it by document and sheet."""

    def __init__(self, knowledge: Knowledge, files: Files) -> None:
        self._knowledge = knowledge
        self._files = files

    async def of(
        self, owner: str, tables: Found, files: Found
    ) -> tuple[dict[str, dict[str, Any]], list[dict[str, str]]]:
        """Of each table `{notes, made}`, `made`: whether a model named its columns already; and what is wrong with
        owners' files, `{document, ko, en}`."""
        keys, held = {each["name"]: each["key"] for each in files}, await self._held(owner)
        own, problems = await self._own(owner, tables)
        found = {}
        for table in tables:
            made = held.get(keys[table["document"]], {}).get(table["sheet"])
            notes = own.get(PurePath(table["document"]).stem, Notes())
            notes = together(notes, Notes.model_validate(made)) if made else notes
            said = {head: (notes.columns.get(head, ColumnNotes()), unit) for head, unit in _units(table).items()}
            united = {head: each.model_copy(update={"unit": each.unit or unit}) for head, (each, unit) in said.items()}
            notes = notes.model_copy(update={"columns": {**notes.columns, **united}})
            found[table["name"]] = {"notes": notes.model_dump(), "made": made is not None}
        return found, problems

    async def keep(self, owner: str, tables: Found, files: Found, said: Mapping[str, Any]) -> None:
        """Keep what a model says of tables, by their names: what their columns are called. Notes on documents that are
        gone are dropped. Raises pydantic's ValidationError."""
        keys = {each["name"]: each["key"] for each in files}
        held = {key: sheets for key, sheets in (await self._held(owner)).items() if key in keys.values()}
        for table in tables:
            if table["name"] in said:
                notes, heads = Notes.model_validate(said[table["name"]]), {head for _, _, head in table["columns"]}
                columns = {name: each for name, each in notes.columns.items() if name in heads}
                made = distinct(Notes(rows=notes.rows, columns=columns))
                held.setdefault(keys[table["document"]], {})[table["sheet"]] = made.model_dump()
        await self._files.put(_file(owner), orjson.dumps(held))

    async def forget(self, owner: str) -> None:
        await self._files.delete(_file(owner))

    async def _held(self, owner: str) -> dict[str, dict[str, Any]]:
        # What cannot be read is made again.
        with contextlib.suppress(OSError, orjson.JSONDecodeError):
            held: dict[str, dict[str, Any]] = orjson.loads((await self._files.local(_file(owner))).read_bytes())
            return held
        return {}

    async def _own(self, owner: str, tables: Found) -> tuple[dict[str, Notes], list[dict[str, str]]]:
        """The notes of the owner's YAML files by the stem of their table's file, and their faults."""
        found: dict[str, Notes] = {}
        problems = []
        for each in await self._knowledge.list(owner):
            name = PurePath(each.name)
            columns = [head for t in tables if PurePath(t["document"]).stem == name.stem for _, _, head in t["columns"]]
            if name.suffix.lower() not in (".yaml", ".yml") or not columns or each.status == "failed":
                continue
            try:
                path = await self._knowledge.original(owner, each.id)
                text = path.read_text("utf-8-sig", "replace")
                # Seconds, where it is long and dense.
                found[name.stem] = await asyncio.to_thread(read, text, dict.fromkeys(columns))
            except ToolInputError as error:
                problems.append({"document": each.name, **error.both()})
        return found, problems


def _units(table: Mapping[str, Any]) -> dict[str, str]:
    """The unit that a line at the table gives, of each column of numbers that says none itself and holds no years."""
    name = next(filter(None, map(noted, table["notes"])), "")
    held = zip(table["columns"], zip(*table["sample"], strict=True), strict=False)
    return {
        head: name
        for (_, kind, head), cells in held
        if name and kind.startswith(NUMBERS) and head and "(" not in head
        if not all(YEAR.fullmatch(each) for each in cells if each)
    }


def _file(owner: str) -> str:
    return f"{hashlib.sha256(owner.encode()).hexdigest()[:32]}.json"
