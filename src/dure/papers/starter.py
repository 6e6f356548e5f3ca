"""The papers that Dure ships: loaded at the first use, and again when another version of them is installed."""

import asyncio
import hashlib
from importlib.resources import files

import orjson
import sqlalchemy as sa

from dure.papers.normal import normal
from dure.papers.record import PaperRecord
from dure.papers.store import Held, of_rows, write
from dure.storage import documents, library, papers
from dure.storage.database import Database
from dure.storage.shelves import SHARED

_NAME = "papers"
_SOURCE = "starter"


class Starter:
    """Everybody's papers, from `data/papers-*.jsonl`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ready = False
        self._turn = asyncio.Lock()

    async def ready(self) -> bool:
        """Load them where needed; whether that was done. Of several processes one loads them, the others wait."""
        if self._ready:
            return False
        async with self._turn:
            if self._ready:
                return False
            data = await asyncio.to_thread(_read)
            digest = hashlib.sha256(b"\n".join(data)).hexdigest()
            loaded = False
            if await self._database.read(library.starter_digest, _NAME) != digest:
                records = await asyncio.to_thread(_records, data)
                loaded = await self._database.write(_load, digest, records)
            self._ready = True
            return loaded


def _read() -> list[bytes]:
    folder = files("dure.papers").joinpath("data")
    found = [each for each in folder.iterdir() if each.name.startswith("papers-") and each.name.endswith(".jsonl")]
    return [each.read_bytes() for each in sorted(found, key=lambda each: each.name)]


def _records(data: list[bytes]) -> list[PaperRecord]:
    found = []
    for line in b"\n".join(data).splitlines():
        if not line.strip():
            continue
        fields = orjson.loads(line)
        fields["references"] = [f"key:{key}" for key in fields.get("references", ())]
        record = normal(PaperRecord(**fields))
        assert record is not None, line
        found.append(record)
    return found


def _id(key: str, what: str) -> str:
    """Ids are made of keys, so that they are the same in every database and version."""
    return hashlib.sha256(f"dure starter {what} {key}".encode()).hexdigest()[:32]


def _load(connection: sa.Connection, digest: str, records: list[PaperRecord]) -> bool:
    if not library.claim_starter(connection, _NAME, digest):
        return False
    library.touch(connection, "")
    there = {each.record.key: each for each in of_rows(connection, papers.everybodys(connection))}
    wanted = {record.key for record in records}
    for key in there.keys() - wanted:
        row = papers.delete(connection, "", there[key].id)
        assert row is not None
        documents.delete(connection, SHARED, row["document_id"])
    held = []
    for record in records:
        old = there.get(record.key)
        if old is None:
            held.append(Held(record, id=_id(record.key, "paper"), document_id=_id(record.key, "card")))
        else:
            old.changed.add("authors")
            old.record = record
            held.append(old)
    numbers = [each.number for each in held if each.number is not None]
    papers.drop_aliases(connection, numbers)
    papers.drop_citations(connection, numbers)
    write(connection, "", held, _SOURCE)
    return True
