"""The papers that Dure ships: loaded at the first use, and again when another version is installed."""

import asyncio
import hashlib
from dataclasses import replace
from pathlib import Path

import orjson
import sqlalchemy as sa

from dure.packs.papers.library.store import Held, of_rows, remove, write
from dure.packs.papers.record import PaperRecord, normal
from dure.packs.papers.storage import library, papers
from dure.storage.database import Database

_DATA = Path(__file__).parent / "data"
_SOURCE = "starter"
_FORM = b"3"
"""Another one loads the same files again: where more is made of them than before."""


async def load_papers(database: Database) -> bool:
    """Load them where needed; whether that was done. Of several processes one loads them, the others wait."""
    data = await asyncio.to_thread(shipped, "papers")
    digest = hashlib.sha256(b"\n".join([_FORM, data])).hexdigest()
    if await database.read(library.starter_digest, "papers") == digest:
        return False
    return await database.write(_load, digest, data)


def starter_id(key: str, what: str) -> str:
    """Ids are made of keys, so that they are the same in every database and version."""
    return hashlib.sha256(f"dure starter {what} {key}".encode()).hexdigest()[:32]


def shipped(name: str) -> bytes:
    """The lines of the files `data/<name>*.jsonl`."""
    return b"\n".join(each.read_bytes() for each in sorted(_DATA.glob(f"{name}*.jsonl")))


def _load(connection: sa.Connection, digest: str, data: bytes) -> bool:
    """Bring the database to exactly what these lines say; False where another process did."""
    if not library.claim_starter(connection, "papers", digest):
        return False
    records = []
    for fields in map(orjson.loads, filter(None, data.splitlines())):
        record = normal(PaperRecord(**{**fields, "references": [f"key:{key}" for key in fields["references"]]}))
        assert record is not None, fields
        records.append(record)
    library.touch(connection, "")
    there = {each.record.key: each for each in of_rows(connection, papers.everybodys(connection))}
    wanted = {record.key for record in records}
    for key in there.keys() - wanted:
        remove(connection, "", there[key].id)
    held = []
    for record in records:
        new = Held(record, id=starter_id(record.key, "paper"), document_id=starter_id(record.key, "card"))
        held.append(replace(there.get(record.key, new), record=record, changed={"authors"}))
    numbers = [each.number for each in held if each.number is not None]
    papers.forget(connection, numbers)
    write(connection, "", held, _SOURCE)
    return True
