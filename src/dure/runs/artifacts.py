"""The files that runs make: one folder a run, one row a file."""

import asyncio
import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dure.errors import NotFound
from dure.pictures import data_url, decoded, picture_of
from dure.runs.ask import check_kinds
from dure.storage import Database, now
from dure.storage import artifacts as artifact_rows
from dure.storage import runs as run_rows
from dure.storage.files import Files
from dure.tooling import File

_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\u202a-\u202e\u2066-\u2069]+')
RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?$")
"""Names that no file may have on Windows."""
_NAME = re.compile(r"r-[0-9a-f]{24}/f-[0-9a-f]{24}")
_LONGEST = 120
_SHOWN = ("id", "name", "media_type", "size", "agent", "created_at")


class Artifacts:
    def __init__(self, database: Database, files: Files) -> None:
        self._database = database
        self._files = files

    async def save(
        self, owner: str, run_id: str, file: File, agent: str, executor: str | None = None
    ) -> dict[str, Any]:
        """Keep a file, as users see it, instead of one of its name. Raises LostRun where `executor` lost the run."""
        if executor is not None:
            await self._database.read(run_rows.hold, run_id, executor)
        row = await self.write(owner, run_id, file, agent)
        await self._database.write(artifact_rows.put, row, executor)
        return {key: row[key] for key in _SHOWN if key != "created_at"}

    async def write(self, owner: str, run_id: str, file: File, agent: str) -> dict[str, Any]:
        """Write a file; its row is left to the caller to store."""
        name = safe_name(file.name)
        # The same in every replay of the run.
        id = "f-" + hashlib.sha256(f"{run_id}/{name}".encode()).hexdigest()[:24]
        await self._files.put(f"{run_id}/{id}", file.data)
        return {
            "id": id,
            "owner": owner,
            "run_id": run_id,
            "name": name,
            "media_type": file.media_type,
            "size": len(file.data),
            "sha256": hashlib.sha256(file.data).hexdigest(),
            "agent": agent,
            "created_at": now(),
        }

    async def copy(self, owner: str, run_id: str, artifact: dict[str, Any], to: str) -> dict[str, Any]:
        """Write a run's file once more, as the run `to`'s: its row, for the caller to store. Raises NotFound."""
        return await self.write(owner, to, await self._file(owner, f"{run_id}/{artifact['id']}"), artifact["agent"])

    async def of_run(self, owner: str, run_id: str) -> list[dict[str, Any]]:
        """A run's files as users see them, in the order they were made."""
        rows = await self._database.read(artifact_rows.of_run, owner, run_id)
        return [{key: row[key] for key in _SHOWN} for row in rows]

    async def get(self, owner: str, run_id: str, id: str) -> tuple[dict[str, Any], Path]:
        """A file and where it can be read. Raises NotFound, also when the file itself is gone."""
        for row in await self.of_run(owner, run_id):
            if row["id"] == id and (path := await self._files.local(f"{run_id}/{id}")).is_file():
                return row, path
        raise NotFound(what="artifact", id=id[:64])

    async def bring(self, owner: str, run_id: str, images: Sequence[File | bytes | str]) -> list[dict[str, Any]]:
        """Write the pictures that come with a run's message: their rows, for the caller to store. A text is an earlier
        one's name, `RUN/ID`, a data URL or Base64. Raises NotFound, TooLarge, InvalidInput for what is no picture."""
        files = [await self._picture(owner, each, f"#{number}") for number, each in enumerate(images, 1)]
        named = [replace(each, name=f"{number}-{each.name}") for number, each in enumerate(files, 1)]
        return [await self.write(owner, run_id, each, "") for each in named]

    async def named(self, owner: str, session_id: str, name: str) -> File | None:
        """The newest file of that name in a session, None where there is none or somebody took it away."""
        found = await self._database.read(artifact_rows.of_session, owner, session_id, safe_name(name))
        try:
            return await self._file(owner, found) if found else None
        except NotFound:
            return None

    async def shown(self, owner: str, name: str) -> str:
        """A picture by its name, `RUN/ID`, as a data URL; "" for one that somebody took away."""
        try:
            file = await self._file(owner, name)
        except NotFound:
            return ""
        return data_url(file.media_type, file.data)

    async def _picture(self, owner: str, given: File | bytes | str, called: str) -> File:
        check_kinds({"images": File | bytes | str}, {"images": given})
        if isinstance(given, str):
            return await self._file(owner, given) if _NAME.fullmatch(given) else decoded(given, called)
        return picture_of(given, called=called) if isinstance(given, bytes) else given

    async def _file(self, owner: str, name: str) -> File:
        run_id, _, id = name.partition("/")
        row, path = await self.get(owner, run_id, id)
        return File(row["name"], await asyncio.to_thread(path.read_bytes), row["media_type"])

    async def delete(self, run_ids: list[str]) -> None:
        """Delete the files of runs whose rows are gone."""
        for run_id in run_ids:
            await self._files.delete(run_id)


def safe_name(name: str) -> str:
    """A file name that is safe to show, store and download on any system: no path, no control characters."""
    flat = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode())
    flat = _UNSAFE.sub("_", flat).strip(" .")
    if len(flat) > _LONGEST:
        stem, dot, suffix = flat.rpartition(".")
        keep = dot + suffix if stem and len(suffix) <= 10 else ""
        flat = flat[: _LONGEST - len(keep)] + keep
    return f"_{flat}" if RESERVED.match(flat) else flat or "file"
