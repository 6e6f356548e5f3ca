"""Notes on an owner's tables: those in the owner's YAML files, and those that a model made, which are kept here."""

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from dure.data.questions.notes import Notes, NotesError, check, distinct, read, together
from dure.knowledge.base import Knowledge

SUFFIXES = (".yaml", ".yml")


class Noted:
    """`folder`: where a model's notes are kept, a file a table."""

    def __init__(self, knowledge: Knowledge, folder: Path) -> None:
        self._knowledge = knowledge
        self._folder = folder

    async def of(
        self, owner: str, tables: Sequence[Mapping[str, Any]], files: Sequence[Mapping[str, str]]
    ) -> tuple[dict[str, dict[str, Any]], list[dict[str, str]]]:
        """Of each table `{notes, made}`, `made`: whether a model named its columns already; and what is wrong with
        owners' files, `{document, ko, en}`."""
        keys = {each["name"]: each["key"] for each in files}
        own, problems = await self._own(owner, tables)
        found = {}
        for table in tables:
            made = self._made(owner, keys[table["document"]], table["sheet"])
            notes = together(own.get(PurePath(table["document"]).stem, Notes()), made or Notes())
            found[table["name"]] = {"notes": notes.model_dump(), "made": made is not None}
        return found, problems

    def keep(
        self,
        owner: str,
        tables: Sequence[Mapping[str, Any]],
        files: Sequence[Mapping[str, str]],
        said: Mapping[str, Any],
    ) -> None:
        """Keep what a model says of tables, by their names: what their columns are called. Notes on documents that are
        gone are dropped. Raises pydantic's ValidationError."""
        keys = {each["name"]: each["key"] for each in files}
        folder, held = self._folder / _hashed(owner), {_hashed(key) for key in keys.values()}
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.glob("*.json"):
            if path.stem.partition("-")[0] not in held:
                path.unlink(missing_ok=True)
        for table in tables:
            if table["name"] in said:
                notes, heads = Notes.model_validate(said[table["name"]]), {head for _, _, head in table["columns"]}
                fit = {name: each for name, each in notes.columns.items() if name in heads}
                path = self._path(owner, keys[table["document"]], table["sheet"])
                path.write_text(distinct(Notes(rows=notes.rows, columns=fit)).model_dump_json(), "utf-8")

    def _path(self, owner: str, key: str, sheet: str) -> Path:
        return self._folder / _hashed(owner) / f"{_hashed(key)}-{_hashed(sheet)}.json"

    def _made(self, owner: str, key: str, sheet: str) -> Notes | None:
        # What cannot be read is made again.
        with contextlib.suppress(OSError, ValueError):
            return Notes.model_validate_json(self._path(owner, key, sheet).read_bytes())
        return None

    async def _own(
        self, owner: str, tables: Sequence[Mapping[str, Any]]
    ) -> tuple[dict[str, Notes], list[dict[str, str]]]:
        """The notes of the owner's YAML files by the stem of their table's file, and their faults."""
        found: dict[str, Notes] = {}
        problems = []
        for each in await self._knowledge.list(owner):
            name = PurePath(each.name)
            columns = [head for t in tables if PurePath(t["document"]).stem == name.stem for _, _, head in t["columns"]]
            if name.suffix.lower() not in SUFFIXES or not columns or each.status == "failed":
                continue
            try:
                path = await self._knowledge.original(owner, each.id)
                notes = read(path.read_text("utf-8-sig", "replace"))
                check(notes, dict.fromkeys(columns))
                found[name.stem] = notes
            except NotesError as error:
                problems.append({"document": each.name, "ko": error.reason.said("ko"), "en": error.reason.said("en")})
        return found, problems


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
