"""The papers and terms that Dure ships: loaded at the first use, and again when another version is installed."""

import asyncio
import hashlib
from collections.abc import Callable
from importlib.resources import files
from typing import Any, Generic, TypeVar

import orjson
import sqlalchemy as sa

from dure.packs.papers.library.normal import normal
from dure.packs.papers.library.store import Held, of_rows, remove, write
from dure.packs.papers.record import PaperRecord
from dure.packs.papers.storage import citations, library, papers
from dure.storage.database import Database

_SOURCE = "starter"
_FORM = b"2"
"""Another one loads the same files again: where more is made of them than before."""
R = TypeVar("R")


class Starter(Generic[R]):
    """A set of everybody's rows, from the files `data/<name>*.jsonl`.

    parse: a line's values to a record. load: brings the database to exactly these records, in one transaction.
    """

    def __init__(
        self,
        database: Database,
        name: str,
        parse: Callable[[dict[str, Any]], R],
        load: Callable[[sa.Connection, list[R]], None],
    ) -> None:
        self._database = database
        self._name = name
        self._parse = parse
        self._load = load
        self._ready = False
        self._turn = asyncio.Lock()

    async def ready(self) -> bool:
        """Load them where needed; whether that was done. Of several processes one loads them, the others wait."""
        if self._ready:
            return False
        async with self._turn:
            if self._ready:
                return False
            data = await asyncio.to_thread(_read, self._name)
            digest = hashlib.sha256(b"\n".join([_FORM, *data])).hexdigest()
            loaded = False
            if await self._database.read(library.starter_digest, self._name) != digest:
                records = await asyncio.to_thread(self._records, data)
                loaded = await self._database.write(self._claim_and_load, digest, records)
            self._ready = True
            return loaded

    def _records(self, data: list[bytes]) -> list[R]:
        lines = b"\n".join(data).splitlines()
        return [self._parse(orjson.loads(line)) for line in lines if line.strip()]

    def _claim_and_load(self, connection: sa.Connection, digest: str, records: list[R]) -> bool:
        if not library.claim_starter(connection, self._name, digest):
            return False
        self._load(connection, records)
        return True


def starter_id(key: str, what: str) -> str:
    """Ids are made of keys, so that they are the same in every database and version."""
    return hashlib.sha256(f"dure starter {what} {key}".encode()).hexdigest()[:32]


def papers_starter(database: Database) -> Starter[PaperRecord]:
    """The shipped papers."""
    return Starter(database, "papers", _record, _load_papers)


def _read(name: str) -> list[bytes]:
    folder = files("dure.packs.papers.library").joinpath("data")
    found = [each for each in folder.iterdir() if each.name.startswith(name) and each.name.endswith(".jsonl")]
    return [each.read_bytes() for each in sorted(found, key=lambda each: each.name)]


def _record(fields: dict[str, Any]) -> PaperRecord:
    fields["references"] = [f"key:{key}" for key in fields.get("references", ())]
    record = normal(PaperRecord(**fields))
    assert record is not None, fields
    return record


def _load_papers(connection: sa.Connection, records: list[PaperRecord]) -> None:
    library.touch(connection, "")
    there = {each.record.key: each for each in of_rows(connection, papers.everybodys(connection))}
    wanted = {record.key for record in records}
    for key in there.keys() - wanted:
        remove(connection, "", there[key].id)
    held = []
    for record in records:
        old = there.get(record.key)
        if old is None:
            held.append(Held(record, id=starter_id(record.key, "paper"), document_id=starter_id(record.key, "card")))
        else:
            old.changed.add("authors")
            old.record = record
            held.append(old)
    numbers = [each.number for each in held if each.number is not None]
    papers.drop_aliases(connection, numbers)
    citations.drop_citations(connection, numbers)
    write(connection, "", held, _SOURCE)
